"""Boxes of instances as six columns, and the boxes of nodes from them: exact minima and maxima, never rounded."""

from __future__ import annotations

import numpy as np

#: minimum of x, y, z, then maximum of x, y, z
COLUMNS = 6


def columns(bounds, scale: float = 1.0, rows=None) -> list:
    """Six contiguous (N,) float32 columns of the instance boxes (of `rows`), grown by `scale` >= 1 about their centres."""
    # Of a few rows, whole rows are taken first; of all, columns are, which keeps the gathers short.
    few = rows is not None and 4 * len(rows) < len(bounds)
    corners = [corner[rows] if few else corner for corner in (bounds.box_min, bounds.box_max)]
    pick = slice(None) if rows is None or few else rows
    low, high = ([np.ascontiguousarray(corner[:, axis])[pick] for axis in range(3)] for corner in corners)
    if scale != 1.0:
        for axis in range(3):
            middle = low[axis] * np.float32(0.5) + high[axis] * np.float32(0.5)
            # Rounding must not shrink the box, and it must stay finite.
            limit = np.finfo(np.float32).max
            with np.errstate(over="ignore"):
                reach = (high[axis] * np.float32(0.5) - low[axis] * np.float32(0.5)) * np.float32(scale)
                low[axis] = np.maximum(np.minimum(low[axis], middle - reach), -limit)
                high[axis] = np.minimum(np.maximum(high[axis], middle + reach), limit)
    return low + high


def fill(nodes, levels, is_leaf, firsts, counts, sorted_columns) -> None:
    """Write `box_min` and `box_max` of every node.

    Parameters
    ----------
    nodes : (M,) layout.CLUSTER_NODE
        Written to.
    levels : sequence of (start, stop)
        Rows of each level; the children of a level's inner nodes are the next level, in order.
    is_leaf, firsts, counts : (M,)
    sorted_columns : six (N,) float32
        Instance boxes in leaf order.

    Notes
    -----
    A leaf that lost all its instances gets a point on its parent's box (zero at the root), so that containment holds.
    """
    values = [np.full(len(nodes), np.inf if column < 3 else -np.inf, np.float32) for column in range(COLUMNS)]
    full = np.flatnonzero(is_leaf & (counts > 0))
    full = full[np.argsort(firsts[full], kind="stable")]
    for column, (value, source) in enumerate(zip(values, sorted_columns)):
        reduce = (np.minimum if column < 3 else np.maximum).reduceat
        if len(full):
            value[full] = reduce(source, firsts[full])
        for (start, stop), (next_start, next_stop) in zip(levels[-2::-1], levels[:0:-1]):
            inner = start + np.flatnonzero(~is_leaf[start:stop])
            value[inner] = reduce(value[next_start:next_stop], firsts[inner] - next_start)
    if np.any(counts[is_leaf] == 0):
        _place_empty(values, levels, is_leaf, firsts, counts)
    for axis in range(3):
        nodes["box_min"][:, axis], nodes["box_max"][:, axis] = values[axis], values[axis + 3]


def _place_empty(values, levels, is_leaf, firsts, counts):
    """Boxes of nothing become points on the nearest ancestor's box that is one."""
    if values[0][0] > values[3][0]:
        for value in values:
            value[0] = 0
    for start, stop in levels[:-1]:
        inner = start + np.flatnonzero(~is_leaf[start:stop])
        children = np.arange(firsts[inner[0]], firsts[inner[-1]] + counts[inner[-1]]) if len(inner) else inner
        parents = np.repeat(inner, counts[inner])
        empty = values[0][children] > values[3][children]
        for axis in range(3):
            corner = values[axis][parents[empty]]
            values[axis][children[empty]] = values[axis + 3][children[empty]] = corner
