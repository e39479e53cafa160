"""Bone matrices: one product from a rest position to world space, and the formats in which they can travel."""

from __future__ import annotations

import numpy as np

from ..transforms_trs import compose, decompose

#: format -> bytes a bone
FORMATS = {"float32": 48, "half": 24, "trs": 40}


def world_from_rest(armature_world, deform, object_world) -> np.ndarray:
    """(B, 3, 4) float64 matrices for one armature's bones.

    Parameters
    ----------
    armature_world, object_world : (4, 4) float
    deform : (B, 4, 4) float
        Armature-space deformation of each bone: its pose times the inverse of its rest.

    Notes
    -----
    The mesh is taken to armature space, deformed, and brought to world space: ``armature @ deform @ armature^-1 @ object``.
    A scale of zero has no inverse. There the result is Blender's: a flat armature takes every vertex to its origin before the
    bones move it, and a flat object, whose diagonal Blender raises by 1e-8 for an inverse, shows what is left on its plane.
    """
    armature_world, object_world = np.asarray(armature_world, np.float64), np.asarray(object_world, np.float64)
    into_armature = np.diag((0.0, 0.0, 0.0, 1.0)) if is_flat(armature_world) else np.linalg.solve(armature_world, object_world)
    out = armature_world @ np.asarray(deform, np.float64) @ into_armature
    if is_flat(object_world):
        flat, there = object_world[:3, :3], object_world[:3, 3]
        onto = flat @ np.linalg.pinv(flat.astype(np.float32) + np.eye(3, dtype=np.float32) * np.float32(1e-8), rcond=1e-12)
        out[:, :3] = onto @ out[:, :3]
        out[:, :3, 3] += there - onto @ there
    return out[:, :3]


#: a float32 matrix whose columns span less than this share of their lengths' product cannot be told from a flat one
_FLAT = 1e-7


def is_flat(world) -> bool:
    """Whether a (4, 4) transform has no inverse: a scale of zero somewhere along the chain."""
    columns = np.asarray(world, np.float64)[:3, :3]
    lengths = np.linalg.norm(columns, axis=0)
    return not lengths.all() or abs(np.linalg.det(columns / lengths)) <= _FLAT


def encode(matrices, kind: str, origin=(0.0, 0.0, 0.0)) -> tuple:
    """Matrices as they travel.

    Parameters
    ----------
    matrices : (B, 3, 4) float
    kind : {"float32", "half", "trs"}
        ``half``: twelve float16, relative to `origin`. ``trs``: translation, quaternion (x, y, z, w) and scale as ten float32.
    origin : (3,) float
        A point near the character, for ``half``: a float16 metre a kilometre off would be half a metre wrong.

    Returns
    -------
    tuple of ndarray
        ``FORMATS[kind]`` bytes a bone.
    """
    matrices = np.asarray(matrices, np.float64)
    if kind == "float32":
        return (matrices.astype(np.float32),)
    if kind == "half":
        shifted = matrices.copy()
        shifted[:, :, 3] -= np.asarray(origin, np.float64)
        return (shifted.astype(np.float16),)
    if kind == "trs":
        columns = np.zeros((len(matrices), 4, 4), np.float32)
        columns[:, :, :3] = matrices.transpose(0, 2, 1)
        columns[:, 3, 3] = 1
        return decompose(columns)[:3]
    raise ValueError(f"matrix format {kind!r} is not one of {tuple(FORMATS)}")


def decode(encoded: tuple, kind: str, origin=(0.0, 0.0, 0.0)) -> np.ndarray:
    """(B, 3, 4) float32: what the shader makes of `encode`'s result."""
    if kind == "float32":
        return encoded[0]
    if kind == "half":
        out = encoded[0].astype(np.float32)
        out[:, :, 3] += np.asarray(origin, np.float32)
        return out
    if kind == "trs":
        return compose(*encoded)[:, :3].astype(np.float32)
    raise ValueError(f"matrix format {kind!r} is not one of {tuple(FORMATS)}")
