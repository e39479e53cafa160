"""The live scene on the GPU: tables that all views share, kept in step by small uploads, and what each view culls."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import cached_property

import numpy as np

from ...core.culling import draws
from ...core.culling.camera import CullView
from ...core.culling.lod_select import LodInputs
from ...core.layout import CLUSTER_NODE
from .. import capabilities as device
from ..buffers import make_table
from ..custom_rule import CustomRule
from ..frame import GpuCuller
from ..frame_result import GpuCullResult
from ..passes.base import Pass
from ..passes.cull_tree import CullTree, TreeTables
from ..passes.mapping import Mapping
from ..shader_library import ShaderLibrary
from ..subgroups import has_ballot
from .due import CullDue
from .stats import ArgumentReader, ViewStats
from .status_pass import StatusPass
from .streams import LiveStreams
from .updates import LiveUpdates
from .upload import FULL_UPLOAD_SHARE, Upload


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
    dispatches : int
        Made by uploads so far.

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
        self.mapping = replace(best, single_pass=False)  # blocks that are not due keep words that only separate passes read again
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
        self._updates, self.dispatches = LiveUpdates(self.streams), 0
        self.shared_tables = {table.name: table for table in (self.streams.lod_inputs, self.streams.lod_switches)}

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
    def block_words(self) -> int:
        """Visibility words to a block: what `due` and ages count in."""
        return self.mapping.block_words

    def block_boxes(self) -> np.ndarray:
        """(B,) CLUSTER_NODE around what lies in each block (`GpuTree.block_boxes`)."""
        return self.gpu_tree.block_boxes(self.block_words)

    def upload(self, slots, whole: bool | None = None) -> Upload:
        """Bring `slots` in step with the tables, and the tree's boxes with `clusters` (refitted before).

        Parameters
        ----------
        slots : (K,) integer
            Distinct.
        whole : bool, optional
            Upload everything. None: past `FULL_UPLOAD_SHARE`, where that is faster.
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
            self.dispatches += 1
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
        return LiveView(self)


class LiveView:
    """One camera's culling. Make it with `LiveDevice.view`.

    Attributes
    ----------
    dispatches : int
        Of all its passes so far.
    """

    def __init__(self, live: LiveDevice):
        self._device, self.dispatches, self._view = live, 0, None
        self._culler = _SharingCuller(
            live.shared_tables,
            live.tables.bounds,
            live.scene,
            tree=live.gpu_tree,
            lods=live.lods if live.has_lods else None,
            draw_slots=live.slots,
            reuse=_Shared(live),
            transport=live.transport,
            rule=live.rule,
        )
        self._per_cull = sum(one.shader is not None for one in self._culler.passes)

    @property
    def streams(self) -> LiveStreams:
        """Tables to draw from: `spheres` and `boxes`, in culling order."""
        return self._device.streams

    @property
    def nodes(self):
        """Table of cluster nodes."""
        return self._device.nodes

    @property
    def node_depths(self):
        """Table of their depths."""
        return self._device.node_depths

    @cached_property
    def _due(self) -> CullDue:
        whole = next(one for one in self._culler.passes if isinstance(one, CullTree))
        return CullDue(whole, self._device.library, len(self._device.block_boxes()))

    @cached_property
    def _status(self) -> StatusPass:
        return StatusPass(self._device.streams, self._culler, self._device.scene.convention.units_per_metre)

    @property
    def status(self):
        """Table of status words in culling order; zero until `classify`."""
        return self._status.status

    @property
    def indirect_args(self):
        """Table of the draws' arguments."""
        return self._culler.indirect_args

    def cull(self, view: CullView, *, due: np.ndarray | None = None) -> None:
        """Queue culling for `view`; does not wait. `due` (B,) bool: blocks to refresh, the others keep their words."""
        self._set_view(view)
        if due is None or due.all():
            self._culler.run()
        else:
            self._due.upload(due)
            for one in self._culler.passes:
                (self._due if isinstance(one, CullTree) else one).run()
            Pass.finish()
        self.dispatches += self._per_cull

    def _set_view(self, view):
        if view is not self._view:
            self._culler.set_view(view)
            self._view = view

    def classify(self, view: CullView, block_ages: np.ndarray) -> None:
        """Write `status` for `view`, of the last `cull`. `block_ages` (B,): frames since each block's answer, negative: never."""
        self._set_view(view)
        self._status.classify(block_ages)
        self.dispatches += 1

    def stats(self) -> ViewStats:
        """Counts of the last `cull`. Waits for the GPU."""
        return self._device.reader.read(self._culler.indirect_args.read())

    def visible_rows(self) -> np.ndarray:
        """(N,) bool by slot, of the last `cull`. Waits."""
        return GpuCullResult(self._culler).visible

    def lod_rows(self) -> np.ndarray:
        """(N,) uint8 by slot: the LOD when last visible, 255 when never; zeros without LODs. Waits."""
        if self._culler.lod_state is None:
            return np.zeros(self._device.streams.culling.count, np.uint8)
        return GpuCullResult(self._culler).lod_state

    def status_rows(self) -> np.ndarray:
        """(N,) uint32 status words by slot, of the last `classify`. Waits."""
        out = np.empty(self._device.streams.culling.count, np.uint32)
        out[self._device.streams.order] = self.status.read_words()
        return out

    def wait(self) -> None:
        """Return when all that was queued is done."""
        self._culler.wait()


class _SharingCuller(GpuCuller):
    """One that takes the tables it would upload from those that are there."""

    def __init__(self, tables: dict, *arguments, **options):
        self._there = tables
        super().__init__(*arguments, **options)

    def _upload(self, name, element, rows):
        return self._there[name] if name in self._there else super()._upload(name, element, rows)


class _Shared:
    """What views of one device share, as `GpuCuller` takes it."""

    def __init__(self, live: LiveDevice):
        self.library, self.mapping, self.tree_tables = live.library, live.mapping, live.tree_tables
        self.streams = live.streams.culling
