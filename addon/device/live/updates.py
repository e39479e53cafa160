"""Incremental upload: what changed in one small table, and one pass that scatters it into all tables that hold it."""

from __future__ import annotations

import numpy as np

from ...core.live.delta import LIVE_UPDATE, gather
from ...glsl.accessors import Binding
from ..buffers import make_table
from ..passes.base import Pass
from ..passes.streams import Streams
from ..shader_library import ShaderKey
from .streams import FREE_RADIUS, LiveStreams

_GROUP_SIZE = 64


class _Target:
    """A table bound for writing."""

    def __init__(self, table):
        self.bind = table.bind_for_writing


class LiveUpdates:
    """Delta tables of a few sizes, powers of two, kept for the next change of about as many slots."""

    def __init__(self, streams: LiveStreams):
        self._streams, self._passes = streams, {}

    def upload(self, tables, clusters, slots: np.ndarray) -> int:
        """Bring `slots` (K,) int64 in step; bytes uploaded."""
        capacity = max(1 << int(len(slots) - 1).bit_length(), _GROUP_SIZE)
        rows = gather(tables, clusters, slots, capacity)
        free = np.flatnonzero(~tables.alive[slots])
        rows["sphere"][free, 3] = FREE_RADIUS
        if capacity not in self._passes:
            self._passes[capacity] = self._make(capacity, rows)
        table, scatter = self._passes[capacity]
        table.upload(rows)
        scatter.run()
        Pass.finish()
        return rows.nbytes

    def _make(self, capacity: int, rows) -> tuple:
        streams, library = self._streams, self._streams.library
        table = make_table(library.capabilities, library.transport, "live_updates", LIVE_UPDATE, rows=rows)
        access = {"lod_inputs": "update"}
        targets = [Binding(t.name, t.element, access.get(t.name, "write"), t.on_device) for t in streams.written]
        key = ShaderKey(
            "live/update.glsl",
            (Streams.binding(table), *targets),
            group_size=_GROUP_SIZE,
            defines=(("GROUPED", int(streams.grouped)),),
        )
        return table, Pass(library, key, (table, *map(_Target, streams.written)), capacity)
