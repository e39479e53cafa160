"""Rows of a table that characters share: each takes a run of them, and comes and goes without moving the others."""

from __future__ import annotations

import numpy as np

from ...core.skinning.segments import Segment
from ..buffers import make_table


class Runs:
    """Where runs of rows lie: first fit, joined again when freed; `extent` rows hold all that are taken."""

    def __init__(self):
        self._free: list = []
        self.extent = 0

    def allocate(self, count: int) -> Segment:
        """A run of `count` rows; one of none lies anywhere."""
        for place, free in enumerate(self._free):
            if free.count >= count:
                self._free[place : place + 1] = [Segment(free.start + count, free.count - count)] if free.count > count else []
                return Segment(free.start, count)
        start = self._free.pop().start if self._free and self._free[-1].stop == self.extent else self.extent
        self.extent = start + count
        return Segment(start, count)

    def release(self, segment: Segment) -> None:
        """Give a run back."""
        joined = []
        for span in sorted([*self._free, segment], key=lambda s: s.start):
            if joined and joined[-1].stop == span.start:
                joined[-1] = Segment(joined[-1].start, joined[-1].count + span.count)
            elif span.count:
                joined.append(span)
        if joined and joined[-1].stop == self.extent:
            self.extent = joined.pop().start
        self._free = joined


class SharedTable:
    """Rows on the CPU and the same on the GPU. What several characters have in common is there once.

    Parameters
    ----------
    library : ShaderLibrary
    name, element
        Of the table.
    dtype : numpy dtype
        Of a row.
    """

    def __init__(self, library, name: str, element, dtype, at_least: int = 64):
        self.rows = np.zeros(at_least, dtype)
        self.table = make_table(library.capabilities, library.transport, name, element, rows=self.rows)
        self._make = lambda: make_table(library.capabilities, library.transport, name, element, rows=self.rows)
        self._runs, self._taken, self.dirty = Runs(), {}, False

    def take(self, key, make) -> Segment:
        """The run of what `key` names (kept alive); ``make()`` gives its rows where it is new."""
        if id(key) not in self._taken:
            new = make()
            segment = self._runs.allocate(len(new))
            self._grow(segment.stop)
            self.rows[segment.rows] = new
            self._taken[id(key)] = [segment, 0, key]
            self.dirty = True
        entry = self._taken[id(key)]
        entry[1] += 1
        return entry[0]

    def drop(self, key) -> None:
        """One user less; the last one gives the run back."""
        entry = self._taken[id(key)]
        entry[1] -= 1
        if not entry[1]:
            self._runs.release(entry[0])
            del self._taken[id(key)]

    def write(self, segment: Segment, rows) -> None:
        """Replace a run's rows."""
        self.rows[segment.rows] = rows
        self.dirty = True

    def upload(self) -> int:
        """Bring the GPU in step; bytes that travelled, the whole table or none."""
        if not self.dirty:
            return 0
        self.dirty = False
        if self.table.count != len(self.rows):
            self.table = self._make()
        else:
            self.table.upload(self.rows)
        return self.rows.nbytes

    def _grow(self, count: int) -> None:
        if count > len(self.rows):
            rows = np.zeros(max(count, 2 * len(self.rows)) if len(self.rows) < 1 << 16 else count + count // 8, self.rows.dtype)
            rows[: len(self.rows)] = self.rows
            self.rows = rows
