"""city_blocks.blend: the library of the city. Window and door collections sit in buildings, buildings in blocks."""

from __future__ import annotations

import math
from pathlib import Path

import bpy
import numpy as np

from . import stage
from .shapes import ball, box, join, sweep, to_mesh
from .species import broadleaf

SEED = 21
STOREY, BAY = 3.2, 3.0
BLOCK_SIZE = 44.0
#: name -> (bays wide, bays deep, storeys, wall colour, roof colour)
BUILDINGS = {
    "Tower": (4, 4, 9, "c9d4dc", "59646e"),
    "Apartments": (6, 4, 5, "e0a878", "8a4b3a"),
    "Townhouse": (3, 3, 3, "d96f5a", "5d4038"),
    "Office": (5, 5, 6, "8fb3b8", "46575c"),
    "Corner Shop": (4, 3, 2, "ecd9a0", "a05a3c"),
}
#: block -> (building, x, y, quarter turns, mirrored)
BLOCKS = {
    "Block A": [
        ("Tower", -12, 12, 0, False),
        ("Apartments", 10, 13, 0, False),
        ("Townhouse", -15, -14, 2, False),
        ("Townhouse", -4.5, -14, 2, True),
        ("Corner Shop", 11, -13, 1, False),
    ],
    "Block B": [
        ("Office", -11, 11, 0, False),
        ("Office", 11, 11, 0, True),
        ("Apartments", -10, -12, 2, False),
        ("Corner Shop", 12, -13, 2, True),
    ],
    "Block C": [
        ("Townhouse", -16, 15, 0, False),
        ("Townhouse", -5.5, 15, 0, True),
        ("Townhouse", 5, 15, 0, False),
        ("Townhouse", 15.5, 15, 0, True),
        ("Corner Shop", -13, -13, 2, False),
        ("Apartments", 9, -12, 2, True),
    ],
}


def build_library(folder: Path) -> Path:
    """Writes city_blocks.blend: the collections Block A to C and Plaza, and the object Car."""
    stage.begin()
    rng = np.random.default_rng(SEED)
    window, door = _window(), _door()
    parts = stage.collection("Buildings", visible=False)
    buildings = {name: _building(name, parts, number, window, door) for number, name in enumerate(BUILDINGS)}
    tree = _street_tree(rng)
    pavement = stage.material("Pavement", stage.srgb("b9b2a6"))
    grass = stage.material("Lawn", stage.srgb("7f9f55"))
    for number, (name, lots) in enumerate(BLOCKS.items()):
        block = stage.collection(name)
        block.instance_offset = (60 * number, 0, 0)
        _fill_block(block, 60 * number, lots, buildings, tree, pavement, grass)
    _plaza(pavement, grass, tree)
    _car()
    stage.add_sun(elevation=38, azimuth=-50)
    stage.add_camera((95, -150, 85), (60, 0, 5), lens=35)
    return stage.save(folder / "city_blocks.blend")


def _window():
    """One mesh of two slots, its collection's origin at the middle of the sill, 2 m away from the world's."""
    frame = stage.material("Window Frame", stage.srgb("f2efe6"), 0.6)
    glass = stage.material("Glass", stage.srgb("3d5a73"), 0.1)
    shape = join(
        box((1.5, 0.14, 1.8), (0, 0, 0.9)),
        box((0.6, 0.04, 1.5), (-0.36, -0.08, 0.9), 1),
        box((0.6, 0.04, 1.5), (0.36, -0.08, 0.9), 1),
        box((1.7, 0.3, 0.1), (0, -0.1, 0)),
    )
    group = stage.collection("Window", visible=False)
    group.instance_offset = (0, 0, 2)
    stage.add("Window Pane", to_mesh("Window", shape, [frame, glass]), group, location=(0, 0, 2))
    return group


