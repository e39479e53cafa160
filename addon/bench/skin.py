"""Skinning: Blender's own modifier, numpy, and the GPU on the same characters. The GPU's bits are checked against numpy before
anything is timed.

Bytes of a particle are 16 read and 16 written; the vertices it lies between are few and stay in caches. A copy moves every
byte twice.
"""

from __future__ import annotations

import statistics

import numpy as np

from ..core.skinning import Influences, Skin, pack
from ..core.skinning.blend import blend_packed
from ..core.skinning.gpu_tables import SKIN_PARTICLE, SkinBatch, particle_positions, skin_particles, skinned_positions
from ..core.skinning.segments import BoneBuffer
from ..core.skinning.surface import on_surface
from .measure import seconds

BONES = 78
#: vertices of the mesh on which Blender's modifier is timed
LARGE = 150_000
#: rings and sides of a character about as fine as the crowd's
_RINGS, _SIDES = 300, 6
_BUDGET = 0.3


def character(rings: int = _RINGS, sides: int = _SIDES, bones: int = BONES, seed: int = 0) -> Skin:
    """A tube up along Z, 1.8 m high, four influences a vertex from neighbouring bones of a chain."""
    turn = np.linspace(0, 2 * np.pi, sides, endpoint=False)
    height = np.linspace(0, 1.8, rings)
    rest = np.stack(
        (np.tile(0.2 * np.cos(turn), rings), np.tile(0.2 * np.sin(turn), rings), np.repeat(height, sides)), axis=1
    ).astype(np.float32)
    at = np.repeat(np.arange(rings - 1) * sides, sides) + np.tile(np.arange(sides), rings - 1)
    beside = np.where(at % sides == sides - 1, at + 1 - sides, at + 1)
    triangles = np.concatenate(
        [np.stack((at, beside, beside + sides), axis=1), np.stack((at, beside + sides, at + sides), axis=1)]
    ).astype(np.int32)
    first = np.clip((rest[:, 2] / 1.8 * bones).astype(np.int64) - 2, 0, max(bones - 4, 0))
    columns = first[:, None] + np.arange(4)
    weights = np.random.default_rng(seed).random(columns.shape) + 0.05
    vertices = np.repeat(np.arange(len(rest)), 4)
    influences = Influences.of(len(rest), vertices, columns.reshape(-1), weights.reshape(-1)).normalised(bones)
    return Skin(
        f"character {seed}",
        rest,
        triangles,
        influences,
        (*(f"b{i}" for i in range(bones)), ""),
        np.array([*range(-1, bones - 1), -1], np.int32),
    )


def pose(bones: int, frame: float) -> np.ndarray:
    """(bones + 1, 3, 4): a chain that sways."""
    out = np.tile(np.eye(4)[:3], (bones + 1, 1, 1))
    angle = 0.3 * np.sin(frame + np.arange(bones) / 20)
    out[:bones, 0, 0] = out[:bones, 2, 2] = np.cos(angle)
    out[:bones, 0, 2], out[:bones, 2, 0] = np.sin(angle), -np.sin(angle)
    return out


def crowd(count: int, skin: Skin):
    """(PackedSkin list, bone buffer) of `count` characters of one skin, all posed differently."""
    packed, buffer = pack(skin), BoneBuffer()
    for number in range(count):
        buffer.allocate(number, packed.bone_count)
    for number in range(count):
        buffer.write(number, packed.matrices(pose(skin.bone_count - 1, number)))
    return [packed] * count, buffer


