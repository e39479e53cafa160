"""What one camera sees of the live scene, on the GPU."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ...core.culling.camera import CullView
from ..frame import GpuCuller
from ..frame_result import GpuCullResult
from ..passes.base import Pass
from ..passes.cull_tree import CullTree
from .due import CullDue
from .forget import ForgetLods
from .stats import ViewStats
from .status_pass import StatusPass
from .streams import LiveStreams


class LiveView:
    """One camera's culling. Make it with `scene.LiveDevice.view`.

    Attributes
    ----------
    dispatches : int
        Of all its passes so far.
    """

    def __init__(self, live):
        self._device, self._view = live, None
        self._culler = GpuCuller(
            live.tables.bounds,
            live.scene,
            tree=live.gpu_tree,
            lods=live.lods if live.has_lods else None,
            lod_tables=(live.streams.lod_inputs, live.streams.lod_switches),
            draw_slots=live.slots,
            reuse=_Shared(live),
            transport=live.transport,
            rule=live.rule,
        )
        self.dispatches = int(self._culler.reset_pass.shader is not None)
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

    def forget_lods(self, slots: np.ndarray) -> None:
        """`slots` (K,) have other rows now, without a LOD so far."""
        if self._culler.lod_state is not None:
            before, streams = self._forget.dispatches, self._device.streams
            self._forget.run(self._device.clusters.positions[slots] if streams.grouped else slots)
            self.dispatches += self._forget.dispatches - before

    @cached_property
    def _forget(self) -> ForgetLods:
        return ForgetLods(self._device.library, self._culler.lod_state)

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


class _Shared:
    """What views of one device share, as `GpuCuller` takes it."""

    def __init__(self, live):
        self.library, self.mapping, self.tree_tables = live.library, live.mapping, live.tree_tables
        self.streams = live.streams.culling
