"""What a cull gives back."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .. import limits


@dataclass(frozen=True)
class CullResult:
    """The visible set of one view.

    Attributes
    ----------
    visible : (N,) bool
        By instance row.
    lod : (V,) uint8 or None
        LOD of each of `rows`; None when no LOD was asked for.
    nodes_tested : int
        Tree nodes whose box was tested.
    instances_tested : int
        Instances that went through the frustum test.
    instances_accepted : int
        Instances kept or dropped without it, because their whole node lies inside the frustum or past the conservative distance.
    """

    visible: np.ndarray
    lod: np.ndarray | None = None
    nodes_tested: int = 0
    instances_tested: int = 0
    instances_accepted: int = 0

    @cached_property
    def rows(self) -> np.ndarray:
        """(V,) int64 visible instance rows, ascending."""
        return np.flatnonzero(self.visible)

    @cached_property
    def words(self) -> np.ndarray:
        """(ceil(N / 32),) uint32: the `visibility` table."""
        return pack_words(self.visible)

    def __len__(self):
        return int(np.count_nonzero(self.visible))


def pack_words(visible: np.ndarray) -> np.ndarray:
    """(N,) bool -> (ceil(N / 32),) uint32; bit i % 32 of word i // 32 is row i; unused bits are 0."""
    packed = np.packbits(visible, bitorder="little")
    words = np.zeros(-(-len(visible) // limits.BITS_PER_WORD) * 4, np.uint8)
    words[:len(packed)] = packed
    return words.view("<u4")
