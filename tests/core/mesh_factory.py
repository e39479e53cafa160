"""Meshes as extraction reads them, made without Blender."""

from dataclasses import replace

import numpy as np
from gpuscene.core.geometry import MeshData


def grid(columns=4, rows=3, uvs=True, slots=1) -> MeshData:
    """A bumpy quad grid with smooth normals; faces take material slots in turn."""
    x, y = np.meshgrid(np.arange(columns + 1.0), np.arange(rows + 1.0))
    positions = np.stack([x, y, np.sin(1.3 * x) * np.cos(0.7 * y)], axis=-1).reshape(-1, 3).astype(np.float32)
    first = (np.arange(rows)[:, None] * (columns + 1) + np.arange(columns)).reshape(-1)
    corners = np.stack([first, first + 1, first + columns + 2, first + columns + 1], axis=1).astype(np.int32).reshape(-1)
    normals = np.stack(
        [-1.3 * np.cos(1.3 * x) * np.cos(0.7 * y), 0.7 * np.sin(1.3 * x) * np.sin(0.7 * y), np.ones_like(x)], axis=-1
    ).reshape(-1, 3)
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    faces = columns * rows
    starts = np.arange(faces, dtype=np.int32) * 4
    triangles = (starts[:, None, None] + np.array([[0, 1, 2], [0, 2, 3]])).reshape(-1, 3).astype(np.int32)
    return MeshData(
        positions,
        corners,
        starts,
        (np.arange(faces) % slots).astype(np.int32),
        normals[corners].astype(np.float32),
        positions[corners, :2] / 7 if uvs else None,
        triangles,
        np.repeat(np.arange(faces, dtype=np.int32), 2),
    )


def flat_shaded(mesh: MeshData) -> MeshData:
    """The same with one normal a face."""
    normals = mesh.corner_normals.reshape(-1, 4, 3).mean(axis=1)
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    return replace(mesh, corner_normals=np.repeat(normals, 4, axis=0).astype(np.float32))


def one_ulp_off(mesh: MeshData, seed=0) -> MeshData:
    """Every float moved one step up or down."""
    rng = np.random.default_rng(seed)

    def moved(array):
        return array if array is None else np.nextafter(array, rng.choice(np.array([-np.inf, np.inf], np.float32), array.shape))

    return replace(
        mesh, positions=moved(mesh.positions), corner_normals=moved(mesh.corner_normals), corner_uvs=moved(mesh.corner_uvs)
    )
