"""Indirect draws from a visible set: which rows each draw takes, and its arguments. The numpy twin of the compaction passes.

Visible rows are listed LOD by LOD, rows ascending within a LOD. Rows are grouped by primitive, so what one (primitive, LOD)
draws is a
contiguous run of that list, and all its materials share the run. A draw takes at most `max_instances` of a run; a batch has as
many draws as its instances may need.
"""

from __future__ import annotations

import numpy as np

from .. import layout
from ..errors import InputError
from ..scene import SceneData
from .gpu_records import DRAW_SLOT

#: no maximum: one draw a batch
UNLIMITED = (1 << 32) - 1


def draw_slots(scene: SceneData, max_instances: int = UNLIMITED, with_lods: bool = True) -> np.ndarray:
    """(D,) `DRAW_SLOT`, batch after batch; every batch has at least one. Without LODs the batches of coarser ones draw nothing.

    Raises
    ------
    InputError
        `max_instances` is below 1, or the instance rows are not grouped by primitive.
    """
    if max_instances < 1:
        raise InputError(f"A draw of at most {max_instances} instances draws nothing.", "Give 1 or more.")
    batches, templates = scene["batches"], scene["indirect_args"]
    first_row, row_count = primitive_runs(scene["instance_data"]["primitive_id"], len(scene["primitives"]))
    rows = row_count[batches["primitive_id"]]
    parts = np.maximum(-(-rows // max_instances), 1)
    batch = np.repeat(np.arange(len(batches)), parts)
    slots = DRAW_SLOT.empty(len(batch))
    slots["batch"] = batch
    slots["part"] = np.arange(len(batch)) - np.repeat(np.cumsum(parts) - parts, parts)
    slots["first_row"], slots["row_count"] = first_row[batches["primitive_id"]][batch], rows[batch]
    slots["level"] = batches["lod_index"][batch]
    if not with_lods:
        slots["row_count"][slots["level"] > 0] = 0
        slots["level"] = 0
    for name in ("index_count", "first_index", "base_vertex"):
        slots[name] = templates[name][batch]
    return slots


def primitive_runs(primitive: np.ndarray, count: int) -> tuple:
    """First row and number of rows of each of `count` primitives, (count,) int64 each. Raises ``InputError`` if rows are not
    grouped.
    """
    row_count = np.bincount(primitive, minlength=count)
    starts = np.flatnonzero(np.diff(primitive.astype(np.int64), prepend=-1))
    if len(starts) != np.count_nonzero(row_count):
        raise InputError("The instance rows are not grouped by primitive.", "Export the scene again.")
    first_row = np.zeros(count, np.int64)
    first_row[primitive[starts]] = starts
    return first_row, row_count


def compact(visible: np.ndarray, lod=None) -> np.ndarray:
    """(V,) uint32 visible rows, LOD by LOD and ascending within. `lod` (N,) uint8 or None for a single LOD."""
    rows = np.flatnonzero(visible)
    if lod is not None:
        rows = rows[np.argsort(lod[rows], kind="stable")]
    return rows.astype(np.uint32)


def arguments(slots: np.ndarray, visible: np.ndarray, lod=None, max_instances: int = UNLIMITED) -> np.ndarray:
    """(D,) ``indirect_args``; `first_instance` points into the list of `compact`."""
    lod = np.zeros(len(visible), np.uint8) if lod is None else lod
    args = layout.INDIRECT_ARGS.empty(len(slots))
    for name in ("index_count", "first_index", "base_vertex"):
        args[name] = slots[name]
    base = 0
    for level in range(int(slots["level"].max(initial=0)) + 1):
        before = np.concatenate([[0], np.cumsum(visible & (lod == level))])
        of = slots["level"] == level
        begin = before[slots["first_row"][of].astype(np.int64)]
        run = before[slots["first_row"][of].astype(np.int64) + slots["row_count"][of]] - begin
        skipped = np.minimum(slots["part"][of].astype(np.int64) * max_instances, run)
        args["first_instance"][of] = base + begin + skipped
        args["instance_count"][of] = np.minimum(run - skipped, max_instances)
        base += before[-1]
    return args
