"""Meshes as arrays: what extraction reads, what makes two of them the same, and their GPU vertex streams."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np

#: two evaluations of one mesh can differ by an ulp; positions within this share of the extent are the same
POSITION_TOLERANCE = 2e-6
UV_TOLERANCE = 1e-5
NORMAL_TOLERANCE = 1e-3
#: share of normals that may be past the tolerance (degenerate faces amplify an ulp without limit)
NORMAL_OUTLIERS = 1e-3


@dataclass(frozen=True)
class MeshData:
    """An evaluated mesh with at least one face, in its own local space (Blender axes, metres).

    Attributes
    ----------
    positions : (V, 3) float32
    corner_vertices : (C,) int32
        Vertex of each face corner.
    face_starts : (F,) int32
        First corner of each face.
    face_materials : (F,) int32
        Material slot of each face.
    corner_normals : (C, 3) float32
    corner_uvs : (C, 2) float32 or None
    triangle_corners : (T, 3) int32
        Corners of each triangle.
    triangle_faces : (T,) int32
        Face of each triangle.
    smoothing : int
        Checksum of sharp faces and edges: meshes that differ here are different, however few corners it concerns.
    """

    positions: np.ndarray
    corner_vertices: np.ndarray
    face_starts: np.ndarray
    face_materials: np.ndarray
    corner_normals: np.ndarray
    corner_uvs: np.ndarray | None
    triangle_corners: np.ndarray
    triangle_faces: np.ndarray
    smoothing: int = 0

    def topology(self) -> tuple:
        """Hashable summary of everything but the floats: exact, so only meshes that agree on it are compared."""
        crc = 0
        for array in (self.corner_vertices, self.face_starts, self.face_materials):
            crc = zlib.crc32(np.ascontiguousarray(array), crc)
        return (len(self.positions), len(self.corner_vertices), len(self.face_starts), self.corner_uvs is not None, self.smoothing, crc)

    def same_content(self, other: "MeshData") -> bool:
        """True when the floats agree within the tolerances above; topologies must already be equal."""
        if not np.array_equal(self.corner_vertices, other.corner_vertices):
            return False
        if not np.array_equal(self.face_starts, other.face_starts):
            return False
        if not np.array_equal(self.face_materials, other.face_materials):
            return False
        extent = float(np.abs(self.positions).max(initial=0.0))
        if not _close(self.positions, other.positions, POSITION_TOLERANCE * extent):
            return False
        if self.corner_uvs is not None:
            uv_extent = max(1.0, float(np.abs(self.corner_uvs).max(initial=0.0)))
            if not _close(self.corner_uvs, other.corner_uvs, UV_TOLERANCE * uv_extent):
                return False
        apart = np.abs(self.corner_normals - other.corner_normals).max(axis=1) > NORMAL_TOLERANCE
        return np.count_nonzero(apart) <= NORMAL_OUTLIERS * len(apart)

    @property
    def used_slots(self) -> tuple:
        """Material slots that have a face, ascending."""
        return tuple(np.flatnonzero(np.bincount(self.face_materials)).tolist())


@dataclass(frozen=True)
class VertexStreams:
    """GPU-ready vertices: corners merged where position, normal and UV are equal.

    Attributes
    ----------
    positions, normals : (V, 3) float32
    uvs : (V, 2) float32
        Zero when the mesh has none. Origin top left (glTF), so v is 1 - Blender's.
    triangles : (T, 3) uint32
        Sorted by material slot.
    sections : tuple of (slot, first_index, index_count)
    sources : (V,) int32
        The mesh's vertex that each is.
    """

    positions: np.ndarray
    normals: np.ndarray
    uvs: np.ndarray
    triangles: np.ndarray
    sections: tuple
    sources: np.ndarray


def _close(a: np.ndarray, b: np.ndarray, tolerance: float) -> bool:
    return bool(np.abs(a - b).max(initial=0.0) <= tolerance)


def vertex_streams(mesh: MeshData) -> VertexStreams:
    """Merge equal corners and sort triangles by material slot (stable)."""
    corners = len(mesh.corner_vertices)
    floats = [mesh.corner_normals] if mesh.corner_uvs is None else [mesh.corner_normals, mesh.corner_uvs]
    words = np.concatenate([f.view(np.uint32) for f in map(np.ascontiguousarray, floats)], axis=1)
    key = np.zeros(corners, np.uint64)
    with np.errstate(over="ignore"):
        # The vertex number is mixed before the first float comes in: numbers and floats that differ in the same bits would cancel.
        for column in (mesh.corner_vertices, *words.T):
            key = (key ^ column.astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
            key ^= key >> np.uint64(29)
    _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    # Renumber by first appearance: keeps the artist's order, which is close to vertex-cache order.
    order = np.argsort(first, kind="stable")
    rank = np.empty(len(order), np.uint32)
    rank[order] = np.arange(len(order), dtype=np.uint32)
    representatives = first[order]
    corner_to_vertex = rank[inverse.reshape(corners)]
    triangle_slots = mesh.face_materials[mesh.triangle_faces]
    by_slot = np.argsort(triangle_slots, kind="stable")
    triangles = corner_to_vertex[mesh.triangle_corners[by_slot]].astype(np.uint32)
    counts = np.bincount(triangle_slots)
    starts = np.cumsum(counts) - counts
    sections = tuple((slot, int(starts[slot]) * 3, int(counts[slot]) * 3) for slot in np.flatnonzero(counts).tolist())
    uvs = np.zeros((len(representatives), 2), np.float32)
    if mesh.corner_uvs is not None:
        uvs[:] = mesh.corner_uvs[representatives]
        uvs[:, 1] = 1.0 - uvs[:, 1]
    sources = mesh.corner_vertices[representatives]
    return VertexStreams(mesh.positions[sources], mesh.corner_normals[representatives], uvs, triangles, sections, sources)


def bounding_sphere(points: np.ndarray) -> tuple:
    """A sphere that contains every point: ((3,) float32 centre, float32 radius). Ritter-free: the better of two centres.

    Box centre and mean are both tried, in float64, and the radius is rounded up to the next float32.
    """
    points64 = points.astype(np.float64)
    best = None
    for centre in ((points64.min(axis=0) + points64.max(axis=0)) / 2, points64.mean(axis=0)):
        centre = centre.astype(np.float32)
        radius = np.sqrt(((points64 - centre) ** 2).sum(axis=1).max())
        if best is None or radius < best[1]:
            best = (centre, radius)
    return best[0], np.nextafter(np.float32(best[1]), np.float32(np.inf))
