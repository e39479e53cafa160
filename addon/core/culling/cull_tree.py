"""A cluster tree laid out for the CPU: node columns, bounds in cluster order, ranges that decide for whole nodes. Made once
for a tree and its bounds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import layout
from .bounds import InstanceBounds
from .lod_select import LodInputs
from .stream import CULL_RADIUS, RADIUS, BoundsStream

#: `CullTree.cut` is the first level with this many nodes: fewer cost a numpy call the same
CUT_NODES = 512


@dataclass(frozen=True)
class CullTree:
    """Derived from a `ClusterTree`; M nodes, K instances in cluster order.

    Attributes
    ----------
    boxes : (6, M) float32
        Minimum, maximum.
    first, count : (M,) int64
        Children of a node; unused in a leaf.
    begin, end : (M,) int64
        Range of `order` under each node.
    leaf : (M,) bool
    order : (K,) int64
        Instance rows.
    stream : BoundsStream
        In cluster order.
    unbuilt : (U,) int64
        Rows outside the tree, always tested; `unbuilt_stream` has their bounds.
    cut : (C,) int64
        A level of about `CUT_NODES` nodes and the leaves above it: every instance is under exactly one.
    level_starts : (D,) int64
        First row of each level.
    reach : (2, M) float32 or None
        Smallest and largest cull radius + sphere radius under a node, infinite for what has no cull radius; None when none has.
    lods : LodInputs or None
        In cluster order.
    radius, scale, primitive : (2, M) or None
        Smallest and largest under a node, for the early choice of LOD.
    total : int
        Rows of the scene, N.
    """

    boxes: np.ndarray
    first: np.ndarray
    count: np.ndarray
    begin: np.ndarray
    end: np.ndarray
    leaf: np.ndarray
    order: np.ndarray
    stream: BoundsStream
    unbuilt: np.ndarray
    unbuilt_stream: BoundsStream
    cut: np.ndarray
    level_starts: np.ndarray
    reach: np.ndarray | None
    lods: LodInputs | None
    radius: np.ndarray
    scale: np.ndarray | None
    primitive: np.ndarray | None
    total: int


def prepare(tree, bounds: InstanceBounds, lods: LodInputs | None = None) -> CullTree:
    """Lay `tree` (a `ClusterTree`) out. Its boxes must hold those of `bounds`, as building and refitting make sure."""
    nodes, order = tree.nodes, tree.sorted_instances.astype(np.int64)
    leaf = (nodes["count"] & np.uint32(layout.CLUSTER_LEAF)) != 0
    begin, end = tree.node_begin.astype(np.int64), tree.node_end.astype(np.int64)
    stream = BoundsStream.of(bounds, order)
    unbuilt = np.asarray(getattr(tree, "unbuilt", ()), np.int64)
    level_starts = np.asarray(tree.level_starts, np.int64)
    level_starts = level_starts[level_starts < len(nodes)]
    ranges = _Ranges(begin, end, leaf)
    reach = scale = primitive = None
    if stream.has_cull_radius:
        limit = stream.data[CULL_RADIUS]
        with np.errstate(over="ignore"):
            reach = ranges.of(np.where(limit > 0, limit + stream.data[RADIUS], np.float32(np.inf)))
    if lods is not None:
        lods = LodInputs(lods.table, lods.primitive[order], lods.scale[order], lods.forced)
        scale, primitive = ranges.of(lods.scale), ranges.of(lods.primitive)
    return CullTree(
        np.ascontiguousarray(np.concatenate([nodes["box_min"].T, nodes["box_max"].T])), nodes["first"].astype(np.int64),
        (nodes["count"] & np.uint32(~layout.CLUSTER_LEAF & 0xFFFFFFFF)).astype(np.int64), begin, end, leaf, order, stream,
        unbuilt, BoundsStream.of(bounds, unbuilt), cut(level_starts, leaf, CUT_NODES), level_starts, reach, lods,
        ranges.of(stream.data[RADIUS]), scale, primitive, len(bounds))


def expand(first: np.ndarray, count: np.ndarray) -> np.ndarray:
    """The integers of ranges ``[first, first + count)``, one range after another."""
    ends = np.cumsum(count)
    return np.repeat(first - (ends - count), count) + np.arange(ends[-1] if len(ends) else 0)


class _Ranges:
    """Smallest and largest value under each node, by way of the leaves."""

    def __init__(self, begin, end, leaf):
        self.leaves = np.sort(begin[leaf & (end > begin)])
        self.pairs = np.stack([np.searchsorted(self.leaves, begin), np.searchsorted(self.leaves, end)], axis=1).ravel()
        self.empty = end <= begin

    def of(self, values) -> np.ndarray:
        """(2, M)."""
        if not len(self.leaves):
            return np.zeros((2, len(self.empty)), values.dtype)
        out = []
        for function in (np.minimum, np.maximum):
            leaves = function.reduceat(values, self.leaves)
            # One more entry, since a range may end behind the last leaf; nothing reads what an empty range yields.
            out.append(np.where(self.empty, values.dtype.type(0),
                                function.reduceat(np.append(leaves, leaves[-1:]), self.pairs)[::2]))
        return np.stack(out)


def cut(level_starts, leaf, nodes: int) -> np.ndarray:
    """(C,) int64: the first level of at least `nodes` nodes (else the last), and the leaves above it."""
    sizes = np.diff(np.append(level_starts, len(leaf)))
    large = np.flatnonzero(sizes >= nodes)
    level = int(large[0]) if len(large) else len(sizes) - 1
    if level < 0:
        return np.zeros(0, np.int64)
    start = int(level_starts[level])
    return np.concatenate([np.flatnonzero(leaf[:start]), np.arange(start, start + sizes[level])])
