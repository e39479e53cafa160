"""crowd.blend: three walking characters of different build, each on a 78-bone rig of its own."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np

from . import body, rig, stage, walk
from .shapes import sweep, to_mesh

#: name -> build, gait, place and colours (skin, shirt, trousers, shoes, hair)
PEOPLE = {
    "Ada": dict(
        tall=1.0,
        girth=0.94,
        long_hair=True,
        sleeves=0.45,
        at=(-0.92, 0.25),
        turn=0.10,
        offset=0.0,
        stride=1.0,
        swing=1.0,
        colors=("c98d68", "d0663c", "3d5a7a", "efe9df", "4a2a1c"),
    ),
    "Bruno": dict(
        tall=1.06,
        girth=1.38,
        long_hair=False,
        sleeves=0.95,
        at=(0.15, 0.6),
        turn=0.0,
        offset=0.38,
        stride=0.85,
        swing=0.8,
        colors=("e2b391", "4f9486", "5b4a3c", "2f2a28", "8a5a2c"),
    ),
    "Chidi": dict(
        tall=0.84,
        girth=1.02,
        long_hair=False,
        sleeves=0.3,
        at=(0.98, -0.1),
        turn=-0.12,
        offset=0.7,
        stride=1.15,
        swing=1.25,
        colors=("7a4a30", "e3b53c", "6a6f9a", "b8433a", "201712"),
    ),
}
#: By hand: the people and the floor.
KNOWN = {mode: {"instances": len(PEOPLE) + 1, "negative_det": 0, "zero_scale": 0} for mode in ("viewport", "render")}


def build(folder: Path) -> list[Path]:
    """Writes crowd.blend."""
    scene = stage.begin()
    people = stage.collection("People")
    for name, person in PEOPLE.items():
        _person(name, person, people)
    paving = stage.material("Paving", stage.srgb("cfc4b0"), 0.9)
    ring = stage.material("Paving Ring", stage.srgb("b39f86"), 0.9)
    floor = sweep([(0, 0, 0)] * 4, [9.0, 4.6, 4.4, 0.0], 48, [0, 1, 0], axes=((1, 0, 0), (0, 1, 0)))
    stage.add("Floor", to_mesh("Floor", floor, [paving, ring]))
    stage.add_sun(elevation=42, azimuth=-140, strength=4.2, sky=(0.55, 0.68, 0.85), sky_strength=1.0)
    stage.add_camera((0.9, -5.0, 1.7), (0.03, 0.2, 0.93), lens=46)
    scene.frame_start, scene.frame_end = 1, walk.CYCLE
    return [stage.save(folder / "crowd.blend")]


def _person(name, person, into):
    tall = person["tall"]
    # A little larger than life, and relatively larger on shorter people.
    head = 1.16 + 0.5 * max(0.0, 1 - tall)

    def reshape(points):
        points = np.array(points, float)
        neck = np.array((0, 0, 1.5))
        above = np.clip((points[..., 2:3] - 1.46) / 0.08, 0, 1) * (np.abs(points[..., :1]) < 0.16)
        return (points + above * (head - 1) * (points - neck)) * tall

    skeleton = rig.bones()
    shaped = {bone: (reshape(low), reshape(high), parent) for bone, (low, high, parent) in skeleton.items()}
    armature = rig.add_armature(f"{name} Rig", shaped, into)
    colors = dict(zip(("Skin", "Shirt", "Trousers", "Shoes", "Hair"), person["colors"]))
    materials = [stage.material(f"{name} {what}", stage.srgb(code), 0.65) for what, code in colors.items()]
    materials.append(bpy.data.materials.get("Eyes") or stage.material("Eyes", stage.srgb("241c1a"), 0.2))
    body.add_body(
        name, body.parts(person["girth"], person["long_hair"], person["sleeves"]), skeleton, reshape, materials, armature, into
    )
    walk.curl_fingers(armature)
    walk.animate(armature, f"{name} Walk", person["offset"], stride=person["stride"], swing=person["swing"], bounce=0.035)
    armature.location = (*person["at"], 0.0)
    armature.rotation_euler.z = person["turn"]
