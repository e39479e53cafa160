"""Build trees: one over a whole scene, or one over each primitive's run of rows, by any of the builders."""

from __future__ import annotations

import numpy as np

from .. import layout
from . import boxes, topology
from .grid import build_grid
from .morton import build_spatial
from .quality import measured
from .sah import build_sah
from .tree import ClusterTree

BUILDERS = {"spatial": build_spatial, "sah": build_sah, "grid": build_grid}
DEFAULT_BUILDER = "sah"
DEFAULT_CLUSTER_SIZE = 64
MAX_CLUSTER_SIZE = 1024


def build(bounds, builder: str = DEFAULT_BUILDER, cluster_size: int = DEFAULT_CLUSTER_SIZE, bounds_scale: float = 1.0,
          rows=None) -> ClusterTree:
    """Build a tree over all rows of `bounds`, or over `rows` of them.

    Parameters
    ----------
    bounds : culling.bounds.InstanceBounds
        (N,) finite boxes, as `instance_bounds` makes them.
    builder : {"spatial", "sah", "grid"}
    cluster_size : int
        Most instances of a leaf, 1 to 1024.
    bounds_scale : float
        At least 1: boxes grow by this about their centres, for instances that sway or move a little.
    rows : (K,) integer or None
        The others are in no leaf, and `reorder` holds NO_INDEX for them.

    Raises
    ------
    ValueError
        An argument is out of its range.
    """
    _check_arguments(builder, cluster_size, bounds_scale)
    columns = boxes.columns(bounds, bounds_scale, rows)
    count = len(columns[0])
    nodes, _, order = _forest(columns, np.zeros(1, np.int64), np.array([count]), builder, cluster_size)
    if rows is not None:
        order = np.asarray(rows)[order]
    reorder = topology.inverse(order, len(bounds))
    return measured(ClusterTree(nodes, order.astype(np.uint32), reorder, cluster_size, builder, bounds_scale))


def build_forest(bounds, starts, builder: str = DEFAULT_BUILDER, cluster_size: int = DEFAULT_CLUSTER_SIZE,
                 bounds_scale: float = 1.0) -> tuple:
    """Build one tree over each run of rows, all at once: thousands of small trees cost no more than a big one.

    Parameters
    ----------
    starts : (K + 1,) integer
        Run k is rows ``starts[k]`` to ``starts[k + 1]``; runs may be empty and must cover all rows.

    Returns
    -------
    nodes : (M,) layout.CLUSTER_NODE
        Tree after tree, each breadth-first; an inner node's `first` counts from its own root, a leaf's is a position in
        `sorted_instances`.
    roots : (K + 1,) int64
        Rows of the roots, then M. An empty run has no nodes: its root is the next one's.
    sorted_instances : (N,) uint32
        Each run's rows stay in its own range.
    """
    _check_arguments(builder, cluster_size, bounds_scale)
    starts = np.asarray(starts, np.int64)
    begin, end = starts[:-1], starts[1:]
    full = end > begin
    nodes, roots, order = layout.CLUSTER_NODE.empty(0), np.zeros(1, np.int64), np.zeros(0, np.int64)
    if full.any():
        nodes, roots, order = _forest(boxes.columns(bounds, bounds_scale), begin[full], end[full], builder, cluster_size)
    return nodes, roots[np.concatenate(([0], np.cumsum(full)))], order.astype(np.uint32)


def _forest(columns, begin, end, builder, cluster_size):
    """(nodes, roots, order) over ranges that cover all items of `columns`."""
    if len(columns[0]):
        order, levels = BUILDERS[builder](columns, begin, end, cluster_size)
    else:
        order, levels = np.zeros(0, np.int64), [topology.Level(begin, end, np.zeros(len(begin), bool))]
    nodes, roots = topology.finish(levels, order, columns)
    return nodes, roots, order


def _check_arguments(builder, cluster_size, bounds_scale):
    if builder not in BUILDERS:
        raise ValueError(f"builder {builder!r} is not one of {', '.join(BUILDERS)}")
    if not 1 <= cluster_size <= MAX_CLUSTER_SIZE:
        raise ValueError(f"cluster size {cluster_size} is not from 1 to {MAX_CLUSTER_SIZE}")
    if not 1.0 <= bounds_scale < np.inf:
        raise ValueError(f"bounds scale {bounds_scale} is not at least 1")
