"""The decisions themselves, in exact float32. The GLSL of the same names repeats them operation by operation.

Order of operations is part of the contract: ``((nx*x + ny*y) + nz*z) + d``. No square root, division or transcendental decides.
Products and sums of float32 are monotone under rounding, so what holds for a node's box holds bit for bit for every box and
centre inside it
(`InstanceBounds` keeps each centre inside its box).
"""

from __future__ import annotations

import numpy as np

from .camera import CullView


def plane_distance(plane, x, y, z):
    """float32 signed distance of points to one plane (4,), in the fixed order."""
    return ((plane[0] * x + plane[1] * y) + plane[2] * z) + plane[3]


def sphere_outside(view: CullView, x, y, z, radius) -> np.ndarray:
    """True where a sphere lies wholly behind a plane: ``distance + radius < 0``."""
    outside = np.zeros(np.shape(x), bool)
    for plane in view.outer:
        outside |= plane_distance(plane, x, y, z) + radius < 0
    return outside


def box_outside(view: CullView, box_min, box_max) -> np.ndarray:
    """True where an axis-aligned box (K, 3), (K, 3) lies wholly behind a plane, by its corner farthest along the normal."""
    outside = np.zeros(len(box_min), bool)
    for plane in view.outer:
        corner = [(box_max if plane[i] >= 0 else box_min)[:, i] for i in range(3)]
        outside |= plane_distance(plane, *corner) < 0
    return outside


def box_inside(view: CullView, box_min, box_max) -> np.ndarray:
    """True where a box lies wholly before every `inner` plane: then every sphere and box within it passes `sphere_outside` and
    `box_outside`.
    """
    inside = np.ones(len(box_min), bool)
    for plane in view.inner:
        corner = [(box_min if plane[i] >= 0 else box_max)[:, i] for i in range(3)]
        inside &= plane_distance(plane, *corner) >= 0
    return inside


def squared_distance(view: CullView, x, y, z):
    """float32 squared distance from the camera, in the fixed order."""
    dx, dy, dz = x - view.position[0], y - view.position[1], z - view.position[2]
    return (dx * dx + dy * dy) + dz * dz


def beyond_distance(view: CullView, x, y, z, radius, cull_radius) -> np.ndarray:
    """True where the nearest point of the sphere is farther than `cull_radius` (0: never): ``d2 > (R + r)^2 * (1 + 2^-20)``."""
    reach = cull_radius + radius
    return (cull_radius > 0) & (squared_distance(view, x, y, z) > (reach * reach) * np.float32(1 + 2.0 ** -20))


def box_squared_distance(view: CullView, box_min, box_max) -> tuple:
    """float32 squared distance from the camera to the nearest and to the farthest point of boxes (K, 3): lower and upper
    bounds for what is inside.
    """
    p = view.position
    near = np.maximum(np.maximum(box_min - p, p - box_max), np.float32(0))
    far = np.maximum(np.abs(box_min - p), np.abs(box_max - p))
    return tuple((d[:, 0] * d[:, 0] + d[:, 1] * d[:, 1]) + d[:, 2] * d[:, 2] for d in (near, far))


def instance_visible(view: CullView, bounds, rows=None) -> np.ndarray:
    """(len(rows),) bool: the exact instance test every path ends in: drawable, distance, sphere, then box. `rows` None takes all.
    """
    pick = (lambda a: a) if rows is None else (lambda a: a[rows])
    center, radius = pick(bounds.center), pick(bounds.radius)
    x, y, z = center[:, 0], center[:, 1], center[:, 2]
    visible = pick(bounds.drawable) & ~beyond_distance(view, x, y, z, radius, pick(bounds.cull_radius))
    visible &= ~sphere_outside(view, x, y, z, radius)
    visible &= ~box_outside(view, pick(bounds.box_min), pick(bounds.box_max))
    return visible
