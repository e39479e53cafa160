"""Ways to stream and to simplify the same characters, side by side."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from statistics import median

import numpy as np

from ..core.skinning import pack
from ..core.skinning.blend import blend_packed
from ..core.skinning.error import SkinError
from ..core.skinning.lod import fewer_influences, fold_bones, reduced_bones
from ..core.skinning.matrices import FORMATS, decode, encode

#: share of the bones that the reduced set keeps
REDUCED = 0.25


@dataclass
class Way:
    """One way: sums over characters, the largest error over characters and frames."""

    name: str
    bytes_per_frame: int = 0
    memory: int = 0
    bones: int = 0
    error: float = 0.0
    share: float = 0.0
    milliseconds: list = field(default_factory=list)

    def to_json(self) -> dict:
        return {
            "name": self.name,
            "bytes_per_frame": self.bytes_per_frame,
            "memory": self.memory,
            "bones": self.bones,
            "error": self.error,
            "error_share": self.share,
            "ms": round(median(self.milliseconds), 4),
        }


def packs_of(actor) -> dict:
    """The actor's skin packed in every way, by name; made once a skin."""
    skin = actor.character.skin
    packs = actor.character.__dict__.get("_packs")
    if packs is None:
        small = fold_bones(skin, reduced_bones(skin, max(1, int(REDUCED * actor.packed.bone_count))))
        packs = {
            "influences: 8": pack(skin, 8),
            "influences: 4": pack(skin, 4),
            "influences: 2": pack(fewer_influences(skin, 2), 2),
            "influences: 1": pack(fewer_influences(skin, 1), 1),
            "a quarter of the bones": pack(small, 4),
        }
        actor.character.__dict__["_packs"] = packs
    return packs


class Comparison:
    """Measures every way on every frame of every character; ``ms`` is one character's median, on the CPU."""

    def __init__(self, frame_count: int):
        self.frame_count = frame_count
        self._ways: dict = {}
        self._known: set = set()

    def frame(self, actor, every, rest, truth, height: float) -> None:
        """One character at one frame: `every` (B, 3, 4) matrices, `rest` and `truth` positions. Nothing where it has no vertex."""
        if not len(truth):
            return
        skin, name = actor.character.skin, actor.placement.name
        first = name not in self._known
        self._known.add(name)
        packs = packs_of(actor)
        origin = every[-1, :, 3]
        moving = 12 * skin.vertex_count if actor.character.moving_rest else 0
        for kind, size in FORMATS.items():
            packed = packs["influences: 4"]
            encoded = encode(packed.matrices(every), kind, origin)

            def blend(packed=packed, encoded=encoded, kind=kind):
                return blend_packed(packed, decode(encoded, kind, origin), rest)

            self._add(
                f"matrices: {kind}",
                blend,
                truth,
                height,
                first,
                size * packed.bone_count + (12 if kind == "half" else 0) + moving,
                _static(packed),
                packed.bone_count,
            )
        for label, packed in packs.items():
            matrices = packed.matrices(every)
            self._add(
                label,
                lambda packed=packed, matrices=matrices: blend_packed(packed, matrices, rest),
                truth,
                height,
                first,
                48 * packed.bone_count + moving,
                _static(packed),
                packed.bone_count,
            )
        packed = packs["influences: 4"]
        known = np.where(np.isfinite(truth).all(axis=1, keepdims=True), truth, 0)  # a texture has a place for no other
        low, high = known.min(axis=0), known.max(axis=0)
        texels = np.round((known - low) / np.where(high > low, high - low, 1) * 65535).astype(np.uint16)
        self._add(
            "baked: vertex positions, 16 bits",
            lambda: low + texels * ((high - low) / 65535),
            truth,
            height,
            first,
            0,
            self.frame_count * (8 * skin.vertex_count + 24),
            0,
        )
        baked = packed.matrices(every)
        self._add(
            "baked: bone matrices",
            lambda: blend_packed(packed, baked, skin.rest),  # what moves the rest mesh is not in the texture
            truth,
            height,
            first,
            0,
            _static(packed) + self.frame_count * 48 * packed.bone_count,
            packed.bone_count,
        )

    def _add(self, name, blend, truth, height, first, bytes_per_frame, memory, bones) -> None:
        way = self._ways.setdefault(name, Way(name))
        started = time.perf_counter()
        positions = blend()
        way.milliseconds.append(1000 * (time.perf_counter() - started))
        error = SkinError.of(positions, truth, height)
        way.error, way.share = max(way.error, error.largest), max(way.share, error.share)
        if first:
            way.bytes_per_frame += bytes_per_frame
            way.memory += memory
            way.bones += bones

    def to_json(self) -> list:
        return [way.to_json() for way in self._ways.values()]


def _static(packed) -> int:
    """Bytes of what is uploaded once: positions, indices, weights."""
    return packed.skin.rest.nbytes + packed.bone_indices.nbytes + packed.bone_weights.nbytes
