"""What particles are coloured by, apart from their age."""

from __future__ import annotations

import numpy as np

from .pack import PackedSkin
from .surface import SurfacePoints


def dominant_bones(packed: PackedSkin) -> np.ndarray:
    """(V,) int32: the original bone with the most weight on each vertex; of equals the one that comes first."""
    first = packed.bone_weights.argmax(axis=1)
    return packed.used[packed.bone_indices[np.arange(len(first)), first]]


def weight_errors(packed: PackedSkin) -> np.ndarray:
    """(V,) float64 in 0 to 1: the share of each vertex's weights that dropping and rounding gave to the wrong bone.

    Half the sum of absolute differences (total variation): 0 where the bytes say what the skin says, 1 where no bone is the same.
    """
    exact, found = packed.skin.influences, packed.influences
    vertices = np.r_[exact.vertices, found.vertices]
    keys = vertices * np.int64(packed.skin.bone_count) + np.r_[exact.bones, found.bones]
    pairs, inverse = np.unique(keys, return_inverse=True)
    difference = np.bincount(inverse.reshape(-1), np.r_[exact.weights, -found.weights], minlength=len(pairs))
    return np.bincount(pairs // packed.skin.bone_count, np.abs(difference), minlength=packed.skin.vertex_count) / 2


def at_points(values, points: SurfacePoints) -> np.ndarray:
    """(N,) values of vertices, interpolated to points on their triangles."""
    return (np.asarray(values, np.float64)[points.vertices] * points.barycentrics).sum(axis=1)


def speeds(now, before, seconds: float) -> np.ndarray:
    """(N,) float64 units a second between two sets of positions; 0 where no time went by."""
    moved = np.linalg.norm(np.asarray(now, np.float64) - np.asarray(before, np.float64), axis=1)
    return moved / seconds if seconds > 0 else np.zeros(len(moved))
