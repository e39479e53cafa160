"""Which keys are there already."""

from __future__ import annotations

import numpy as np


def match(wanted, keys, slots) -> tuple:
    """Find keys among sorted ones.

    Parameters
    ----------
    wanted : (K,) uint64
        Distinct, in any order.
    keys : (M,) uint64
        Ascending, distinct.
    slots : (M,) int64
        That hold them.

    Returns
    -------
    at : (K,) int64
        Slot of each of `wanted`; -1 where there is none.
    present : (M,) bool
        Which of `keys` are wanted.

    Raises
    ------
    ValueError
        A key is wanted twice.
    """
    order = np.argsort(wanted)
    ordered = wanted[order]
    if (ordered[1:] == ordered[:-1]).any():
        raise ValueError("Two rows have the same key.")
    at, present = np.full(len(wanted), -1, np.int64), np.zeros(len(keys), bool)
    if np.array_equal(ordered, keys):
        at[order], present[:] = slots, True
    elif len(keys):
        place = np.minimum(np.searchsorted(keys, ordered), len(keys) - 1)
        hit = keys[place] == ordered
        at[order[hit]], present[place[hit]] = slots[place[hit]], True
    return at, present
