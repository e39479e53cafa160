"""GPU tables that overlays draw from while the CPU culls."""

from __future__ import annotations

import numpy as np

from ...core.culling import gpu_streams
from ...core.culling.gpu_records import INSTANCE_BOX
from ...core.layout import CLUSTER_NODE
from .. import capabilities
from ..buffers import make_table
from ..passes.streams import Streams
from ..passes.update import BoundsUpdates
from ..shader_library import ShaderLibrary
from .fill import Filler

GROUP_SIZE = 64


class DrawTables:
    """
    Parameters
    ----------
    tables : LiveTables
    clusters : LiveClusters

    Attributes
    ----------
    spheres, boxes : Table
        In culling order.
    nodes, node_depths : Table
        Of the cluster tree.

    Raises
    ------
    DeviceError
        There is no GPU at all.
    """

    def __init__(self, tables, clusters):
        can = capabilities.start()
        self.library = ShaderLibrary(can, can.transport())
        self._tables, self._clusters = tables, clusters
        self._filler, self._updates = Filler(self.library), BoundsUpdates(self.library, GROUP_SIZE)
        order = np.asarray(clusters.order, np.int64)
        self.spheres = self._table("spheres", "vec4", gpu_streams.spheres(tables.bounds, order))
        self.boxes = self._table("boxes", INSTANCE_BOX, gpu_streams.boxes(tables.bounds, order))
        self.nodes = self._table("cluster_nodes", CLUSTER_NODE, clusters.gpu_tree().nodes)
        self.node_depths = self._table("node_depths", "uint", np.asarray(clusters.depths(), np.uint32))
        self._streams = Streams((self.spheres, self.boxes), len(order), True)

    def _table(self, name, element, rows=None, count=None, on_device=False):
        can, transport = self.library.capabilities, self.library.transport
        return make_table(can, transport, name, element, count, rows, on_device=on_device)

    def upload(self, slots: np.ndarray) -> int:
        """Bring `slots` in step, and the nodes; bytes."""
        bounds, clusters = self._tables.bounds, self._clusters
        nodes = clusters.gpu_tree().nodes
        self.nodes.upload(nodes)
        return nodes.nbytes + self._updates.upload(self._streams, bounds, slots, clusters.positions[slots])

    def status(self):
        """A table of status words for one view."""
        return self._table("status", "uint", count=len(self._clusters.order), on_device=True)

    def fill_status(self, table, words: np.ndarray) -> None:
        """(N,) uint32 words in culling order."""
        self._filler.fill(table, words)
