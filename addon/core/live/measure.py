"""What one instance measures against one view: the decisions of `culling.decide`, and beside each its number in float64.

Where rounding makes a number and a decision disagree, the decision is right: it is what the culler does.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from ..culling.bounds import InstanceBounds
from ..culling.camera import CullView
from ..culling.decide import beyond_distance, box_inside, box_outside, sphere_outside

#: names of `CullView.outer`'s rows
PLANES = ("left", "right", "bottom", "top", "near", "far")


def one_row(bounds: InstanceBounds, row: int) -> InstanceBounds:
    """`bounds` of a single row."""
    return InstanceBounds(*(getattr(bounds, field.name)[row:row + 1] for field in fields(bounds)[:-1]), bounds.carries_rounding)


@dataclass(frozen=True)
class Reach:
    """How far something reaches before one plane.

    Attributes
    ----------
    plane : str
    slack : float
        Scene units; negative: it lies that far behind the plane.
    outside : bool
        The decision.
    size : float
        Scene units: of what reaches, from its centre along the plane's normal.
    """

    plane: str
    slack: float
    outside: bool
    size: float

    @property
    def agrees(self) -> bool:
        """The number has the sign of the decision."""
        return (self.slack < 0) == self.outside


def sphere_reaches(view: CullView, one: InstanceBounds) -> list:
    """`Reach` of the sphere of `one` (a single row) before each plane."""
    center, radius = one.center[0].astype(np.float64), float(one.radius[0])
    out = []
    for name, plane, only in _planes(view):
        slack = float(center @ plane[:3] + plane[3]) + radius
        out.append(Reach(name, slack, bool(sphere_outside(only, *one.center.T, one.radius)[0]), radius))
    return out


def box_reaches(view: CullView, one: InstanceBounds) -> list:
    """`Reach` of the box of `one` before each plane."""
    low, high = one.box_min[0].astype(np.float64), one.box_max[0].astype(np.float64)
    out = []
    for name, plane, only in _planes(view):
        slack = float(np.where(plane[:3] >= 0, high, low) @ plane[:3] + plane[3])
        size = float(np.abs(plane[:3]) @ (high - low)) / 2
        out.append(Reach(name, slack, bool(box_outside(only, one.box_min, one.box_max)[0]), size))
    return out


def _planes(view):
    """Name, float64 plane, and a view of that plane alone; not those at infinity, which keep everything."""
    for number, plane in enumerate(view.outer):
        if not plane[:3].any():
            continue
        name = PLANES[number] if number < len(PLANES) else f"plane {number}"
        only = CullView(view.outer[number:number + 1], view.inner[number:number + 1], view.position,
                        view.margins[number:number + 1], view.lod_factor, view.is_perspective)
        yield name, plane.astype(np.float64), only


def worst(reaches) -> Reach | None:
    """The plane that drops it by most; where none does, the one that it is nearest to being dropped by. None without planes."""
    dropping = [reach for reach in reaches if reach.outside]
    return min(dropping or reaches, key=lambda reach: reach.slack, default=None)


def needed_scale(reaches) -> float:
    """By what the bounds must grow about their centre to reach past every plane; infinite where they have no size."""
    scale = 1.0
    for reach in reaches:
        if reach.outside:
            scale = max(scale, 1 - min(reach.slack, 0) / reach.size if reach.size > 0 else np.inf)
    return scale


def distance(view: CullView, one: InstanceBounds) -> tuple:
    """Distance from the camera to the nearest point of the sphere, scene units; and whether its cull radius drops it."""
    away = float(np.linalg.norm(one.center[0].astype(np.float64) - view.position.astype(np.float64)))
    beyond = beyond_distance(view, *one.center.T, one.radius, one.cull_radius)[0]
    return max(away - float(one.radius[0]), 0.0), bool(beyond)


def screen_size(view: CullView, one: InstanceBounds) -> float:
    """The sphere's diameter as a share of the view's height, no bias counted; infinite at the camera itself."""
    away = float(np.linalg.norm(one.center[0].astype(np.float64) - view.position.astype(np.float64)))
    size = float(one.radius[0]) * float(view.lod_factor) ** 0.5
    if not view.is_perspective:
        return size
    return size / away if away > 0 else np.inf


def box_states(view: CullView, nodes) -> list:
    """"inside", "partial" or "outside" of each of `nodes` (CLUSTER_NODE)."""
    inside = box_inside(view, nodes["box_min"], nodes["box_max"])
    outside = box_outside(view, nodes["box_min"], nodes["box_max"])
    return ["outside" if out else "inside" if all_in else "partial" for out, all_in in zip(outside, inside)]
