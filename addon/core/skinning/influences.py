"""Which bones move a vertex, and by how much: any number of influences a vertex, as one flat array."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Influences:
    """Weights of bones on vertices, vertex after vertex.

    Attributes
    ----------
    starts : (V + 1,) int64
        Vertex v has the entries ``starts[v]`` to ``starts[v + 1]``.
    bones : (E,) int32
    weights : (E,) float64
    """

    starts: np.ndarray
    bones: np.ndarray
    weights: np.ndarray

    @classmethod
    def of(cls, vertex_count: int, vertices, bones, weights) -> "Influences":
        """From entries in any order; weights of 0 and below are dropped, entries of the same vertex and bone added up."""
        vertices, bones = np.asarray(vertices, np.int64), np.asarray(bones, np.int64)
        weights = np.asarray(weights, np.float64)
        keep = weights > 0
        vertices, bones, weights = vertices[keep], bones[keep], weights[keep]
        span = int(bones.max(initial=0)) + 1
        pairs, inverse = np.unique(vertices * span + bones, return_inverse=True)
        summed = np.bincount(inverse.reshape(-1), weights, minlength=len(pairs)) if len(pairs) else np.zeros(0)
        counts = np.bincount(pairs // span, minlength=vertex_count) if len(pairs) else np.zeros(vertex_count, np.int64)
        return cls(np.r_[0, np.cumsum(counts)].astype(np.int64), (pairs % span).astype(np.int32), summed)

    @property
    def vertex_count(self) -> int:
        return len(self.starts) - 1

    @property
    def counts(self) -> np.ndarray:
        """(V,) int64: influences of each vertex."""
        return np.diff(self.starts)

    @property
    def vertices(self) -> np.ndarray:
        """(E,) int64: the vertex of each entry."""
        return np.repeat(np.arange(self.vertex_count), self.counts)

    def sums(self) -> np.ndarray:
        """(V,) float64: weights of each vertex added up; 0 where it has none."""
        return np.bincount(self.vertices, self.weights, minlength=self.vertex_count)

    def normalised(self, fallback: int, least: float = 0.0) -> "Influences":
        """Weights of each vertex sum to 1; a vertex whose sum is not above `least` belongs to bone `fallback` alone."""
        sums = self.sums()
        weak = ~(sums > least)
        vertices = self.vertices
        keep = ~weak[vertices]
        lone = np.flatnonzero(weak)
        return Influences.of(
            self.vertex_count,
            np.r_[vertices[keep], lone],
            np.r_[self.bones[keep], np.full(len(lone), fallback)],
            np.r_[self.weights[keep] / sums[vertices[keep]], np.ones(len(lone))],
        )

    def strongest(self, limit: int) -> "Influences":
        """At most `limit` influences a vertex, the strongest (of equals those of the lower bones), scaled to the sum that was
        there.
        """
        if not len(self.bones) or self.counts.max() <= limit:
            return self
        vertices = self.vertices
        order = np.lexsort((self.bones, -self.weights, vertices))
        rank = np.arange(len(order)) - self.starts[vertices[order]]
        chosen = np.sort(order[rank < limit])
        kept = Influences.of(self.vertex_count, vertices[chosen], self.bones[chosen], self.weights[chosen])
        scale = np.divide(self.sums(), kept.sums(), out=np.ones(self.vertex_count), where=kept.sums() > 0)
        return Influences(kept.starts, kept.bones, kept.weights * scale[kept.vertices])

    def mapped(self, new_bones) -> "Influences":
        """The same with bone b called ``new_bones[b]``; influences that then meet are added up."""
        return Influences.of(self.vertex_count, self.vertices, np.asarray(new_bones)[self.bones], self.weights)

    def padded(self, width: int) -> tuple:
        """As rows, the strongest first: (V, width) int32 bones and (V, width) float64 weights; unused places are bone 0 with
        weight 0.

        Raises ``ValueError`` where a vertex has more than `width`.
        """
        if self.counts.max(initial=0) > width:
            raise ValueError(f"a vertex has {self.counts.max()} influences, more than {width}")
        bones, weights = np.zeros((self.vertex_count, width), np.int32), np.zeros((self.vertex_count, width))
        vertices = self.vertices
        order = np.lexsort((self.bones, -self.weights, vertices))
        rank = np.arange(len(order)) - self.starts[vertices[order]]
        bones[vertices[order], rank], weights[vertices[order], rank] = self.bones[order], self.weights[order]
        return bones, weights

    def used(self, bone_count: int) -> np.ndarray:
        """(bone_count,) bool: a weight above zero points to the bone."""
        return np.bincount(self.bones, minlength=bone_count)[:bone_count] > 0
