"""Cluster trees laid out for the GPU: leaves in the order of their instances, levels as lists of nodes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import layout
from ..cluster_tree import ClusterTree
from ..limits import BITS_PER_WORD, NO_INDEX


#: blocks to a region: one for each of 32 threads in a row (shaders/include/active_blocks.glsl)
REGION_BLOCKS = 32


@dataclass(frozen=True)
class GpuTree:
    """One tree over the scene, or a forest of one for each primitive.

    Attributes
    ----------
    nodes : (M,) CLUSTER_NODE
    parents : (M,) uint32
        NO_INDEX for roots.
    level_nodes : (M,) uint32
        Node rows, level after level.
    level_starts : (D + 1,) int64
        Level d is entries ``level_starts[d]`` to ``level_starts[d + 1]`` of `level_nodes`.
    leaf_nodes : (L,) uint32
        Rows of the leaves that hold instances, in the order of their instances.
    word_leaves : (W,) uint32
        First leaf that reaches into each visibility word; L past the last.
    order : (K,) uint32
        Culling order: the rows in leaf order, then the unbuilt ones.
    built_count : int
        How many of `order` lie in leaves.
    positions : (N,) uint32
        Row -> position in `order`; NO_INDEX for rows that were removed.
    """

    nodes: np.ndarray
    parents: np.ndarray
    level_nodes: np.ndarray
    level_starts: np.ndarray
    leaf_nodes: np.ndarray
    word_leaves: np.ndarray
    order: np.ndarray
    built_count: int
    positions: np.ndarray

    def block_boxes(self, block_words: int) -> np.ndarray:
        """(ceil(W / block_words),) CLUSTER_NODE: a box around all leaves that reach into each run of `block_words` visibility words.

        `first` and `count` are those leaves, as a range of `leaf_nodes`. A run past the leaves has a box at the origin and none.
        """
        starts = np.arange(0, len(self.word_leaves), block_words)
        boxes = layout.CLUSTER_NODE.empty(len(starts))
        leaves = self.nodes[self.leaf_nodes]
        if not len(leaves):
            return boxes
        first = self.word_leaves[starts].astype(np.int64)
        ends = np.minimum((starts + block_words) * BITS_PER_WORD, self.built_count)
        last = np.searchsorted(leaves["first"], ends, "left")  # leaves that begin before the run ends
        boxes["first"], boxes["count"] = first, np.maximum(last - first, 0)
        some = np.flatnonzero(last > first)
        # Neighbouring runs may share a leaf, so ranges are reduced pair by pair: each second result is one between two.
        pairs = np.stack([first[some], last[some]], axis=1).reshape(-1)
        for name, reduce, neutral in (("box_min", np.minimum, np.inf), ("box_max", np.maximum, -np.inf)):
            padded = np.concatenate([leaves[name], np.full((1, 3), neutral, np.float32)])
            boxes[name][some] = reduce.reduceat(padded, pairs, axis=0)[::2]
        return boxes

    def region_boxes(self, block_words: int) -> np.ndarray:
        """(ceil(B / 32),) CLUSTER_NODE: a box around each run of 32 `block_boxes`; `first` and `count` say which."""
        blocks = self.block_boxes(block_words)
        starts = np.arange(0, len(blocks), REGION_BLOCKS)
        boxes = layout.CLUSTER_NODE.empty(len(starts))
        if len(starts):
            boxes["first"], boxes["count"] = starts, np.minimum(len(blocks) - starts, REGION_BLOCKS)
            boxes["box_min"] = np.minimum.reduceat(blocks["box_min"], starts, axis=0)
            boxes["box_max"] = np.maximum.reduceat(blocks["box_max"], starts, axis=0)
        return boxes

    @classmethod
    def of(cls, tree: ClusterTree) -> "GpuTree":
        """From one tree, unbuilt rows included."""
        return cls.of_nodes(tree.nodes, np.zeros(1, np.int64), tree.sorted_instances, tree.unbuilt, len(tree.reorder))

    @classmethod
    def of_nodes(cls, nodes, roots, sorted_instances, unbuilt=(), row_count: int | None = None) -> "GpuTree":
        """From trees one after another, as ``cluster_tree.build_forest`` gives them: an inner node's `first` counts from its
        own root.

        Parameters
        ----------
        roots : (T,) or (T + 1,) integer
            Rows of the roots, ascending; further entries equal to M are ignored, so are repeated ones (empty trees).
        """
        roots = np.unique(np.asarray(roots, np.int64))
        roots = roots[roots < len(nodes)]
        nodes = nodes.copy()
        leaf = (nodes["count"] & np.uint32(layout.CLUSTER_LEAF)) != 0
        counts = (nodes["count"] & np.uint32(layout.CLUSTER_LEAF - 1)).astype(np.int64)
        inner = np.flatnonzero(~leaf)
        nodes["first"][inner] += roots[np.searchsorted(roots, inner, "right") - 1].astype(np.uint32)
        parents = np.full(len(nodes), NO_INDEX, np.uint32)
        children = np.repeat(
            nodes["first"][inner].astype(np.int64) - (np.cumsum(counts[inner]) - counts[inner]), counts[inner]
        ) + np.arange(counts[inner].sum())
        parents[children] = np.repeat(inner, counts[inner])
        level_nodes, level_starts = _levels(parents, roots, len(nodes))
        leaves = np.flatnonzero(leaf & (counts > 0))
        leaves = leaves[np.argsort(nodes["first"][leaves], kind="stable")]
        built = len(sorted_instances)
        order = np.concatenate([sorted_instances, np.asarray(unbuilt, np.uint32)]).astype(np.uint32)
        ends = nodes["first"][leaves].astype(np.int64) + counts[leaves]
        word_leaves = np.searchsorted(ends, np.arange(-(-len(order) // BITS_PER_WORD)) * BITS_PER_WORD, "right").astype(np.uint32)
        positions = np.full(len(order) if row_count is None else row_count, NO_INDEX, np.uint32)
        positions[order] = np.arange(len(order), dtype=np.uint32)
        return cls(nodes, parents, level_nodes, level_starts, leaves.astype(np.uint32), word_leaves, order, built, positions)


def _levels(parents, roots, count) -> tuple:
    """Nodes by depth: (M,) uint32 rows and (D + 1,) starts. A node's row is greater than its parent's, so one pass a level
    settles all.
    """
    depth = np.full(count, -1, np.int64)
    depth[roots] = 0
    safe = np.where(parents == NO_INDEX, 0, parents).astype(np.int64)
    level = 0
    while (depth < 0).any():
        found = (depth < 0) & (depth[safe] == level)
        if not found.any():
            raise ValueError("a node has no path to a root")
        level += 1
        depth[found] = level
    return np.argsort(depth, kind="stable").astype(np.uint32), np.concatenate([[0], np.cumsum(np.bincount(depth, minlength=1))])
