"""What an overlay needs of the view that it is drawn in, as the uniform block has it."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from ...core.overlay import frustum_corners
from .records import OVERLAY_CORNERS, OVERLAY_DRAW

#: lines are drawn this share of their distance (orthographic: of the view's height) before their place
_LIFT = 1e-3
#: pixels
LINE_WIDTH, SMALLEST_POINT, LARGEST_POINT = 1.5, 4.0, 8.0


def view_row(clip_from_scene, size, scale: float = 1.0) -> np.ndarray:
    """(1,) OVERLAY_DRAW with all that does not depend on what is drawn.

    Parameters
    ----------
    clip_from_scene : (4, 4) float
        OpenGL clip space, for column vectors in the tables' axes and units.
    size : (width, height)
        Pixels.
    scale : float
        Of widths and points: the pixel size of the interface.
    """
    matrix = np.array(clip_from_scene, np.float64)
    inverse = np.linalg.inv(matrix)
    row = OVERLAY_DRAW.empty(1)
    eye_w = inverse[3, 2]  # of the point that clips to (0, 0, 1, 0): the eye, or for orthographic views a direction
    is_perspective = _length(matrix[3]) > 1e-12 * _length(matrix[1])
    if is_perspective:
        matrix /= _length(matrix[3])  # w is then the distance along the view
        anchor = inverse[:3, 2] / eye_w
    else:
        matrix /= matrix[3, 3]
        near = inverse @ (0, 0, -1, 1)
        anchor = near[:3] / near[3]
    row["anchor"] = anchor
    move = np.eye(4)
    move[:3, 3] = row["anchor"][0]
    columns = (matrix @ move).T
    row["clip_from_anchor"] = columns
    if is_perspective:
        row["eye_depth"] = (matrix @ (*anchor, 1))[2]
    else:
        row["depth_scale"] = _length(matrix[2])
    height = _length(matrix[1])
    row["pixels_per_unit"] = height * size[1] / 2
    row["lift"] = _LIFT if is_perspective else _LIFT * 2 / height
    row["size"] = size
    row["line_width"], row["smallest"], row["largest"] = LINE_WIDTH * scale, SMALLEST_POINT * scale, LARGEST_POINT * scale
    return row


def _length(plane) -> float:
    """Of a plane's normal; numpy's own norm costs several times as much for three numbers."""
    return math.hypot(*plane[:3].tolist())


class Frustum:
    """A camera's frustum, its far end no farther than `reach` from the near one. Made once a camera: `frustum_of`.

    Attributes
    ----------
    corners : (1,) OVERLAY_CORNERS
    """

    def __init__(self, clip_from_scene: np.ndarray, reach: float):
        self.corners = OVERLAY_CORNERS.empty(1)
        self.corners[0, :, :3] = frustum_corners(clip_from_scene, reach)
        m = clip_from_scene
        sides = np.stack((m[3] + m[0], m[3] - m[0], m[3] + m[1], m[3] - m[1]))
        self._sides = sides / np.linalg.norm(sides[:, :3], axis=1, keepdims=True)
        self._margin = 1e-3 * float(np.linalg.norm(self.corners[0, 4] - self.corners[0, 0]))

    def is_between_sides(self, point) -> bool:
        """Whether a point (3,) lies in the cone of sight, its apex included; to a thousandth of the frustum's length."""
        return bool((self._sides[:, :3] @ point + self._sides[:, 3] > -self._margin).all())


def frustum_of(clip_from_scene, reach: float) -> Frustum:
    """Of a camera's (4, 4) matrix; the last ones are kept."""
    return _frustum(np.asarray(clip_from_scene, np.float64).tobytes(), float(reach))


@lru_cache(maxsize=8)
def _frustum(matrix: bytes, reach: float) -> Frustum:
    return Frustum(np.frombuffer(matrix).reshape(4, 4), reach)
