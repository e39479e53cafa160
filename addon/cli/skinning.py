"""Pose the characters of a .blend frame by frame from their bone matrices, and hold each against Blender's evaluated mesh."""

from __future__ import annotations

import json
import time
from pathlib import Path
from statistics import median

import numpy as np

from ..core.errors import InputError
from ..core.skinning import pack
from ..core.skinning.bake import bake
from ..core.skinning.blend import blend_packed, linear_blend
from ..core.skinning.bounds import BoneBoxes
from ..core.skinning.error import SkinError, character_height
from ..core.skinning.segments import BoneBuffer
from ..core.skinning.surface import on_surface
from .output import write_bytes, write_text
from .skin_compare import Comparison

#: bytes of a bone's 3x4 float32 matrix
BONE_BYTES = 48


class Actor:
    """One character through the frames: its error at the worst of them, and what it costs."""

    def __init__(self, placement, character, packed, particles: int, seed: int):
        self.placement, self.character, self.packed = placement, character, packed
        self.error = self.unlimited = None
        self.worst_frame, self.particle_error = None, 0.0
        self.truth = self.rest = self.every = self.positions = self.height = None
        self.milliseconds, self.low, self.high = [], np.full(3, np.inf), np.full(3, -np.inf)
        self.points = on_surface(character.skin.rest, character.skin.triangles, particles, seed) if particles else None

    def frame(self, number: int, buffer: BoneBuffer, depsgraph, comparison) -> None:
        """Pose, measure, and keep the worst."""
        obj = self.character.object(depsgraph)
        world = self.placement.world
        every = self.character.matrices(obj, depsgraph, world)
        rest = self.character.rest(obj, depsgraph) if self.character.moving_rest else self.character.skin.rest
        buffer.write(self.placement.name, self.packed.matrices(every))
        segment = buffer[self.placement.name]
        started = time.perf_counter()
        positions = blend_packed(self.packed, buffer.rows[segment.rows], rest)
        self.milliseconds.append(1000 * (time.perf_counter() - started))
        truth = self.character.truth(obj, depsgraph)
        if world is not None:
            placed = world @ np.linalg.pinv(np.array(obj.matrix_world, np.float64))
            truth = truth @ placed[:3, :3].T + placed[:3, 3]
        height = character_height(truth)
        self.truth, self.rest, self.every, self.positions, self.height = truth, rest, every, positions, height
        error = SkinError.of(positions, truth, height)
        unlimited = SkinError.of(linear_blend(rest, self.character.skin.influences, every), truth, height)
        if self.error is None or error.largest > self.error.largest:
            self.error, self.worst_frame = error, number
        if self.unlimited is None or unlimited.largest > self.unlimited.largest:
            self.unlimited = unlimited
        low, high = BoneBoxes.of(self.packed, rest).posed(buffer.rows[segment.rows])
        self.low, self.high = np.minimum(self.low, low), np.maximum(self.high, high)
        if self.points is not None and len(self.points):
            off = np.linalg.norm(self.points.at(positions).astype(np.float64) - self.points.at(truth), axis=1)
            self.particle_error = max(self.particle_error, float(off.max()))
        if comparison is not None:
            comparison.frame(self, every, rest, truth, height)

    def to_json(self) -> dict:
        skin = self.character.skin
        return {
            "name": self.placement.name,
            "object": skin.name,
            "vertices": skin.vertex_count,
            "triangles": len(skin.triangles),
            "bones_total": skin.bone_count - 1,
            "bones_used": self.packed.bone_count,
            "influences_most": int(skin.influences.counts.max(initial=0)),
            "influences": self.packed.influence_count,
            "index_bits": 8 * self.packed.bone_indices.itemsize,
            "height": self.error.height,
            "bytes_per_frame": self.bytes_per_frame,
            "error": self.error.largest,
            "error_share": self.error.share,
            "error_mean": self.error.mean,
            "worst_vertices": self.error.worst(),
            "worst_frame": self.worst_frame,
            "unlimited": self.unlimited.largest,
            "unlimited_share": self.unlimited.share,
            "bounds": [self.low.tolist(), self.high.tolist()] if (self.low <= self.high).all() else None,
        }

    @property
    def bytes_per_frame(self) -> int:
        """Matrices, and rest positions too while shape keys or other modifiers may change them."""
        return self.packed.bone_count * BONE_BYTES + (12 * self.character.skin.vertex_count if self.character.moving_rest else 0)


