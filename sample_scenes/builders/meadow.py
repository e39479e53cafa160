"""meadow.blend: hilly ground for grass, its density as an attribute, a colour and a packed image, and obstacles on it."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np

from . import stage
from .shapes import Shape, ball, box, grid, join, sweep, to_mesh
from .terrain import hills, step

SEED = 33
SIZE, CELLS = 64.0, 64
IMAGE_SIZE = 128
ROCKS = (
    (-1.5, -13),
    (-10.5, -6),
    (2.5, -5),
    (3.4, -3.6),
    (20, 8),
    (4.5, 12),
    (-14, 8),
    (-16, 9.5),
    (14, -12),
    (22, -3),
    (-20, -12),
    (6, 20),
)
#: By hand: the ground, the pond, the fence, the stump and the rocks.
KNOWN = {mode: {"instances": 4 + len(ROCKS), "negative_det": 0, "zero_scale": 0} for mode in ("viewport", "render")}
POND, POND_RADII, POND_LEVEL = np.array((11.0, 5.0)), (13.0, 11.0), -0.35


def height(x, y):
    """Gentle hills with a hollow for the pond; metres."""
    hollow = np.exp(-(((x - POND[0]) / 8.5) ** 2 + ((y - POND[1]) / 7.0) ** 2))
    rise = 0.2 + 2.6 * step(hills(x + 400, y + 400, SEED, 26), 0.3, 0.85) + 3.5 * step(y, 6, 34)
    return rise * (1 - hollow) - 1.9 * hollow


def path_x(y):
    """Where the path runs at `y`."""
    return -5.0 + 4.5 * np.sin(y / 11.0)


def density(x, y):
    """Grass a place, 0 to 1: none on the path and in the pond, sparse beside them, patchy elsewhere."""
    off_path = step(np.abs(x - path_x(y)), 0.9, 2.2)
    dry = step(height(x, y), POND_LEVEL + 0.05, POND_LEVEL + 0.45)
    return off_path * dry * (0.35 + 0.65 * step(hills(x + 100, y + 100, SEED + 9, 9, 2), 0.25, 0.6))


def build(folder: Path) -> list[Path]:
    """Writes meadow.blend."""
    scene = stage.begin()
    rng = np.random.default_rng(SEED)
    _ground()
    water = stage.material("Pond Water", stage.srgb("4a8fa6"), 0.08)
    pond = sweep([(*POND, POND_LEVEL)] * 2, [POND_RADII, (0, 0)], 40, axes=((1, 0, 0), (0, 1, 0)))
    stage.add("Pond", to_mesh("Pond", pond, [water]))
    obstacles = stage.collection("Obstacles")
    _rocks(rng, obstacles)
    _fence(obstacles)
    _stump(obstacles)
    stage.add_sun(elevation=36, azimuth=-95, strength=4.5, color=(1.0, 0.9, 0.75), sky=(0.45, 0.64, 0.9))
    stage.add_camera((-13, -33, 9.5), (1.5, 0.5, 0.2), lens=32)
    scene.frame_end = 120
    return [stage.save(folder / "meadow.blend")]


def _ground():
    shape = _warped(grid(SIZE, CELLS))
    x, y, _ = shape.vertices.T
    values = density(x, y).astype(np.float32)
    faces = np.array(shape.faces)
    centres = shape.vertices[faces].mean(1)
    bare = (np.abs(centres[:, 0] - path_x(centres[:, 1])) < 1.1) | (centres[:, 2] < POND_LEVEL + 0.12)
    materials = [stage.material("Meadow", stage.srgb("7fa04a")), stage.material("Earth", stage.srgb("b39468"))]
    mesh = to_mesh("Meadow", shape, materials, smooth=True)
    mesh.polygons.foreach_set("material_index", bare.astype(np.int32))
    mesh.attributes.new("density", "FLOAT", "POINT").data.foreach_set("value", values)
    color = mesh.color_attributes.new("density_color", "BYTE_COLOR", "POINT")
    color.data.foreach_set("color", np.column_stack([values, values, values, np.ones_like(values)]).ravel())
    layer = mesh.uv_layers.new(name="UVMap")
    corners = np.empty(len(mesh.loops), np.int32)
    mesh.loops.foreach_get("vertex_index", corners)
    layer.data.foreach_set("uv", (shape.vertices[corners, :2] / SIZE + 0.5).astype(np.float32).ravel())
    ground = stage.add("Meadow", mesh)
    ground["gpuscene_density_image"] = _density_image()


def _warped(flat):
    """The grid's columns bent along the path, so that its edges are edges of the mesh, then raised to `height`."""
    x, y, _ = flat.vertices.T
    bend = np.clip(1 - np.abs(x + 5) / (SIZE / 2 - 5), 0, 1)
    x = x + bend * (path_x(y) + 5)
    return Shape(np.stack([x, y, height(x, y)], 1), flat.faces, flat.slots)


