"""city.blend: a town of linked blocks, nested collection instances three deep, some of them mirrored."""

from __future__ import annotations

import math
from pathlib import Path

import bpy
import numpy as np

from . import stage
from .city_blocks import BLOCK_SIZE, BLOCKS, SEED, build_library, mesh_counts
from .shapes import box, join, sweep, to_mesh

PITCH = BLOCK_SIZE + 14.0
GRID = 4
CARS = 72
#: Lot by lot, row after row from the south: which block stands there.
LOTS = (
    "Block B",
    "Block B",
    "Block A",
    "Block C",
    "Block A",
    "Plaza",
    "Block C",
    "Block B",
    "Block C",
    "Block B",
    "Block C",
    "Block A",
    "Block B",
    "Block C",
    "Block B",
    "Block C",
)
LAMPS = 2 * (GRID + 1) ** 2
DASHES = 28 * (GRID + 1)


def _is_mirrored(lot):
    return lot % 3 == 0 and LOTS[lot] != "Plaza"


def _known() -> dict:
    """By hand. The viewport also shows the instanced children (two dashes, a lamp) in their own place; a render does not."""
    counts = mesh_counts()
    blocks = sum(counts[name][0] for name in LOTS)
    mirrored = sum(
        total - flipped if _is_mirrored(lot) else flipped for lot, name in enumerate(LOTS) for total, flipped in [counts[name]]
    )
    render = blocks + CARS + 2 * DASHES + LAMPS - 1 + 1  # one lamp place is left to the lamp itself; the streets
    common = {"negative_det": mirrored, "zero_scale": 0}
    return {"viewport": {"instances": render + 3, **common}, "render": {"instances": render, **common}}


KNOWN = _known()
PAINTS = ("c0392b", "e8b23a", "2f5f8f", "f0ede4", "3f7f5f", "30343a")


def build(folder: Path) -> list[Path]:
    """Writes city_blocks.blend, then city.blend, which links it by a relative path."""
    library = build_library(folder)
    stage.begin()
    # Saved first, so that the library's path can be relative to it.
    city = stage.save(folder / "city.blend")
    with bpy.data.libraries.load(str(library), link=True, relative=True) as (_, wanted):
        wanted.collections = [*BLOCKS, "Plaza"]
        wanted.meshes = ["Car"]
    rng = np.random.default_rng(SEED)
    _streets()
    _lots()
    _plaza_override()
    _cars(rng)
    stage.add_sun(elevation=36, azimuth=108, strength=4.5, color=(1.0, 0.88, 0.72), sky=(0.45, 0.62, 0.85))
    stage.add_camera((150, -205, 105), (2, -8, 6), lens=36)
    bpy.context.scene.frame_end = 120
    return [stage.save(city), library]


def _lot_centre(column, row):
    return ((column - (GRID - 1) / 2) * PITCH, (row - (GRID - 1) / 2) * PITCH)


def _lots():
    """Every lot but the plaza's is an instance of a linked block, turned, and mirrored on every third."""
    blocks = stage.collection("City Blocks")
    for lot, name in enumerate(LOTS):
        if name != "Plaza":
            column, row = lot % GRID, lot // GRID
            stage.add_instance(
                f"Lot {column}{row}",
                bpy.data.collections[name],
                into=blocks,
                location=(*_lot_centre(column, row), 0.0),
                rotation=(0, 0, math.pi / 2 * (lot * 5 % 4)),
                scale=(-1 if _is_mirrored(lot) else 1, 1, 1),
            )


def _plaza_override():
    """The plaza is a library override: its objects are local, and its statue is bigger, turned and gilded at object level."""
    scene, layer = bpy.context.scene, bpy.context.view_layer
    linked = bpy.data.collections["Plaza"]
    # Blender 5.3 overrides nothing that is not in the view layer.
    scene.collection.children.link(linked)
    plaza = linked.override_hierarchy_create(scene, layer, do_fully_editable=True)
    scene.collection.children.unlink(linked)
    x, y = _lot_centre(1, 1)
    for thing in plaza.objects:
        thing.location.x += x
        thing.location.y += y + 70
    statue = plaza.objects["Statue"]
    statue.scale = (1.5, 1.5, 1.5)
    statue.rotation_euler.z = math.radians(35)
    gold = stage.material("Statue Gilding", stage.srgb("e0b040"), 0.3, 0.6)
    statue.material_slots[0].link = "OBJECT"
    statue.material_slots[0].material = gold


