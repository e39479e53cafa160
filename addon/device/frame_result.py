"""What a GPU cull left on the GPU, read when asked for."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ..core.limits import NO_INDEX
from .passes.cull_tree import tested


class GpuCullResult:
    """The tables of a `GpuCuller`'s last run. Everything is in instance rows, in the bytes that the CPU gives."""

    def __init__(self, culler):
        self._culler = culler

    @cached_property
    def words(self) -> np.ndarray:
        """(ceil(N / 32),) uint32: the `visibility` table."""
        culler = self._culler
        if culler.row_visibility is not None:
            return culler.row_visibility.read_words()
        words = culler.visibility.read_words()
        if culler.tree is None:
            return words
        bits = np.unpackbits(words.view(np.uint8), bitorder="little")
        visible = np.zeros(-(-len(culler.bounds) // 32) * 32, np.uint8)
        visible[culler.tree.order] = bits[: len(culler.tree.order)]
        return np.packbits(visible, bitorder="little").view(np.uint32)

    @cached_property
    def visible(self) -> np.ndarray:
        """(N,) bool."""
        return np.unpackbits(self.words.view(np.uint8), bitorder="little")[: len(self._culler.bounds)].astype(bool)

    @cached_property
    def lod_state(self) -> np.ndarray:
        """(N,) uint8: each row's LOD when it was last visible; 255 when it never was."""
        culler = self._culler
        states = culler.lod_state.read_words().view(np.uint8)
        if culler.tree is None or culler.row_visibility is not None:
            return states[: len(culler.bounds)]
        out = np.full(len(culler.bounds), 255, np.uint8)
        out[culler.tree.order] = states[: len(culler.tree.order)]
        return out

    @cached_property
    def lod_fade(self) -> tuple:
        """(N,) float32 weights of each visible row's own LOD and (N,) uint8 LODs that have the rest, as
        ``lod_select.cross_fade``, 0 and 255 where not visible. Weights differ from the CPU's by rounding: square roots and
        quotients of a GPU are good to some bits, each of which counts as many times as a band is narrower than its threshold.
        """
        culler = self._culler
        found = culler.lod_fade.read_words().view(np.float32).reshape(-1, 2)
        out = np.tile(np.float32((0, 255)), (len(culler.bounds), 1))
        grouped = culler.tree is not None and culler.row_visibility is None
        out[culler.tree.order if grouped else slice(None)] = found[: len(culler.tree.order) if grouped else len(out)]
        return out[:, 0], out[:, 1].astype(np.uint8)

    @cached_property
    def indirect_args(self) -> np.ndarray:
        """(D,) ``indirect_args``."""
        return self._culler.indirect_args.read()

    @cached_property
    def draw_instances(self) -> np.ndarray:
        """(V,) uint32 visible rows, LOD by LOD and run by run."""
        total = int(self._culler.word_offsets.read_words()[-1])
        return self._culler.draw_instances.read_words()[:total]

    @cached_property
    def tested(self) -> tuple:
        """Nodes tested, instances tested. From the leaves only, nodes are all leaves; how many instances followed is known
        after a descent by levels only.
        """
        culler = self._culler
        if culler.tree is None:
            return 0, culler.streams.count
        if culler.tree_tables.node_states is None:
            return len(culler.tree.leaf_nodes), NO_INDEX
        return tested(culler.tree, culler.tree_tables.node_states.read_words())