def _density_image():
    """The same density as a packed grey image, row 0 at the bottom; over UVMap."""
    line = ((np.arange(IMAGE_SIZE) + 0.5) / IMAGE_SIZE - 0.5) * SIZE
    x, y = np.meshgrid(line, line)
    grey = np.round(density(x, y) * 255) / 255
    image = bpy.data.images.new("Meadow Density", IMAGE_SIZE, IMAGE_SIZE, is_data=True)
    image.pixels.foreach_set(np.stack([grey, grey, grey, np.ones_like(grey)], -1).astype(np.float32).ravel())
    image.file_format = "PNG"
    image.pack()
    return image


def _rocks(rng, into):
    """Twelve rocks of three shapes, sharing meshes; some lie in the path's way."""
    stone = stage.material("Rock", stage.srgb("a39c90"), 0.9)
    meshes = [
        to_mesh(f"Rock {'ABC'[n]}", ball(2).jittered(rng, 0.13).moved(scale=(1.0, 0.8 + 0.1 * n, 0.65)), [stone])
        for n in range(3)
    ]
    for number, (x, y) in enumerate(ROCKS):
        size = rng.uniform(0.6, 1.7)
        z = float(height(np.array([float(x)]), np.array([float(y)]))[0])
        stage.add(
            f"Rock {number:02}",
            meshes[number % 3],
            into,
            location=(x, y, z + 0.15 * size),
            rotation=(0, 0, rng.uniform(0, 6.28)),
            scale=(size, size, size),
        )


def _fence(into):
    """A post-and-rail fence along the back, one mesh."""
    wood = stage.material("Fence Wood", stage.srgb("8a6a4a"), 0.9)
    x = np.arange(-26.0, 27.0, 3.25)
    y = 17 + 1.5 * np.sin(x / 9)
    z = height(x, y)
    tops = np.stack([x, y, z], 1)
    posts = [box((0.18, 0.18, 1.5), at + (0, 0, 0.55)) for at in tops]
    rails = [
        sweep([a + (0, 0, up), b + (0, 0, up)], [0.05, 0.05], 4)
        for up in (0.6, 1.05)
        for a, b in zip(tops, tops[1:])
        if abs((a + b)[0] / 2 - path_x(17.0)) > 2.5
    ]  # a gap for the path
    stage.add("Fence", to_mesh("Fence", join(*posts, *rails), [wood]), into)


def _stump(into):
    bark = stage.material("Stump Bark", stage.srgb("6b4a32"), 0.9)
    cut = stage.material("Stump Cut", stage.srgb("d9b98a"), 0.8)
    shape = sweep([(0, 0, -0.3), (0, 0, 0.1), (0, 0, 0.7), (0, 0, 0.72)], [0.95, 0.65, 0.55, 0.0], 12, [0, 0, 1])
    x, y = -11.0, -15.0
    z = float(height(np.array([x]), np.array([y]))[0])
    stage.add("Stump", to_mesh("Stump", shape, [bark, cut]), into, location=(x, y, z))