def _streets():
    asphalt = stage.material("Asphalt", stage.srgb("5b5f66"))
    paint = stage.material("Road Paint", stage.srgb("e9e4d6"))
    width = GRID * PITCH + 14
    stage.add("Streets", to_mesh("Streets", box((width, width, 0.2), (0, 0, -0.1)), [asphalt]))
    # One dash instanced on the vertices of a carrier that is not drawn itself.
    lines = [(i - GRID / 2) * PITCH for i in range(GRID + 1)]
    along = [a for a in np.arange(-width / 2 + 4, width / 2 - 3, 6.0) if min(abs(a - line) for line in lines) > 8]
    for name, turn in (("East", 0.0), ("North", math.pi / 2)):
        carrier = bpy.data.meshes.new(f"Dashes {name}")
        points = [(a, line, 0.0) if turn == 0 else (line, a, 0.0) for line in lines for a in along]
        carrier.from_pydata(points, [], [])
        parent = stage.add(f"Dashes {name}", carrier)
        parent.instance_type = "VERTS"
        dash = bpy.data.meshes.get("Dash") or to_mesh("Dash", box((2.4, 0.22, 0.02), (0, 0, 0.01)), [paint])
        child = stage.add(f"Dash {name}", dash, rotation=(0, 0, turn))
        child.parent = parent
    _lamps(lines)


def _lamps(lines):
    """A lamp on each face of a carrier mesh: face instancing, scaled by face size.

    The viewport shows the instanced lamp itself too, a render does not: the carrier stands where one more lamp belongs.
    """
    steel = stage.material("Lamp Steel", stage.srgb("3b4148"), 0.4, 0.5)
    light = stage.material("Lamp Light", stage.srgb("fff0c0"), 0.4)
    quads, faces = [], []
    home = np.array((lines[2] + 6, lines[1] + 6, 0.0))
    for x in lines:
        for y in lines:
            for sx, sy in ((-1, -1), (1, 1)):
                if (x + sx * 6, y + sy * 6) == tuple(home[:2]):
                    continue
                start = len(quads)
                quads += [
                    (x + sx * 6 + dx - home[0], y + sy * 6 + dy - home[1], 0.02)
                    for dx, dy in ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5))
                ]
                faces.append(tuple(range(start, start + 4)))
    carrier = bpy.data.meshes.new("Lamp Places")
    carrier.from_pydata(quads, [], faces)
    parent = stage.add("Lamp Places", carrier, location=home)
    parent.instance_type, parent.use_instance_faces_scale = "FACES", True
    parent.show_instancer_for_viewport = parent.show_instancer_for_render = False
    shape = join(
        sweep([(0, 0, 0), (0, 0, 5.2)], [0.12, 0.07], 6),
        box((0.9, 0.3, 0.16), (0.35, 0, 5.25)),
        box((0.5, 0.2, 0.06), (0.45, 0, 5.15), 1),
    )
    lamp = stage.add("Street Lamp", to_mesh("Street Lamp", shape, [steel, light]))
    lamp.parent = parent


def _cars(rng):
    """Cars share the library's one mesh; each has its paint in an object-level slot."""
    paints = [stage.material(f"Paint {code}", stage.srgb(code), 0.3, 0.2) for code in PAINTS]
    traffic = stage.collection("Traffic")
    lines = [(i - GRID / 2) * PITCH for i in range(GRID + 1)]
    for number in range(CARS):
        line, lane = lines[number % len(lines)], (-1) ** (number // 2)
        along = float(rng.uniform(-0.5, 0.5)) * GRID * PITCH
        north = bool(rng.integers(2))
        where = (line + 3 * lane, along, 0) if north else (along, line - 3 * lane, 0)
        turn = (0 if lane > 0 else math.pi) if north else (-math.pi / 2 if lane > 0 else math.pi / 2)
        car = stage.add(f"Car {number:02}", bpy.data.meshes["Car"], traffic, location=where, rotation=(0, 0, turn))
        car.material_slots[0].link = "OBJECT"
        car.material_slots[0].material = paints[int(rng.integers(len(paints)))]
