"""Timing in pairs and peak memory."""

from __future__ import annotations

import statistics
import time
from pathlib import Path


def seconds(work) -> float:
    """Wall-clock seconds of one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def paired(a, b, runs: int) -> tuple:
    """Medians of ``a()`` and ``b()`` (each returns seconds), run in turns so that drift of the machine hits both; and the median of the ratios b / a."""
    pairs = [(a(), b()) for _ in range(runs)]
    return (statistics.median(p[0] for p in pairs), statistics.median(p[1] for p in pairs),
            statistics.median(p[1] / p[0] for p in pairs))


class PeakMemory:
    """Growth of this process's resident memory over a block: ``with PeakMemory() as peak: ...; peak.bytes``.

    Linux only (resets and reads VmHWM in /proc); `bytes` is None elsewhere.
    """

    bytes: int | None = None

    def __enter__(self):
        try:
            Path("/proc/self/clear_refs").write_text("5")
            self._before = self._status("VmRSS")
        except OSError:
            self._before = None
        return self

    def __exit__(self, *exc):
        if self._before is not None:
            self.bytes = self._status("VmHWM") - self._before

    @staticmethod
    def _status(name) -> int:
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith(name + ":"):
                return int(line.split()[1]) * 1024
        raise OSError(f"no {name} in /proc/self/status")
