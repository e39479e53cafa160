"""`ClusterTree`: the nodes and the two permutations, what follows from them, and the invariants they keep."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from .. import layout
from ..limits import NO_INDEX


def ragged(firsts, counts) -> np.ndarray:
    """Every index of every range ``first`` to ``first + count``, one range after the other."""
    starts = np.cumsum(counts) - counts
    return np.arange(int(counts.sum())) + np.repeat(firsts - starts, counts)


@dataclass(frozen=True, eq=False)
class ClusterTree:
    """A cluster tree over N instance rows. Arrays are not to be written to.

    Attributes
    ----------
    nodes : (M,) layout.CLUSTER_NODE
        Breadth-first, root in row 0, children of a node side by side. M >= 1: a tree of no instance is one leaf of none.
    sorted_instances : (N - U,) uint32
        Instance rows in leaf order, from left to right through the tree, so that what lies under any node is one range.
    reorder : (N,) uint32
        Row -> position in `sorted_instances`: its inverse. NO_INDEX for rows that are unbuilt or removed.
    unbuilt : (U,) uint32
        Rows inserted since the tree was built: in no leaf, always tested. Empty in a fresh tree.
    cluster_size : int
        Most instances of a leaf.
    builder : str
    bounds_scale : float
        Instance boxes were grown by this about their centres.
    built_cost, built_area : float
    built_count : int
        Expected tests (`quality.expected_tests`), root area and instances right after the build: what degradation is measured
        against.
    """

    nodes: np.ndarray
    sorted_instances: np.ndarray
    reorder: np.ndarray
    cluster_size: int
    builder: str = "sah"
    bounds_scale: float = 1.0
    unbuilt: np.ndarray = field(default_factory=lambda: np.zeros(0, np.uint32))
    built_cost: float = 0.0
    built_area: float = 0.0
    built_count: int = 0

    def __len__(self):
        """Nodes."""
        return len(self.nodes)

    @property
    def instance_count(self) -> int:
        """Rows that the tree answers for: in leaves, or unbuilt."""
        return len(self.sorted_instances) + len(self.unbuilt)

    @cached_property
    def is_leaf(self) -> np.ndarray:
        """(M,) bool."""
        return self.nodes["count"] >= layout.CLUSTER_LEAF

    @cached_property
    def counts(self) -> np.ndarray:
        """(M,) int64 children, or instances of a leaf: `count` without its leaf bit."""
        return (self.nodes["count"] & np.uint32(layout.CLUSTER_LEAF - 1)).astype(np.int64)

    @cached_property
    def firsts(self) -> np.ndarray:
        """(M,) int64 `first`."""
        return self.nodes["first"].astype(np.int64)

    @cached_property
    def level_starts(self) -> np.ndarray:
        """(D + 1,) int64: level d is rows ``level_starts[d]`` to ``level_starts[d + 1]``."""
        starts = [0, 1]
        while starts[-1] < len(self.nodes):
            level = slice(starts[-2], starts[-1])
            children = int(self.counts[level][~self.is_leaf[level]].sum())
            if not children:
                raise ValueError(f"node {starts[-1]} has no parent: the tree is not in breadth-first order")
            starts.append(starts[-1] + children)
        return np.array(starts, np.int64)

    @property
    def depth_count(self) -> int:
        """Levels; 1 for a tree of one leaf."""
        return len(self.level_starts) - 1

    @cached_property
    def depth(self) -> np.ndarray:
        """(M,) int64 level of each node, 0 for the root."""
        return np.repeat(np.arange(self.depth_count), np.diff(self.level_starts))

    @cached_property
    def parent(self) -> np.ndarray:
        """(M,) int64 row of each node's parent; -1 for the root."""
        inner = np.flatnonzero(~self.is_leaf)
        return np.concatenate((np.array([-1]), np.repeat(inner, self.counts[inner])))

    @cached_property
    def _full_leaves(self) -> tuple:
        """(L,) rows of leaves that hold instances, from left to right, and their firsts."""
        rows = np.flatnonzero(self.is_leaf & (self.counts > 0))
        rows = rows[np.argsort(self.firsts[rows], kind="stable")]
        return rows, self.firsts[rows]

    def leaves_at(self, positions) -> np.ndarray:
        """Ascending rows of the leaves that hold any of `positions` (of `sorted_instances`)."""
        rows, firsts = self._full_leaves
        return np.unique(rows[np.searchsorted(firsts, positions, "right") - 1]) if len(rows) else rows

    def rows_of(self, leaves) -> np.ndarray:
        """Instance rows that `leaves` hold, one leaf after the other."""
        return self.sorted_instances[ragged(self.firsts[leaves], self.counts[leaves])]

    @cached_property
    def _ranges(self) -> tuple:
        begin, end = self.firsts.copy(), self.firsts + self.counts
        for start, stop in zip(self.level_starts[-2::-1], self.level_starts[:0:-1]):
            rows = start + np.flatnonzero(~self.is_leaf[start:stop])
            begin[rows], end[rows] = begin[self.firsts[rows]], end[self.firsts[rows] + self.counts[rows] - 1]
        return begin, end

    @property
    def node_begin(self) -> np.ndarray:
        """(M,) int64 first position in `sorted_instances` under each node."""
        return self._ranges[0]

    @property
    def node_end(self) -> np.ndarray:
        """(M,) int64 position past the last one under each node."""
        return self._ranges[1]


