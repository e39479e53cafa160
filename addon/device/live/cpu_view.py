"""The live scene culled on the CPU, with the same methods and the same answers: for where there is no usable GPU."""

from __future__ import annotations

import time
import weakref
from dataclasses import replace
from functools import cached_property

import numpy as np

from ...core.culling import draws
from ...core.culling.camera import CullView
from ...core.culling.cull_tree import CullTree, prepare
from ...core.culling.flat import cull_flat
from ...core.culling.lod_select import NO_LOD, LodInputs, lod_scale, select
from ...core.culling.stream import CULL_RADIUS, BoundsStream
from ...core.culling.traverse import cull_tree
from ..errors import DeviceError
from .cpu_status import CpuStatus
from .draw_tables import DrawTables
from .stats import ArgumentReader, ViewStats
from .upload import Upload

#: visibility words to a block, as GPUs have them
BLOCK_WORDS = 64
#: culls after a change that test every instance: the tree is laid out again when changes pause
FLAT_CULLS = 16


class CpuDevice:
    """As `LiveDevice`, on the CPU.

    Parameters
    ----------
    tables : LiveTables
    clusters : LiveClusters
    options : LiveOptions
    note : str
        Why the CPU culls.

    Attributes
    ----------
    kind : "cpu"
    note, backend, renderer, transport : str
    block_words : int
    dispatches : int
        0.
    """

    kind, backend, renderer, transport = "cpu", "", "CPU", ""
    block_words, dispatches = BLOCK_WORDS, 0

    def __init__(self, tables, clusters, options, note: str = ""):
        self.tables, self.clusters, self.options = tables, clusters, options
        rule = "The custom rule is left out: it runs on a GPU only." if options.rule.strip() else ""
        self.note = f"{note} {rule}".strip()
        self.scene = tables.capacity_scene()
        self.lods = self._lods()
        self.has_lods = int(self.lods.table.count.max(initial=1)) > 1
        self.slots = draws.draw_slots(self.scene, with_lods=self.has_lods)
        self.reader = ArgumentReader(self.slots, self.scene)
        self._prepared = self._status = self._stream = None
        self._flat_culls, self._views = FLAT_CULLS, weakref.WeakSet()

    def _lods(self) -> LodInputs:
        return LodInputs.of(self.scene, self.options.lod_bias, self.options.forced_lod)

    @property
    def order(self) -> np.ndarray:
        """(N,) slot at each position of culling order."""
        return self.clusters.order

    @property
    def prepared(self) -> CullTree:
        """The tree laid out for culling; anew after a change."""
        if self._prepared is None:
            tree, drawable = self.clusters.tree, self.tables.bounds.drawable
            self._prepared = prepare(replace(tree, unbuilt=tree.unbuilt[drawable[tree.unbuilt]]), self.tables.bounds)
        return self._prepared

    @property
    def status(self) -> CpuStatus:
        """What makes status words; anew after a change."""
        if self._status is None:
            self._status = CpuStatus(self.tables, self.scene)
        return self._status

    def block_boxes(self) -> np.ndarray:
        """(B,) CLUSTER_NODE around what lies in each block."""
        return self.clusters.gpu_tree().block_boxes(self.block_words)

    @cached_property
    def draw_tables(self) -> DrawTables | None:
        """GPU tables to draw overlays from, made when first asked for; None where there is no GPU at all."""
        try:
            return DrawTables(self.tables, self.clusters)
        except DeviceError:
            return None

    def upload(self, slots, arrivals=()) -> Upload:
        """Bring `slots` in step with the tables. `arrivals`: those that another row has now, without a LOD so far."""
        start, sent = time.perf_counter(), 0
        if len(slots):
            slots = np.asarray(slots, np.int64)
            self._prepared = self._status = None
            self._flat_culls = 0
            self.lods.scale[slots] = lod_scale(self.tables.data["custom_data"][slots, 0, 1], self.options.lod_bias)
            self._patch_stream(slots)
            if self.__dict__.get("draw_tables") is not None:
                sent = self.draw_tables.upload(slots)
        for view in self._views if len(arrivals) else ():
            view.forget_lods(arrivals)
        return Upload(sent, time.perf_counter() - start, False)

    def _patch_stream(self, slots):
        if self._stream is not None:
            some, data = BoundsStream.of(self.tables.bounds, slots), self._stream.data
            data[:, slots], self._stream.drawable[slots] = some.data, some.drawable
            limited = bool((data[CULL_RADIUS] > 0).any())
            self._stream = replace(self._stream, has_cull_radius=limited, all_drawable=bool(self._stream.drawable.all()))

    def visible(self, view: CullView) -> np.ndarray:
        """(N,) bool by slot. Flat for the first culls after a change: laying the tree out costs many of them."""
        bounds = self.tables.bounds
        if self._prepared is None and self._flat_culls < FLAT_CULLS:
            self._flat_culls += 1
            self._stream = self._stream or BoundsStream.of(bounds)
            return cull_flat(view, self._stream).visible
        return cull_tree(view, bounds, self.prepared).visible

    def view(self) -> CpuView:
        """A view of its own results."""
        view = CpuView(self)
        self._views.add(view)
        return view


