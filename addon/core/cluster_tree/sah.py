"""The binned SAH builder (Wald 2007): each split is the best of `BINS` - 1 planes an axis by area times count, all nodes of a
level at once.

The instances stay partitioned by node, so that reductions over nodes are runs; bins are filled by ``ufunc.at`` on plain float32
columns, which current numpy does in about a nanosecond an item. Cost: about 0.1 us an instance and level.
"""

from __future__ import annotations

import numpy as np

from . import morton
from .topology import grow

BINS = 16
#: past this depth nodes are halved: a distribution made to be split one by one must not make the tree deep
_HALVE_AT = 48
#: weight of a box's edges beside its area: decides among boxes without area, such as points on a line
_EDGE_WEIGHT = np.float32(1e-6)


def build_sah(instance_columns, begin, end, cluster_size: int) -> tuple:
    """(order, levels) of a binary forest over the roots' ranges of rows."""
    # Morton order first: what is near in space is near in memory, and the middle is a fair split where bins cannot tell instances
    # apart.
    codes = morton.interleave(morton.quantise(morton.centroids(instance_columns)))
    splitter = _Splitter(instance_columns, morton.order_by_code(codes, begin, end))
    levels = grow(begin, end, lambda b, e: e - b > cluster_size, splitter.split)
    return splitter.order, levels


class _Splitter:
    """The instances of the open nodes, side by side, and the order they came to.

    Attributes
    ----------
    order : (N,) int64
        Instance rows, rearranged within the ranges of the nodes as they are split.
    """

    def __init__(self, instance_columns, order):
        self.order = order
        largest = max(float(np.abs(column).max(initial=0)) for column in instance_columns)
        # A power of two: exact, and neither areas nor their products with counts overflow.
        exponent = -int(np.frexp(largest)[1]) if largest > 0 else 0
        self.columns = [np.ldexp(column, exponent)[order] for column in instance_columns]
        self.begin = np.zeros(1, np.int64)  # of the nodes that `columns` hold, in `order`
        self.end = np.array([len(order)], np.int64)

    def split(self, begin, end, depth: int) -> np.ndarray:
        """Rearrange the instances of each range so that its left child comes first; where the right one begins."""
        self._keep(begin, end)
        counts = end - begin
        starts = np.cumsum(counts) - counts
        if depth >= _HALVE_AT:
            return (begin + end) >> 1
        node = np.repeat(np.arange(len(begin)), counts)
        axis, plane, bins = self._choose(node, starts, counts)
        # Past the plane's bin: to the right. Where no plane divides (all centres in one bin), the second half.
        right = bins > plane[node]
        halved = axis < 0
        if halved.any():
            place = np.arange(len(node)) - starts[node]
            right = np.where(halved[node], place >= (counts >> 1)[node], right)
        moved, lefts = _partition(right, node, starts, counts)
        self.columns = [column[moved] for column in self.columns]
        whole = self._positions(begin, counts)
        self.order[whole] = self.order[whole[moved]]
        return begin + lefts

    def _positions(self, begin, counts):
        """Positions in `order` of the instances in `columns`."""
        starts = np.cumsum(counts) - counts
        return np.arange(int(counts.sum())) + np.repeat(begin - starts, counts)

    def _keep(self, begin, end):
        """Drop the instances of nodes that became leaves."""
        if int((end - begin).sum()) == len(self.columns[0]):
            self.begin, self.end = begin, end
            return
        held = self._held(self.begin, self.end)
        wanted = np.zeros(len(self.order) + 1, np.int8)
        np.add.at(wanted, begin, 1)
        np.add.at(wanted, end, -1)
        keep = np.cumsum(wanted[:-1], dtype=np.int8).view(bool)[held]
        self.columns = [column[keep] for column in self.columns]
        self.begin, self.end = begin, end

    def _held(self, begin, end):
        return self._positions(begin, end - begin)

    def _choose(self, node, starts, counts):
        """The best split of each node: axis (-1 for none), last bin on the left, and each instance's bin along its node's
        axis."""
        nodes = len(starts)
        best_cost = np.full(nodes, np.inf, np.float32)
        best_axis, best_plane = np.full(nodes, -1), np.zeros(nodes, np.int64)
        chosen = np.zeros(len(node), np.int64)
        for axis in range(3):
            center = self.columns[axis] + self.columns[axis + 3]
            low, high = np.minimum.reduceat(center, starts), np.maximum.reduceat(center, starts)
            with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
                scale = np.float32(BINS) / (high - low)
            scale = np.where(np.isfinite(scale), scale, 0)
            bins = ((center - np.repeat(low, counts)) * np.repeat(scale, counts)).astype(np.int64)
            np.minimum(bins, BINS - 1, out=bins)
            cost, plane = _sweep(self.columns, bins * nodes + node, nodes)
            better = cost < best_cost
            best_cost = np.where(better, cost, best_cost)
            best_axis, best_plane = np.where(better, axis, best_axis), np.where(better, plane, best_plane)
            chosen = np.where(better[node], bins, chosen)
        return best_axis, best_plane, chosen


