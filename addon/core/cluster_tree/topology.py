"""From splits to numbered nodes: grow a binary forest level by level, widen it, number it breadth-first."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .. import layout
from ..limits import NO_INDEX
from . import boxes

#: children of a node at most: three binary levels in one. Fewer levels mean fewer dispatches and numpy calls; the tests per
#: visited node stay few.
BRANCHING_LEVELS = 3


class Level(NamedTuple):
    """Nodes of one level from left to right: ranges ``begin`` to ``end`` (int64) of the instance order, and which are split
    further."""

    begin: np.ndarray
    end: np.ndarray
    inner: np.ndarray


def grow(begin, end, is_inner, split) -> list:
    """Split until nothing is inner.

    Parameters
    ----------
    begin, end : (K,) int64
        The roots' ranges.
    is_inner : callable
        ``(begin, end) -> (k,) bool``.
    split : callable
        ``(begin, end, depth) -> middle``, each strictly inside its range; may rearrange the instances within each.

    Returns
    -------
    list of Level
        Binary: the j-th inner node's children are entries 2j and 2j + 1 of the next level.
    """
    levels = []
    while True:
        inner = is_inner(begin, end)
        levels.append(Level(begin, end, inner))
        begin, end = begin[inner], end[inner]
        if not len(begin):
            return levels
        middle = split(begin, end, len(levels) - 1)
        begin, end = np.stack((begin, middle), axis=1).reshape(-1), np.stack((middle, end), axis=1).reshape(-1)


def widen(levels: list, step: int = BRANCHING_LEVELS) -> list:
    """Leave out all but every `step`-th level; leaves stay. Up to ``2 ** step`` children a node, their order kept."""
    wide = [levels[0]]
    for base in range(0, len(levels) - 1, step):
        between = [Level(*(array[~level.inner] for array in level)) for level in levels[base + 1:base + step]]
        joined = Level(*(np.concatenate(arrays) for arrays in zip(*between, *levels[base + step:base + step + 1])))
        order = np.argsort(joined.begin)
        wide.append(Level(*(array[order] for array in joined)))
    return wide


def number(levels: list) -> tuple:
    """Nodes without boxes, level after level.

    Returns
    -------
    nodes : (M,) layout.CLUSTER_NODE
        `first` of inner nodes counts from the first row of `nodes`.
    spans : list of (start, stop)
        Rows of each level.
    tree_of : (M,) int64
        Index of the root each node is under.
    """
    sizes = [len(level.begin) for level in levels]
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    nodes, tree_of = layout.CLUSTER_NODE.empty(int(offsets[-1])), np.empty(int(offsets[-1]), np.int64)
    tree_of[:sizes[0]] = np.arange(sizes[0])
    for depth, level in enumerate(levels):
        start, stop = offsets[depth], offsets[depth + 1]
        first, count = level.begin.copy(), (level.end - level.begin) | layout.CLUSTER_LEAF
        if level.inner.any():
            below = levels[depth + 1]
            # Both are in order of begin, so each child belongs to the last inner node that begins no later.
            starts = np.searchsorted(below.begin, level.begin[level.inner])
            children = np.diff(np.append(starts, len(below.begin)))
            first[level.inner], count[level.inner] = stop + starts, children
            tree_of[stop:offsets[depth + 2]] = np.repeat(tree_of[start:stop][level.inner], children)
        nodes["first"][start:stop], nodes["count"][start:stop] = first, count
    return nodes, list(zip(offsets[:-1].tolist(), offsets[1:].tolist())), tree_of


def finish(levels: list, order, instance_columns) -> tuple:
    """Widen, number and box a binary forest.

    Parameters
    ----------
    levels : list of Level
    order : (N,) integer
        Instance rows in leaf order.
    instance_columns : six (N,) float32
        Instance boxes by row.

    Returns
    -------
    nodes : (M,) layout.CLUSTER_NODE
        Tree after tree in order of their roots, each breadth-first; `first` of inner nodes counts from its own tree's root.
    roots : (K + 1,) int64
        Row of each tree's root, then M.
    """
    nodes, spans, tree_of = number(widen(levels))
    is_leaf = nodes["count"] >= layout.CLUSTER_LEAF
    firsts = nodes["first"].astype(np.int64)
    counts = (nodes["count"] & np.uint32(layout.CLUSTER_LEAF - 1)).astype(np.int64)
    boxes.fill(nodes, spans, is_leaf, firsts, counts, [column[order] for column in instance_columns])
    trees = len(levels[0].begin)
    roots = np.concatenate(([0], np.cumsum(np.bincount(tree_of, minlength=trees))))
    if trees > 1:
        rearranged = np.argsort(tree_of, kind="stable")
        row_of = np.empty(len(nodes), np.int64)
        row_of[rearranged] = np.arange(len(nodes))
        inner = ~is_leaf
        nodes["first"][inner] = row_of[firsts[inner]] - roots[tree_of[inner]]
        nodes = nodes[rearranged]
    return nodes, roots


def inverse(order, count: int) -> np.ndarray:
    """(count,) uint32 position of each row in `order`; NO_INDEX for rows it lacks."""
    positions = np.empty(count, np.uint32) if len(order) == count else np.full(count, NO_INDEX, np.uint32)
    positions[order] = np.arange(len(order), dtype=np.uint32)
    return positions