class CpuView:
    """As `LiveView`, on the CPU. Make it with `CpuDevice.view`.

    Attributes
    ----------
    dispatches : int
        Culls so far.
    """

    def __init__(self, live: CpuDevice):
        self._device, self.dispatches = live, 0
        count = len(live.order)
        self._visible, self._words = np.zeros(count, bool), np.zeros(count, np.uint32)
        self._lod = np.full(count, NO_LOD, np.uint8)

    def cull(self, view: CullView, *, due: np.ndarray | None = None) -> None:
        """Cull for `view`. `due` (B,) bool: blocks to refresh, the others keep their answers."""
        live = self._device
        visible = live.visible(view)
        if due is not None:
            keeps = live.order[~np.repeat(due, live.block_words * 32)[: len(live.order)]]
            visible[keeps] = self._visible[keeps]
        self._visible = visible
        if live.has_lods:
            select(view, live.tables.bounds, live.lods, np.flatnonzero(visible), self._lod)
        self.dispatches += 1

    def forget_lods(self, slots: np.ndarray) -> None:
        """`slots` (K,) have other rows now, without a LOD so far."""
        self._lod[slots] = NO_LOD

    def classify(self, view: CullView, block_ages: np.ndarray) -> None:
        """Write the status words of the last `cull`. `block_ages` (B,): frames since each block's answer, negative: never."""
        live, order, ages = self._device, self._device.order, np.asarray(block_ages)
        if ages.any():
            of_row = np.empty(len(order), np.int64)
            of_row[order] = np.repeat(ages, live.block_words * 32)[: len(order)]
            lod = np.where(self._visible & live.has_lods, self._lod, 0).astype(np.uint8)
            self._words = live.status.of_slices(view, self._visible, lod, of_row)
        else:
            rows = np.flatnonzero(self._visible)
            lod = self._lod[rows] if live.has_lods else np.zeros(len(rows), np.uint8)
            self._words = live.status.of_frame(view, rows, lod)
        if live.draw_tables is not None:
            live.draw_tables.fill_status(self.status, self._words[order])

    @property
    def streams(self) -> DrawTables | None:
        """GPU tables to draw from: `spheres` and `boxes`, in culling order; None where there is no GPU at all."""
        return self._device.draw_tables

    @property
    def nodes(self):
        """Table of cluster nodes, or None."""
        return self.streams and self.streams.nodes

    @property
    def node_depths(self):
        """Table of their depths, or None."""
        return self.streams and self.streams.node_depths

    @cached_property
    def status(self):
        """Table of status words in culling order, or None; zero until `classify`."""
        return self.streams and self.streams.status()

    def arguments(self) -> np.ndarray:
        """(D,) ``indirect_args`` of the last `cull`."""
        return draws.arguments(self._device.slots, self._visible, self._lod if self._device.has_lods else None)

    def stats(self) -> ViewStats:
        """Counts of the last `cull`."""
        return self._device.reader.read(self.arguments())

    def visible_rows(self) -> np.ndarray:
        """(N,) bool by slot, of the last `cull`."""
        return self._visible

    def lod_rows(self) -> np.ndarray:
        """(N,) uint8 by slot: the LOD when last visible, 255 when never; zeros without LODs."""
        return self._lod if self._device.has_lods else np.zeros(len(self._lod), np.uint8)

    def status_rows(self) -> np.ndarray:
        """(N,) uint32 status words by slot, of the last `classify`."""
        return self._words

    def wait(self) -> None:
        """Nothing is ever queued."""
