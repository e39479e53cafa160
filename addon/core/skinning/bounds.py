"""Bounds that follow the pose, from one box a bone instead of every vertex.

A skinned vertex is a weighted mean of its bones' images of one rest position, and each of those lies in the image of that
bone's box. So the hull of the moved boxes holds the character in every pose. Cost: eight corners a used bone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .pack import PackedSkin


@dataclass(frozen=True)
class BoneBoxes:
    """Rest-space box of the vertices that each used bone moves; `low` and `high` (U, 3) float32."""

    low: np.ndarray
    high: np.ndarray

    @classmethod
    def of(cls, packed: PackedSkin, rest=None) -> "BoneBoxes":
        """`rest`: (V, 3) instead of the skin's own."""
        rest = packed.skin.rest if rest is None else rest
        low = np.full((packed.bone_count, 3), np.inf, np.float32)
        high = np.full((packed.bone_count, 3), -np.inf, np.float32)
        for column in range(packed.influence_count):
            rows = np.flatnonzero(packed.bone_weights[:, column])
            bones = packed.bone_indices[rows, column].astype(np.intp)
            np.minimum.at(low, bones, rest[rows])
            np.maximum.at(high, bones, rest[rows])
        return cls(low, high)

    def posed(self, matrices) -> np.ndarray:
        """(2, 3) float32 world box, rounded outwards, of the pose with these (U, 3, 4) matrices. An empty skin's is empty: low
        above high.
        """
        matrices = np.asarray(matrices, np.float64)
        center, half = (self.low.astype(np.float64) + self.high) / 2, (self.high.astype(np.float64) - self.low) / 2
        middle = np.einsum("bij,bj->bi", matrices[:, :, :3], center) + matrices[:, :, 3]
        reach = np.einsum("bij,bj->bi", np.abs(matrices[:, :, :3]), half)
        low, high = (middle - reach).min(axis=0, initial=np.inf), (middle + reach).max(axis=0, initial=-np.inf)
        # The float32 blend rounds some twenty times on the way; so many units in the last place of the largest term lie outside.
        largest = (np.abs(matrices[:, :, :3]) @ np.maximum(np.abs(self.low), np.abs(self.high)).astype(np.float64)[:, :, None])[
            ..., 0
        ]
        margin = 32 * np.finfo(np.float32).eps * (largest + np.abs(matrices[:, :, 3])).max(axis=0, initial=0.0)
        return np.array([low - margin, high + margin]).astype(np.float32)
