"""Trails: the last few poses of a character, so that particles can be drawn where they were."""

from __future__ import annotations

import numpy as np

#: poses that are kept by default
DEFAULT_LENGTH = 5


class PoseRing:
    """A ring of matrix sets; only the newest is written, the others stay where they are.

    Parameters
    ----------
    bone_count : int
    length : int
        Poses kept, at least 1.

    Attributes
    ----------
    rows : (length, bone_count, 3, 4) float32
        What is uploaded.
    """

    def __init__(self, bone_count: int, length: int = DEFAULT_LENGTH):
        if length < 1:
            raise ValueError(f"a ring of {length} poses holds none")
        self.rows = np.zeros((length, bone_count, 3, 4), np.float32)
        self._written = 0

    @property
    def length(self) -> int:
        """Poses that can be asked for: fewer than the ring is long until it is full."""
        return min(self._written, len(self.rows))

    def push(self, matrices) -> int:
        """Write the pose of a new frame over the oldest; returns its slot."""
        slot = self._written % len(self.rows)
        self.rows[slot] = matrices
        self._written += 1
        return slot

    def slot(self, age: int) -> int:
        """Slot of the pose `age` frames ago; 0 is the newest. Raises ``IndexError`` for one that is not there."""
        if not 0 <= age < self.length:
            raise IndexError(f"there is no pose {age} frames ago, only {self.length}")
        return (self._written - 1 - age) % len(self.rows)

    def pose(self, age: int) -> np.ndarray:
        """(bone_count, 3, 4) view of the pose `age` frames ago."""
        return self.rows[self.slot(age)]

    def clear(self) -> None:
        """Forget all: after a jump in time the old poses are not the way here."""
        self._written = 0
