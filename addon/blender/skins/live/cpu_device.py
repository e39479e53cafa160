"""What moves the particles where there is no usable GPU: the interface of `device.skinning.SkinDevice` in numpy, same results."""

from __future__ import annotations

import numpy as np

from ....core.skinning.blend import blend_packed
from ....core.skinning.matrices import FORMATS, decode, encode
from ....core.skinning.measures import at_points, dominant_bones, speeds, weight_errors
from ....core.skinning.trails import PoseRing


class CpuSkins:
    """
    Parameters
    ----------
    trail_length : int
        Poses drawn, the present one among them; one more is kept, for speed.
    matrices : {"float32", "half", "trs"}
    note : str
        Why the processor does it.
    """

    def __init__(self, trail_length: int, matrices: str = "float32", note: str = ""):
        self.trail_length, self.kind, self.note = trail_length, matrices, note
        self.color_mode, self.seconds = "flat", 1 / 24
        self._characters: dict = {}

    def add(self, name: str, levels) -> None:
        self._characters[name] = _Character(list(levels), self.trail_length + 1)

    def remove(self, name: str) -> None:
        del self._characters[name]

    def __contains__(self, name) -> bool:
        return name in self._characters

    def set_level(self, name: str, level: int) -> None:
        """Another level; its poses have other bones, so the trail begins anew."""
        character = self._characters[name]
        if level != character.level:
            character.level, character.ring = level, character.new_ring(self.trail_length + 1, level)

    def packed(self, name: str):
        """`PackedSkin` of the level that is shown."""
        return self._characters[name].shown.packed

    def pose(self, name: str, matrices) -> None:
        """A character's pose: (B, 3, 4) world-from-rest of all bones, the object's own last; half floats are relative to that."""
        character, origin = self._characters[name], np.asarray(matrices)[-1, :, 3]
        character.next = decode(encode(character.shown.packed.matrices(matrices), self.kind, origin), self.kind, origin)

    def set_color_mode(self, mode: str, seconds: float = 1 / 24) -> None:
        """What `values` says; `seconds` lie between two poses."""
        self.color_mode, self.seconds = mode, seconds

    def set_rest(self, name: str, positions) -> None:
        self._characters[name].rest = np.asarray(positions, np.float32)

    def upload(self) -> int:
        """Take the poses over; the bytes that a GPU would have got."""
        for character in self._characters.values():
            character.ring.push(character.next)
        return sum(FORMATS[self.kind] * len(c.next) for c in self._characters.values())

    def run(self) -> None:
        pass

    def clear_trails(self) -> None:
        for character in self._characters.values():
            character.ring.clear()

    def positions(self, name: str, age: int = 0) -> np.ndarray:
        """(N, 3) float32 world positions of a character's particles, `age` poses ago."""
        character = self._characters[name]
        age = min(age, max(character.ring.length - 1, 0))
        return character.shown.points.at(blend_packed(character.shown.packed, character.ring.pose(age), character.rest))

    def values(self, name: str, age: int = 0) -> np.ndarray:
        """(N,) float32 that a character's particles are coloured by: bone, weight error, speed of the newest pose, or its age."""
        shown = self._characters[name].shown
        if self.color_mode == "bone":
            corner = shown.points.vertices[np.arange(len(shown.points)), shown.points.barycentrics.argmax(axis=1)]
            return dominant_bones(shown.packed)[corner].astype(np.float32)
        if self.color_mode == "weight_error":
            return at_points(weight_errors(shown.packed), shown.points).astype(np.float32)
        if self.color_mode == "speed":
            there = age == 0 and self._characters[name].ring.length > 1
            return speeds(self.positions(name, 0), self.positions(name, 1), self.seconds if there else 0).astype(np.float32)
        return np.full(len(shown.points), age, np.float32)

    def pose_count(self, name: str) -> int:
        """Poses that there are."""
        return self._characters[name].ring.length

    def level(self, name: str):
        """`device.skinning.Level` that is shown."""
        return self._characters[name].shown

    @property
    def names(self) -> tuple:
        return tuple(self._characters)


class _Character:
    def __init__(self, levels, trail_length):
        self.levels, self.level, self.next, self.rest = levels, 0, None, None
        self.ring = self.new_ring(trail_length, 0)

    def new_ring(self, length, level):
        return PoseRing(self.levels[level].packed.bone_count, length)

    @property
    def shown(self):
        return self.levels[self.level]
