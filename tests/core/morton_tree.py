"""A small cluster tree for tests that must not depend on the builders: leaves of Morton order, four children a node."""

from dataclasses import dataclass

import numpy as np
from gpuscene.core import layout


@dataclass(frozen=True)
class MortonTree:
    nodes: np.ndarray
    sorted_instances: np.ndarray
    level_starts: np.ndarray
    node_begin: np.ndarray
    node_end: np.ndarray
    unbuilt: np.ndarray


def morton_order(points) -> np.ndarray:
    low = points.min(axis=0)
    grid = ((points - low) / np.maximum(points.max(axis=0) - low, 1e-9) * 1023).astype(np.uint64)
    code = np.zeros(len(points), np.uint64)
    for bit in range(10):
        for axis in range(3):
            code |= ((grid[:, axis] >> np.uint64(bit)) & np.uint64(1)) << np.uint64(3 * bit + axis)
    return np.argsort(code, kind="stable")


def morton_tree(bounds, leaf_size=64, fan=4, unbuilt=()) -> MortonTree:
    """`unbuilt` rows are left out of the tree."""
    built = np.setdiff1d(np.arange(len(bounds)), unbuilt)
    if not len(built):
        return MortonTree(layout.CLUSTER_NODE.empty(0), built.astype("u4"), np.zeros(1, int), built, built,
                          np.asarray(unbuilt, int))
    order = built[morton_order(bounds.center[built].astype(float))]
    starts = np.arange(0, len(order), leaf_size)
    levels = [(starts, np.append(starts[1:], len(order)))]
    while len(levels[0][0]) > 1:
        below = levels[0]
        groups = np.arange(0, len(below[0]), fan)
        levels.insert(0, (below[0][groups], below[1][np.append(groups[1:], len(below[0])) - 1]))
    begin, end = (np.concatenate([level[i] for level in levels]) for i in range(2))
    nodes = layout.CLUSTER_NODE.empty(len(begin))
    for name, function in (("box_min", np.minimum), ("box_max", np.maximum)):
        values = getattr(bounds, name)[order]
        nodes[name] = np.concatenate([function.reduceat(values, level[0], axis=0) for level in levels])
    level_starts = np.cumsum([0] + [len(level[0]) for level in levels])
    for number, level in enumerate(levels):
        rows = slice(level_starts[number], level_starts[number + 1])
        if number == len(levels) - 1:
            nodes["first"][rows] = level[0]
            nodes["count"][rows] = (level[1] - level[0]).astype("u4") | np.uint32(layout.CLUSTER_LEAF)
        else:
            child = np.arange(0, len(levels[number + 1][0]), fan)
            nodes["first"][rows] = child + level_starts[number + 1]
            nodes["count"][rows] = np.diff(np.append(child, len(levels[number + 1][0])))
    return MortonTree(nodes, order.astype("u4"), level_starts[:-1], begin, end, np.asarray(unbuilt, int))
