"""GPU time without timer queries, which Blender's Python lacks: many runs queued, then one read; the difference of two such
batches is the runs alone.
"""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass


@dataclass(frozen=True)
class Timing:
    """
    Attributes
    ----------
    seconds : float
        Wall clock of one run when many are queued: the GPU's time, or Python's where that is longer.
    submit_seconds : float
        Python's share of it: queueing one run.
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
    single = _batch(run, wait, 1)[0]
    rough = max((_batch(run, wait, 9)[0] - single) / 8, 1e-7)
    runs = int(min(max(budget / rough, 2), most))
    whole, submit = [], []
    for _ in range(repeats):
        short, _ = _batch(run, wait, 1)
        long, queued = _batch(run, wait, runs + 1)
        whole.append((long - short) / runs)
        submit.append(queued / (runs + 1))
    return Timing(statistics.median(whole), statistics.median(submit), runs)


def _batch(run, wait, count: int) -> tuple:
    """Seconds of `count` runs with the wait, and of the queueing alone."""
    start = time.perf_counter()
    for _ in range(count):
        run()
    queued = time.perf_counter() - start
    wait()
    return time.perf_counter() - start, queued
