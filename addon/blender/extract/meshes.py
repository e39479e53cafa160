"""Evaluated meshes into `MeshData`, by bulk reads only."""

from __future__ import annotations

import zlib

import numpy as np

from ...core.geometry import MeshData

#: metres; farther out a bounding sphere or another unit of length would leave float32
FARTHEST = np.float32(1e36)


def geometry_set(obj):
    """The evaluated ``bpy.types.GeometrySet`` of an object; None where Blender evaluated none, as for some hidden objects."""
    try:
        return obj.evaluated_geometry()
    except TypeError:
        return None


def own_mesh(obj):
    """The evaluated mesh of an object of any type, or None."""
    if obj.type == "MESH":
        return obj.data
    geometry = geometry_set(obj)
    return None if geometry is None else geometry.mesh


def read_mesh(mesh) -> MeshData | None:
    """Copy an evaluated ``bpy.types.Mesh``; None when it has no face. Non-finite coordinates are kept: see `clean`."""
    face_count, corner_count = len(mesh.polygons), len(mesh.loops)
    if not face_count or not corner_count:
        return None
    positions = _read(mesh.attributes["position"].data, "vector", (len(mesh.vertices), 3), np.float32)
    corner_vertices = _read(mesh.loops, "vertex_index", (corner_count,), np.int32)
    face_starts = _read(mesh.polygons, "loop_start", (face_count,), np.int32)
    material_index = mesh.attributes.get("material_index")
    if material_index is not None and material_index.domain == "FACE" and material_index.data_type == "INT":
        face_materials = np.maximum(_read(material_index.data, "value", (face_count,), np.int32), 0)
    else:
        face_materials = np.zeros(face_count, np.int32)
    mesh.calc_loop_triangles()
    triangle_count = len(mesh.loop_triangles)
    triangle_corners = _read(mesh.loop_triangles, "loops", (triangle_count, 3), np.int32)
    triangle_faces = _read(mesh.loop_triangles, "polygon_index", (triangle_count,), np.int32)
    return MeshData(positions, corner_vertices, face_starts, face_materials,
                    _corner_normals(mesh, corner_vertices, face_starts, corner_count), _corner_uvs(mesh, corner_count),
                    triangle_corners, triangle_faces, _smoothing(mesh))


def _smoothing(mesh) -> int:
    """Checksum of which faces and edges are sharp; 0 for a mesh that is smooth all over, however that is stored."""
    crc = 0
    for name in ("sharp_face", "sharp_edge"):
        attribute = mesh.attributes.get(name)
        if attribute is not None and attribute.data_type == "BOOLEAN":
            flags = _read(attribute.data, "value", (len(attribute.data),), bool)
            crc = zlib.crc32(flags, crc) if flags.any() else crc
    return crc


def clean(mesh: MeshData) -> tuple:
    """Replace non-finite floats and positions past `FARTHEST` by 0: (mesh, number of vertices it concerned)."""
    mesh.positions[np.abs(mesh.positions) > FARTHEST] = np.inf
    bad = ~np.isfinite(mesh.positions).all(axis=1)
    for array in (mesh.positions, mesh.corner_normals, mesh.corner_uvs):
        if array is not None:
            array[~np.isfinite(array)] = 0
    return mesh, int(np.count_nonzero(bad))


def _read(collection, name, shape, dtype) -> np.ndarray:
    array = np.empty(shape, dtype)
    collection.foreach_get(name, array.reshape(-1))
    return array


def _corner_normals(mesh, corner_vertices, face_starts, corner_count) -> np.ndarray:
    """(C, 3) float32 unit normals; the coarsest domain Blender computed is enough and cheapest."""
    if mesh.normals_domain == "POINT":
        normals = _read(mesh.vertex_normals, "vector", (len(mesh.vertices), 3), np.float32)[corner_vertices]
    elif mesh.normals_domain == "FACE":
        sizes = np.diff(face_starts, append=corner_count)
        normals = np.repeat(_read(mesh.polygon_normals, "vector", (len(face_starts), 3), np.float32), sizes, axis=0)
    else:
        normals = _read(mesh.corner_normals, "vector", (corner_count, 3), np.float32)
    # A degenerate face has a zero normal, which glTF forbids: any unit vector will do, it covers no pixel.
    lengths = np.sqrt(np.einsum("ij,ij->i", normals, normals))
    usable = lengths > 1e-12
    normals = normals / np.where(usable, lengths, 1)[:, None]
    normals[~usable] = (0, 0, 1)
    return np.ascontiguousarray(normals, np.float32)


def _corner_uvs(mesh, corner_count) -> np.ndarray | None:
    layer = mesh.uv_layers.active
    if layer is None or len(layer.uv) != corner_count:
        return None
    return _read(layer.uv, "vector", (corner_count, 2), np.float32)
