"""The ways of `skin_compare` on the GPU: what each uploads, holds and takes, and how far its vertices are from Blender's."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..core.skinning.bake import bake
from ..core.skinning.blend import blend_packed
from ..core.skinning.error import SkinError
from ..core.skinning.gpu_records import MAX_UNIFORM_BONES
from ..core.skinning.matrices import FORMATS
from ..core.skinning.surface import on_vertices
from ..device.skinning import BakedSkins, Level, SkinDevice
from ..device.timing import measure
from .skin_compare import packs_of
from .skinning_gpu import pose


@dataclass
class GpuWay:
    """One way: the largest error over characters and frames, and what the last frame uploaded."""

    skins: object
    bytes_per_frame: int = 0
    error: float = 0.0
    share: float = 0.0

    def add(self, positions, truth, height) -> None:
        """One character at one frame."""
        error = SkinError.of(positions, truth, height)
        self.error, self.share = max(self.error, error.largest), max(self.share, error.share)

    def to_json(self, name: str, actors) -> dict:
        if not isinstance(self.skins, BakedSkins):
            for _ in range(2):  # by then what is uploaded once is there
                self.bytes_per_frame = pose(self.skins, actors)
        took = measure(self.skins.run, self.skins.wait, budget=0.1, repeats=3).seconds
        return {
            "name": name,
            "bytes_per_frame": self.bytes_per_frame,
            "memory": self.skins.memory,
            "error": self.error,
            "error_share": self.share,
            "ms": round(1000 * took, 4),
        }


@dataclass
class GpuComparison:
    """Every way on every frame, a particle on each vertex of all characters, in one dispatch (uniform blocks: one each).

    Parameters
    ----------
    actors : list of skinning.Actor
    """

    actors: list
    ways: dict = field(default_factory=dict)
    _frames: list = field(default_factory=list)

    def __post_init__(self):
        packs = [packs_of(actor) for actor in self.actors]
        for kind in FORMATS:
            self._add(f"matrices: {kind}", [p["influences: 4"] for p in packs], matrices=kind)
        for name in packs[0]:
            self._add(name, [p[name] for p in packs])
        self._four = [p["influences: 4"] for p in packs]
        if all(p.bone_count <= MAX_UNIFORM_BONES for p in self._four):
            self._add("a uniform block each", self._four, mode="uniform")

    def _add(self, name, packs, **how) -> None:
        way = self.ways[name] = GpuWay(SkinDevice(method="particles", **how))
        for actor, level in zip(self.actors, _levels(packs)):
            way.skins.add(actor.placement.name, [level])

    def frame(self) -> None:
        """Pose, and measure the distance to Blender's vertices."""
        for way in self.ways.values():
            pose(way.skins, self.actors)
            for actor in self.actors:
                way.add(way.skins.positions(actor.placement.name), actor.truth, actor.height)
        self._frames.append([(packed.matrices(a.every), a.rest, a.truth, a.height) for a, packed in zip(self.actors, self._four)])

    def to_json(self) -> list:
        """One entry a way, the baked ones played now."""
        self._play("baked: vertex positions, float32", "vertex")
        self._play("baked: bone matrices", "bone")
        return [way.to_json(name, self.actors) for name, way in self.ways.items()]

    def _play(self, name, kind) -> None:
        names = [actor.placement.name for actor in self.actors]
        if kind == "bone":
            frames = [np.concatenate([matrices for matrices, *_ in frame]) for frame in self._frames]
            counts = [packed.bone_count for packed in self._four]
        else:
            frames = [np.concatenate([blend_packed(p, f[0], f[1]) for p, f in zip(self._four, frame)]) for frame in self._frames]
            counts = [packed.skin.vertex_count for packed in self._four]
        if not sum(counts):
            return  # nothing to put into a texture
        baked = bake(kind, np.stack(frames), range(len(frames)), list(zip(names, counts)))
        way = self.ways[name] = GpuWay(BakedSkins(baked, dict(zip(names, _levels(self._four)))))
        way.skins.upload()
        for index, frame in enumerate(self._frames):
            way.skins.set_frame(index)
            way.bytes_per_frame = way.skins.upload()
            way.skins.run()
            for name, (_, _, truth, height) in zip(names, frame):
                way.add(way.skins.positions(name), truth, height)


def _levels(packs) -> list:
    """A level for each, one object for one packed skin."""
    made = {id(p): Level(p, on_vertices(p.skin.vertex_count)) for p in packs}
    return [made[id(p)] for p in packs]
