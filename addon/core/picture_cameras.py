"""Cameras for pictures: a view fitted to a picture's proportions, and one that overlooks a whole scene."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .culling.camera import Camera

OVERVIEW = "overview"


def fitted(camera: Camera, size) -> Camera:
    """`camera` widened or heightened until it fills a picture of `size` (width, height) pixels: nothing of its view is lost."""
    if camera.clip_from_world is None:
        return camera
    matrix = np.array(camera.clip_from_world, np.float64)
    back = _backward(camera)
    width, height = (np.linalg.norm(row - (row @ back) * back) for row in matrix[:2, :3])
    ratio = (height / width) / (size[0] / size[1])
    if ratio < 1:
        matrix[0] *= ratio
        return replace(camera, clip_from_world=matrix)
    matrix[1] /= ratio
    return replace(camera, clip_from_world=matrix, screen_factor=camera.screen_factor / ratio)


def _backward(camera):
    """(3,) float64 unit vector from what the camera looks at towards it."""
    row = camera.clip_from_world[3, :3] if camera.is_perspective else camera.clip_from_world[2, :3]
    return -row / np.linalg.norm(row)


def eye(camera: Camera) -> tuple:
    """(4,): direction to the eye, for orthographic cameras; then 1 where the eye is at `position` instead, else 0."""
    return (*_backward(camera), 1.0 if camera.is_perspective else 0.0)


def tightened(camera: Camera, box_min, box_max) -> Camera:
    """A perspective `camera` with its clip distances moved to the boxes (K, 3), (K, 3) it draws: the depth buffer then tells more apart."""
    planes, back, eye = camera.planes(), _backward(camera), np.asarray(camera.position, np.float64)
    drawn = np.isfinite(box_min).all(axis=1) & np.isfinite(box_max).all(axis=1)  # what has no extent has no box
    if not camera.is_perspective or not drawn.any():
        return camera
    box_min, box_max = np.asarray(box_min)[drawn], np.asarray(box_max)[drawn]
    near, far = -(planes[4, :3] @ eye + planes[4, 3]), planes[5, :3] @ eye + planes[5, 3]
    closest, farthest = (np.where(back >= 0, *boxes).astype(np.float64) @ back for boxes in ((box_max, box_min), (box_min, box_max)))
    near = max(near, 0.99 * float((eye @ back - closest).min()))
    far = min(far, 1.01 * float((eye @ back - farthest).max()))
    if not far > near > 0:
        return camera
    matrix = np.array(camera.clip_from_world, np.float64)
    scale = np.linalg.norm(matrix[3, :3])
    matrix[2] = matrix[3] * (far + near) / (far - near)
    matrix[2, 3] -= 2 * far * near / (far - near) * scale
    return replace(camera, clip_from_world=matrix)


def overview(camera: Camera, low, high, up, size, is_mirrored: bool = False) -> Camera:
    """Look down on the box (3,) `low` to `high` from behind `camera`, 35 degrees steep, zoomed until the box just fits.

    `up`: (3,) unit vector. `is_mirrored`: the axes are left-handed.
    """
    low, high, up, stand = (np.asarray(v, np.float64) for v in (low, high, up, camera.position))
    # One that looks straight down has its own up to go by.
    wishes = [np.roll(up, 1)] if camera.clip_from_world is None else [-_backward(camera), camera.clip_from_world[1, :3], np.roll(up, 1)]
    level = [wish - (wish @ up) * up for wish in wishes]
    forward = next(one for wish, one in zip(wishes, level) if np.linalg.norm(one) > 1e-3 * np.linalg.norm(wish))
    forward = forward / np.linalg.norm(forward)
    middle, radius = (low + high) / 2, float(np.linalg.norm(high - low)) / 2 or 1.0
    angle = np.radians(35)
    back = up * np.sin(angle) - forward * np.cos(angle)
    right = np.cross(forward, up) * (-1 if is_mirrored else 1)
    slope = 1 / np.tan(np.radians(20))
    distance = radius * slope * 0.85
    near, far = distance * 1e-3, distance + 4 * radius  # `tightened` moves them
    view = np.eye(4)
    view[:3, :3] = np.stack((right, up * np.cos(angle) + forward * np.sin(angle), back))
    position = middle + back * distance
    view[:3, 3] = -view[:3, :3] @ position
    project = np.diag([slope, slope, (far + near) / (near - far), 0.0])
    project[2, 3], project[3, 2] = 2 * far * near / (near - far), -1
    project[0, 0] = slope * size[1] / size[0]
    points = [np.where([i & 1, i & 2, i & 4], high, low) for i in range(8)]
    if np.linalg.norm(stand - middle) < 2 * radius:  # near enough to be shown too
        points.append(stand)
    clip = np.column_stack((points, np.ones(len(points)))) @ (project @ view).T
    screen = clip[:, :2] / clip[:, 3:]
    lowest, highest = screen.min(axis=0), screen.max(axis=0)
    project[:2, 2] += (lowest + highest) / 2  # a lens shift: w is -z
    if (highest - lowest).any():  # else there is nothing but a point to see
        project[:2] *= 0.94 / float((highest - lowest).max() / 2)
    return Camera(OVERVIEW, project @ view, position, True, project[1, 1] / 2)
