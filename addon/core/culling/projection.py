"""Projection and view matrices, for cameras that do not come from Blender's own: OpenGL clip space, column vectors, float64."""

from __future__ import annotations

import numpy as np

from .camera import Camera


def perspective(height: float, aspect: float, near: float, far: float, shift=(0.0, 0.0)) -> np.ndarray:
    """(4, 4). `height` of the view at distance 1 (2 tan(fov / 2)); `aspect` width over height; `shift` of the lens, as a share
    of width and of height. `far` may be infinite.
    """
    return _frustum(height * near, aspect, near, far, shift, True)


def orthographic(height: float, aspect: float, near: float, far: float, shift=(0.0, 0.0)) -> np.ndarray:
    """(4, 4). `height` of the view in scene units."""
    return _frustum(height, aspect, near, far, shift, False)


def _frustum(height, aspect, near, far, shift, is_perspective):
    x, y = 2 / (height * aspect), 2 / height
    out = np.diag([x, y, 0.0, 0.0])
    if is_perspective:
        out[0, 0], out[1, 1] = x * near, y * near
        out[0, 2], out[1, 2], out[3, 2] = 2 * shift[0], 2 * shift[1], -1
        out[2, 2:] = (-1, -2 * near) if np.isinf(far) else (-(far + near) / (far - near), -2 * far * near / (far - near))
    else:
        out[0, 3], out[1, 3], out[3, 3] = -2 * shift[0], -2 * shift[1], 1
        out[2, 2:] = -2 / (far - near), -(far + near) / (far - near)
    return out


def view_from_world(eye, target, up=(0.0, 0.0, 1.0)) -> np.ndarray:
    """(4, 4) of a camera at `eye` that looks at `target` along its -Z; another axis stands in where `up` is along the view."""
    eye = np.asarray(eye, np.float64)
    back = eye - np.asarray(target, np.float64)
    back = back / np.linalg.norm(back)
    right = np.cross(up, back)
    if np.linalg.norm(right) < 1e-9:
        right = np.cross((0.0, 1.0, 0.0) if abs(back[1]) < 0.9 else (1.0, 0.0, 0.0), back)
    right = right / np.linalg.norm(right)
    out = np.eye(4)
    out[:3, :3] = right, np.cross(back, right), back
    out[:3, 3] = -out[:3, :3] @ eye
    return out


def camera(name: str, clip_from_view: np.ndarray, eye, target, up=(0.0, 0.0, 1.0)) -> Camera:
    """A `Camera` of the matrices above; the screen factor is half of the projection's y scale."""
    return Camera(name, clip_from_view @ view_from_world(eye, target, up), np.asarray(eye, np.float64), bool(clip_from_view[3, 3] == 0),
                  float(clip_from_view[1, 1]) / 2)
