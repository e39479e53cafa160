"""Incremental upload: a small table of what changed, and a pass that scatters it into the streams."""

from __future__ import annotations

import numpy as np

from ...core.culling import gpu_streams
from ...core.culling.bounds import InstanceBounds
from ...core.culling.gpu_records import BOUNDS_UPDATE
from ...glsl.accessors import Binding
from ..buffers import make_table
from ..shader_library import ShaderKey, ShaderLibrary
from .base import Pass
from .streams import Streams


class _Target:
    """A stream bound for writing."""

    def __init__(self, table):
        self.bind = table.bind_for_writing


class BoundsUpdates:
    """Tables of a few sizes, powers of two, kept for the next change of about as many instances."""

    def __init__(self, library: ShaderLibrary, group_size: int):
        self.library, self.group_size = library, group_size
        self._passes = {}

    def upload(self, streams: Streams, bounds: InstanceBounds, rows: np.ndarray, positions: np.ndarray) -> int:
        """Change `rows`, which lie at `positions`, in `streams`; bytes uploaded, less than twice those of the changed rows (and
        at least a work group's).
        """
        if not len(rows):
            return 0
        capacity = max(1 << int(len(rows) - 1).bit_length(), self.group_size)
        updates = gpu_streams.bounds_updates(bounds, rows, positions, capacity)
        if (capacity, id(streams)) not in self._passes:
            self._passes[capacity, id(streams)] = self._make(streams, capacity)
        table, scatter = self._passes[capacity, id(streams)]
        table.upload(updates)
        scatter.run()
        Pass.finish()
        return updates.nbytes

    def _make(self, streams: Streams, capacity: int) -> tuple:
        table = make_table(self.library.capabilities, self.library.transport, "bounds_updates", BOUNDS_UPDATE, capacity)
        spheres, boxes = streams.tables[:2]
        key = ShaderKey(
            "culling/update_bounds.glsl",
            (Streams.binding(table), *(Binding(t.name, t.element, "write") for t in (spheres, boxes))),
            group_size=self.group_size,
        )
        return table, Pass(self.library, key, (table, _Target(spheres), _Target(boxes)), capacity)
