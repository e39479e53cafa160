"""What a view remembers of a slot is not the next row's: a row that comes into it has no LOD yet, on every back end."""

from __future__ import annotations

import numpy as np

from ...core.limits import NO_INDEX
from ..buffers import make_table
from ..passes.base import Pass
from ..passes.streams import Streams
from ..shader_library import ShaderKey
from .records import FORGOTTEN_LODS

_GROUP_SIZE = 64


def forgotten(positions: np.ndarray) -> np.ndarray:
    """(W,) FORGOTTEN_LODS, one a word, of distinct `positions` (K,) in the order of lod_state."""
    positions = np.sort(np.asarray(positions, np.int64))
    words, first = np.unique(positions // 4, return_index=True)
    out = FORGOTTEN_LODS.empty(len(words))
    out["word"] = words
    if len(words):
        bits = np.uint32(255) << ((positions % 4) * 8).astype(np.uint32)
        out["bits"] = np.bitwise_or.reduceat(bits, first)
    return out


class ForgetLods:
    """Tables of a few sizes, powers of two, kept for the next time.

    Parameters
    ----------
    library : ShaderLibrary
    lod_state : Table
        Of a `GpuCuller`.

    Attributes
    ----------
    dispatches : int
        Made so far.
    """

    def __init__(self, library, lod_state):
        self._library, self._state, self._passes, self.dispatches = library, lod_state, {}, 0

    def run(self, positions: np.ndarray) -> None:
        """Queue it for `positions` (K,), distinct, in drawing order."""
        if not len(positions):
            return
        rows = forgotten(positions)
        capacity = max(1 << int(len(rows) - 1).bit_length(), _GROUP_SIZE)
        padded = FORGOTTEN_LODS.empty(capacity)
        padded["word"] = NO_INDEX
        padded[: len(rows)] = rows
        if capacity not in self._passes:
            self._passes[capacity] = self._make(capacity)
        table, one = self._passes[capacity]
        table.upload(padded)
        one.run()
        Pass.finish()
        self.dispatches += 1

    def _make(self, capacity: int) -> tuple:
        can, transport = self._library.capabilities, self._library.transport
        table = make_table(can, transport, "forgotten_lods", FORGOTTEN_LODS, capacity)
        bindings = Streams.binding(table), Streams.binding(self._state, "update")
        key = ShaderKey("live/forget_lods.glsl", bindings, group_size=_GROUP_SIZE)
        return table, Pass(self._library, key, (table, self._state), capacity)
