"""All characters' bone matrices in one buffer: each has a run of rows, and comes and goes without moving the others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import LimitError

#: rows; 16 million bones are 800 MB
MAX_BONES = 1 << 24


@dataclass(frozen=True)
class Segment:
    """Rows `start` to `start` + `count` of the buffer."""

    start: int
    count: int

    @property
    def stop(self) -> int:
        return self.start + self.count

    @property
    def rows(self) -> slice:
        return slice(self.start, self.stop)


class BoneBuffer:
    """Rows for the bones of characters, first fit, joined again when freed.

    Attributes
    ----------
    rows : (capacity, 3, 4) float32
        What is uploaded. Grows by doubling; then `generation` changes, and the whole buffer has to be made anew on the GPU.
    """

    def __init__(self, capacity: int = 256):
        self.rows = np.zeros((max(1, capacity), 3, 4), np.float32)
        self.generation = 0
        self._free = [Segment(0, len(self.rows))]
        self._taken: dict = {}

    @property
    def capacity(self) -> int:
        return len(self.rows)

    @property
    def used(self) -> int:
        """Rows that belong to a character."""
        return sum(segment.count for segment in self._taken.values())

    def __getitem__(self, name) -> Segment:
        """The segment of a character; `KeyError` for one that has none."""
        return self._taken[name]

    def __contains__(self, name) -> bool:
        return name in self._taken

    def allocate(self, name, count: int) -> Segment:
        """Rows for a new character. Raises `LimitError` past `MAX_BONES`, `ValueError` for a name that has rows already."""
        if name in self._taken:
            raise ValueError(f"{name!r} has a segment already")
        place = next((i for i, free in enumerate(self._free) if free.count >= count), None)
        if place is None:
            self._grow(count)
            place = len(self._free) - 1
        free = self._free.pop(place)
        segment = self._taken[name] = Segment(free.start, count)
        if free.count > count:
            self._free.insert(place, Segment(segment.stop, free.count - count))
        return segment

    def free(self, name) -> None:
        """Give a character's rows back; they are zeroed, so that a stray reader draws nothing."""
        segment = self._taken.pop(name)
        self.rows[segment.start : segment.stop] = 0
        spans = sorted([*self._free, segment], key=lambda s: s.start)
        joined = []
        for span in spans:
            if joined and joined[-1].stop == span.start:
                joined[-1] = Segment(joined[-1].start, joined[-1].count + span.count)
            elif span.count:
                joined.append(span)
        self._free = joined

    def write(self, name, matrices) -> None:
        """A character's pose: (count, 3, 4). Raises `ValueError` when the count is not its segment's."""
        segment = self._taken[name]
        if len(matrices) != segment.count:
            raise ValueError(f"{name!r} has {segment.count} bones, not {len(matrices)}")
        self.rows[segment.start : segment.stop] = matrices

    def _grow(self, count):
        tail = self._free[-1] if self._free and self._free[-1].stop == self.capacity else Segment(self.capacity, 0)
        needed = tail.start + count
        if needed > MAX_BONES:
            raise LimitError("bones of all characters", needed, MAX_BONES, "Show fewer characters at a time.")
        capacity = self.capacity
        while capacity < needed:
            capacity *= 2
        capacity = min(capacity, MAX_BONES)
        if tail.count:
            self._free.pop()
        self._free.append(Segment(tail.start, capacity - tail.start))
        rows = np.zeros((capacity, 3, 4), np.float32)
        rows[: self.capacity] = self.rows
        self.rows = rows
        self.generation += 1
