"""Low-poly shapes in plain numpy: each is a `Shape`, and shapes are joined with `join` and made Blender meshes by `to_mesh`."""

from __future__ import annotations

from dataclasses import dataclass, replace

import bpy
import numpy as np


@dataclass(frozen=True)
class Shape:
    """A polygon soup with shared vertices.

    Attributes
    ----------
    vertices : ndarray
        (N, 3) float64, metres.
    faces : tuple
        Tuples of vertex indices, counter-clockwise from outside.
    slots : tuple
        Material slot of each face.
    """

    vertices: np.ndarray
    faces: tuple
    slots: tuple

    def moved(self, offset=(0, 0, 0), scale=(1, 1, 1)) -> "Shape":
        """Scaled about the origin, then moved."""
        return replace(self, vertices=self.vertices * np.asarray(scale, float) + np.asarray(offset, float))

    def jittered(self, rng, amount: float) -> "Shape":
        """Each vertex moved by up to `amount` metres along each axis."""
        return replace(self, vertices=self.vertices + rng.uniform(-amount, amount, self.vertices.shape))

    def painted(self, slot: int) -> "Shape":
        """The same faces in another material slot."""
        return replace(self, slots=(slot,) * len(self.faces))

    @property
    def triangle_count(self) -> int:
        return sum(len(face) - 2 for face in self.faces)


def join(*shapes: Shape) -> Shape:
    """All shapes in one, vertices kept apart."""
    starts = np.cumsum([0] + [len(s.vertices) for s in shapes])
    faces = tuple(tuple(int(v + start) for v in face) for s, start in zip(shapes, starts) for face in s.faces)
    return Shape(np.concatenate([s.vertices for s in shapes]), faces, sum((s.slots for s in shapes), ()))


def sweep(centres, radii, sides: int, slot: int | list = 0, capped=(False, False), axes=None, phase: float = 0.0) -> Shape:
    """A tube through `centres` with one radius, or a pair of radii (an ellipse), a ring. A radius of 0 closes to a point.

    `slot` is one material slot, or one for each piece between two rings.

    `axes` is the pair of unit vectors that carry the rings; the default is the ring plane of each piece of the path.
    """
    centres = np.asarray(centres, float)
    radii = np.broadcast_to(np.asarray(radii, float).reshape(len(centres), -1), (len(centres), 2))
    vertices, rings = [], []
    for i, (centre, radius) in enumerate(zip(centres, radii)):
        along = centres[min(i + 1, len(centres) - 1)] - centres[max(i - 1, 0)]
        u, v = axes if axes is not None else _ring_axes(along if along.any() else centres[-1] - centres[0])
        if not radius.any():
            rings.append([len(vertices)] * sides)
            vertices.append(centre)
            continue
        rings.append(list(range(len(vertices), len(vertices) + sides)))
        for angle in phase + np.arange(sides) * (2 * np.pi / sides):
            vertices.append(centre + np.cos(angle) * radius[0] * np.asarray(u) + np.sin(angle) * radius[1] * np.asarray(v))
    pieces = [slot] * (len(rings) - 1) if isinstance(slot, int) else list(slot)
    faces, slots = [], []
    for piece, low, high in zip(pieces, rings, rings[1:]):
        for i in range(sides):
            face = dict.fromkeys((low[i], low[(i + 1) % sides], high[(i + 1) % sides], high[i]))
            faces.append(tuple(face))
            slots.append(piece)
    if capped[0]:
        faces.append(tuple(reversed(rings[0])))
        slots.append(pieces[0])
    if capped[1]:
        faces.append(tuple(rings[-1]))
        slots.append(pieces[-1])
    return Shape(np.array(vertices), tuple(faces), tuple(slots))


def _ring_axes(direction):
    direction = direction / (np.linalg.norm(direction) or 1.0)
    reference = np.array([1.0, 0, 0]) if abs(direction[0]) < 0.9 else np.array([0, 1.0, 0])
    v = np.cross(direction, reference)
    v /= np.linalg.norm(v)
    return np.cross(v, direction), v


