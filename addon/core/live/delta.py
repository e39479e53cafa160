"""The delta buffer: everything of each changed slot in one record, which one compute pass scatters into the tables."""

from __future__ import annotations

import numpy as np

from ..culling.gpu_streams import NOT_DRAWABLE
from ..culling.lod_select import lod_scale
from ..layout import Field as F
from ..layout import Record
from ..limits import NO_INDEX

LIVE_UPDATE = Record(
    "LiveUpdate",
    "live_updates",
    176,
    (
        F("x_axis", "vec3", "of instance_transforms, as the next seven"),
        F("bounding_radius", "float"),
        F("y_axis", "vec3"),
        F("_pad0", "float"),
        F("z_axis", "vec3"),
        F("_pad1", "float"),
        F("position", "vec3"),
        F("flags", "uint"),
        F("instance_id", "uint", "of instance_data, as the next four"),
        F("primitive_id", "uint"),
        F("lightmap_index", "uint"),
        F("shadowmap_index", "uint"),
        F("custom_data", "vec4", "", 2),
        F("sphere", "vec4", "bounding sphere; radius -1: never drawn"),
        F("box_min", "vec3"),
        F("cull_radius", "float", "0: no limit"),
        F("box_max", "vec3"),
        F("lod_scale", "float", "exp2(-bias) ** 2"),
        F("slot", "uint", "row of instance_transforms and instance_data; 0xFFFFFFFF: this record changes nothing"),
        F("culling_position", "uint", "row of spheres, boxes, cull_radii and lod_inputs"),
        F("_pad2", "uint"),
        F("_pad3", "uint"),
    ),
    "One changed slot of the live tables. Its primitive is that of its segment, so lod_inputs need the scale alone.",
)
_TRANSFORM = ("x_axis", "bounding_radius", "y_axis", "z_axis", "position", "flags")
_DATA = ("instance_id", "primitive_id", "lightmap_index", "shadowmap_index", "custom_data")
_SMALLEST_NORMAL = np.finfo(np.float32).tiny


def gather(tables, clusters, slots, capacity: int | None = None) -> np.ndarray:
    """Records of `slots`.

    Parameters
    ----------
    tables : LiveTables
    clusters : LiveClusters or None
        Whose culling order; None: slots are in culling order themselves.
    slots : (K,) int64
    capacity : int, optional
        Rows to make; what is past K changes nothing. None: K.

    Returns
    -------
    (capacity,) LIVE_UPDATE
    """
    slots = np.asarray(slots, np.int64)
    out = LIVE_UPDATE.empty(len(slots) if capacity is None else capacity)
    out["slot"] = out["culling_position"] = NO_INDEX
    some, transforms, data, bounds = out[:len(slots)], tables.transforms[slots], tables.data[slots], tables.bounds
    for name in _TRANSFORM:
        some[name] = transforms[name]
    for name in _DATA:
        some[name] = data[name]
    some["sphere"][:, :3] = bounds.center[slots]
    some["sphere"][:, 3] = np.where(bounds.drawable[slots], bounds.radius[slots], NOT_DRAWABLE)
    some["box_min"], some["box_max"] = bounds.box_min[slots], bounds.box_max[slots]
    limit = bounds.cull_radius[slots]
    with np.errstate(invalid="ignore"):  # as gpu_streams.cull_radii: a GPU may take a denormal for 0
        some["cull_radius"] = np.where(limit > 0, np.maximum(limit, _SMALLEST_NORMAL), np.float32(0))
    some["lod_scale"] = lod_scale(data["custom_data"][:, 0, 1], tables.options.lod_bias)
    some["slot"], some["culling_position"] = slots, slots if clusters is None else clusters.positions[slots]
    return out


class Jitter:
    """How far what is drawn lags behind: positions as they were last uploaded, against the tables.

    Parameters
    ----------
    tables : LiveTables
        As uploaded in full. Make another one after each new layout.
    """

    def __init__(self, tables):
        self._drawn = np.ascontiguousarray(tables.transforms["position"])
        self._shown = tables.bounds.drawable.copy()

    def uploaded(self, tables, slots) -> None:
        """`slots` are drawn as the tables have them now."""
        self._drawn[slots] = tables.transforms["position"][slots]
        self._shown[slots] = tables.bounds.drawable[slots]

    def measure(self, tables, pending) -> float:
        """Largest distance between drawn and true position of `pending` slots that are drawn and to be drawn, in metres."""
        pending = np.asarray(pending, np.int64)
        pending = pending[self._shown[pending] & tables.bounds.drawable[pending]]
        away = tables.transforms["position"][pending].astype(np.float64) - self._drawn[pending]
        return float(np.sqrt((away * away).sum(axis=1)).max(initial=0.0)) / tables.convention.units_per_metre
