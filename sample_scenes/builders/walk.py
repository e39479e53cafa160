"""A looping walk on the spot, keyed from a few sines. Angles are about the armature's axes, whatever a bone's roll."""

from __future__ import annotations

import math

import bpy
from mathutils import Quaternion, Vector

CYCLE = 24
KEYS = 8


def pose(phase: float, stride: float, swing: float, bounce: float) -> tuple[dict, float]:
    """({bone: (x, y, z) degrees about the armature's axes}, pelvis height in metres) at `phase` radians of the cycle."""
    angles = {
        "pelvis": (2, 0, 5 * math.sin(phase)),
        "spine_02": (1, 0, -4 * math.sin(phase)),
        "spine_04": (1, 0, -7 * math.sin(phase)),
        "neck_01": (-2, 0, 2 * math.sin(phase)),
        "head": (-2, 0, 4 * math.sin(phase)),
        "hair_01": (4 * math.cos(2 * phase), 0, 3 * math.sin(phase)),
        "hair_02": (6 * math.cos(2 * phase + 0.6), 0, 4 * math.sin(phase)),
    }
    for side, mirror, turn in ((".L", 1, phase), (".R", -1, phase + math.pi)):
        forward, lift = math.sin(turn), max(0.0, math.cos(turn + 0.35))
        thigh = -26 * stride * forward - 6 * lift
        knee = 8 + 46 * stride * lift**1.3 + 5 * max(0.0, -forward)
        angles["thigh" + side] = (thigh, 0, 0)
        angles["calf" + side] = (knee, 0, 0)
        angles["foot" + side] = (-0.75 * (thigh + knee) + 12 * max(0.0, -math.sin(turn - 0.3)), 0, 0)
        angles["toe" + side] = (-18 * max(0.0, -math.sin(turn - 0.2)), 0, 0)
        angles["clavicle" + side] = (0, 0, -4 * mirror * forward)
        angles["upper_arm" + side] = (24 * swing * forward, 35 * mirror, 0)
        angles["forearm" + side] = (-22 - 14 * swing * max(0.0, -forward), 0, 0)
        angles["hand" + side] = (0, 6 * mirror, 0)
    return angles, bounce * (math.cos(2 * phase) - 1) / 2


def curl_fingers(rig: bpy.types.Object) -> None:
    """A relaxed hand: not keyed, so it stays in the pose."""
    for bone in rig.pose.bones:
        if bone.name[-4:-2] in ("01", "02", "03") and bone.name[-2:] in (".L", ".R"):
            turn = 8 if bone.name.startswith("thumb") else 17
            _turn(bone, (0, turn if bone.name.endswith(".L") else -turn, 0))


def _turn(bone, degrees):
    x, y, z = (math.radians(d) for d in degrees)
    turn = Quaternion((0, 0, 1), z) @ Quaternion((0, 1, 0), y) @ Quaternion((1, 0, 0), x)
    rest = bone.bone.matrix_local.to_quaternion()
    bone.rotation_quaternion = rest.inverted() @ turn @ rest


def animate(rig: bpy.types.Object, name: str, offset: float, **gait) -> bpy.types.Action:
    """Keys the cycle on frames 1 to 25 (frame 25 repeats frame 1), made endless by cycles modifiers; `offset` in cycles."""
    for key in range(KEYS + 1):
        frame = 1 + CYCLE * key / KEYS
        angles, height = pose(2 * math.pi * (key % KEYS / KEYS + offset), **gait)
        for bone_name, degrees in angles.items():
            bone = rig.pose.bones[bone_name]
            _turn(bone, degrees)
            bone.keyframe_insert("rotation_quaternion", frame=frame, group=bone_name)
        pelvis = rig.pose.bones["pelvis"]
        pelvis.location = pelvis.bone.matrix_local.to_3x3().inverted() @ Vector((0, 0, height))
        pelvis.keyframe_insert("location", frame=frame, group="pelvis")
    action = rig.animation_data.action
    action.name = name
    for curve in action.layers[0].strips[0].channelbags[0].fcurves:
        curve.modifiers.new("CYCLES")
    return action
