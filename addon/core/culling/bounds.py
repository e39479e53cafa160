"""World bounds of instances as structure-of-arrays: the stream that culling reads instead of whole records."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import layout
from ..scene import SceneData

#: sizes are grown by this share, and by `_ROUNDING` of every term that a coordinate is summed from: five roundings in float32 are less
_GROW = np.float32(1 + 2.0 ** -21)
_ROUNDING = np.float32(2.0 ** -21)


@dataclass(frozen=True)
class InstanceBounds:
    """Bounds in instance-row order, world space, scene axes and units. All arrays float32 unless said otherwise.

    Attributes
    ----------
    center : (N, 3)
    radius : (N,)
        Bounding sphere.
    box_min, box_max : (N, 3)
        Axis-aligned box; contains the transformed local box and `center`, which makes whole-node decisions exact for both tests.
    cull_radius : (N,)
        Distance past which the instance is dropped; 0: none.
    drawable : (N,) bool
        VALID and VISIBLE.
    """

    center: np.ndarray
    radius: np.ndarray
    box_min: np.ndarray
    box_max: np.ndarray
    cull_radius: np.ndarray
    drawable: np.ndarray

    def __len__(self):
        return len(self.radius)

    @property
    def extent(self) -> float:
        """Largest absolute coordinate of any box."""
        return float(max(np.abs(self.box_min).max(initial=0.0), np.abs(self.box_max).max(initial=0.0)))


def instance_bounds(scene: SceneData, scale: float = 1.0) -> InstanceBounds:
    """Bounds of every instance; `scale` grows sphere and box about their centres. Rows that are not valid get an empty box at a valid neighbour's centre."""
    transforms, primitives = scene["instance_transforms"], scene["primitives"]
    of = primitives[scene["instance_data"]["primitive_id"]]
    axes = [transforms[name] for name in ("x_axis", "y_axis", "z_axis")]

    def place(points):
        return axes[0] * points[:, 0:1] + axes[1] * points[:, 1:2] + axes[2] * points[:, 2:3] + transforms["position"]

    valid = (transforms["flags"] & layout.INSTANCE_VALID) != 0
    def terms(points):
        """(N, 3) sum of the sizes of what `place` adds: a mesh far from its own origin rounds at that distance, wherever it ends up."""
        return sum((np.abs(axis) * np.abs(points[:, i:i + 1]) for i, axis in enumerate(axes)), np.abs(transforms["position"]))

    with np.errstate(over="ignore", invalid="ignore"):
        center = place(of["sphere_center"])
        radius = transforms["bounding_radius"] * np.float32(scale) * _GROW + terms(of["sphere_center"]).max(axis=1, initial=0) * (2 * _ROUNDING)
        farthest = np.maximum(np.abs(of["box_min"]), np.abs(of["box_max"]))
        middle = place((of["box_min"] + of["box_max"]) * np.float32(0.5))
        half = (of["box_max"] - of["box_min"]) * np.float32(0.5)
        reach = sum(np.abs(axis) * half[:, i:i + 1] for i, axis in enumerate(axes)) * np.float32(scale)
        reach = reach * _GROW + terms(farthest) * _ROUNDING + np.float32(1e-30)
        box_min, box_max = np.minimum(middle - reach, center), np.maximum(middle + reach, center)
        valid = valid & np.isfinite(box_min).all(axis=1) & np.isfinite(box_max).all(axis=1) & np.isfinite(center).all(axis=1) & np.isfinite(radius)
    if not valid.all():
        fallback = center[np.argmax(valid)] if valid.any() else np.zeros(3, np.float32)
        center, box_min, box_max = (np.where(valid[:, None], a, fallback) for a in (center, box_min, box_max))
        radius = np.where(valid, radius, 0)
    cull_radius = scene["instance_data"]["custom_data"][:, 0, 0]
    drawable = valid & ((transforms["flags"] & layout.INSTANCE_VISIBLE) != 0)
    return InstanceBounds(*(np.ascontiguousarray(a, np.float32) for a in (center, radius, box_min, box_max, cull_radius)), drawable)
