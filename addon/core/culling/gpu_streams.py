"""What culling uploads: a compact bounds stream instead of whole records, a camera's constants, LOD thresholds.

Flat culling reads 16 bytes an instance, 4 more when any cull radius is set, and 32 more for what passes the sphere test.
"""

from __future__ import annotations

import numpy as np

from .. import limits
from ..conventions import PRESETS, Convention
from .bounds import InstanceBounds
from .camera import CullView
from .gpu_records import BOUNDS_UPDATE, CULL_VIEW, INSTANCE_BOX, LOD_INPUT, LOD_SWITCHES
from .lod_select import LodInputs

#: radius of what is never drawn: any negative number; spheres and boxes of valid rows are finite and their radius is not negative
NOT_DRAWABLE = np.float32(-1)
_EDGE_END = np.uint32(1 << 31)
_SMALLEST_NORMAL = np.finfo(np.float32).tiny


def spheres(bounds: InstanceBounds, order=None) -> np.ndarray:
    """(N, 4) float32: centre and radius in `order` (None: row order); radius -1 for rows that are not drawable."""
    pick = (lambda a: a) if order is None else (lambda a: a[order])
    radius = np.where(bounds.drawable & (bounds.radius >= 0), bounds.radius, NOT_DRAWABLE)
    out = np.empty((len(bounds) if order is None else len(order), 4), np.float32)
    out[:, :3], out[:, 3] = pick(bounds.center), pick(radius)
    return out


def boxes(bounds: InstanceBounds, order=None) -> np.ndarray:
    """(N,) `INSTANCE_BOX`."""
    pick = (lambda a: a) if order is None else (lambda a: a[order])
    out = INSTANCE_BOX.empty(len(bounds) if order is None else len(order))
    out["box_min"], out["box_max"] = pick(bounds.box_min), pick(bounds.box_max)
    return out


def bounds_updates(bounds: InstanceBounds, rows, positions, count: int) -> np.ndarray:
    """(count,) `BOUNDS_UPDATE` of `rows`, which lie at `positions` (NO_INDEX: nowhere); the rest changes nothing."""
    out = BOUNDS_UPDATE.empty(count)
    out["position"] = limits.NO_INDEX
    some = out[: len(rows)]
    some["sphere"], some["position"] = spheres(bounds, rows), positions
    some["box_min"], some["box_max"] = bounds.box_min[rows], bounds.box_max[rows]
    return out


def cull_radii(bounds: InstanceBounds, order=None):
    """(N,) float32, 0 for no limit, or None when no instance has one. A GPU may take a denormal for 0, so none is sent: the
    square decides the same.
    """
    with np.errstate(invalid="ignore"):
        limited = bounds.cull_radius > 0
    if not limited.any():
        return None
    radius = np.where(limited, np.maximum(bounds.cull_radius, _SMALLEST_NORMAL), np.float32(0)).astype(np.float32)
    return radius if order is None else radius[order]


def view_constants(view: CullView, convention: Convention = PRESETS["blender"], forced_lod: int | None = None,
                   conservative_distance: float = 0.0) -> np.ndarray:
    """(1,) `CULL_VIEW`. Missing planes (no frustum) become (0, 0, 0, 1), which keeps everything."""
    row = CULL_VIEW.empty(1)
    for name in ("outer", "inner"):
        planes = getattr(view, name)
        row[name][0] = (0, 0, 0, 1)
        row[name][0, : len(planes)] = planes
    row["position"], row["lod_factor"], row["is_perspective"] = view.position, view.lod_factor, view.is_perspective
    row["up"] = convention.axes()[:, 2]
    row["units_per_metre"] = convention.units_per_metre
    with np.errstate(over="ignore"):
        row["conservative2"] = np.float32(float(conservative_distance) ** 2)
    row["forced_lod"] = limits.NO_INDEX if forced_lod is None else max(forced_lod, 0)
    return row


def lod_streams(lods: LodInputs, order=None) -> tuple:
    """(P,) `LOD_SWITCHES` and (N,) `LOD_INPUT`."""
    table = lods.table
    switches = LOD_SWITCHES.empty(len(table.count))
    for name in ("enter", "coarser", "finer"):
        switches[name].reshape(len(switches), 8)[:, :7] = getattr(table, name)
    pick = (lambda a: a) if order is None else (lambda a: a[order])
    inputs = LOD_INPUT.empty(len(lods.primitive) if order is None else len(order))
    inputs["primitive"] = pick(lods.primitive | (table.count.astype(np.uint32)[lods.primitive] << np.uint32(24)))
    inputs["scale"] = pick(lods.scale)
    return switches, inputs


def draw_edges(slots: np.ndarray, instances: int, block_instances: int) -> np.ndarray:
    """Where draws begin and end, for a pass that meets blocks of `block_instances` in order.

    Parameters
    ----------
    slots : (D,) DRAW_SLOT
        Without LODs: a draw of another level than 0 has no instance, so both its edges lie past the last block.

    Returns
    -------
    (B + 1 + 4 D,) uint32
        For each of B blocks the first edge at or past its begin, and the number of edges; then for each edge, in the order of
        positions, its position and its draw, with the top bit for an end. The last block has the edges past it too.
    """
    blocks = -(-instances // block_instances)
    begins, ends = slots["first_row"].astype(np.int64), slots["first_row"].astype(np.int64) + slots["row_count"]
    positions = np.concatenate([begins, ends])
    positions[np.tile(slots["level"] != 0, 2)] = blocks * block_instances
    draws = np.arange(len(slots), dtype=np.uint32)
    order = np.argsort(positions, kind="stable")
    starts = np.searchsorted(positions[order], np.arange(blocks + 1) * block_instances, "left")
    starts[blocks] = len(order)
    edges = np.stack([positions[order].astype(np.uint32), np.concatenate([draws, draws | _EDGE_END])[order]], axis=1)
    return np.concatenate([starts.astype(np.uint32), edges.reshape(-1)])


def word_count(instances: int) -> int:
    """Visibility words."""
    return -(-instances // limits.BITS_PER_WORD)
