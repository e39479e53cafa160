"""The tree that the binned builder is held against: every split is the best of all planes between two neighbouring centres, on
every axis.

Plain and slow on purpose: one node at a time, float64, sorted afresh. Only the splits differ from `core.cluster_tree.sah`.
"""

from __future__ import annotations

import numpy as np

from ..core.cluster_tree import ClusterTree, boxes, topology
from ..core.cluster_tree.quality import measured


def build_full_sweep(bounds, cluster_size: int) -> ClusterTree:
    """A tree over all rows of `bounds` (N >= 1), split by a full sweep of the surface-area heuristic until no leaf holds more
    than `cluster_size`."""
    low, high = bounds.box_min.astype(np.float64), bounds.box_max.astype(np.float64)
    order, levels = np.empty(len(bounds), np.int64), []
    open_nodes = [(0, np.arange(len(bounds)))]
    while open_nodes:
        below = []
        for begin, rows in open_nodes:
            if len(rows) <= cluster_size:
                order[begin:begin + len(rows)] = rows
            else:
                left, right = _split(low, high, rows)
                below += [(begin, left), (begin + len(left), right)]
        begin, count = np.array([b for b, _ in open_nodes]), np.array([len(rows) for _, rows in open_nodes])
        levels.append(topology.Level(begin, begin + count, count > cluster_size))
        open_nodes = below
    nodes, _ = topology.finish(levels, order, boxes.columns(bounds))
    return measured(ClusterTree(nodes, order.astype(np.uint32), topology.inverse(order, len(bounds)), cluster_size, "full sweep"))


def _split(low, high, rows):
    """The two halves of `rows` with the least area times count."""
    best, halves = np.inf, None
    for axis in range(3):
        ordered = rows[np.argsort((low[rows, axis] + high[rows, axis]) / 2, kind="stable")]
        left = _areas(np.minimum.accumulate(low[ordered]), np.maximum.accumulate(high[ordered]))
        right = _areas(np.minimum.accumulate(low[ordered[::-1]]), np.maximum.accumulate(high[ordered[::-1]]))[::-1]
        count = np.arange(1, len(rows))
        cost = left[:-1] * count + right[1:] * (len(rows) - count)
        at = int(np.argmin(cost))
        if cost[at] < best:
            best, halves = cost[at], (ordered[:at + 1], ordered[at + 1:])
    return halves


def _areas(low, high):
    x, y, z = (high - low).T
    return x * y + y * z + z * x
