"""Runs of rows against a plain picture of who owns each row."""

import numpy as np
from gpuscene.device.skinning.pool import Runs
from hypothesis import given, settings
from hypothesis import strategies as st


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.integers(0, 40)), max_size=60))
def test_runs_never_overlap(steps):
    runs, owners, taken = Runs(), np.zeros(4000, int), {}
    for number, (frees, value) in enumerate(steps, 1):
        if frees and taken:
            key = sorted(taken)[value % len(taken)]
            segment = taken.pop(key)
            assert (owners[segment.rows] == key).all()
            owners[segment.rows] = 0
            runs.release(segment)
        else:
            segment = taken[number] = runs.allocate(value)
            assert segment.count == value and not owners[segment.rows].any()
            owners[segment.rows] = number
        used = np.flatnonzero(owners)
        assert runs.extent >= (used[-1] + 1 if len(used) else 0)
    for segment in taken.values():
        runs.release(segment)
    assert runs.extent == 0


def test_first_fit_fills_holes():
    runs = Runs()
    a, b, c = (runs.allocate(n) for n in (10, 20, 30))
    runs.release(b)
    d = runs.allocate(15)
    assert (d.start, runs.extent) == (10, 60) and runs.allocate(5).start == 25
    runs.release(a)
    runs.release(c)
    assert runs.extent == 30
