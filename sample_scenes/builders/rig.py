"""The character rig: 78 bones, all deforming, in metres for a 1.75 m figure that faces -Y with its arms 50 degrees down."""

from __future__ import annotations

import math

import bpy
import numpy as np

BONE_COUNT = 78
SHOULDER = np.array((0.158, 0.0, 1.375))
ARM = np.array((math.cos(math.radians(50)), 0.0, -math.sin(math.radians(50))))
ELBOW, WRIST = SHOULDER + 0.28 * ARM, SHOULDER + 0.53 * ARM
KNUCKLES = WRIST + 0.09 * ARM
HIP, KNEE, ANKLE = np.array((0.095, 0.0, 0.92)), np.array((0.095, -0.012, 0.50)), np.array((0.095, 0.02, 0.09))
BALL, TOE = np.array((0.095, -0.12, 0.03)), np.array((0.095, -0.19, 0.03))
#: finger -> (offset across the palm, lengths of its three phalanges)
FINGERS = {
    "index": (-0.030, (0.040, 0.026, 0.020)),
    "middle": (-0.010, (0.044, 0.029, 0.022)),
    "ring": (0.010, (0.041, 0.027, 0.021)),
    "pinky": (0.029, (0.032, 0.021, 0.018)),
}


def _centre_bones() -> dict:
    spine = [0.95, 1.05, 1.13, 1.22, 1.32, 1.42, 1.48, 1.54, 1.76]
    names = ["pelvis", "spine_01", "spine_02", "spine_03", "spine_04", "neck_01", "neck_02", "head"]
    bones, parent = {}, None
    for name, low, high in zip(names, spine, spine[1:]):
        bones[name] = ((0, 0, low), (0, 0, high), parent)
        parent = name
    bones["jaw"] = ((0, -0.02, 1.60), (0, -0.10, 1.565), "head")
    hair = [(0, 0.09, 1.70), (0, 0.15, 1.65), (0, 0.165, 1.57), (0, 0.155, 1.49)]
    parent = "head"
    for number, (low, high) in enumerate(zip(hair, hair[1:]), 1):
        bones[f"hair_0{number}"] = (low, high, parent)
        parent = f"hair_0{number}"
    return bones


def _left_bones() -> dict:
    upper, lower = (SHOULDER + ELBOW) / 2, (ELBOW + WRIST) / 2
    thigh, calf = (HIP + KNEE) / 2, (KNEE + ANKLE) / 2
    bones = {
        "eye": ((0.036, -0.085, 1.655), (0.036, -0.115, 1.655), "head"),
        "clavicle": ((0.02, 0, 1.39), SHOULDER, "spine_04"),
        "shoulder_pad": (SHOULDER + (0, 0, 0.01), SHOULDER + (0.03, 0, 0.06), "clavicle"),
        "upper_arm": (SHOULDER, upper, "clavicle"),
        "upper_arm_twist": (upper, ELBOW, "upper_arm"),
        "forearm": (ELBOW, lower, "upper_arm_twist"),
        "forearm_twist": (lower, WRIST, "forearm"),
        "hand": (WRIST, WRIST + 0.03 * ARM, "forearm_twist"),
        "thigh": (HIP, thigh, "pelvis"),
        "thigh_twist": (thigh, KNEE, "thigh"),
        "calf": (KNEE, calf, "thigh_twist"),
        "calf_twist": (calf, ANKLE, "calf"),
        "foot": (ANKLE, BALL, "calf_twist"),
        "toe": (BALL, TOE, "foot"),
    }
    for finger, (across, lengths) in FINGERS.items():
        at = KNUCKLES + (0, across, 0)
        bones[f"{finger}_metacarpal"] = (WRIST + 0.03 * ARM + (0, across * 0.6, 0), at, "hand")
        parent = f"{finger}_metacarpal"
        for number, length in enumerate(lengths, 1):
            bones[f"{finger}_0{number}"] = (at, at + length * ARM, parent)
            at, parent = at + length * ARM, f"{finger}_0{number}"
    at, parent, along = WRIST + 0.02 * ARM + (0, -0.025, 0), "hand", ARM * 0.75 + (0, -0.66, 0)
    for number, length in enumerate((0.036, 0.028, 0.023), 1):
        bones[f"thumb_0{number}"] = (at, at + length * along, parent)
        at, parent = at + length * along, f"thumb_0{number}"
    return bones


def bones() -> dict:
    """Bone name -> (head, tail, parent name or None), parents before children; sides end in ``.L`` and ``.R``."""
    centre, made = _centre_bones(), {}
    made.update(centre)
    for side, mirror in ((".L", 1.0), (".R", -1.0)):
        for name, (head, tail, parent) in _left_bones().items():
            flip = np.array((mirror, 1, 1))
            made[name + side] = (np.asarray(head) * flip, np.asarray(tail) * flip, parent if parent in centre else parent + side)
    assert len(made) == BONE_COUNT, len(made)
    return made


def add_armature(name: str, shaped: dict, into: bpy.types.Collection) -> bpy.types.Object:
    """An armature object with the bones of `shaped`, which is like the result of `bones`."""
    data = bpy.data.armatures.new(name)
    data.display_type = "STICK"
    rig = bpy.data.objects.new(name, data)
    into.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for bone, (head, tail, parent) in shaped.items():
        edit = data.edit_bones.new(bone)
        edit.head, edit.tail = head, tail
        edit.parent = data.edit_bones[parent] if parent else None
    bpy.ops.object.mode_set(mode="OBJECT")
    rig.show_in_front = True
    return rig
