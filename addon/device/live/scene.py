"""The live scene on the GPU: tables that all views share, kept in step by small uploads."""

from __future__ import annotations

import time
import weakref
from functools import cached_property

import numpy as np

from ...core.culling import draws
from ...core.culling.lod_select import LodInputs
from ...core.layout import CLUSTER_NODE
from .. import capabilities as device
from ..buffers import make_table
from ..custom_rule import CustomRule
from ..passes.cull_tree import TreeTables
from ..passes.mapping import Mapping
from ..shader_library import ShaderLibrary
from ..subgroups import has_ballot
from .stats import ArgumentReader
from .streams import LiveStreams
from .updates import LiveUpdates
from .upload import FULL_UPLOAD_SHARE, Upload
from .view import LiveView


class LiveDevice:
    """GPU tables of a live scene. Remade when slots moved (``tables.layout_version``), the tree was rebuilt or
    ``options.structure`` changed.

    Parameters
    ----------
    tables : LiveTables
    clusters : LiveClusters
        Over the same slots.
    options : LiveOptions
    transport : {"storage", "texture"}, optional
        None: the best there is.

    Attributes
    ----------
    kind : "gpu"
    note : str
        Empty.
    backend, renderer, transport : str
    streams : LiveStreams

    Raises
    ------
    DeviceError, LimitError, ShaderError, InputError
    """

    kind, note = "gpu", ""

    def __init__(self, tables, clusters, options, transport: str | None = None):
        self.capabilities = device.start()
        self.backend, self.renderer = self.capabilities.backend, self.capabilities.renderer
        self.transport = self.capabilities.transport(transport)
        self.tables, self.clusters, self.options = tables, clusters, options
        self.library = ShaderLibrary(self.capabilities, self.transport)
        best = Mapping.best(self.capabilities, has_ballot(self.library), options.group_size)
        # In passes of their own: blocks that are not due keep words which the later ones read again.
        self.mapping = Mapping(best.name, best.group_size, best.words_per_subgroup)
        self.rule = CustomRule(options.rule) if options.rule.strip() else None
        self.scene = tables.capacity_scene()
        self.lods = self._lods()
        self.has_lods = int(self.lods.table.count.max(initial=1)) > 1
        self.slots = draws.draw_slots(self.scene, with_lods=self.has_lods)
        self.reader = ArgumentReader(self.slots, self.scene)
        self.gpu_tree = clusters.gpu_tree()
        self._node_words = self.gpu_tree.nodes.view(np.uint32).copy()  # refits write in place
        self.tree_tables = TreeTables(self.capabilities, self.transport, self.gpu_tree, "leaves")
        self.streams = LiveStreams(self.library, tables, clusters, self.lods, self.rule)
        self._updates, self._scatters = LiveUpdates(self.streams), 0
        self._views = weakref.WeakSet()

    def _lods(self) -> LodInputs:
        return LodInputs.of(self.scene, self.options.lod_bias, self.options.forced_lod)

    @cached_property
    def nodes(self):
        """Table of all cluster nodes, for drawing them; made when first asked for, then kept in step."""
        return make_table(self.capabilities, self.transport, "cluster_nodes", CLUSTER_NODE, rows=self.gpu_tree.nodes)

    @cached_property
    def node_depths(self):
        """Table of their depths, 0 for the root."""
        depths = np.asarray(self.clusters.depths(), np.uint32)
        return make_table(self.capabilities, self.transport, "node_depths", "uint", rows=depths)

    @property
    def dispatches(self) -> int:
        """Made by uploads so far."""
        return self._scatters + self.streams.dispatches

    @property
    def block_words(self) -> int:
        """Visibility words to a block: what `due` and ages count in."""
        return self.mapping.block_words

    def block_boxes(self) -> np.ndarray:
        """(B,) CLUSTER_NODE around what lies in each block (`GpuTree.block_boxes`)."""
        return self.gpu_tree.block_boxes(self.block_words)

    def upload(self, slots, whole: bool | None = None, arrivals=()) -> Upload:
        """Bring `slots` in step with the tables, and the tree's boxes with `clusters` (refitted before).

        Parameters
        ----------
        slots : (K,) integer
            Distinct.
        whole : bool, optional
            Upload everything. None: past `FULL_UPLOAD_SHARE`, where that is faster.
        arrivals : (A,) integer
            Those of them that another row has now (`LiveTables.take_arrivals`): no view keeps its predecessor's LOD for it.
        """
        start, slots = time.perf_counter(), np.asarray(slots, np.int64)
        if whole is None:
            whole = len(slots) > FULL_UPLOAD_SHARE[self.transport] * self.tables.capacity
        sent = self._refit()
        if whole:
            self.lods = self._lods()
            sent += self.streams.upload(self.tables, self.lods)
        elif len(slots):
            sent += self._updates.upload(self.tables, self.clusters, slots)
            self._scatters += 1
        for view in self._views if len(arrivals) else ():
            view.forget_lods(arrivals)
        return Upload(sent, time.perf_counter() - start, whole)

    def _refit(self) -> int:
        """Upload the boxes of leaves and blocks if they changed; bytes."""
        tree = self.clusters.gpu_tree()
        words = tree.nodes.view(np.uint32)
        if np.array_equal(words, self._node_words):
            return 0
        self._node_words, self.gpu_tree = words.copy(), tree
        sent = self.tree_tables.refit(tree)
        if "nodes" in self.__dict__:
            self.nodes.upload(tree.nodes)
            sent += tree.nodes.nbytes
        return sent

    def view(self) -> LiveView:
        """A view of its own results."""
        view = LiveView(self)
        self._views.add(view)
        return view