def measure(arguments: dict, progress=None) -> dict:
    """The result of ``gpuscene skin`` for the loaded file; ``arguments`` are the command's options.

    Raises `InputError` where no mesh has an armature.
    """
    import bpy

    from ..blender.skins.character import read_character
    from ..blender.skins.placing import placements
    from ..blender.skins.timing import modifier_milliseconds

    scene = bpy.context.scene
    before = scene.frame_current, scene.frame_subframe
    frames = arguments["frames"]
    numbers = [before[0]] if frames is None else list(range(frames[0], frames[1] + 1, frames[2]))
    try:
        if frames is not None:
            scene.frame_set(numbers[0])
        depsgraph = bpy.context.evaluated_depsgraph_get()
        characters, packs, actors, buffer = {}, {}, [], BoneBuffer()
        for placement in placements(depsgraph):
            if placement.key not in characters:
                character = read_character(bpy.data.objects[placement.key].evaluated_get(depsgraph), depsgraph)
                characters[placement.key], packs[placement.key] = character, pack(character.skin, arguments["influences"])
            packed = packs[placement.key]
            actors.append(Actor(placement, characters[placement.key], packed, arguments["particles"], arguments["seed"]))
            buffer.allocate(placement.name, packed.bone_count)
        if not actors:
            raise InputError("No mesh in the scene has an armature.", "Check visibility, or add an Armature modifier.")
        comparison = Comparison(len(numbers)) if arguments["compare"] else None
        baked, gpu, gpu_comparison = [], None, None
        if arguments["device"] != "cpu":
            from .skin_compare_gpu import GpuComparison
            from .skinning_gpu import GpuActors

            gpu = GpuActors(actors)
            gpu_comparison = GpuComparison(actors) if arguments["compare"] else None
        blender = []
        for done, number in enumerate(numbers, 1):
            if frames is not None:
                scene.frame_set(number)
            depsgraph = bpy.context.evaluated_depsgraph_get()
            for actor in actors:
                actor.frame(number, buffer, depsgraph, comparison)
            if gpu is not None:
                gpu.frame(actors)
            if gpu_comparison is not None:
                gpu_comparison.frame()
            if arguments["bake"]:
                baked.append(
                    np.concatenate(
                        [
                            actor.truth if arguments["bake_kind"] == "vertex" else buffer.rows[buffer[actor.placement.name].rows]
                            for actor in actors
                        ]
                    ).astype(np.float32)
                )
            blender.append(sum(modifier_milliseconds(actor.character, depsgraph) for actor in actors))
            if progress is not None:
                progress(done / len(numbers), f"Frame {number}")
    finally:
        if frames is not None:
            scene.frame_set(before[0], subframe=before[1])
    particles = (
        {"count": sum(len(a.points) for a in actors), "error": max(a.particle_error for a in actors)}
        if arguments["particles"]
        else None
    )
    written = _write_baked(arguments, baked, numbers, actors) if arguments["bake"] else None
    return {
        "baked": written,
        "gpu": None if gpu is None else gpu.to_json(),
        "characters": [actor.to_json() for actor in actors],
        "frame_count": len(numbers),
        "frames": [numbers[0], numbers[-1]],
        "bytes_per_frame": sum(actor.bytes_per_frame for actor in actors),
        "buffer_rows": buffer.used,
        "particles": particles,
        "compare": comparison.to_json() if comparison is not None else [],
        "compare_gpu": gpu_comparison.to_json() if gpu_comparison is not None else [],
        "ms": round(sum(median(actor.milliseconds) for actor in actors), 4),
        "blender_ms": round(median(blender), 4),
        "findings": [f.to_json() for c in characters.values() for f in c.findings],
    }


def _write_baked(arguments: dict, frames, numbers, actors) -> dict:
    """Write the texture and its description."""
    kind, path = arguments["bake_kind"], Path(arguments["bake"])
    baked = bake(
        kind,
        frames,
        numbers,
        [(a.placement.name, a.character.skin.vertex_count if kind == "vertex" else a.packed.bone_count) for a in actors],
    )
    data = baked.exr()
    write_bytes(path, data)
    write_text(path.with_suffix(".json"), json.dumps(baked.description, indent=1) + "\n")
    return {
        "path": str(path),
        "kind": kind,
        "width": baked.description["width"],
        "height": baked.description["height"],
        "bytes": len(data),
    }