def _door():
    wood = stage.material("Door Wood", stage.srgb("7a3b2e"), 0.5)
    step = stage.material("Door Step", stage.srgb("a8a196"))
    group = stage.collection("Door", visible=False)
    stage.add(
        "Door Leaf",
        to_mesh("Door", join(box((1.3, 0.16, 2.3), (0, 0, 1.15)), box((1.7, 0.2, 0.25), (0, 0, 2.45))), [wood]),
        group,
    )
    stage.add("Door Step", to_mesh("Door Step", box((1.9, 0.9, 0.18), (0, -0.4, 0.09)), [step]), group)
    return group


def _building(name, parts, number, window, door):
    """The walls as one mesh; every window and the door as instances of their collections."""
    wide, deep, storeys, wall, roof = BUILDINGS[name]
    group = stage.collection(name, parts)
    origin = np.array((40.0 * number, 120.0, 0.0))
    group.instance_offset = origin
    size = np.array((wide * BAY + 0.6, deep * BAY + 0.6, storeys * STOREY + 0.4))
    shape = join(
        box(size, (0, 0, size[2] / 2)),
        box((size[0] + 0.5, size[1] + 0.5, 0.35), (0, 0, size[2]), 1),
        box((size[0] - 0.8, size[1] - 0.8, 0.3), (0, 0, size[2] + 0.2), 1),
        box((2.2, 1.6, 1.3), (1, 0.8, size[2] + 0.9), 1),
    )
    materials = [stage.material(f"{name} Wall", stage.srgb(wall)), stage.material(f"{name} Roof", stage.srgb(roof))]
    stage.add(f"{name} Shell", to_mesh(f"{name} Shell", shape, materials), group, location=origin)
    count = 0
    for side in range(4):
        bays, away = (wide, size[1] / 2) if side % 2 == 0 else (deep, size[0] / 2)
        for storey in range(storeys):
            for bay in range(bays):
                across = (bay - (bays - 1) / 2) * BAY
                turn = side * math.pi / 2
                at = (math.cos(turn) * across + math.sin(turn) * away, math.sin(turn) * across - math.cos(turn) * away)
                entry = side == 0 and storey == 0 and bay == bays // 2
                where = origin + (at[0], at[1], 0 if entry else storey * STOREY + 0.95)
                stage.add_instance(
                    f"{name} {'Door' if entry else f'Window {count:03}'}",
                    door if entry else window,
                    into=group,
                    location=where,
                    rotation=(0, 0, turn),
                )
                count += 1
    return group


def _street_tree(rng):
    bark = stage.material("Street Tree Bark", stage.srgb("6b4a32"))
    leaves = stage.material("Street Tree Leaves", stage.srgb("5f9440"))
    group = stage.collection("Street Tree", visible=False)
    stage.add("Street Tree", to_mesh("Street Tree", broadleaf(rng, 1), [bark, leaves]), group, scale=(0.75, 0.75, 0.85))
    return group


def _fill_block(block, x, lots, buildings, tree, pavement, grass):
    slab = join(box((BLOCK_SIZE, BLOCK_SIZE, 0.25), (0, 0, 0.125)), box((BLOCK_SIZE - 9, 12, 0.1), (0, 0, 0.3), 1))
    stage.add(f"{block.name} Slab", to_mesh(f"{block.name} Slab", slab, [pavement, grass]), block, location=(x, 0, 0))
    for number, (name, east, north, turns, mirrored) in enumerate(lots):
        stage.add_instance(
            f"{block.name} {name} {number}",
            buildings[name],
            into=block,
            location=(x + east, north, 0.25),
            rotation=(0, 0, turns * math.pi),
            scale=(-1 if mirrored else 1, 1, 1),
        )
    for number in range(7):
        stage.add_instance(
            f"{block.name} Tree {number}",
            tree,
            into=block,
            location=(x - 15 + 5 * number, 1.5 * (-1) ** number, 0.3),
            rotation=(0, 0, 1.3 * number),
            scale=(1, 1, 0.85 + 0.05 * (number % 4)),
        )


