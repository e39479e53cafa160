"""What is refreshed as one: whole trees, or the clusters of a level."""

from __future__ import annotations

import numpy as np

from ..culling.cull_tree import CullTree, cut, expand

#: clusters to a tree, at most about; and nodes to one, at least about: fewer would cost more boxes than a cull from the root
CLUSTERS = 256
_NODES = 32
UNIT_KINDS = ("cluster", "tree")


class Units:
    """U parts that hold each instance in a tree once. In order of tree, then of position in cluster order.

    Attributes
    ----------
    node, tree : (U,) int64
        Each unit's node, and which of `trees` it belongs to.
    center : (U, 3) float64
    radius : (U,) float64
        Of the sphere about the node's box.
    box_min, box_max : (U, 3) float32
    of_row : (N,) int64
        Each instance row's unit; -1 for unbuilt and removed rows.
    """

    def __init__(self, trees: list, total: int, kind: str):
        if kind not in UNIT_KINDS:
            raise ValueError(f"schedule by {kind!r}: choose {' or '.join(UNIT_KINDS)}")
        self.trees = trees
        nodes = [self._nodes(tree, kind) for tree in trees]
        self.node = np.concatenate(nodes) if nodes else np.zeros(0, np.int64)
        self.tree = np.repeat(np.arange(len(trees)), [len(n) for n in nodes])
        self.starts = np.concatenate([[0], np.cumsum([len(n) for n in nodes])]).astype(np.int64)
        boxes = np.concatenate([np.zeros((6, 0), np.float32), *(tree.boxes[:, n] for tree, n in zip(trees, nodes))], axis=1)
        self.box_min, self.box_max = boxes[:3].T, boxes[3:].T
        low, high = self.box_min.astype(np.float64), self.box_max.astype(np.float64)
        self.center, self.radius = (low + high) / 2, np.linalg.norm(high - low, axis=1) / 2
        self.of_row = np.full(total, -1, np.int64)
        for number, (tree, some) in enumerate(zip(trees, nodes)):
            count = tree.end[some] - tree.begin[some]
            numbers = np.arange(len(some)) + self.starts[number]
            self.of_row[tree.order[expand(tree.begin[some], count)]] = np.repeat(numbers, count)

    def __len__(self):
        return len(self.node)

    @staticmethod
    def _nodes(tree: CullTree, kind) -> np.ndarray:
        if not len(tree.order):
            return np.zeros(0, np.int64)
        wanted = 1 if kind == "tree" else min(CLUSTERS, max(1, len(tree.leaf) // _NODES))
        nodes = cut(tree.level_starts, tree.leaf, wanted)
        nodes = nodes[tree.end[nodes] > tree.begin[nodes]]
        return nodes[np.argsort(tree.begin[nodes], kind="stable")]

    def in_tree(self, number: int) -> slice:
        """The units of tree `number`."""
        return slice(int(self.starts[number]), int(self.starts[number + 1]))

    def unit_of_node(self, number: int, nodes) -> np.ndarray:
        """Units of nodes at or below units, all in tree `number`."""
        tree, some = self.trees[number], self.in_tree(number)
        return self.starts[number] + np.searchsorted(tree.begin[self.node[some]], tree.begin[nodes], "right") - 1

    def rows(self, units) -> np.ndarray:
        """Instance rows under `units` (ascending)."""
        parts = []
        for number in np.unique(self.tree[units]).tolist():
            tree, nodes = self.trees[number], self.node[units[self.tree[units] == number]]
            parts.append(tree.order[expand(tree.begin[nodes], tree.end[nodes] - tree.begin[nodes])])
        return np.concatenate(parts) if parts else np.zeros(0, np.int64)