def run(particles: int = 10_000_000, gpu: bool = True, progress=lambda text: None, transport: str | None = None) -> dict:
    """Measure; JSON values, seconds and bytes. Raises ``DeviceError`` when `gpu` is asked for and there is none."""
    progress("Blender's modifier")
    large = character(rings=LARGE // _SIDES)
    packed, buffer = crowd(1, large)
    rows = buffer.rows[buffer[0].rows]
    result = {
        "bones": BONES,
        "vertices": large.vertex_count,
        "blender_seconds": blender_seconds(large),
        "numpy_seconds": min(seconds(lambda: blend_packed(packed[0], rows)) for _ in range(5)),
        "upload_bytes_12_characters": 12 * packed[0].bone_count * 48,
    }
    if gpu:
        result["gpu"] = run_gpu(large, particles, progress, transport)
        result["gpu"]["times_faster_than_blender"] = result["blender_seconds"] / result["gpu"]["vertices_seconds"]
    return result


def run_gpu(large: Skin, particles: int, progress, transport) -> dict:
    """The GPU's part."""
    from ..device import capabilities as device
    from ..device.shader_library import ShaderLibrary
    from .cull_gpu import copy_bandwidth, empty_dispatch

    capabilities = device.start()
    transport = capabilities.transport(transport)
    library = ShaderLibrary(capabilities, transport)
    out = {"backend": capabilities.backend, "renderer": capabilities.renderer, "transport": transport}
    progress("empty dispatches")
    out["empty_dispatch_seconds"] = empty_dispatch(library, _BUDGET)
    if transport == "storage":
        out["copy"] = copy_bandwidth(library, 64 << 20 if capabilities.is_software else 1 << 30, progress, _BUDGET)
    progress(f"{large.vertex_count:,} vertices")
    out["vertices_seconds"] = _time(*_skins(1, large, 0, transport), which=0)
    small = character()
    progress("150,000 particles")
    out["character_seconds"] = _time(*_skins(1, small, 150_000, transport))
    progress("64 characters")
    out["one_seconds"], out["many_seconds"] = (_time(*_skins(count, small, 0, transport), which=0) for count in (1, 64))
    out["many_count"] = 64
    progress(f"{particles:,} particles")
    out["particles"] = particles
    out["particles_seconds"] = _time(*_skins(1, small, particles, transport), which=1)
    out["particles_bytes"] = 32 * particles
    if "copy" in out:
        out["particles_times_copy"] = out["particles_seconds"] * out["copy"]["bytes_per_second"] / out["particles_bytes"]
    return out


def _skins(count: int, skin: Skin, particles: int, transport):
    """(GpuSkins, batch, bone rows, particles) of `count` characters, uploaded."""
    from ..device.passes.skin import GpuSkins

    packed, buffer = crowd(count, skin)
    batch = SkinBatch.of(packed, [buffer[number] for number in range(count)])
    spawned = skin_particles(on_surface(skin.rest, skin.triangles, particles, 1), 0) if particles else SKIN_PARTICLE.empty(0)
    skins = GpuSkins(batch, spawned, buffer.capacity, transport)
    skins.upload(buffer.rows)
    return skins, batch, buffer.rows, spawned


def _time(skins, batch, rows, spawned, which: int | None = None) -> float:
    """Seconds of one frame, or of one of its passes, after checking its bits. Raises ``AssertionError`` when they are not
    numpy's.
    """
    from ..device import timing

    skins.run()
    expected = skinned_positions(batch, rows)
    if not np.array_equal(skins.positions.read().reshape(-1, 4).view(np.uint32), expected.view(np.uint32)):
        raise AssertionError("the GPU's vertices are not numpy's")
    if len(spawned):
        some = slice(0, min(len(spawned), 1_000_000))
        found = skins.particles.read().reshape(-1, 4)[some]
        if not np.array_equal(
            np.ascontiguousarray(found).view(np.uint32), particle_positions(spawned[some], expected).view(np.uint32)
        ):
            raise AssertionError("the GPU's particles are not numpy's")
    work = skins.run if which is None else skins.passes[which].run
    found = timing.measure(work, lambda: skins.positions.read_words(), budget=_BUDGET)
    skins.passes[0].finish()
    return found.seconds


def blender_seconds(skin: Skin) -> float:
    """Median time of Blender's Armature modifier on the same mesh, bones and weights: evaluation with it, less without."""
    import bpy

    from ..blender.skins.character import read_character
    from ..blender.skins.timing import modifier_milliseconds
    from ..blender.skins.weights import write_weights

    bpy.ops.wm.read_factory_settings(use_empty=True)
    mesh, data = bpy.data.meshes.new("skin"), bpy.data.armatures.new("rig")
    mesh.from_pydata(skin.rest.tolist(), [], skin.triangles.tolist())
    obj, armature = bpy.data.objects.new("skin", mesh), bpy.data.objects.new("rig", data)
    for each in (obj, armature):
        bpy.context.scene.collection.objects.link(each)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    for number, name in enumerate(skin.bones[:-1]):
        bone = data.edit_bones.new(name)
        bone.head, bone.tail = (0, 0, number * 1.8 / BONES), (0, 0, (number + 1) * 1.8 / BONES)
    bpy.ops.object.mode_set(mode="OBJECT")
    for bone in armature.pose.bones:
        bone.location.x = 0.01
    for name in skin.bones[:-1]:
        obj.vertex_groups.new(name=name)
    write_weights(mesh, skin.influences)
    obj.modifiers.new("rig", "ARMATURE").object = armature
    depsgraph = bpy.context.evaluated_depsgraph_get()
    read = read_character(obj.evaluated_get(depsgraph), depsgraph)
    return statistics.median(modifier_milliseconds(read, depsgraph) for _ in range(7)) / 1000


def format_table(result: dict) -> str:
    """The figures as lines."""
    ms = 1000
    lines = [
        f"{result['vertices']:,} vertices, {result['bones']} bones: Blender's modifier {result['blender_seconds'] * ms:.3f} ms, "
        f"numpy {result['numpy_seconds'] * ms:.3f} ms",
        f"12 characters of {result['bones']} bones: {result['upload_bytes_12_characters']:,} bytes a frame",
    ]
    gpu = result.get("gpu")
    if gpu is None:
        return "\n".join(lines)
    if "missing" in gpu:
        return "\n".join([*lines, gpu["missing"]])
    lines += [
        f"{gpu['renderer']} ({gpu['backend']}, {gpu['transport']})",
        f"  empty dispatch {gpu['empty_dispatch_seconds'] * 1e6:.1f} us",
        f"  the same vertices {gpu['vertices_seconds'] * ms:.3f} ms: "
        f"{gpu['times_faster_than_blender']:.1f} times faster than Blender",
        f"  150,000 particles on one character, with its vertices: {gpu['character_seconds'] * ms:.4f} ms, "
        f"{gpu['character_seconds'] / gpu['empty_dispatch_seconds']:.1f} empty dispatches",
        f"  {gpu['many_count']} characters in one dispatch {gpu['many_seconds'] * ms:.4f} ms, "
        f"one {gpu['one_seconds'] * ms:.4f} ms: "
        f"{gpu['many_seconds'] / gpu['one_seconds']:.1f} times one",
        f"  {gpu['particles']:,} particles {gpu['particles_seconds'] * ms:.3f} ms, "
        f"{gpu['particles_bytes'] / gpu['particles_seconds'] / 1e9:.1f} GB/s",
    ]
    if "copy" in gpu:
        lines.append(
            f"  {gpu['particles_times_copy']:.2f} times what their bytes take at the copy bandwidth, "
            f"{gpu['copy']['bytes_per_second'] / 1e9:.1f} GB/s"
        )
    return "\n".join(lines)
