"""Bounds as a structure of arrays, in any order: what the CPU tests read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .bounds import InstanceBounds
from .camera import CullView
from .decide import beyond_distance, plane_distance

#: rows of `BoundsStream.data`
X, Y, Z, RADIUS, BOX_MIN, BOX_MAX, CULL_RADIUS = 0, 1, 2, 3, 4, 7, 10
#: instances to a block: a column of it is 512 KiB, which stays in the second-level cache; smaller blocks pay more for calls
#: than they save
BLOCK = 1 << 17


@dataclass(frozen=True)
class BoundsStream:
    """`InstanceBounds` by column.

    Attributes
    ----------
    data : (11, K) float32, C-contiguous
        x, y, z, radius, box minimum (3), box maximum (3), cull radius.
    drawable : (K,) bool
    has_cull_radius, all_drawable : bool
        Whether any cull radius is set; whether nothing is hidden or invalid. They let whole tests be left out.
    """

    data: np.ndarray
    drawable: np.ndarray
    has_cull_radius: bool
    all_drawable: bool

    def __len__(self):
        return self.data.shape[1]

    @classmethod
    def of(cls, bounds: InstanceBounds, rows=None) -> "BoundsStream":
        """`bounds` in the order of `rows` (None: row order). 45 bytes an instance; make it once for a scene, not for a frame."""
        pick = (lambda a: a) if rows is None else (lambda a: a[rows])
        data = np.empty((11, len(bounds) if rows is None else len(rows)), np.float32)
        for at, source in ((X, bounds.center), (BOX_MIN, bounds.box_min), (BOX_MAX, bounds.box_max)):
            data[at:at + 3] = pick(source).T
        data[RADIUS], data[CULL_RADIUS] = pick(bounds.radius), pick(bounds.cull_radius)
        drawable = np.ascontiguousarray(pick(bounds.drawable))
        return cls(data, drawable, bool((data[CULL_RADIUS] > 0).any()), bool(drawable.all()))

    def keep_without_frustum(self, view: CullView, at) -> np.ndarray:
        """(K,) bool: drawable and not beyond its cull radius. `at` is a slice or (K,) positions."""
        keep = self.drawable[at]
        if self.has_cull_radius:
            x, y, z, radius = (self.data[row][at] for row in (X, Y, Z, RADIUS))
            keep = keep & ~beyond_distance(view, x, y, z, radius, self.data[CULL_RADIUS][at])
        return keep

    def visible(self, view: CullView, at, planes=None) -> np.ndarray:
        """Positions among `at` (a slice, or (K,) integers; at most about `BLOCK`) that `decide.instance_visible` keeps.

        `planes` (Q, 4): those of ``view.outer`` that can drop any of them; None: all. The same comparisons in another order:
        after each pair of planes the dropped are left behind once they are a third.
        """
        data, planes = self.data, view.outer if planes is None else planes
        positions = np.arange(at.start, at.stop) if isinstance(at, slice) else at
        if not self.all_drawable or self.has_cull_radius:
            keep = self.keep_without_frustum(view, at)
            if not keep.all():
                at = positions = positions[keep]
        # Spheres first: four columns for all planes. Then boxes, three columns a plane, for what is left.
        columns = [data[row][at] for row in (X, Y, Z, RADIUS)]
        outside = np.zeros(len(positions), bool)
        for number, plane in enumerate(planes):
            outside |= plane_distance(plane, *columns[:3]) + columns[3] < 0
            if number % 2 and np.count_nonzero(outside) * 3 > len(outside):
                keep = np.flatnonzero(~outside)
                if not len(keep):
                    return positions[:0]
                at = positions = positions[keep]
                columns, outside = [column[keep] for column in columns], np.zeros(len(keep), bool)
        for plane in planes:
            corner = [data[(BOX_MAX if plane[i] >= 0 else BOX_MIN) + i][at] for i in range(3)]
            outside |= plane_distance(plane, *corner) < 0
        return positions[~outside] if outside.any() else positions
