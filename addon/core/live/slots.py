"""Slots: one segment of rows for each primitive, with room to spare, and a free list in each.

A slot is a row of every capacity table. New instances take the lowest hole of their primitive's segment, then its headroom;
nothing else moves. When a segment is full, the tables are laid out anew.
"""

from __future__ import annotations

import numpy as np

#: one spare slot for every so many instances, and one more
HEADROOM = 8


class Segments:
    """Where the slots of each of P primitives lie.

    Parameters
    ----------
    counts : (P,) integer
        Instances to make room for.

    Attributes
    ----------
    first, capacity : (P,) int64
        Slots ``first`` to ``first + capacity``.
    used : (P,) int64
        Slots of each segment that were ever given out since the layout: what lies past them is headroom, not a hole.
    """

    def __init__(self, counts):
        counts = np.asarray(counts, np.int64)
        self.capacity = counts + counts // HEADROOM + 1
        self.first = np.cumsum(self.capacity) - self.capacity
        self.used = np.zeros(len(counts), np.int64)
        self._holes: dict[int, np.ndarray] = {}

    @property
    def total(self) -> int:
        """Slots of all segments."""
        return int(self.capacity.sum())

    @property
    def hole_count(self) -> int:
        """Slots that were freed and not given out again."""
        return sum(map(len, self._holes.values()))

    def primitive_ids(self) -> np.ndarray:
        """(total,) uint32: the primitive that each slot is for."""
        return np.repeat(np.arange(len(self.first), dtype=np.uint32), self.capacity)

    def fill(self, counts) -> np.ndarray:
        """Give out the first `counts` (P,) slots of every segment, which must be fresh. Returns them, ascending."""
        self.used[:] = counts
        starts = np.cumsum(self.used) - self.used
        return np.arange(int(self.used.sum())) + np.repeat(self.first - starts, self.used)

    def free_counts(self) -> np.ndarray:
        """(P,) int64 slots left in each segment."""
        free = self.capacity - self.used
        for primitive, holes in self._holes.items():
            free[primitive] += len(holes)
        return free

    def take(self, primitives) -> np.ndarray:
        """A slot for each of `primitives` (K,), which must have room: the lowest free ones, in the order given."""
        slots = np.empty(len(primitives), np.int64)
        for primitive, rows in _groups(primitives):
            holes = self._holes.pop(primitive, _NONE)
            reused, fresh = holes[:len(rows)], len(rows) - min(len(holes), len(rows))
            if len(holes) > len(rows):
                self._holes[primitive] = holes[len(rows):]
            start = self.first[primitive] + self.used[primitive]
            slots[rows] = np.concatenate([reused, np.arange(start, start + fresh)])
            self.used[primitive] += fresh
        return slots

    def release(self, slots, primitives) -> None:
        """Take `slots` (K,) back; `primitives` (K,) says whose they are."""
        for primitive, rows in _groups(primitives):
            self._holes[primitive] = np.sort(np.concatenate([self._holes.get(primitive, _NONE), slots[rows]]))


class Dirty:
    """Which slots changed since the last look."""

    def __init__(self, capacity: int):
        self.forget(capacity)

    def forget(self, capacity: int) -> None:
        """Start over, for `capacity` slots."""
        self._capacity, self._parts, self._total = capacity, [], 0

    def add(self, slots) -> None:
        """Mark `slots` (K,)."""
        self._parts.append(np.asarray(slots, np.int64))
        self._total += len(slots)
        if self._total > 2 * self._capacity + 1024:
            self._parts = [self._unique()]
            self._total = len(self._parts[0])

    def take(self) -> np.ndarray:
        """(K,) int64 ascending; marked no more."""
        slots = self._unique()
        self._parts, self._total = [], 0
        return slots

    def _unique(self):
        if not self._parts:
            return _NONE
        # Sorting costs more than one look at every slot when many are marked.
        if self._total < self._capacity // 16:
            return np.unique(np.concatenate(self._parts))
        marked = np.zeros(self._capacity, bool)
        for part in self._parts:
            marked[part] = True
        return np.flatnonzero(marked)


_NONE = np.zeros(0, np.int64)


def _groups(primitives):
    """(primitive, (k,) indices ascending) of each primitive that occurs."""
    if not len(primitives):
        return
    if (primitives == primitives[0]).all():
        yield int(primitives[0]), np.arange(len(primitives))
        return
    order = np.argsort(primitives, kind="stable")
    values, starts = np.unique(np.asarray(primitives)[order], return_index=True)
    yield from zip(values.tolist(), np.split(order, starts[1:]))
