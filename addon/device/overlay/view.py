"""What an overlay needs of the view that it is drawn in, as the uniform block has it."""

from __future__ import annotations

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
    is_perspective = np.linalg.norm(matrix[3, :3]) > 1e-12 * np.linalg.norm(matrix[:2, :3])
    if is_perspective:
        matrix /= np.linalg.norm(matrix[3, :3])  # w is then the distance along the view
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
        row["depth_scale"] = np.linalg.norm(matrix[2, :3])
    height = np.linalg.norm(matrix[1, :3])
    row["pixels_per_unit"] = height * size[1] / 2
    row["lift"] = _LIFT if is_perspective else _LIFT * 2 / height
    row["size"] = size
    row["line_width"], row["smallest"], row["largest"] = LINE_WIDTH * scale, SMALLEST_POINT * scale, LARGEST_POINT * scale
    return row


def corners_row(clip_from_scene, reach: float) -> np.ndarray:
    """(1,) OVERLAY_CORNERS of a camera's frustum, its far end no farther than `reach`."""
    row = OVERLAY_CORNERS.empty(1)
    row[0, :, :3] = frustum_corners(clip_from_scene, reach)
    return row


def is_within(clip_from_scene, corners, point) -> bool:
    """Whether a point lies between the sides of a camera's frustum, its apex included; to a thousandth of its length.

    Parameters
    ----------
    corners : (1,) OVERLAY_CORNERS
        Of the same camera.
    point : (3,) float
    """
    matrix = np.asarray(clip_from_scene, np.float64)
    planes = np.stack((matrix[3] + matrix[0], matrix[3] - matrix[0], matrix[3] + matrix[1], matrix[3] - matrix[1]))
    distances = planes @ (*point, 1.0) / np.linalg.norm(planes[:, :3], axis=1)
    length = np.linalg.norm(corners[0, 4] - corners[0, 0])
    return bool((distances > -1e-3 * length).all())
