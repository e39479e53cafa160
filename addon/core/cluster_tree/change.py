"""Change a tree without rebuilding it: refit boxes, take rows in and out, and tell when a rebuild pays."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .. import layout
from ..limits import NO_INDEX
from . import boxes
from .quality import expected_tests
from .tree import ClusterTree, ragged

#: a rebuild pays when a query is expected to test this many times what it did right after the build,
REBUILD_AT = 1.5
#: or this share of the instances (but more than a cluster) is unbuilt, tested in every query,
REBUILD_AT_UNBUILT = 1 / 20
#: or this share of those built was removed
REBUILD_AT_REMOVED = 1 / 2
#: past this share of changed leaves, refitting all of them is cheaper than finding their ancestors
_REFIT_ALL = 0.25


@dataclass(frozen=True)
class Degradation:
    """How far a tree is from a fresh one: `cost_ratio` (1.0: none), and shares of its instances that are `unbuilt` and
    `removed`."""

    cost_ratio: float
    unbuilt: float
    removed: float
    needs_rebuild: bool


def refit(tree: ClusterTree, bounds, rows=None) -> ClusterTree:
    """The same tree with boxes that hold `bounds`.

    Parameters
    ----------
    bounds : InstanceBounds
        Of all rows the tree knows.
    rows : (K,) integer or None
        Rows that changed (None: any may have). Only their leaves and what is above them are touched. Unbuilt and removed rows are
        passed over.
    """
    nodes = tree.nodes.copy()
    write_boxes(tree, nodes, bounds, rows)
    return replace(tree, nodes=nodes)


def write_boxes(tree: ClusterTree, nodes, bounds, rows=None) -> bool:
    """As `refit`, written to `nodes`: a copy of the tree's, or its own where nobody else holds the tree. Returns whether any
    box was written.
    """
    leaves = None
    if rows is not None and not (tree.counts[tree.is_leaf] == 0).any():
        places = tree.reorder[rows]
        leaves = tree.leaves_at(places[places != NO_INDEX])
    if leaves is None or len(leaves) > _REFIT_ALL * np.count_nonzero(tree.is_leaf):
        spans = list(zip(tree.level_starts[:-1].tolist(), tree.level_starts[1:].tolist()))
        columns = boxes.columns(bounds, tree.bounds_scale, tree.sorted_instances)
        boxes.fill(nodes, spans, tree.is_leaf, tree.firsts, tree.counts, columns)
        return True
    if len(leaves):
        _refit_some(tree, nodes, bounds, leaves)
    return bool(len(leaves))


def _refit_some(tree, nodes, bounds, leaves):
    """Boxes of `leaves` (ascending rows) and of all their ancestors."""
    columns = boxes.columns(bounds, tree.bounds_scale, tree.rows_of(leaves))
    _reduce(nodes, leaves, tree.counts[leaves], columns)
    if len(leaves) == 1:  # one thing moved: its ancestors one by one, without the arrays that many need
        _refit_above(tree, nodes, int(leaves[0]))
        return
    level_of, changed = tree.depth[leaves], np.zeros(0, np.int64)
    for level in range(tree.depth_count - 1, 0, -1):
        changed = np.union1d(changed, leaves[level_of == level])
        changed = np.unique(tree.parent[changed])
        children = ragged(tree.firsts[changed], tree.counts[changed])
        columns = [nodes[name][children, axis] for name in ("box_min", "box_max") for axis in range(3)]
        _reduce(nodes, changed, tree.counts[changed], columns)


def _refit_above(tree, nodes, row):
    """Boxes of all ancestors of `row`."""
    while row:
        row = int(tree.parent[row])
        first = int(tree.firsts[row])
        children = nodes[first:first + int(tree.counts[row])]
        nodes["box_min"][row] = children["box_min"].min(axis=0)
        nodes["box_max"][row] = children["box_max"].max(axis=0)


def _reduce(nodes, rows, counts, columns):
    """Set the boxes of `rows` to those of their runs of `columns`."""
    if not len(rows):
        return
    starts = np.cumsum(counts) - counts
    for axis in range(3):
        nodes["box_min"][rows, axis] = np.minimum.reduceat(columns[axis], starts)
        nodes["box_max"][rows, axis] = np.maximum.reduceat(columns[axis + 3], starts)


def insert(tree: ClusterTree, rows) -> ClusterTree:
    """Take rows in, unbuilt: culling tests them one by one until the next build.

    Rows past the end of `reorder` make it longer. Raises ``ValueError`` if a row is in the tree already, or given twice.
    """
    rows = np.asarray(rows, np.uint32)
    reorder = tree.reorder
    longer = int(rows.max(initial=0)) + 1 - len(reorder)
    if longer > 0 and len(rows):
        reorder = np.concatenate((reorder, np.full(longer, NO_INDEX, np.uint32)))
    unbuilt = np.concatenate((tree.unbuilt, rows))
    if (reorder[rows] != NO_INDEX).any() or len(np.unique(unbuilt)) != len(unbuilt):
        raise ValueError("A row to insert is in the cluster tree already.")
    return replace(tree, reorder=reorder, unbuilt=unbuilt)


def remove(tree: ClusterTree, rows) -> ClusterTree:
    """Take rows out. Their leaves get emptier, boxes stay until the next refit. Raises ``ValueError`` if a row is not in the
    tree."""
    rows = np.unique(np.asarray(rows, np.int64))
    if len(rows) and (rows[0] < 0 or rows[-1] >= len(tree.reorder)):
        raise ValueError(f"Rows to remove are not from 0 to {len(tree.reorder) - 1}.")
    places = tree.reorder[rows]
    loose = places == NO_INDEX
    if not np.isin(rows[loose], tree.unbuilt).all():
        raise ValueError("A row to remove is not in the cluster tree.")
    unbuilt = tree.unbuilt[~np.isin(tree.unbuilt, rows[loose])]
    keep = np.ones(len(tree.sorted_instances), bool)
    keep[places[~loose]] = False
    before = np.concatenate(([0], np.cumsum(keep)))  # instances kept before each position
    leaf, nodes = tree.is_leaf, tree.nodes.copy()
    first, end = before[tree.firsts[leaf]], before[tree.firsts[leaf] + tree.counts[leaf]]
    nodes["first"][leaf], nodes["count"][leaf] = first, (end - first) | layout.CLUSTER_LEAF
    order = tree.sorted_instances[keep]
    reorder = np.full(len(tree.reorder), NO_INDEX, np.uint32)
    reorder[order] = np.arange(len(order), dtype=np.uint32)
    return replace(tree, nodes=nodes, sorted_instances=order, reorder=reorder, unbuilt=unbuilt)


def degradation(tree: ClusterTree) -> Degradation:
    """Compare `tree` with what it was right after its build. Boxes must be up to date (`refit`)."""
    cost_ratio = sum(expected_tests(tree, tree.built_area)) / tree.built_cost
    unbuilt = len(tree.unbuilt) / max(tree.instance_count, 1)
    removed = 1 - len(tree.sorted_instances) / max(tree.built_count, 1) if tree.built_count else 0.0
    waiting = unbuilt > REBUILD_AT_UNBUILT and len(tree.unbuilt) > tree.cluster_size
    needs = cost_ratio > REBUILD_AT or removed > REBUILD_AT_REMOVED or waiting
    return Degradation(cost_ratio, unbuilt, removed, needs)
