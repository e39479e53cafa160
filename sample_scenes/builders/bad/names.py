"""Names that break paths, encodings and dictionaries; one name in two libraries, or on two kinds of data."""

from __future__ import annotations

import bpy

from .. import stage
from ..shapes import ball, box, to_mesh

NAMES = (
    "同じ木 名前",
    "Emoji 🌲🔥",
    "L" * 200,
    "Slash / back \\ slash",
    "Quotes \" ' `",
    " leading and trailing ",
    "Dots ..",
    "Comma, semicolon; %s {x}",
    "é é",
)


def build_libraries(folder) -> list:
    """Two libraries that each hold an object `Twin` with a mesh `Twin`: a cube in the first, a ball in the second."""
    made = []
    for letter, shape, color in (("a", box((1, 1, 1)), "c9825b"), ("b", ball(2).moved(scale=(0.6, 0.6, 0.6)), "6f9fbf")):
        stage.begin()
        twin = stage.add("Twin", to_mesh("Twin", shape, [stage.material("Twin", stage.srgb(color))]))
        path = folder / f"pathological_{letter}.blend"
        bpy.data.libraries.write(str(path), {twin}, compress=True)
        made.append(path)
    return made


def add_cases(board, libraries) -> None:
    board.row("Names", "Sky")
    for name in NAMES:
        made = board.add(name)
        assert made.name == name == made.data.name
    board.expect(len(NAMES))
    for path in libraries:
        with bpy.data.libraries.load(str(path), link=True, relative=True) as (_, wanted):
            wanted.objects = ["Twin"]
        # Linked objects keep their own place, so each stands in a collection that is instanced here.
        group = board.source(f"Twin of {path.stem}")
        group.objects.link(wanted.objects[0])
        board.instance(f"Instance of Twin of {path.stem}", group)
    board.expect(2)
    board.add("Mesh named as the curve", board.mesh("Shared name"))
    curve = bpy.data.curves.new("Shared name", "CURVE")
    curve.dimensions, curve.bevel_depth = "3D", 0.12
    spline = curve.splines.new("POLY")
    spline.points.add(2)
    for point, co in zip(spline.points, ((-0.5, 0, -0.4), (0, 0, 0.6), (0.5, 0, -0.4))):
        point.co = (*co, 1)
    curve.materials.append(board.color)
    board.add("Curve named as the mesh", curve)
    board.expect(2)
