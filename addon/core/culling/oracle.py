"""The float64 truth that every path is held against: every instance, true planes, true distances, bounds composed in float64.

It shares no arithmetic with `decide`. A path may keep what `Truth.may_be_kept` allows; it must keep all of `Truth.visible`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import layout
from ..scene import SceneData
from .bounds import InstanceBounds
from .camera import Camera, CullView


def exact_bounds(scene: SceneData) -> InstanceBounds:
    """As `bounds.instance_bounds`, in float64 and with nothing grown: eight corners for the box, the largest singular value
    for the sphere.
    """
    transforms, of = scene["instance_transforms"], scene["primitives"][scene["instance_data"]["primitive_id"]]
    matrices = np.stack([transforms[name] for name in ("x_axis", "y_axis", "z_axis")], axis=2).astype(np.float64)
    position = transforms["position"].astype(np.float64)
    flags = np.uint32(layout.INSTANCE_VALID | layout.INSTANCE_VISIBLE)
    finite = np.isfinite(matrices).all(axis=(1, 2)) & np.isfinite(position).all(axis=1)
    matrices, position = np.where(finite[:, None, None], matrices, 0), np.where(finite[:, None], position, 0)
    low, high = of["box_min"].astype(np.float64), of["box_max"].astype(np.float64)
    corners = np.stack([np.where(np.array([i & 1, i & 2, i & 4], bool), high, low) for i in range(8)], axis=1)
    corners = np.einsum("nij,nkj->nki", matrices, corners) + position[:, None]
    center = np.einsum("nij,nj->ni", matrices, of["sphere_center"].astype(np.float64)) + position
    stretch = np.linalg.svd(matrices, compute_uv=False)[:, 0] if len(matrices) else np.zeros(0)
    drawable = finite & ((transforms["flags"] & flags) == flags)
    return InstanceBounds(center, of["sphere_radius"] * stretch, corners.min(axis=1, initial=np.inf),
                          corners.max(axis=1, initial=-np.inf),
                          scene["instance_data"]["custom_data"][:, 0, 0].astype(np.float64), drawable)


@dataclass(frozen=True)
class Truth:
    """What one camera truly sees.

    Attributes
    ----------
    planes : (P, N) float64
        How far each instance reaches before each plane: the lesser of sphere and box. Negative: wholly behind it.
    distance : (N,) float64
        How far inside its cull radius the nearest point of its sphere is; infinite without one.
    drawable : (N,) bool
    """

    planes: np.ndarray
    distance: np.ndarray
    drawable: np.ndarray

    @property
    def visible(self) -> np.ndarray:
        """(N,) bool."""
        return self.drawable & (self.distance >= 0) & (self.planes >= 0).all(axis=0)

    @property
    def slack(self) -> np.ndarray:
        """(N,) float64: the least of all; what is negative by little is what rounding may keep."""
        return np.where(self.drawable, np.minimum(self.distance, self.planes.min(axis=0, initial=np.inf)), -np.inf)

    def may_be_kept(self, view: CullView, bounds: InstanceBounds, exact: InstanceBounds) -> np.ndarray:
        """(N,) bool, the documented margin: twice ``view.margins`` behind a plane, and a millionth past a cull radius, beyond
        what `bounds` are larger than `exact`.
        """
        growth = np.sqrt(3) * np.maximum(np.abs(bounds.box_min - exact.box_min),
                                         np.abs(bounds.box_max - exact.box_max)).max(axis=1, initial=0)
        growth = np.maximum(growth, bounds.radius - exact.radius + np.linalg.norm(bounds.center - exact.center, axis=1))
        reach = np.maximum(exact.cull_radius + exact.radius, 0) + np.abs(view.position.astype(np.float64)).max()
        before = (self.planes >= -2 * view.margins[:, None] - growth).all(axis=0)
        return self.drawable & before & (self.distance >= -1e-6 * reach - growth)


def truth(camera: Camera, exact: InstanceBounds) -> Truth:
    """Test every instance of `exact` (float64) against the true planes."""
    planes = camera.planes()
    slack = np.empty((len(planes), len(exact)))
    for row, plane in zip(slack, planes):
        corner = np.where(plane[:3] >= 0, exact.box_max, exact.box_min)
        row[:] = np.minimum(exact.center @ plane[:3] + plane[3] + exact.radius, corner @ plane[:3] + plane[3])
    away = np.linalg.norm(exact.center - np.asarray(camera.position, np.float64), axis=1) - exact.radius
    return Truth(slack, np.where(exact.cull_radius > 0, exact.cull_radius - away, np.inf), exact.drawable)
