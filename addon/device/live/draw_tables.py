"""GPU tables that overlays draw from while the CPU culls."""

from __future__ import annotations

import numpy as np

from ...core.culling import gpu_streams
from ...core.culling.gpu_records import INSTANCE_BOX
from ...core.layout import CLUSTER_NODE
from .. import capabilities
from ..buffers import make_table
from ..shader_library import ShaderLibrary
from .fill import Filler
from .streams import live_spheres


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
        self._filler = Filler(self.library)
        rows = self._rows()
        self.spheres = self._table("spheres", "vec4", rows["spheres"])
        self.boxes = self._table("boxes", INSTANCE_BOX, rows["boxes"])
        self.nodes = self._table("cluster_nodes", CLUSTER_NODE, rows["nodes"])
        self.node_depths = self._table("node_depths", "uint", np.asarray(clusters.depths(), np.uint32))

    def _table(self, name, element, rows=None, count=None, on_device=False):
        can, transport = self.library.capabilities, self.library.transport
        return make_table(can, transport, name, element, count, rows, on_device=on_device)

    def _rows(self) -> dict:
        order = np.asarray(self._clusters.order, np.int64)
        return {
            "spheres": live_spheres(self._tables, order),
            "boxes": gpu_streams.boxes(self._tables.bounds, order),
            "nodes": self._clusters.gpu_tree().nodes,
        }

    def upload(self) -> int:
        """All anew; bytes."""
        sent = 0
        for name, rows in self._rows().items():
            getattr(self, name).upload(rows)
            sent += rows.nbytes
        return sent

    def status(self):
        """A table of status words for one view."""
        return self._table("status", "uint", count=len(self._clusters.order), on_device=True)

    def fill_status(self, table, words: np.ndarray) -> None:
        """(N,) uint32 words in culling order."""
        self._filler.fill(table, words)
