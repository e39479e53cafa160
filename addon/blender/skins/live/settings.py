"""What the user chose for particles on skins, as plain values."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

COLORS = ("bone", "error", "age", "speed", "plain")
SPAWNS = ("surface", "vertices")
FORMATS = ("float32", "half", "trs")


@dataclass(frozen=True)
class Detail:
    """How much of a character is kept.

    Attributes
    ----------
    influences : int
        Of a vertex, at most.
    bones : float
        Share of the used bones.
    particles : float
        Share of the particles.
    """

    influences: int = 4
    bones: float = 1.0
    particles: float = 1.0


@dataclass(frozen=True)
class LodSettings:
    """Distances from the nearest view, in scene units, from which on less is kept; 0 is never.

    Attributes
    ----------
    bone_share, particle_share : float
        What is left past `fewer_bones` and `fewer_particles`.
    """

    two_influences: float = 10.0
    one_influence: float = 25.0
    fewer_bones: float = 15.0
    bone_share: float = 0.25
    fewer_particles: float = 10.0
    particle_share: float = 0.5

    def at(self, distance: float, whole: Detail) -> Detail:
        """What is left of `whole` at a distance."""

        def past(threshold):
            return 0 < threshold <= distance

        influences = 1 if past(self.one_influence) else 2 if past(self.two_influences) else whole.influences
        return Detail(influences, self.bone_share if past(self.fewer_bones) else 1.0,
                      self.particle_share if past(self.fewer_particles) else 1.0)


@dataclass(frozen=True)
class SkinSettings:
    """Attributes
    ----------
    particles : int
        On each character.
    spawn : {"surface", "vertices"}
    size : float
        Diameter, pixels.
    color : {"bone", "error", "age", "speed", "plain"}
    plain : (4,) tuple of float
        sRGB and alpha.
    top_speed : float
        Scene units a second where the colours of speed end.
    trail : int
        Poses drawn, the present one among them; 0 is the present one alone, without a trail.
    offset : (3,) tuple of float
        Moves every particle.
    influences : {4, 8}
    matrix_format : {"float32", "half", "trs"}
    lod : LodSettings or None
    device : {"gpu", "cpu"}
    """

    particles: int = 5000
    spawn: str = "surface"
    seed: int = 0
    size: float = 4.0
    color: str = "bone"
    plain: tuple = (1.0, 0.62, 0.2, 1.0)
    top_speed: float = 3.0
    trail: int = 0
    offset: tuple = (0.0, 0.0, 0.0)
    influences: int = 4
    matrix_format: str = "float32"
    lod: LodSettings | None = None
    device: str = "gpu"

    @property
    def poses(self) -> int:
        """Poses drawn, the present one among them."""
        return max(self.trail, 1)

    def steps(self) -> tuple:
        """(distance from which it holds, `Detail`), near to far; the first holds from 0 on."""
        whole, lod = Detail(self.influences), self.lod
        if lod is None:
            return ((0.0, whole),)
        distances = lod.two_influences, lod.one_influence, lod.fewer_bones, lod.fewer_particles
        starts = sorted({0.0, *(max(0.0, distance) for distance in distances)})
        return tuple((start, lod.at(start, whole)) for start in starts)

    def step_at(self, distance: float) -> int:
        """Which of `steps` holds for a character that far from the nearest view."""
        return bisect_right([start for start, _ in self.steps()], max(distance, 0.0)) - 1

    def levels(self) -> dict:
        """Label -> `Detail` of each step that is set, for its error to be measured alone; the full one first."""
        out = {f"{self.influences} influences": Detail(self.influences)}
        if self.lod is not None:
            if self.lod.two_influences > 0:
                out["2 influences"] = Detail(2)
            if self.lod.one_influence > 0:
                out["1 influence"] = Detail(1)
            if self.lod.fewer_bones > 0:
                out[f"{self.lod.bone_share:.0%} of the bones"] = Detail(self.influences, self.lod.bone_share)
        return out


@dataclass(frozen=True)
class Chosen:
    """An object of the list: `uid` outlives renaming and undo, `key` finds it in ``bpy.data.objects``."""

    uid: int
    key: object
    name: str = ""
