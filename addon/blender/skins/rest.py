"""The mesh as the armatures find it: shape keys and all other modifiers applied, the pose not.

Only Blender can evaluate that. The switches of the evaluated copy's modifiers are turned off, the copy is evaluated once more
into a temporary mesh, and the switches are turned back. The file's own object is never touched. Blender sends one
dependency-graph update afterwards that names the object with no change (neither geometry nor transform); a handler must not
read the rest mesh again for such a one.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from .deformers import shown
from .weights import read_weights


@dataclass(frozen=True)
class RestMesh:
    """Attributes
    ----------
    positions : (V, 3) float32
        Local to the object.
    corners : (C,) int32
        Vertex of each face corner.
    triangles : (T, 3) int32
    weights : tuple
        (vertices, groups, weights) of `read_weights`.
    """

    positions: np.ndarray
    corners: np.ndarray
    triangles: np.ndarray
    weights: tuple


def read_positions(mesh) -> np.ndarray:
    """(V, 3) float32. A mesh without vertices may have no such attribute."""
    out = np.empty((len(mesh.vertices), 3), np.float32)
    if len(out):
        mesh.attributes["position"].data.foreach_get("vector", out.reshape(-1))
    return out


def read_corners(mesh) -> np.ndarray:
    """(C,) int32. Read as an attribute, which is one copy; the property of each corner is a call."""
    out = np.empty(len(mesh.loops), np.int32)
    corners = mesh.attributes.get(".corner_vert")
    if corners is not None:
        corners.data.foreach_get("value", out)
    else:
        mesh.loops.foreach_get("vertex_index", out)
    return out


@contextmanager
def evaluated_without(obj, depsgraph, off):
    """A temporary mesh of evaluated `obj` with the modifiers of the indices `off` turned off; gone when the block ends."""
    switch = shown(depsgraph)
    flags = np.empty(len(obj.modifiers), bool)
    obj.modifiers.foreach_get(switch, flags)
    changed = flags.copy()
    changed[list(off)] = False
    if len(flags):
        obj.modifiers.foreach_set(switch, changed)
    try:
        yield obj.to_mesh(preserve_all_data_layers=True, depsgraph=depsgraph)
    finally:
        obj.to_mesh_clear()
        if len(flags):
            obj.modifiers.foreach_set(switch, flags)


def read_rest(obj, depsgraph, off) -> RestMesh:
    """The rest mesh with the modifiers of the indices `off` turned off."""
    with evaluated_without(obj, depsgraph, off) as mesh:
        mesh.calc_loop_triangles()
        triangles = np.empty((len(mesh.loop_triangles), 3), np.int32)
        mesh.loop_triangles.foreach_get("vertices", triangles.reshape(-1))
        return RestMesh(read_positions(mesh), read_corners(mesh), triangles, read_weights(mesh))


def positions_without(obj, depsgraph, off) -> np.ndarray:
    """(V, 3) float32 of the same mesh."""
    with evaluated_without(obj, depsgraph, off) as mesh:
        return read_positions(mesh)
