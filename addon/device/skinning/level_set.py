"""All levels of detail of a character over one order of bones, in which the bones of a coarser level come first."""

from __future__ import annotations

import numpy as np

from ...core.skinning.gpu_records import point_rows, weight_words
from ...core.skinning.measures import at_points, dominant_bones, weight_errors
from ...core.skinning.pack import PackedSkin


class LevelSet:
    """
    Parameters
    ----------
    levels : sequence of Level
        Near to far.

    Attributes
    ----------
    order : (U,) int32
        Original bones whose matrices travel.
    bone_counts : tuple of int
        How many of the first of them each level needs.
    """

    def __init__(self, levels):
        self.levels = tuple(levels)
        if not self.levels:
            raise ValueError("a character needs a level")
        rest = self.rest
        if any(len(level.packed.skin.rest) != len(rest) for level in self.levels):
            raise ValueError(f"levels of {self.levels[0].packed.skin.name!r} have different vertices")
        order = np.zeros(0, np.int32)
        counts = []
        for level in reversed(self.levels):
            order = np.concatenate((order, np.setdiff1d(level.packed.used, order)))
            counts.append(len(order))
        self.order, self.bone_counts = order, tuple(reversed(counts))
        self._points = [point_rows(level.points) for level in self.levels]
        self._between = [bool(points["shares"].any()) for points in self._points]
        self._in_order = [
            not points["shares"].any() and np.array_equal(points["first"], np.arange(len(points))) for points in self._points
        ]
        self._weights = [_renumbered(level.packed, order) for level in self.levels]

    @property
    def rest(self) -> np.ndarray:
        """(V, 3) float32."""
        return self.levels[0].packed.skin.rest

    @property
    def vertex_count(self) -> int:
        return len(self.rest)

    @property
    def most_points(self) -> int:
        return max(len(level.points) for level in self.levels)

    def influence_count(self, level: int) -> int:
        return self._weights[level].influence_count

    def is_wide(self, level: int) -> bool:
        return self._weights[level].is_wide

    def words(self, level: int) -> np.ndarray:
        """(words,) uint32 of the level's weights."""
        return weight_words(self._weights[level]).reshape(-1)

    def points(self, level: int) -> np.ndarray:
        """(N,) SKIN_POINT."""
        return self._points[level]

    def is_between(self, level: int) -> bool:
        """Some point lies on no vertex."""
        return self._between[level]

    def is_in_order(self, level: int) -> bool:
        """Point i lies on vertex i: nobody has to look it up."""
        return self._in_order[level]

    def values(self, level: int, mode: str) -> np.ndarray:
        """(N,) float32 that the level's points are coloured by: original bone, or weight error; the vertex with the largest
        share says which bone.
        """
        packed, points = self.levels[level].packed, self.levels[level].points
        if mode == "bone":
            corner = points.vertices[np.arange(len(points)), points.barycentrics.argmax(axis=1)]
            return dominant_bones(packed)[corner].astype(np.float32)
        return at_points(weight_errors(packed), points).astype(np.float32)


def _renumbered(packed: PackedSkin, order: np.ndarray) -> PackedSkin:
    """The same with bones counted in `order`."""
    place = np.zeros(packed.skin.bone_count, np.int64)
    place[order] = np.arange(len(order))
    indices = np.where(packed.bone_weights > 0, place[packed.used[packed.bone_indices]], 0)
    return PackedSkin(
        packed.skin, indices.astype(np.uint8 if len(order) <= 256 else np.uint16), packed.bone_weights, packed.remap, order
    )
