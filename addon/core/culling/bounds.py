"""World bounds of instances as structure-of-arrays: the stream that culling reads instead of whole records."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import layout
from ..scene import SceneData
from ..transforms import for_chunks

#: sizes are grown by this share, and by `_ROUNDING` of every term that a coordinate is summed from: five roundings in float32
#: are less
_GROW = np.float32(1 + 2.0 ** -21)
_ROUNDING = np.float32(2.0 ** -21)
#: and by this share of their largest coordinate, for what a plane test rounds: less than 12 * 2**-24 of it
_TEST_ROUNDING = np.float32(2.0 ** -20)


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
    carries_rounding : bool
        The bounds have been grown by what a plane test rounds at their own distance from the origin, so that planes need not
        be moved for it:
        one instance astray, 1e30 away, would otherwise widen every plane until all others are kept.
    """

    center: np.ndarray
    radius: np.ndarray
    box_min: np.ndarray
    box_max: np.ndarray
    cull_radius: np.ndarray
    drawable: np.ndarray
    carries_rounding: bool = False

    def __len__(self):
        return len(self.radius)

    @property
    def extent(self) -> float:
        """What `CullView.of` allows rounding for: the largest absolute coordinate of any box; 0 where the bounds carry it
        themselves.
        """
        if self.carries_rounding:
            return 0.0
        return float(max(np.abs(self.box_min).max(initial=0.0), np.abs(self.box_max).max(initial=0.0)))


def instance_bounds(scene: SceneData, scale: float = 1.0) -> InstanceBounds:
    """Bounds of every instance; `scale` grows sphere and box about their centres. Rows that are not valid get an empty box at
    a valid neighbour's centre.

    Cost: about 0.1 us an instance, on two threads.
    """
    transforms, data = scene["instance_transforms"], scene["instance_data"]
    shapes = local_shapes(scene["primitives"])
    center, radius, box_min, box_max, valid = row_bounds(transforms, data["primitive_id"], shapes, scale)
    if not valid.all():
        fallback = center[np.argmax(valid)].copy() if valid.any() else np.zeros(3, np.float32)
        center[~valid] = box_min[~valid] = box_max[~valid] = fallback
        radius[~valid] = 0
    cull_radius = np.ascontiguousarray(data["custom_data"][:, 0, 0])
    drawable = valid & ((transforms["flags"] & layout.INSTANCE_VISIBLE) != 0)
    return InstanceBounds(center, radius, box_min, box_max, cull_radius, drawable, True)


def local_shapes(primitives) -> np.ndarray:
    """(3, 3, P) float32: sphere centre, box minimum and box maximum of each primitive, a column each."""
    shapes = np.stack([primitives[name] for name in ("sphere_center", "box_min", "box_max")]).transpose(0, 2, 1)
    return np.ascontiguousarray(shapes, np.float32)


def row_bounds(transforms, primitive_ids, shapes, scale: float = 1.0) -> tuple:
    """Bounds of any rows, as bare arrays.

    Parameters
    ----------
    transforms : (K,) INSTANCE_TRANSFORM, contiguous
    primitive_ids : (K,) integer
        Into `shapes`.
    shapes : (3, 3, P) float32
        Of `local_shapes`.
    scale : float
        Grows sphere and box about their centres.

    Returns
    -------
    center : (K, 3) float32
    radius : (K,) float32
    box_min, box_max : (K, 3) float32
    valid : (K,) bool
        VALID, and all of the above finite. Other rows' values are not to be used.
    """
    count = len(transforms)
    center, box_min, box_max = (np.empty((count, 3), np.float32) for _ in range(3))
    radius, valid = np.empty(count, np.float32), np.empty(count, bool)

    def work(start, stop):
        of = primitive_ids[start:stop]
        shape = shapes[:, :, of[:1]] if (of == of[0]).all() else shapes[:, :, of]
        columns = transforms[start:stop].view(np.float32).reshape(stop - start, 16).T.copy()
        with np.errstate(over="ignore", invalid="ignore"):
            found = _bounds_of(columns, shape, np.float32(scale))
            finite = np.isfinite(found[1])
            for target, values in zip((center, box_min, box_max), (found[0], *found[2:])):
                target[start:stop] = values.T
                finite &= np.isfinite(values).all(axis=0)
        radius[start:stop] = found[1]
        valid[start:stop] = finite & ((transforms["flags"][start:stop] & layout.INSTANCE_VALID) != 0)

    for_chunks(count, work)
    return center, radius, box_min, box_max, valid


def _bounds_of(columns, shape, scale):
    """Centre (3, n), radius (n,), box minimum and maximum (3, n), from record columns (16, n) and local sphere centre, box
    minimum and maximum (3, 3, n or 1).
    """
    axes, position, own_radius = (columns[0:3], columns[4:7], columns[8:11]), columns[12:15], columns[3]
    sphere_center, low, high = shape

    def place(points):
        return axes[0] * points[0] + axes[1] * points[1] + axes[2] * points[2] + position

    def terms(points):
        """Sum of the sizes of what `place` adds: a mesh far from its own origin rounds at that distance, wherever it ends up."""
        return sum((np.abs(axis) * np.abs(points[i]) for i, axis in enumerate(axes)), np.abs(position))

    center = place(sphere_center)
    radius = own_radius * scale * _GROW + terms(sphere_center).max(axis=0) * (2 * _ROUNDING + _TEST_ROUNDING)
    middle = place((low + high) * np.float32(0.5))
    half = (high - low) * np.float32(0.5)
    reach = sum(np.abs(axis) * half[i] for i, axis in enumerate(axes)) * scale
    reach = reach * _GROW + terms(np.maximum(np.abs(low), np.abs(high))) * _ROUNDING + np.float32(1e-30)
    reach = reach + (np.abs(middle) + reach).max(axis=0) * _TEST_ROUNDING
    return center, radius, np.minimum(middle - reach, center), np.maximum(middle + reach, center)