def _sweep(columns, keys, nodes):
    """Cheapest plane along one axis: (nodes,) float32 cost (infinite where none divides) and (nodes,) int64 last bin on the left.

    `keys` (n,) int64 is bin * nodes + node: a plane's values lie side by side, so the sweep over bins is `BINS` vector
    operations.
    """
    counts = np.bincount(keys, minlength=BINS * nodes).reshape(BINS, nodes).astype(np.float32)
    low = np.full((3, BINS * nodes), 4, np.float32)  # normalised coordinates lie within 1
    high = np.full((3, BINS * nodes), -4, np.float32)
    for axis in range(3):
        np.minimum.at(low[axis], keys, columns[axis])
        np.maximum.at(high[axis], keys, columns[axis + 3])
    low, high = low.reshape(3, BINS, nodes), high.reshape(3, BINS, nodes)
    right_cost = np.empty((BINS, nodes), np.float32)
    box_low, box_high, count = low[:, -1].copy(), high[:, -1].copy(), counts[-1].copy()
    for plane in range(BINS - 2, -1, -1):  # the right side of `plane` is the bins past it
        right_cost[plane] = np.where(count > 0, _area(box_low, box_high) * count, np.inf)
        np.minimum(box_low, low[:, plane], out=box_low)
        np.maximum(box_high, high[:, plane], out=box_high)
        count += counts[plane]
    cost, best = np.full(nodes, np.inf, np.float32), np.zeros(nodes, np.int64)
    box_low, box_high, count = low[:, 0].copy(), high[:, 0].copy(), counts[0].copy()
    for plane in range(BINS - 1):
        if plane:
            np.minimum(box_low, low[:, plane], out=box_low)
            np.maximum(box_high, high[:, plane], out=box_high)
            count += counts[plane]
        total = np.where(count > 0, _area(box_low, box_high) * count, np.inf) + right_cost[plane]
        better = total < cost
        cost, best = np.where(better, total, cost), np.where(better, plane, best)
    return cost, best


def _area(low, high):
    """(n,) float32 half the surface of boxes (3, n), and a little of their edges."""
    x, y, z = high - low
    return x * y + (y + x) * z + (x + y + z) * _EDGE_WEIGHT


def _partition(right, node, starts, counts):
    """Stable partition within runs: which item goes to each place, and how many of each run go left."""
    lefts = counts - np.add.reduceat(right, starts, dtype=np.int64)
    rights = counts - lefts
    stays, goes = np.flatnonzero(~right), np.flatnonzero(right)
    left_starts, right_starts = np.cumsum(lefts) - lefts, np.cumsum(rights) - rights
    moved = np.empty(len(right), np.int64)
    moved[np.arange(len(stays)) + np.repeat(starts - left_starts, lefts)] = stays
    moved[np.arange(len(goes)) + np.repeat(starts + lefts - right_starts, rights)] = goes
    return moved, lefts
