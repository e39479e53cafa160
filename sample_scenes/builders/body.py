"""A character's body: swept limbs with a weight for each bone nearby, at most four a vertex."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np

from . import rig
from .shapes import Shape, ball, join, sweep, to_mesh

SKIN, SHIRT, TROUSERS, SHOES, HAIR, EYES = range(6)
MAX_INFLUENCES = 4
#: A joint's blend is about this wide, in metres.
SOFTNESS = 0.03


@dataclass(frozen=True)
class Part:
    """A shape and the bones that may move it."""

    shape: Shape
    bones: tuple


def parts(girth: float, long_hair: bool, sleeves: float) -> list[Part]:
    """The parts of a figure in rest pose. `girth` widens the trunk and limbs; `sleeves` (0..1) is how far down they go."""
    spine = ("pelvis", "spine_01", "spine_02", "spine_03", "spine_04")
    made = [
        Part(_trunk(girth), spine),
        Part(
            sweep([(0, 0, 1.43), (0, -0.005, 1.50), (0, -0.012, 1.57)], [0.064, 0.056, 0.058], 10, SKIN),
            ("spine_04", "neck_01", "neck_02", "head"),
        ),
        *_head(long_hair),
    ]
    for side, mirror in ((".L", 1.0), (".R", -1.0)):
        for part in (*_arm(girth, sleeves), *_hand(), *_leg(girth)):
            made.append(Part(_mirrored(part.shape) if mirror < 0 else part.shape, tuple(_sided(b, side) for b in part.bones)))
    return made


def _sided(bone, side):
    return bone if bone.startswith(("spine", "pelvis")) else bone + side


def _mirrored(shape):
    return Shape(shape.vertices * (-1, 1, 1), tuple(tuple(reversed(f)) for f in shape.faces), shape.slots)


def _trunk(girth):
    rings = [
        (0.83, 0.05, 0.05),
        (0.87, 0.145, 0.110),
        (0.94, 0.172, 0.124),
        (1.00, 0.165, 0.12),
        (1.005, 0.172, 0.127),
        (1.08, 0.155, 0.112),
        (1.16, 0.148, 0.107),
        (1.24, 0.158, 0.113),
        (1.32, 0.176, 0.113),
        (1.38, 0.176, 0.096),
        (1.42, 0.142, 0.08),
        (1.455, 0.066, 0.062),
    ]
    # The waist carries most of the girth.
    radii = [
        (x * (1 + (girth - 1) * w), y * (1 + 1.5 * (girth - 1) * w))
        for z, x, y in rings
        for w in [max(0.15, 1 - abs(z - 1.1) / 0.38)]
    ]
    return sweep(
        [(0, 0, z) for z, _, _ in rings], radii, 14, [TROUSERS] * 4 + [SHIRT] * 7, (True, False), axes=((1, 0, 0), (0, 1, 0))
    )


def _head(long_hair):
    head = ball(3, SKIN)
    chin = 1 - 0.22 * np.clip(-head.vertices[:, 2:3] - 0.1, 0, 1)
    head = Shape(head.vertices * np.concatenate([chin, np.ones_like(chin), np.ones_like(chin)], 1), head.faces, head.slots)
    head = head.moved((0, -0.01, 1.655), (0.093, 0.108, 0.128))
    nose = ball(2, SKIN).moved((0, -0.122, 1.632), (0.014, 0.02, 0.02))
    cap = ball(3, HAIR)
    centres = np.array([cap.vertices[list(f)].mean(0) for f in cap.faces])
    keep = [f for f, c in zip(cap.faces, centres) if c[2] > 0.28 + 0.34 * max(-c[1], 0) - 1.1 * max(c[1], 0)]
    cap = Shape(cap.vertices, tuple(keep), (HAIR,) * len(keep)).moved((0, 0.0, 1.667), (0.101, 0.114, 0.13))
    made = [Part(head, ("head", "jaw")), Part(join(nose, cap), ("head",))]
    if long_hair:
        tail = sweep(
            [(0, 0.08, 1.72), (0, 0.13, 1.69), (0, 0.155, 1.62), (0, 0.16, 1.54), (0, 0.155, 1.47)],
            [0.02, 0.035, 0.04, 0.03, 0.0],
            8,
            HAIR,
        )
    else:
        tail = ball(2, HAIR).moved((0, 0.085, 1.66), (0.07, 0.04, 0.085))
    made.append(Part(tail, ("hair_01", "hair_02", "hair_03")))
    for side, x in ((".L", 0.036), (".R", -0.036)):
        made.append(Part(ball(1, EYES).moved((x, -0.105, 1.662), (0.012, 0.009, 0.017)), ("eye" + side,)))
    return made


def _arm(girth, sleeves):
    wide = 1 + 0.6 * (girth - 1)
    stops = np.array([-0.055, -0.02, 0.06, 0.14, 0.21, 0.26, 0.28, 0.30, 0.36, 0.43, 0.50, 0.545])
    radii = np.array([0.0, 0.046, 0.055, 0.052, 0.048, 0.044, 0.043, 0.043, 0.043, 0.038, 0.030, 0.026]) * wide
    bare = 0.53 * sleeves
    radii = np.where((stops <= bare) & (radii > 0), radii + 0.006, radii)
    slots = [SHIRT if high <= bare else SKIN for high in stops[1:]]
    shape = sweep([rig.SHOULDER + s * rig.ARM for s in stops], radii, 10, slots)
    pad = ball(2, SHIRT).moved(rig.SHOULDER + (0.008, 0, -0.012), np.array((0.060, 0.062, 0.060)) * wide)
    return [
        Part(shape, ("clavicle", "upper_arm", "upper_arm_twist", "forearm", "forearm_twist", "hand")),
        Part(pad, ("clavicle", "shoulder_pad", "upper_arm")),
    ]


def _hand():
    across, flat = np.array((0.0, 1.0, 0.0)), np.cross(rig.ARM, (0, 1, 0))
    stops, radii = (
        [-0.01, 0.02, 0.055, 0.085, 0.105],
        [(0.026, 0.022), (0.034, 0.019), (0.041, 0.017), (0.042, 0.015), (0.03, 0.009)],
    )
    palm = sweep([rig.WRIST + s * rig.ARM for s in stops], radii, 10, SKIN, (False, True), axes=(across, -flat))
    metacarpals = tuple(f"{finger}_metacarpal" for finger in rig.FINGERS)
    made = [Part(palm, ("forearm_twist", "hand", *metacarpals))]
    skeleton = rig.bones()
    for finger in (*rig.FINGERS, "thumb"):
        names = tuple(f"{finger}_0{n}" for n in (1, 2, 3))
        joints = [np.asarray(skeleton[f"{n}.L"][0]) for n in names] + [np.asarray(skeleton[f"{names[-1]}.L"][1])]
        inside = joints[0] - 0.35 * (joints[1] - joints[0])
        path = [
            inside,
            joints[0],
            (joints[0] + joints[1]) / 2,
            joints[1],
            (joints[1] + joints[2]) / 2,
            joints[2],
            joints[3],
            joints[3] + 0.35 * (joints[3] - joints[2]),
        ]
        thick = 0.0125 if finger == "thumb" else 0.0105
        base = f"{finger}_metacarpal" if finger != "thumb" else "hand"
        made.append(Part(sweep(path, thick * np.array((0.95, 1.05, 0.98, 1.0, 0.92, 0.92, 0.8, 0.0)), 6, SKIN), (base, *names)))
    return made


def _leg(girth):
    wide = 1 + 0.5 * (girth - 1)
    leg = [
        rig.HIP + (0, 0, 0.0),
        *(rig.HIP + t * (rig.KNEE - rig.HIP) for t in (0.2, 0.45, 0.7, 0.9, 1.0)),
        *(rig.KNEE + t * (rig.ANKLE - rig.KNEE) for t in (0.1, 0.3, 0.55, 0.8, 0.97)),
    ]
    radii = np.array([0.068, 0.083, 0.077, 0.067, 0.059, 0.057, 0.057, 0.058, 0.052, 0.047, 0.049]) * wide
    bones = ("pelvis", "thigh", "thigh_twist", "calf", "calf_twist", "foot")
    x = rig.ANKLE[0]
    sole = [
        (x, 0.075, 0.05),
        (x, 0.068, 0.048),
        (x, 0.03, 0.06),
        (x, -0.03, 0.055),
        (x, -0.09, 0.04),
        (x, -0.15, 0.035),
        (x, -0.195, 0.03),
        (x, -0.215, 0.028),
    ]
    widths = [(0, 0), (0.034, 0.046), (0.042, 0.062), (0.043, 0.055), (0.048, 0.04), (0.047, 0.034), (0.034, 0.026), (0, 0)]
    shoe = sweep(sole, widths, 10, SHOES, axes=((1, 0, 0), (0, 0, 1)))
    shoe = Shape(np.maximum(shoe.vertices, (-9, -9, 0.0)), shoe.faces, shoe.slots)
    return [Part(sweep(leg, radii, 10, TROUSERS), bones), Part(shoe, ("calf_twist", "foot", "toe"))]


def weights(points: np.ndarray, names: tuple, skeleton: dict) -> np.ndarray:
    """(N, len(names)) weights that sum to one a row, by nearness to each bone; all but the four strongest are 0."""
    distance = np.stack([_distance(points, *map(np.asarray, skeleton[name][:2])) for name in names], 1)
    # Only differences from the nearest bone matter, so thick limbs blend as thin ones do.
    near = 1 / (1 + (distance - distance.min(1, keepdims=True)) / SOFTNESS) ** 4
    weakest = np.argsort(-near, 1, kind="stable")[:, MAX_INFLUENCES:]
    np.put_along_axis(near, weakest, 0.0, 1)
    near[near < 0.01] = 0
    return near / near.sum(1, keepdims=True)


def _distance(points, head, tail):
    along = tail - head
    t = np.clip((points - head) @ along / (along @ along), 0, 1)
    return np.linalg.norm(points - (head + t[:, None] * along), axis=1)


def add_body(name: str, made: list, skeleton: dict, reshape, materials, armature: bpy.types.Object, into) -> bpy.types.Object:
    """The skinned mesh object of the parts; `reshape` maps (N, 3) rest positions to this figure's, as it did the bones'."""
    shape = join(*(part.shape for part in made))
    mesh = to_mesh(name, Shape(reshape(shape.vertices), shape.faces, shape.slots), materials, smooth=True)
    body = bpy.data.objects.new(name, mesh)
    into.objects.link(body)
    for bone in skeleton:
        body.vertex_groups.new(name=bone)
    start = 0
    for part in made:
        rows = weights(part.shape.vertices, part.bones, skeleton)
        for column, bone in enumerate(part.bones):
            group = body.vertex_groups[bone]
            for row in np.flatnonzero(rows[:, column]):
                group.add([start + int(row)], float(rows[row, column]), "REPLACE")
        start += len(part.shape.vertices)
    body.parent = armature
    body.modifiers.new("Armature", "ARMATURE").object = armature
    return body
