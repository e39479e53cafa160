"""Meshes with nothing to draw, with numbers that are none, and with odd materials."""

from __future__ import annotations

import bpy
import numpy as np

from .. import stage
from ..shapes import Shape, box


def _raw(name, vertices, edges=(), faces=()):
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(vertices, edges, faces)
    return mesh


def add_cases(board) -> None:
    board.row("Meshes", "Moss")
    board.add("Mesh of 0 vertices", _raw("Mesh of 0 vertices", []))
    board.add("Mesh of loose edges", _raw("Mesh of loose edges", [(0, 0, 0), (1, 0, 0), (1, 1, 0)], [(0, 1), (1, 2)]))
    board.add("Mesh of loose vertices", _raw("Mesh of loose vertices", [(0, 0, 0), (0, 0, 1)]))
    hollow = board.source("Holds an empty mesh")
    stage.add("Empty mesh in a collection", _raw("Empty mesh in a collection", []), hollow)
    stage.add("Full mesh beside it", board.mesh("Full mesh beside it"), hollow)
    board.instance("Instance of a collection with an empty mesh", hollow)
    board.expect()
    nothing = board.source("Empty collection")
    board.instance("Instance of an empty collection", nothing)
    board.instance("Instance of no collection", None)
    for title, value in (("Mesh with a NaN vertex", np.nan), ("Mesh with an infinite vertex", np.inf)):
        _spoil(board.add(title).data, value)
        board.expect()
    flat = Shape(np.array([(0, 0, 0), (1, 0, 0), (2, 0, 0), (0, 0, 1.0)]) * 0.5, ((0, 1, 2), (0, 2, 3)), (0, 0))
    board.add("Mesh with a face of no area", board.mesh("Mesh with a face of no area", flat))
    board.expect()
    _materials(board)


def _spoil(mesh, value):
    """Sets the Z of vertex 3. In bulk: Blender clamps a single infinite coordinate to the largest float32."""
    points = np.empty(len(mesh.vertices) * 3, np.float32)
    mesh.vertices.foreach_get("co", points)
    points[11] = value
    mesh.vertices.foreach_set("co", points)


def _materials(board):
    board.row("Materials", "Plum")
    two = board.mesh("Two slots", materials=[board.materials["Plum"], board.materials["Sun"]])
    two.polygons.foreach_set("material_index", np.arange(len(two.polygons), dtype=np.int32) % 2)
    board.add("Two slots as the mesh says", two)
    override = board.add("Two slots, second overridden on the object", two)
    override.material_slots[1].link = "OBJECT"
    override.material_slots[1].material = board.materials["Sky"]
    emptied = board.add("Two slots, second emptied on the object", two)
    emptied.material_slots[1].link = "OBJECT"
    emptied.material_slots[1].material = None
    board.expect(3)
    board.add("No material slot", board.mesh("No material slot", materials=[]))
    board.add("Empty material slot", board.mesh("Empty material slot", materials=[None]))
    beyond = board.mesh("Material index past the slots")
    beyond.polygons.foreach_set("material_index", np.full(len(beyond.polygons), 7, np.int32))
    board.add("Material index past the slots", beyond)
    unused = board.mesh("Second slot unused", box((1, 1, 1)), materials=[board.materials["Plum"], board.materials["Rust"]])
    board.add("Second slot unused", unused)
    board.expect(4)
