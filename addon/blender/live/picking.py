"""Which instance lies under the cursor: Blender's own ray cast where there is a surface, else the nearest box along the ray."""

from __future__ import annotations

import numpy as np

#: how far apart the numbers of two matrices may be that mean the same, as a share of the largest: instancing composes in float32
_TOLERANCE = 2e-5


def pick(tables, scene, depsgraph, origin, direction) -> int | None:
    """Slot of the instance that a ray meets first, or None.

    Parameters
    ----------
    tables : core.live.tables.LiveTables
    scene : bpy.types.Scene
    depsgraph : bpy.types.Depsgraph
    origin, direction : sequence of 3 float
        Blender's axes, world space.
    """
    hit, _location, _normal, _face, obj, matrix = scene.ray_cast(depsgraph, origin, direction)
    if hit and obj is not None:
        slot = slot_of_matrix(tables, obj.name_full, np.array(matrix, np.float64))
        if slot is not None:
            return slot
    to_target = tables.convention.target_from_blender()
    origin = (to_target @ np.append(np.asarray(origin, np.float64), 1.0))[:3]
    direction = to_target[:3, :3] @ np.asarray(direction, np.float64)
    return slot_of_ray(tables, origin, direction)


def slot_of_matrix(tables, source: str, world) -> int | None:
    """The slot that shows the object `source` at the matrix `world`, or None.

    Parameters
    ----------
    source : str
        Full name of the object whose mesh is shown.
    world : (4, 4) float64
        Blender's axes.
    """
    if source not in tables.names:
        return None
    slots = np.flatnonzero(tables.alive & (tables.sources == tables.names.index(source)))
    if not len(slots):
        return None
    to_target = tables.convention.target_from_blender()
    wanted = (to_target @ world @ np.linalg.inv(to_target))[:3].T  # one axis a row, the position last
    rows = tables.transforms[slots]
    found = np.stack([rows[name] for name in ("x_axis", "y_axis", "z_axis", "position")], axis=1)[:, :, :3]
    errors = np.abs(found - wanted).max(axis=(1, 2))
    nearest = int(np.argmin(errors))
    return int(slots[nearest]) if errors[nearest] <= _TOLERANCE * max(1.0, float(np.abs(wanted).max())) else None


def slot_of_ray(tables, origin, direction) -> int | None:
    """The drawable slot whose box a ray enters first, or None; boxes that hold the origin come last.

    Parameters
    ----------
    origin, direction : (3,) float64
        Scene axes and units.
    """
    bounds = tables.bounds
    origin, direction = np.asarray(origin, np.float64), np.asarray(direction, np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        inverse = 1.0 / direction
        near, far = (bounds.box_min - origin) * inverse, (bounds.box_max - origin) * inverse
    # An axis along which the ray does not move bounds nothing where the origin lies between the sides, and everything elsewhere.
    still = direction == 0
    between = (bounds.box_min <= origin) & (origin <= bounds.box_max)
    low = np.where(still, np.where(between, -np.inf, np.inf), np.minimum(near, far)).max(axis=1)
    high = np.where(still, np.where(between, np.inf, -np.inf), np.maximum(near, far)).min(axis=1)
    meets = (low <= high) & (high >= 0) & bounds.drawable & tables.alive
    if not meets.any():
        return None
    inside = low < 0
    order = np.lexsort((low, inside, ~meets))
    return int(order[0])
