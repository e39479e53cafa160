"""Particles on the skin: on its vertices, or uniformly over its surface. They stay where they are on it, whatever the pose."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class SurfacePoints:
    """Points on triangles.

    Attributes
    ----------
    vertices : (N, 3) int32
        Corners of each point's triangle.
    barycentrics : (N, 3) float32
        Not negative; they sum to 1.
    """

    vertices: np.ndarray
    barycentrics: np.ndarray

    def __len__(self):
        return len(self.vertices)

    def at(self, positions) -> np.ndarray:
        """(N, 3) where the points are when the vertices are at `positions` (V, 3); float32 stays float32, added up corner
        after corner.
        """
        corners = np.asarray(positions)[self.vertices]
        shares = self.barycentrics.astype(corners.dtype, copy=False)
        return (shares[:, 0, None] * corners[:, 0] + shares[:, 1, None] * corners[:, 1]) + shares[:, 2, None] * corners[:, 2]

    def first(self, count: int) -> "SurfacePoints":
        """The first `count`. They lie as uniformly as all of them, so fewer particles need no other sample."""
        return SurfacePoints(self.vertices[:count], self.barycentrics[:count])


def on_vertices(vertex_count: int, count: int | None = None, seed: int = 0) -> SurfacePoints:
    """A point on each vertex, or `count` on vertices drawn at random."""
    chosen = (
        np.arange(vertex_count)
        if count is None
        else np.random.default_rng(seed).integers(0, max(vertex_count, 1), count if vertex_count else 0)
    )
    shares = np.zeros((len(chosen), 3), np.float32)
    shares[:, 0] = 1
    return SurfacePoints(np.repeat(chosen[:, None], 3, axis=1).astype(np.int32), shares)


def on_surface(rest, triangles, count: int, seed: int = 0) -> SurfacePoints:
    """`count` points spread by area over the rest pose; none where it has no area.

    The same `seed`, rest pose and triangles give the same points. A triangle is drawn by its share of the area and the place
    in it by the square-root map of Osada et al., "Shape Distributions" (2002), section 4.1.
    """
    corners = np.asarray(rest, np.float64)[triangles]
    areas = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1) / 2
    areas = np.where(np.isfinite(areas), areas, 0)
    total = np.cumsum(areas)
    if not len(total) or total[-1] <= 0:
        return SurfacePoints(np.zeros((0, 3), np.int32), np.zeros((0, 3), np.float32))
    draws = np.random.default_rng(seed).random((count, 3))
    rows = np.searchsorted(total, draws[:, 0] * total[-1], side="right")
    root = np.sqrt(draws[:, 1])
    second = (root * (1 - draws[:, 2])).astype(np.float32)
    third = (root * draws[:, 2]).astype(np.float32)
    first = np.maximum(np.float32(1) - second - third, 0)
    return SurfacePoints(
        np.asarray(triangles, np.int32)[np.minimum(rows, len(total) - 1)], np.stack((first, second, third), axis=1)
    )
