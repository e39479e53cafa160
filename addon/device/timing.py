"""GPU time without timer queries, which Blender's Python lacks: many runs queued, then one read; the difference of two such
batches is the runs alone.

Blender's Vulkan back end hands nothing to the driver before the read: only then it records all commands and submits them at
once. So there Python's queueing never overlaps the GPU's work, and is left out; the recording, some microseconds, is not.
"""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass

from . import capabilities as device


@dataclass(frozen=True)
class Timing:
    """
    Attributes
    ----------
    seconds : float
        The GPU's time for one run when many are queued, with the recording of its commands. Where drivers begin before the read
        (OpenGL): the wall clock's, the GPU's or Python's, whichever is longer.
    submit_seconds : float
        Python's time to queue one run.
    runs : int
        How many runs the difference is over.
    """

    seconds: float
    submit_seconds: float
    runs: int


def measure(run, wait, budget: float = 0.4, repeats: int = 5, most: int = 2000) -> Timing:
    """Median of `repeats` differences between a long batch and one of a single run.

    Parameters
    ----------
    run : callable
        Queues the work once.
    wait : callable
        Returns when all queued work is done: a read of a small table.
    budget : float
        Seconds for one long batch, about.
    most : int
        Runs in a batch.
    """
    run()
    wait()
    single = sum(_batch(run, wait, 1))
    rough = max((sum(_batch(run, wait, 9)) - single) / 8, 1e-7)
    runs = int(min(max(budget / rough, 2), most))
    capabilities = device.start()
    starts_at_the_read = capabilities.backend == "VULKAN"
    for _ in range(0 if capabilities.is_software else 2):  # GPUs raise their clocks under load only
        _batch(run, wait, runs)
    seconds, submit = [], []
    for _ in range(repeats):
        short, long = _batch(run, wait, 1), _batch(run, wait, runs + 1)
        queued, waited = ((b - a) / runs for a, b in zip(short, long))
        seconds.append(waited if starts_at_the_read else queued + waited)
        submit.append(queued)
    return Timing(statistics.median(seconds), statistics.median(submit), runs)


def _batch(run, wait, count: int) -> tuple:
    """Seconds of queueing `count` runs, and of waiting for them."""
    start = time.perf_counter()
    for _ in range(count):
        run()
    queued = time.perf_counter()
    wait()
    return queued - start, time.perf_counter() - queued
