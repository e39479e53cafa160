"""The dashboard's judgements at and about every threshold, its texts, and the ring against a plain list."""

from collections import deque
from dataclasses import astuple, replace

import numpy as np
import pytest
from gpuscene.core.live.metrics import HISTORY, FrameStats, History, bytes_text, dashboard, length_text

QUIET = FrameStats(frame=3, upload_ms=0.4, bytes_uploaded=2048, instances=1000, visible=250, triangles_submitted=3000,
                   triangles_total=24_000, draw_arguments=20, draw_count=5, fragmentation=0.05, channels_used=4)


def row(stats, key):
    return next(r for r in dashboard(stats) if r.key == key)


@pytest.mark.parametrize(("key", "change", "level"), [
    ("upload_ms", {"upload_ms": 0.0}, "good"), ("upload_ms", {"upload_ms": 0.999}, "good"),
    ("upload_ms", {"upload_ms": 1.0}, "warn"), ("upload_ms", {"upload_ms": 2.0}, "warn"),
    ("upload_ms", {"upload_ms": 2.001}, "bad"), ("upload_ms", {"upload_ms": np.nan}, "bad"),
    ("fill_rate", {"visible": 599}, "good"), ("fill_rate", {"visible": 600}, "warn"), ("fill_rate", {"visible": 800}, "warn"),
    ("fill_rate", {"visible": 801}, "bad"), ("fill_rate", {"instances": 0, "visible": 0}, "good"),
    ("fragmentation", {"fragmentation": 0.0999}, "good"), ("fragmentation", {"fragmentation": 0.1}, "warn"),
    ("fragmentation", {"fragmentation": 0.3}, "warn"), ("fragmentation", {"fragmentation": 0.3001}, "bad"),
    ("channels_used", {"channels_used": 4}, "good"), ("channels_used", {"channels_used": 5}, "warn"),
    ("channels_used", {"channels_used": 6}, "warn"), ("channels_used", {"channels_used": 7}, "bad"),
    ("channels_used", {"channels_used": 8}, "bad"),
])
def test_levels_at_every_threshold(key, change, level):
    got = row(replace(QUIET, **change), key)
    assert got.level == level
    assert bool(got.advice) == (level != "good")
    if level != "good":
        assert got.advice.endswith(".") and "GPUScene > " in got.advice and got.value.split(" of ")[0] in got.advice


def test_what_is_said_by_hand():
    rows = dashboard(QUIET)
    assert [(r.label, r.value, r.level) for r in rows] == [
        ("Upload Time", "0.40 ms", "good"), ("Visibility Fill Rate", "25.0 %", "good"), ("Index Fragmentation", "5.0 %", "good"),
        ("Custom-Data Channels", "4 of 8", "good"), ("Instances", "1,000", "info"), ("Visible", "250 (25.0 %)", "info"),
        ("Triangles", "3,000 of 24,000", "info"), ("Draw Arguments", "20, 5 of them draw", "info"),
        ("Uploaded", "2.0 KiB", "info"), ("Jitter", "0 m", "info")]
    assert [r.share for r in rows] == [0.2, 0.25, 0.05, 0.5, 0, 0.25, 0.125, 0.25, 0, 0]
    assert not any(r.advice for r in rows)


def test_shares_stay_bars_and_an_empty_scene_divides_by_nothing():
    assert all(r.share == 0 for r in dashboard(FrameStats()))
    wild = FrameStats(upload_ms=99, instances=1, visible=5, triangles_submitted=9, triangles_total=2, fragmentation=4,
                      channels_used=99)
    assert all(0 <= r.share <= 1 for r in dashboard(wild))


def test_jitter_says_how_far_and_what_ends_it():
    got = row(replace(QUIET, jitter_m=0.25), "jitter_m")
    assert got.value == "0.25 m" and "0.25 m" in got.advice and "Update Every" in got.advice


@pytest.mark.parametrize(("count", "text"), [
    (0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (1536, "1.5 KiB"), (1024 ** 2 - 1, "1.0 MiB"),
    (192 * 1024 ** 2, "192.0 MiB"), (5 * 1024 ** 4, "5120.0 GiB")])
def test_bytes(count, text):
    assert bytes_text(count) == text


@pytest.mark.parametrize(("metres", "text"), [
    (0, "0 m"), (0.00012207, "0.122 mm"), (1e-9, "under 0.001 mm"), (0.0099, "9.9 mm"), (0.01, "0.01 m"), (1.234, "1.23 m"),
    (-52.34, "-52.3 m"), (99.96, "100 m"), (999.6, "1,000 m"), (1234.5, "1,234 m"),
    (9999, "9,999 m"), (12_345, "12.3 km"), (1e30, "1e+27 km")])
def test_lengths(metres, text):
    assert length_text(metres) == text


@pytest.mark.parametrize("capacity", [1, 7, HISTORY])
def test_history_against_a_plain_list(capacity):
    history, kept, rng = History(capacity), deque(maxlen=capacity), np.random.default_rng(1)
    for frame in range(3 * capacity + 2):
        stats = replace(QUIET, frame=frame, upload_ms=rng.random(), visible=int(rng.integers(0, 1000)))
        history.append(stats)
        kept.append(stats)
        assert len(history) == len(kept)
        for name in ("frame", "upload_ms", "visible", "fill_rate"):
            assert history.array(name).tolist() == [getattr(s, name) for s in kept]
    with pytest.raises(ValueError):
        history.array("frame")[0] = 1
    history.clear()
    assert len(history) == 0 and len(history.array("frame")) == 0
    history.append(QUIET)
    assert history.array("frame").tolist() == [3]


def test_history_has_every_number_of_a_frame():
    history = History()
    history.append(QUIET)
    names = list(QUIET.__dataclass_fields__)
    assert tuple(history.array(name)[0] for name in names) == astuple(QUIET)
