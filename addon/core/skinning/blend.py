"""Linear blend skinning: the float64 reference, and the float32 path that a GPU repeats bit by bit."""

from __future__ import annotations

import numpy as np

from .influences import Influences
from .pack import PackedSkin

#: a byte times this is its share of 1; 255 times it is exactly 1 in float32
PER_BYTE = np.float32(1 / 255)


def linear_blend(rest, influences: Influences, matrices) -> np.ndarray:
    """Where the vertices are, in float64.

    Parameters
    ----------
    rest : (V, 3) float
    influences : Influences
        Of every vertex, normalised.
    matrices : (B, 3, 4) float
        World from rest, of each bone.

    Returns
    -------
    (V, 3) float64, in the space that `matrices` lead to.
    """
    rest, matrices = np.asarray(rest, np.float64), np.asarray(matrices, np.float64)
    out = np.zeros((len(rest), 3))
    vertices = influences.vertices
    matrices = matrices[influences.bones]
    moved = np.einsum("eij,ej->ei", matrices[:, :, :3], rest[vertices]) + matrices[:, :, 3]
    for axis in range(3):
        out[:, axis] = np.bincount(vertices, influences.weights * moved[:, axis], minlength=len(rest))
    return out


def blend_packed(packed: PackedSkin, matrices, rest=None) -> np.ndarray:
    """The same in float32, from the bytes: what the shader computes, operation by operation.

    Weights become float32 shares, the 3x4 matrices are added up in column order of the influences, and each row is multiplied
    out from the left. Only products and sums, each rounded once, so it needs no tolerance against a GPU that obeys ``precise``.

    Parameters
    ----------
    packed : PackedSkin
    matrices : (U, 3, 4) float32
        Of the used bones.
    rest : (V, 3) float32, optional
        Instead of the skin's own, as while shape keys move.

    Returns
    -------
    (V, 3) float32
    """
    rest = packed.skin.rest if rest is None else np.asarray(rest, np.float32)
    matrices = np.asarray(matrices, np.float32).reshape(-1, 12)
    weights = packed.bone_weights.astype(np.float32) * PER_BYTE
    total = weights[:, 0, None] * matrices[packed.bone_indices[:, 0]]
    for column in range(1, packed.influence_count):
        total += weights[:, column, None] * matrices[packed.bone_indices[:, column]]
    out = np.empty((len(rest), 3), np.float32)
    x, y, z = rest.T
    for axis in range(3):
        a, b, c, d = total[:, 4 * axis : 4 * axis + 4].T
        out[:, axis] = ((a * x + b * y) + c * z) + d
    return out
