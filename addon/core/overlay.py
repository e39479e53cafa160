"""Overlay tints, cluster boxes and camera frusta as lines, and lines as triangles in clip space. Colours are those of `palette`."""

from __future__ import annotations

import numpy as np

from .palette import AGES, CULLED, CULLED_NODE, FRUSTUM, INNER, LEAF, LODS, ROOT

#: how strongly an overlay colour covers the material
STRENGTH = 0.85
#: pixels
ROOT_WIDTH, INNER_WIDTH, LEAF_WIDTH, FRUSTUM_WIDTH = 3.0, 2.0, 1.0, 2.0
_EDGES = np.array([(a, a | bit) for bit in (1, 2, 4) for a in range(8) if not a & bit])


def tints(overlay: str, visible, lod=None, age=None) -> np.ndarray:
    """(N, 4) float32: colour and how much of it, for each instance.

    Parameters
    ----------
    overlay : {"visibility", "lod", "clusters", "age", "skin", "none"}
    visible : (N,) bool
        By the culling camera.
    lod, age : (N,) integer
        Of the overlays of these names; age in frames since the refresh, negative for never.
    """
    out = np.zeros((len(visible), 4), np.float32)
    if overlay in ("none", "skin"):
        return out
    if overlay == "lod":
        out[:, :3], out[:, 3] = LODS[np.minimum(lod, len(LODS) - 1)], STRENGTH
    if overlay == "age":
        out[:, :3], out[:, 3] = AGES[np.clip(age, 0, len(AGES) - 1)], STRENGTH
        visible = visible & (age >= 0)
    out[~visible] = (*CULLED, STRENGTH)
    return out


def box_segments(box_min, box_max) -> np.ndarray:
    """(K * 12, 2, 3) float64 edges of K boxes."""
    bits = (np.arange(8)[:, None] >> np.arange(3)) & 1
    corners = np.where(bits, np.asarray(box_max, np.float64)[:, None], np.asarray(box_min, np.float64)[:, None])
    return corners[:, _EDGES].reshape(-1, 2, 3)


def tree_lines(tree, outside) -> list:
    """(segments, colour, width) of a cluster tree's boxes, what is drawn last on top: culled nodes, leaves, inner nodes, root.

    `outside`: (M,) bool, nodes that are culled; those below them are too.
    """
    culled = np.array(outside, bool)
    for start, stop in zip(tree.level_starts[1:-1], tree.level_starts[2:]):
        culled[start:stop] |= culled[tree.parent[start:stop]]
    root = np.zeros(len(tree), bool)
    root[0] = True
    groups = ((culled & tree.is_leaf, CULLED_NODE, LEAF_WIDTH), (~culled & tree.is_leaf & ~root, LEAF, LEAF_WIDTH),
              (~culled & ~tree.is_leaf & ~root, INNER, INNER_WIDTH), (root, ROOT, ROOT_WIDTH))
    low, high = tree.nodes["box_min"], tree.nodes["box_max"]
    return [(box_segments(low[which], high[which]), color, width) for which, color, width in groups if which.any()]


def frustum_corners(clip_from_world, reach: float) -> np.ndarray:
    """(8, 3) float64 corners of a view frustum, its far end no farther than `reach` from the near one.

    Bit 0 of a corner's number is right, bit 1 top, bit 2 far.
    """
    bits = (np.arange(8)[:, None] >> np.arange(3)) & 1
    clip = np.column_stack((2.0 * bits - 1, np.ones(8)))
    clip[4:, 2] = np.where(_is_infinite(clip_from_world), 1 - 1e-6, 1)
    corners = clip @ np.linalg.inv(np.asarray(clip_from_world, np.float64)).T
    corners = corners[:, :3] / corners[:, 3:]
    ray = corners[4:] - corners[:4]
    length = np.linalg.norm(ray, axis=1, keepdims=True).max()
    corners[4:] = corners[:4] + ray * min(1.0, reach / max(length, 1e-30))
    return corners


def _is_infinite(clip_from_world) -> bool:
    """Without a far end: its plane has no normal, as with ``Camera.planes``."""
    matrix = np.asarray(clip_from_world, np.float64)
    return bool(np.linalg.norm(matrix[3, :3] - matrix[2, :3]) < 1e-9 * np.linalg.norm(matrix[3, :3]))


def frustum_segments(clip_from_world, reach: float) -> np.ndarray:
    """(12, 2, 3) float64 edges of the same."""
    return frustum_corners(clip_from_world, reach)[_EDGES]


def widen(segments, clip_from_world, color, width: float, size) -> tuple:
    """Triangles in clip space for lines of constant width on screen.

    Parameters
    ----------
    segments : (K, 2, 3) float64, world space
    clip_from_world : (4, 4) float64
    color : (4,) sRGB and alpha
    width : float, pixels
    size : (width, height) of the picture in pixels

    Returns
    -------
    positions : (6 * K', 4) float32
        K' of the K segments reach before the near plane.
    colors : (6 * K', 4) float32
    """
    ends = np.concatenate((segments, np.ones((*segments.shape[:2], 1))), axis=2) @ np.asarray(clip_from_world, np.float64).T
    near = ends[:, :, 3] + ends[:, :, 2]  # distance before the near plane, in clip units
    keep = (near > 0).any(axis=1)
    ends, near = ends[keep], near[keep]
    for this, other in ((0, 1), (1, 0)):
        behind = near[:, this] <= 0
        # Just before the plane, so that w stays positive.
        share = (near[:, this] / np.where(behind, near[:, this] - near[:, other], 1))[:, None] * (1 + 1e-6)
        moved = ends[:, this] + (ends[:, other] - ends[:, this]) * np.minimum(share, 1)
        ends[:, this] = np.where(behind[:, None], moved, ends[:, this])
    half = np.array(size, np.float64) / 2
    screen = ends[:, :, :2] / ends[:, :, 3:] * half
    along = screen[:, 1] - screen[:, 0]
    along = along / np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-9)
    across = np.stack((-along[:, 1], along[:, 0]), axis=1) * (width / 2) / half
    corners = np.repeat(ends[:, :, None], 2, axis=2)  # (K', end, side, 4)
    corners[:, :, 0, :2] += across[:, None] * ends[:, :, 3:]
    corners[:, :, 1, :2] -= across[:, None] * ends[:, :, 3:]
    quads = corners.reshape(-1, 4, 4)[:, (0, 1, 2, 2, 1, 3)].reshape(-1, 4)
    return quads.astype(np.float32), np.tile(np.asarray(color, np.float32), (len(quads), 1))
