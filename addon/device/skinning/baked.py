"""Characters that play a baked texture: nothing travels but the number of the frame."""

from __future__ import annotations

import numpy as np

from ...core.errors import InputError
from ...core.skinning.bake import Baked
from .bones import BoneRing
from .outputs import Outputs
from .skins import SkinDevice


class BakedSkins(SkinDevice):
    """Parameters
    ----------
    baked : Baked
        Vertex positions or bone matrices of all frames; it goes to the GPU as a texture, with Blender 5.3 too.
    levels : dict of Level by name
        One for each of the texture's characters.
    trail_length : int

    Raises
    ------
    InputError
        The texture and the characters do not fit.
    """

    def __init__(self, baked: Baked, levels: dict, trail_length: int = 1):
        super().__init__("texture", trail_length)
        self.kind, self.frames, described = (
            baked.description["kind"],
            baked.description["frames"],
            baked.description["characters"],
        )
        self.plays_vertices = self.kind == "vertex"
        if self.plays_vertices:
            self.outputs = Outputs(self.library, trail_length, len(self.frames))
        else:
            self.ring = BoneRing(self.library, len(self.frames), "float32")
        for each in described:
            name = each["name"]
            level = levels.get(name)
            if level is None:
                raise InputError(f"The texture has {name!r}, which is not among the characters.", "Bake it again.")
            here = level.packed.skin.vertex_count if self.plays_vertices else level.packed.bone_count
            if here != each["count"]:
                raise InputError(f"{name!r} has {here:,} where the texture has {each['count']:,}.", "Bake it again.")
            self.add(name, [level])
        self._settle()
        self._fill(baked, described)
        self.set_frame(0)

    def set_frame(self, index: int) -> None:
        """Play frame ``frames[index]``; past the end it begins again."""
        self._frame = index % len(self.frames)

    def upload(self) -> int:
        """What has changed of skins, points and levels; bytes. Of the animation nothing travels."""
        self._settle()
        for entry in self.tables.entries.values():
            entry.pose_count, entry.has_before = self.trail_length, True
        return self.tables.upload()

    def pose(self, name, matrices) -> None:
        raise InputError("A baked animation takes no pose.", "Use a SkinDevice.")

    @property
    def shares_vertices(self) -> bool:
        return self.plays_vertices

    def write_run(self):
        if not self.plays_vertices:
            self.ring.newest = self._frame
        super().write_run()

    def _run_values(self, row):
        if self.plays_vertices:
            row["ring_length"], row["newest"] = len(self.frames), self._frame

    def _fill(self, baked, described):
        count = len(self.frames)
        texels = np.stack([baked.texels(frame) for frame in range(count)])
        if self.plays_vertices:
            rows = np.zeros((count, self.outputs.skinned_rows, 4), np.float32)
            for each in described:
                run = self.tables.entries[each["name"]].skinned
                rows[:, run.rows] = texels[:, each["first_texel"] : each["first_texel"] + each["count"]]
            self.outputs.skinned.upload(rows)
            return
        poses = np.zeros((count, self.ring.rows, 3, 4), np.float32)
        for each in described:
            entry = self.tables.entries[each["name"]]
            own = texels[:, each["first_texel"] : each["first_texel"] + 3 * each["count"]].reshape(count, -1, 3, 4)
            used = entry.levels.levels[0].packed.used
            place = np.argsort(used, kind="stable")[np.searchsorted(np.sort(used), entry.levels.order)]
            poses[:, entry.bones.start + 1 : entry.bones.stop] = own[:, place]
        self.ring.fill(poses)
