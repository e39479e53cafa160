"""Frames of a live session: uploads, cluster tree, device, and culling for each view, each only when something changed."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from ...core import layout
from ...core.culling.camera import CullView
from ...core.errors import InputError
from ...core.live.clusters import LiveClusters
from ...core.live.delta import Jitter
from ...core.live.metrics import FrameStats
from ...core.schedule.blocks import BlockSlices
from ...device.errors import ShaderError
from ...device.live.make import make_device
from .views import ViewState, constants_of

#: share of the slots that are holes, or of the rows that are hidden, past which a frame compacts first
COMPACT_AT = 0.3
#: below this many slots holes cost nothing
COMPACT_FROM = 1024


class Frames:
    """Everything behind the tables of one scene.

    Parameters
    ----------
    sync : SceneSync
        Has the tables.
    options : LiveOptions
    history : core.live.metrics.History
        Gets each culled frame whose figures are read.
    """

    def __init__(self, sync, options, history):
        self._sync, self.options, self.history = sync, options, history
        self.views: dict = {}
        self.frame, self.last_key = 0, None
        self._gone_dispatches = 0
        self._drawn: set = set()
        self._synced = None
        self._forget()

    def _forget(self):
        self.clusters = self.device = self.upload = None
        self.jitter_metres, self._rule_error = 0.0, ""
        self._pending, self._jitter = np.zeros(0, np.int64), None
        self._made_for = self._uploaded = None
        self._frame_upload = (0.0, 0)
        self._triangles = None

    def clear(self) -> None:
        """Let go of GPU tables and views."""
        self._drop_device()
        self.views.clear()
        self._drawn.clear()
        self._forget()

    def _drop_device(self):
        if self.device is not None:
            self._gone_dispatches = self.dispatches
        for state in self.views.values():
            state.live = state.slices = state.culled_for = state.unread = None
        self.device = None

    @property
    def dispatches(self) -> int:
        """Ever made."""
        there = [] if self.device is None else [self.device, *(s.live for s in self.views.values() if s.live is not None)]
        return self._gone_dispatches + sum(one.dispatches for one in there)

    @property
    def rule_error(self) -> str:
        """What is wrong with the custom rule; empty when it runs, or when there is none."""
        return self._rule_error

    @property
    def notes(self) -> tuple:
        lines = ([self._rule_error] if self._rule_error else []) + ([self.device.note] if self.device is not None else [])
        return tuple(line for line in lines if line)

    def set_options(self, options) -> None:
        """Other settings; what has to be made anew is, by the next frame."""
        before, self.options = self.options, options
        self._sync.options = options
        if self._sync.tables is not None:
            self._sync.tables.set_options(options)
        if options.cluster_size != before.cluster_size:
            self.clusters = None
        if options.slices != before.slices:
            for state in self.views.values():
                state.slices = state.culled_for = None

    def keep_only(self, keys) -> None:
        """Forget the views that are not among `keys`."""
        for key in set(self.views) - set(keys):
            state = self.views.pop(key)
            self._gone_dispatches += 0 if state.live is None else state.live.dispatches
            self._drawn.discard(key)

    def redraw(self, key: int, camera, source: str, settings, is_watched: bool = False) -> ViewState:
        """One redraw of one view. Makes no dispatch when nothing it shows has changed. `is_watched`: somebody besides the
        overlays looks at the figures; reading them waits for the GPU.
        """
        if not self._drawn or key in self._drawn:
            self._drawn = set()
            self._begin_frame(settings)
        self._drawn.add(key)
        self._make()
        state = self.views.setdefault(key, ViewState(key))
        self.last_key = key
        self._cull(state, camera, source)
        if is_watched or settings.overlay.dashboard or settings.overlay.plot:
            state.stats  # noqa: B018  read while they are this frame's
        return state

    def catch_up(self, state) -> None:
        """Upload what is pending and cull again, so that results and tables say the same."""
        self._compact_and_take()
        self._make()
        self._send()
        self._cull(state, state.camera, state.source)

    # Once a frame

    def _begin_frame(self, settings):
        self.frame += 1
        self._frame_upload = (0.0, 0)
        self._compact_and_take()
        self._make()
        if settings.update_every > 1 and self._jitter is None:
            self._send()  # so that what is drawn is where the tables are
            self._jitter = Jitter(self._sync.tables)
        elif settings.update_every <= 1:
            self._jitter = None
        if self.frame % settings.update_every == 0:
            self._send()
        self.jitter_metres = self._jitter.measure(self._sync.tables, self._pending) if self._jitter is not None else 0.0

    def _compact_and_take(self):
        tables = self._sync.tables
        hidden = tables.hidden_count / max(tables.hidden_count + tables.count, 1)
        if tables.capacity > COMPACT_FROM and max(tables.fragmentation, hidden) > COMPACT_AT:
            tables.compact()
        dirty = tables.take_dirty()
        if len(dirty) and self._is_made_for(tables):
            self._pending = np.union1d(self._pending, dirty) if len(self._pending) else dirty

    def _is_made_for(self, tables) -> bool:
        """Device and clusters are of these tables, laid out as they are."""
        return self._made_for is not None and self._made_for[0] is tables and self._made_for[1] == tables.layout_version

    @property
    def is_waiting(self) -> bool:
        """Changes wait for a later frame's upload."""
        return bool(len(self._pending))

    def _make(self):
        """Clusters and device for the tables as they are laid out, where those there are of other ones."""
        tables = self._sync.tables
        if not self._is_made_for(tables):
            self._drop_device()
            self.clusters = None
            self._pending, self._jitter = np.zeros(0, np.int64), None
        elif self.device is not None and self.options.structure != self._structure:
            self._drop_device()
        if self.clusters is None:
            self._drop_device()
            self.clusters = LiveClusters(tables.bounds, self.options, tables.alive)
        if self.device is None:
            if len(self._pending):
                self.clusters.refit(self._pending)
                self._pending = np.zeros(0, np.int64)
            self._make_device(tables)
            tables.take_arrivals()  # no view of this device remembers anything
            self._made_for = tables, tables.layout_version
            self._uploaded = object()

    def _make_device(self, tables):
        self._rule_error = ""
        self._structure = self.options.structure
        try:
            self.device = make_device(tables, self.clusters, self.options)
        except (ShaderError, InputError) as error:
            if not self.options.rule.strip():
                raise
            self._rule_error = str(error)
            self.device = make_device(tables, self.clusters, replace(self.options, rule=""))

    def _send(self):
        """Upload pending slots."""
        slots, self._pending = self._pending, np.zeros(0, np.int64)
        if not len(slots):
            return
        self.clusters.refit(slots)
        if self.clusters.needs_rebuild:
            self._drop_device()
            self.clusters.rebuild()
            self._make()
        else:
            self.upload = self.device.upload(slots, arrivals=self._sync.tables.take_arrivals())
            self._frame_upload = self.upload.seconds, self.upload.bytes
            self._uploaded = object()
            self._touch(slots)
        if self._jitter is not None:
            self._jitter.uploaded(self._sync.tables, slots)

    def _touch(self, slots):
        """The blocks of uploaded slots are due in the next frame of every view, in their new boxes."""
        sliced = [state.slices for state in self.views.values() if state.slices is not None]
        if sliced:
            boxes = self.device.block_boxes()
            blocks = np.unique(self.clusters.positions[slots] // np.uint32(32 * self.device.block_words))
            for slices in sliced:
                slices.set_boxes(boxes["box_min"], boxes["box_max"])
                slices.touch(blocks)

    # Once a view

    def _cull(self, state, camera, source):
        view = CullView.of(camera, self._sync.tables.bounds.extent)
        wanted = (constants_of(view), self._uploaded)
        state.camera, state.source = camera, source
        if state.live is None:
            state.live = self.device.view()
        if wanted == state.culled_for and not state.is_pending:
            return
        start, before = time.perf_counter(), state.live.dispatches
        due, ages = self._due(state, view)
        state.cull_view, state.culled_for = view, wanted
        state.live.cull(view, due=due)
        state.live.classify(view, ages)
        queued = self._stats(time.perf_counter() - start, state.live.dispatches - before)
        self._frame_upload = (0.0, 0)
        state.frame, state.unread = self.frame, lambda: self._read(state.live, queued)

    def _read(self, live, queued) -> FrameStats:
        """`queued`, with what the GPU counted."""
        start = time.perf_counter()
        found = live.stats()
        stats = replace(queued, visible=found.visible, triangles_submitted=found.triangles, draw_arguments=found.draw_arguments,
                        draw_count=found.draw_count, cull_ms=queued.cull_ms + (time.perf_counter() - start) * 1e3)
        self.history.append(stats)
        return stats

    def _block_count(self) -> int:
        return -(-self._sync.tables.capacity // (32 * self.device.block_words))

    def _due(self, state, view) -> tuple:
        """Blocks to refresh (None: all), and the ages of the answers then."""
        if self.options.slices <= 1:
            return None, np.zeros(self._block_count(), np.int64)
        if state.slices is None:
            state.slices = BlockSlices.of(self.device.block_boxes(), self._sync.tables.capacity, self.clusters.built_count,
                                          32 * self.device.block_words, self.options.slices)
        due = state.slices.due(view)
        return due, state.slices.age

    def reach_from(self, position) -> float:
        """Distance from a point to the farthest corner of everything there is."""
        root = self.clusters.tree.nodes[0] if len(self.clusters.tree.nodes) else None
        if root is None:
            return 1.0
        corners = np.abs(np.stack([root["box_min"], root["box_max"]]).astype(np.float64) - position).max(axis=0)
        return float(max(np.sqrt((corners * corners).sum()), 1.0))

    def age_of(self, state, slot: int) -> int:
        """Frames since the answer of the block that `slot` lies in."""
        if state.slices is None:
            return 0
        return int(state.slices.age[int(self.clusters.positions[slot]) // (32 * self.device.block_words)])

    def _stats(self, seconds, dispatches) -> FrameStats:
        """Of this frame, as far as the CPU knows them."""
        tables = self._sync.tables
        upload_seconds, sent = self._frame_upload
        return FrameStats(
            frame=self.frame, upload_ms=upload_seconds * 1e3, bytes_uploaded=sent, instances=tables.count,
            triangles_total=self._triangle_count(), cull_ms=seconds * 1e3, jitter_m=self.jitter_metres,
            fragmentation=tables.fragmentation,
            channels_used=sum(c.source != "constant" or c.default != 0 for c in tables.channels), dispatches=dispatches)

    def _triangle_count(self) -> int:
        """Of LOD 0 of all that is shown. Counted anew only after rows came, went or were read again: moving changes nothing."""
        tables = self._sync.tables
        counted_for = tables, tables.layout_version, self._sync.readings
        if self._triangles is None or self._triangles[0] != counted_for:
            shown = tables.alive & ((tables.transforms["flags"] & layout.INSTANCE_VISIBLE) != 0)
            counts = np.bincount(tables.data["primitive_id"][shown], minlength=len(tables.primitives))
            triangles = tables.primitives.tables["primitives"]["index_count"].astype(np.int64) // 3
            self._triangles = counted_for, int((counts * triangles).sum())
        return self._triangles[1]
