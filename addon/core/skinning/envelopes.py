"""Weights by distance to bones, as Blender's envelopes give them. They depend on rest positions alone, so they are weights
like any other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Envelopes:
    """Of B bones, in armature space and metres: `heads`, `tails` (B, 3); `head_radii`, `tail_radii`, `distances`, `weights`
    (B,).
    """

    heads: np.ndarray
    tails: np.ndarray
    head_radii: np.ndarray
    tail_radii: np.ndarray
    distances: np.ndarray
    weights: np.ndarray

    def factors(self, points, bones) -> np.ndarray:
        """(N,) float64: 1 within bone ``bones[i]``'s envelope at ``points[i]``, falling off with the square of the distance
        from it.
        """
        points = np.asarray(points, np.float64)
        heads, tails = self.heads[bones].astype(np.float64), self.tails[bones].astype(np.float64)
        head_radii, tail_radii = self.head_radii[bones].astype(np.float64), self.tail_radii[bones].astype(np.float64)
        along, offset = tails - heads, points - heads
        length = np.linalg.norm(along, axis=1)
        along /= np.where(length > 0, length, 1)[:, None]
        at = (along * offset).sum(axis=1)
        inside = np.where(length > 0, at / np.where(length > 0, length, 1), 0)
        squared = np.where(
            at < 0,
            (offset**2).sum(axis=1),
            np.where(at > length, ((points - tails) ** 2).sum(axis=1), (offset**2).sum(axis=1) - at * at),
        )
        radii = np.where(at < 0, head_radii, np.where(at > length, tail_radii, inside * tail_radii + (1 - inside) * head_radii))
        reach = self.distances[bones].astype(np.float64)
        outside = np.sqrt(np.maximum(squared, 0)) - radii
        falling = 1 - np.divide(outside, reach, out=np.full(len(points), np.inf), where=reach > 0) ** 2
        return np.where(squared < radii**2, 1.0, np.where((reach > 0) & (squared < (radii + reach) ** 2), falling, 0.0))

    def of_vertices(self, points, bones) -> tuple:
        """(vertex, bone, weight) entries of every vertex at `points` (N, 3) and every bone of `bones` (K,) that reaches it."""
        vertices, columns, weights = [], [], []
        every = np.arange(len(points))
        for bone in np.asarray(bones).tolist():
            factor = self.factors(points, np.full(len(points), bone)) * float(self.weights[bone])
            reached = factor > 0
            vertices.append(every[reached])
            columns.append(np.full(np.count_nonzero(reached), bone))
            weights.append(factor[reached])
        if not vertices:
            return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0)
        return np.concatenate(vertices), np.concatenate(columns), np.concatenate(weights)