def check(tree: ClusterTree, bounds=None) -> None:
    """Raise ``ValueError`` naming the first invariant that `tree` breaks: over the rows of `bounds` (`InstanceBounds`) when
    given."""
    _check_structure(tree)
    _check_permutations(tree)
    box_min, box_max, parent = tree.nodes["box_min"], tree.nodes["box_max"], tree.parent[1:]
    _require(np.isfinite(box_min).all() and np.isfinite(box_max).all(), "a box is not finite")
    _require((box_min <= box_max).all(), "a box has its minimum past its maximum")
    inside = (box_min[1:] >= box_min[parent]) & (box_max[1:] <= box_max[parent])
    _require(inside.all(), "a box reaches out of its parent's")
    if bounds is None:
        return
    _require(len(tree.reorder) == len(bounds), f"the tree knows {len(tree.reorder)} rows, not {len(bounds)}")
    leaves, _ = tree._full_leaves
    leaf_of = np.repeat(leaves, tree.counts[leaves])
    rows = tree.sorted_instances
    inside = (bounds.box_min[rows] >= box_min[leaf_of]) & (bounds.box_max[rows] <= box_max[leaf_of])
    _require(inside.all(), "an instance's box reaches out of its leaf's")


def _check_structure(tree):
    nodes, leaf, counts, firsts = tree.nodes, tree.is_leaf, tree.counts, tree.firsts
    _require(len(nodes) >= 1, "there is no root")
    _require((counts[~leaf] >= 2).all(), "an inner node has fewer than two children")
    _require((counts[leaf] <= tree.cluster_size).all(), f"a leaf holds more than {tree.cluster_size} instances")
    children = counts[~leaf]
    _require(np.array_equal(firsts[~leaf], 1 + np.cumsum(children) - children), "children are not in breadth-first order")
    _require(1 + children.sum() == len(nodes), "the number of children is not the number of nodes below the root")
    _require((firsts[~leaf] > np.flatnonzero(~leaf)).all(), "a node is its own descendant")
    begin, end = tree.node_begin, tree.node_end
    last = np.ones(len(nodes), bool)  # the last child of its parent, and the root
    last[:-1] = tree.parent[1:] != tree.parent[:-1]
    last[0] = True
    _require((end[:-1] == begin[1:])[~last[:-1]].all(), "the instances under a node are not one range")
    _require(begin[0] == 0 and end[0] == len(tree.sorted_instances), "the root does not cover all instances")


def _check_permutations(tree):
    rows, reorder = tree.sorted_instances, tree.reorder
    _require(rows.max(initial=0) < max(len(reorder), 1), "sorted_instances holds a row that does not exist")
    _require(np.array_equal(reorder[rows], np.arange(len(rows))), "reorder is not the inverse of sorted_instances")
    _require(np.count_nonzero(reorder != NO_INDEX) == len(rows), "reorder places a row that no leaf holds")
    _require((reorder[tree.unbuilt] == NO_INDEX).all(), "an unbuilt row is in a leaf")
    _require(len(np.unique(tree.unbuilt)) == len(tree.unbuilt), "a row is unbuilt twice")


def _require(condition, message):
    if not condition:
        raise ValueError(f"Cluster tree: {message}.")