def box(size, centre=(0, 0, 0), slot: int = 0) -> Shape:
    """An axis-aligned box of `size` metres."""
    corners = np.array([(x, y, z) for z in (-0.5, 0.5) for y in (-0.5, 0.5) for x in (-0.5, 0.5)])
    faces = ((0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5))
    return Shape(corners * size + np.asarray(centre, float), faces, (slot,) * 6)


def ball(detail: int, slot: int = 0) -> Shape:
    """A unit sphere: detail 0 an octahedron (8 triangles), 1 an icosahedron (20), 2 and 3 its subdivisions (80, 320)."""
    if detail == 0:
        points = [(1, 0, 0), (0, 1, 0), (-1, 0, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)]
        faces = [(i, (i + 1) % 4, 4) for i in range(4)] + [((i + 1) % 4, i, 5) for i in range(4)]
        return Shape(np.array(points, float), tuple(faces), (slot,) * 8)
    g = (1 + 5**0.5) / 2
    points = [
        (-1, g, 0),
        (1, g, 0),
        (-1, -g, 0),
        (1, -g, 0),
        (0, -1, g),
        (0, 1, g),
        (0, -1, -g),
        (0, 1, -g),
        (g, 0, -1),
        (g, 0, 1),
        (-g, 0, -1),
        (-g, 0, 1),
    ]
    points = [np.array(p) / np.linalg.norm(p) for p in points]
    faces = [
        (0, 11, 5),
        (0, 5, 1),
        (0, 1, 7),
        (0, 7, 10),
        (0, 10, 11),
        (1, 5, 9),
        (5, 11, 4),
        (11, 10, 2),
        (10, 7, 6),
        (7, 1, 8),
        (3, 9, 4),
        (3, 4, 2),
        (3, 2, 6),
        (3, 6, 8),
        (3, 8, 9),
        (4, 9, 5),
        (2, 4, 11),
        (6, 2, 10),
        (8, 6, 7),
        (9, 8, 1),
    ]
    for _ in range(detail - 1):
        faces = _subdivided(points, faces)
    return Shape(np.array(points), tuple(faces), (slot,) * len(faces))


def _subdivided(points, faces):
    middles, out = {}, []

    def middle(a, b):
        key = (min(a, b), max(a, b))
        if key not in middles:
            middles[key] = len(points)
            point = points[a] + points[b]
            points.append(point / np.linalg.norm(point))
        return middles[key]

    for a, b, c in faces:
        ab, bc, ca = middle(a, b), middle(b, c), middle(c, a)
        out += [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
    return out


def grid(size: float, cells: int, height=lambda x, y: 0 * x) -> Shape:
    """A square of `cells` x `cells` quads, `size` metres wide, centred, raised by ``height(x, y)`` (arrays in, array out)."""
    line = np.linspace(-size / 2, size / 2, cells + 1)
    x, y = (a.ravel() for a in np.meshgrid(line, line))
    n = cells + 1
    faces = tuple((j * n + i, j * n + i + 1, (j + 1) * n + i + 1, (j + 1) * n + i) for j in range(cells) for i in range(cells))
    return Shape(np.stack([x, y, height(x, y)], 1), faces, (0,) * len(faces))


def to_mesh(name: str, shape: Shape, materials=(), smooth: bool = False) -> bpy.types.Mesh:
    """A Blender mesh of the shape, one slot a material."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(shape.vertices.tolist(), [], shape.faces)
    for entry in materials:
        mesh.materials.append(entry)
    mesh.polygons.foreach_set("material_index", np.array(shape.slots, np.int32))
    mesh.polygons.foreach_set("use_smooth", np.full(len(shape.faces), smooth))
    mesh.validate()
    mesh.update()
    return mesh
