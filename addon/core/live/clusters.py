"""The cluster tree of the live tables: built over the rows there are, refitted as they move, rebuilt when that pays.

Every slot has a place in the culling order from the start, so that nothing is reordered between builds: rows that leave keep
theirs and are not drawable, rows that come have the one of their free slot, in a leaf or past the leaves, where all are tested.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..cluster_tree import ClusterTree, build
from ..cluster_tree.change import REBUILD_AT_UNBUILT, degradation, write_boxes
from ..cluster_tree.tables import AUTOMATIC_SAH
from ..culling.bounds import InstanceBounds
from ..culling.gpu_tree import GpuTree
from .options import LiveOptions


class LiveClusters:
    """A tree over capacity bounds.

    Parameters
    ----------
    bounds : InstanceBounds
        Of all slots; kept, and read again by `refit` and `rebuild`.
    options : LiveOptions
        `cluster_size` counts.
    alive : (C,) bool or None
        Slots to put in leaves, of `LiveTables`; kept as well. None: the drawable ones.

    Attributes
    ----------
    tree : ClusterTree
        Its `unbuilt` rows are all that are in no leaf, free slots among them.
    order : (C,) uint32
        Slots in leaf order, then all others ascending.
    positions : (C,) uint32
        Its inverse.
    version : int
        Goes up with `rebuild`: order and positions are others then.
    """

    def __init__(self, bounds: InstanceBounds, options: LiveOptions, alive=None):
        self._bounds, self._alive, self._size = bounds, bounds.drawable if alive is None else alive, options.cluster_size
        self.version = 0
        self.rebuild()

    def rebuild(self) -> None:
        """Build anew over the rows that are there now: the better builder up to `AUTOMATIC_SAH` rows, the faster one past it."""
        slots = np.flatnonzero(self._alive)
        builder = "sah" if len(slots) <= AUTOMATIC_SAH else "spatial"
        tree = build(self._bounds, builder, self._size, rows=slots)
        self.tree = replace(tree, unbuilt=np.flatnonzero(~self._alive).astype(np.uint32))
        gpu = GpuTree.of(self.tree)
        # One tree, so both number nodes alike: they share the rows, and a refit reaches both.
        self._gpu = replace(gpu, nodes=self.tree.nodes)
        self.order, self.positions = gpu.order, gpu.positions
        self._past_leaves = self.tree.unbuilt
        self._due_check, self._needs_rebuild = 0, False
        self.version += 1

    @property
    def built_count(self) -> int:
        """Positions that lie in leaves."""
        return len(self.tree.sorted_instances)

    def gpu_tree(self) -> GpuTree:
        """For `GpuCuller`. The same object until `rebuild`; its boxes follow `refit`."""
        return self._gpu

    def refit(self, slots) -> bool:
        """Take in that the bounds of `slots` changed. Returns whether any node's box was written."""
        slots = np.asarray(slots, np.int64)
        self._due_check += len(slots)
        return write_boxes(self.tree, self.tree.nodes, self._bounds, slots)

    @property
    def needs_rebuild(self) -> bool:
        """Whether a rebuild pays: boxes have grown (`cluster_tree.degradation`), or too many rows lie past the leaves.

        Looked into only after one row in a hundred was refitted, or as many as a leaf holds: until then the answer stays.
        """
        if self._due_check > min(max(len(self.order) // 100, 1), self._size):
            self._due_check = 0
            past = int(np.count_nonzero(self._alive[self._past_leaves]))
            waiting = past > self._size and past > REBUILD_AT_UNBUILT * (past + self.built_count)
            self._needs_rebuild = waiting or degradation(replace(self.tree, unbuilt=self.tree.unbuilt[:0])).needs_rebuild
        return self._needs_rebuild

    def depths(self) -> np.ndarray:
        """(M,) int64 level of each node, 0 for the root."""
        return self.tree.depth

    def path_of(self, slot: int) -> list:
        """Node rows from the root to the leaf that has `slot`; empty for one past the leaves."""
        position = int(self.positions[slot])
        if position >= self.built_count:
            return []
        path = [int(self.tree.leaves_at([position])[0])]
        while path[-1]:
            path.append(int(self.tree.parent[path[-1]]))
        return path[::-1]