def _plaza(pavement, grass, tree):
    """A square with a pool and a statue; the city overrides the statue."""
    plaza = stage.collection("Plaza")
    y = -70.0
    plaza.instance_offset = (0, y, 0)
    stone = stage.material("Statue Stone", stage.srgb("d8d2c4"), 0.6)
    water = stage.material("Pool Water", stage.srgb("4f93ad"), 0.1)
    paving = join(
        box((BLOCK_SIZE, BLOCK_SIZE, 0.25), (0, 0, 0.125)),
        *(box((13, 13, 0.1), (sx * 13, sy * 13, 0.3), 1) for sx in (-1, 1) for sy in (-1, 1)),
    )
    stage.add("Plaza Paving", to_mesh("Plaza Paving", paving, [pavement, grass]), plaza, location=(0, y, 0))
    pool = join(
        sweep([(0, 0, 0.25), (0, 0, 0.9), (0, 0, 0.9)], [6, 6, 5.4], 24), sweep([(0, 0, 0.75), (0, 0, 0.76)], [5.4, 0], 24, 1)
    )
    stage.add("Plaza Pool", to_mesh("Plaza Pool", pool, [stone, water]), plaza, location=(0, y, 0))
    statue = join(
        sweep([(0, 0, 0), (0, 0, 2.2), (0, 0, 2.4)], [1.4, 1.1, 0], 8),
        ball(2).moved((0, 0, 4), (0.8, 0.5, 1.7)),
        ball(2).moved((0, 0, 6.1), (0.5, 0.5, 0.55)),
        ball(1).moved((0.9, 0, 5), (0.9, 0.22, 0.25)),
    )
    stage.add("Statue", to_mesh("Statue", statue, [stone]), plaza, location=(0, y, 0.4))
    for number in range(16):
        east, north = (number % 4 - 1.5), (number // 4 - 1.5)
        stage.add_instance(
            f"Plaza Tree {number}", tree, into=plaza, location=(east * 11.5, y + north * 11.5, 0.3), rotation=(0, 0, number)
        )


def _car():
    """A car of three slots: body, glass, tyres. The city paints the body slot on each object."""
    body = stage.material("Car Paint", stage.srgb("c8c8c8"), 0.3, 0.2)
    glass = bpy.data.materials["Glass"]
    tyre = stage.material("Tyre", stage.srgb("2b2b2b"))
    cabin = sweep(
        [(0, -0.2, 0.95), (0, -0.2, 1.5)],
        [(1.15, 1.75), (0.95, 1.25)],
        4,
        1,
        (False, True),
        axes=((1, 0, 0), (0, 1, 0)),
        phase=math.pi / 4,
    )
    wheels = [
        sweep([(s * 0.72, y, 0.34), (s * 0.95, y, 0.34)], [0.34, 0.34], 8, 2, (True, True))
        for s in (-1, 1)
        for y in (-1.35, 1.35)
    ]
    shape = join(box((1.8, 4.3, 0.62), (0, 0, 0.66)), cabin, *wheels)
    stage.add("Car", to_mesh("Car", shape, [body, glass, tyre]), stage.collection("Vehicles"), location=(0, 40, 0))


def mesh_counts() -> dict:
    """Block (or Plaza) -> (meshes in one instance of it, how many of them are mirrored), counted from the tables above."""
    counts = {"Plaza": (3 + 16, 0)}  # paving, pool, statue; trees
    for block, lots in BLOCKS.items():
        total, mirrored = 1 + 7, 0  # the slab, the trees
        for name, _, _, _, is_mirrored in lots:
            wide, deep, storeys, *_ = BUILDINGS[name]
            meshes = 1 + 2 * (wide + deep) * storeys + 1  # the shell; the windows, with a door of two meshes in one's place
            total += meshes
            mirrored += meshes if is_mirrored else 0
        counts[block] = (total, mirrored)
    return counts
