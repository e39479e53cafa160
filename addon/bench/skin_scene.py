"""A character to measure skinning on, and how long Blender takes for it."""

from __future__ import annotations

import statistics

import numpy as np

from ..core.skinning import Influences, Skin, pack
from ..core.skinning.segments import BoneBuffer

BONES = 78
#: rings and sides of a character about as fine as the crowd's
_RINGS, _SIDES = 300, 6


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
