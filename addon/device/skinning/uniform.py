"""Each character's pose as a uniform block, and a dispatch for each: what the shared buffer is compared with."""

from __future__ import annotations

from ...core.skinning.gpu_records import BLOCK, BONE_BLOCK, SKIN_RUN
from ..buffers import Uniform
from ..passes.base import Pass


class UniformPoses:
    """Parameters
    ----------
    skins : SkinDevice
        In mode "uniform".
    """

    def __init__(self, skins):
        self.skins = skins
        self._blocks: dict = {}

    def upload(self) -> int:
        """Every character's block; the bytes of whole blocks."""
        sent, entries = 0, self.skins.tables.entries
        for name in list(self._blocks):
            if name not in entries:
                del self._blocks[name]
        for name, entry in entries.items():
            row = BONE_BLOCK.empty(1)
            own = self.skins.pose_rows[entry.bones.rows].reshape(-1, 4)
            row[0, : len(own)] = own
            if name in self._blocks:
                self._blocks[name].update(row)
            else:
                self._blocks[name] = Uniform("bone_block", BONE_BLOCK, row)
                self.skins.passes.forget()
            sent += row.nbytes
        return sent

    @property
    def memory(self) -> int:
        """Bytes of all blocks."""
        return len(self._blocks) * BONE_BLOCK.stride

    def passes(self, passes) -> tuple:
        """One for each character."""
        skins, made, first = self.skins, [], 0
        key, resources = passes.points_key(False, True)
        for name, entry in skins.tables.entries.items():
            count = -(-entry.levels.most_points // BLOCK)
            row = skins.run_row.copy()
            row["block_count"], row["first_block"] = count, first
            if count and name in self._blocks:
                made.append(
                    Pass(skins.library, key, (*resources, Uniform("skin_run", SKIN_RUN, row), self._blocks[name]), count * BLOCK)
                )
            first += count
        return tuple(made)
