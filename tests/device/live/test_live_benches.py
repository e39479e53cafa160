"""The figures' bookkeeping, not their size: bytes and dispatches that the live scene's benches report, counted here by hand."""

import json
import subprocess
import sys

import pytest


@pytest.fixture
def bench(root, device):
    """``bench("update", 3000)`` -> the JSON document of that benchmark."""

    def run(what, instances, *options):
        command = [sys.executable, "-m", "gpuscene.cli", "bench", what, "--instances", str(instances), "--json", *options]
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


def test_update(bench, device):
    """Of 8,000, each of 4 primitives with 2,000 and a segment of 2,251: 9,004 slots. 80 changed: 128 records of 176 bytes."""
    found = bench("update", 8000, "--device", "gpu")["live"]
    assert [row["transport"] for row in found] == list(device.transports)
    for row in found:
        whole = 9004 * (64 + 48 + 16 + 32 + 4 + 8)
        boxes = row["all_bytes"] - whole
        assert row["bytes"] == 128 * 176 + boxes
        # Boxes of 32 bytes: 8,000 rows in leaves of at most 64, and a block for each 2,048 slots.
        assert boxes % 32 == 0 and 8000 / 64 <= boxes / 32 < 8000 / 16
        assert row["bytes_share"] == pytest.approx(row["bytes"] / row["all_bytes"])
        shares = row["time_share_by_changed"]
        assert set(shares) == {"0.1", "0.2", "0.3", "0.4", "0.5"} and min(shares.values()) > 0


def test_viewport(bench, device):
    """One of 300 moved: 64 records, the least there is, and the boxes of its leaf's neighbours."""
    found = bench("viewport", 300)
    assert (found["device"], found["transport"], found["instances"], found["objects"]) == ("gpu", device.transports[0], 300, 300)
    assert found["idle"]["dispatches"] == 0 and found["redraw"]["dispatches"] >= 2
    assert 0 < found["redraw"]["visible"] < 301
    move = found["move"]
    assert move["mark_seconds"] >= 0 and min(value for name, value in move.items() if name != "mark_seconds") > 0
    assert 64 * 176 <= found["move"]["bytes"] < 64 * 176 + 300 * 32
