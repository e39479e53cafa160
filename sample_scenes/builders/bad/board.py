"""The board the cases stand on: a row a kind, a column a case, and a count kept by hand of what each should show."""

from __future__ import annotations

import bpy

from .. import stage
from ..shapes import Shape, ball, box, join, to_mesh

SPACING, ROW = 2.6, 3.4
COLORS = {"Clay": "c9825b", "Moss": "7f9a52", "Sky": "6f9fbf", "Sun": "dfb54a", "Plum": "8d6a96", "Rust": "a8503c"}


class Board:
    """Hands out places and adds up the mesh instances that each case is declared to give."""

    def __init__(self):
        self.materials = {name: stage.material(name, stage.srgb(code), 0.7) for name, code in COLORS.items()}
        self.counts = {
            mode: {"instances": 0, "negative_det": 0, "zero_scale": 0, "not_finite": 0} for mode in ("viewport", "render")
        }
        self.rows = self.columns = 0
        self.widest = 0
        self.row_collection = None
        self.color = None

    def row(self, title: str, color: str) -> None:
        """Begins the row `title`: a collection, and the colour of its meshes."""
        self.rows += 1
        self.columns = 0
        self.color = self.materials[color]
        self.row_collection = stage.collection(title)

    def place(self) -> tuple:
        """The next free place of this row."""
        self.columns += 1
        self.widest = max(self.widest, self.columns)
        return ((self.columns - 1) * SPACING, (self.rows - 1) * ROW, 0.7)

    def expect(self, count: int = 1, render: int | None = None, **kinds: int) -> None:
        """Counts `count` instances (`render` in a render, where it differs), of which `kinds` are negative_det and so on."""
        for mode, total in (("viewport", count), ("render", count if render is None else render)):
            self.counts[mode]["instances"] += total
            for kind, number in kinds.items():
                self.counts[mode][kind] += number

    def mesh(self, name: str, shape: Shape | None = None, materials=None) -> bpy.types.Mesh:
        """A mesh in the row's colour; by default a marker whose three axes look different."""
        return to_mesh(name, marker() if shape is None else shape, [self.color] if materials is None else materials)

    def add(self, name: str, data=None, into=None, **where) -> bpy.types.Object:
        """An object at the next place, by default a marker mesh of its own name; nothing is counted."""
        where.setdefault("location", self.place())
        return stage.add(name, data or self.mesh(name), into or self.row_collection, **where)

    def empty(self, name: str, **where) -> bpy.types.Object:
        """An empty at the next place."""
        where.setdefault("location", self.place())
        return stage.add(name, None, self.row_collection, **where)

    def instance(self, name: str, of: bpy.types.Collection, **where) -> bpy.types.Object:
        """A collection instance at the next place."""
        where.setdefault("location", self.place())
        return stage.add_instance(name, of, into=self.row_collection, **where)

    def source(self, name: str) -> bpy.types.Collection:
        """A collection that is excluded from the view layer, to be instanced."""
        return stage.collection(name, visible=False)


def marker() -> Shape:
    """A block with a knob along +X and a smaller one on top: 12 + 80 + 20 triangles."""
    return join(
        box((0.9, 0.7, 1.1)), ball(2).moved((0.5, 0, 0.1), (0.28, 0.28, 0.28)), ball(1).moved((0, 0, 0.65), (0.22, 0.22, 0.22))
    )
