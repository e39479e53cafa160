"""Finding slots by what they hold, while slots come and go: a sorted base, and the few that came since."""

from __future__ import annotations

import numpy as np

from ..cluster_tree.tree import ragged

#: slots that may wait outside the sorted base before it is sorted again
_MAX_RECENT = 4096


class SlotIndex:
    """Slots of alive rows by a value of theirs.

    Parameters
    ----------
    values : (N,) uint64
        By slot. Kept, not copied: what it holds now is what counts.
    alive : (N,) bool
        As above.
    """

    def __init__(self, values: np.ndarray, alive: np.ndarray):
        self._values, self._alive = values, alive
        self._base = None
        self._recent = np.zeros(0, np.int64)
        self._exact = False

    def add(self, slots) -> None:
        """`slots` hold something else now."""
        self._recent = np.concatenate([self._recent, slots])
        self._exact = self._exact and not len(slots)
        if len(self._recent) > _MAX_RECENT:
            self._base = None

    def remove(self, slots) -> None:
        """`slots` are not alive any more."""
        self._exact = self._exact and not len(slots)

    def sorted(self) -> tuple:
        """(K,) values of all alive slots ascending, and (K,) int64 the slots; ascending where values are equal."""
        if not self._exact:
            slots = np.flatnonzero(self._alive)
            values = self._values[slots]
            order = np.argsort(values, kind="stable")
            self._base = values[order], slots[order]
            self._recent, self._exact = np.zeros(0, np.int64), True
        return self._base

    def find(self, wanted) -> np.ndarray:
        """(K,) int64 ascending: alive slots that hold any of `wanted`."""
        values, slots = self._base if self._base is not None else self.sorted()
        wanted = np.unique(wanted)
        begin, end = np.searchsorted(values, wanted, "left"), np.searchsorted(values, wanted, "right")
        count = end - begin
        found = slots[ragged(begin, count)]
        # The base may be behind: freed slots, and such that were given out again.
        found = found[self._alive[found] & (self._values[found] == np.repeat(wanted, count))]
        if len(self._recent):
            recent = self._recent[self._alive[self._recent] & np.isin(self._values[self._recent], wanted)]
            return np.unique(np.concatenate([found, recent]))
        return np.sort(found)
