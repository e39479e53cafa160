"""Status words on the CPU, for drawing: those of `core.live.classify`, from as little as a frame changes."""

from __future__ import annotations

import numpy as np

from ...core.culling.camera import CullView
from ...core.culling.decide import beyond_distance
from ...core.layout import INSTANCE_FULL_PRECISION
from ...core.live.classify import batch_numbers, classify, precision_levels
from ...core.live.status import BATCH_SHIFT, DISTANCE, FREE, FRUSTUM, HIDDEN, LOD_SHIFT, PRECISION_SHIFT


class CpuStatus:
    """Made anew after each upload: what does not depend on the view.

    Parameters
    ----------
    tables : LiveTables
    scene : SceneData
        ``tables.capacity_scene()``.
    """

    def __init__(self, tables, scene):
        self._tables, self._scene = tables, scene
        bounds = tables.bounds
        full = (tables.transforms["flags"] & INSTANCE_FULL_PRECISION) != 0
        self._precision = precision_levels(bounds.center, scene.convention.units_per_metre, full)
        self._primitive = tables.data["primitive_id"]
        self._unseen = np.where(bounds.drawable, np.uint32(FRUSTUM), np.uint32(HIDDEN))
        self._unseen |= self._precision << np.uint32(PRECISION_SHIFT)
        self._batch = self._batches(self._primitive, np.zeros(len(bounds), np.uint8))
        self._free = np.flatnonzero(~tables.alive)
        self._limited = np.flatnonzero(bounds.drawable & (bounds.cull_radius > 0))

    def _batches(self, primitive, lod):
        return batch_numbers(self._scene["primitives"], self._scene["lods"], primitive, lod).astype(np.uint32) & np.uint32(0xFFFF)

    def of_frame(self, view: CullView, rows: np.ndarray, lod: np.ndarray) -> np.ndarray:
        """(N,) uint32 where every answer is of this frame. `rows` (V,): the visible ones; `lod` (V,) uint8: theirs."""
        bounds, at = self._tables.bounds, self._limited
        words = self._unseen | (self._batch << np.uint32(BATCH_SHIFT))
        if len(at):
            with np.errstate(over="ignore", invalid="ignore"):
                beyond = at[beyond_distance(view, *bounds.center[at].T, bounds.radius[at], bounds.cull_radius[at])]
            words[beyond] = (words[beyond] & np.uint32(~7 & 0xFFFFFFFF)) | np.uint32(DISTANCE)
        # Visible is 0, and so is an age of this frame.
        words[rows] = (self._precision[rows] << np.uint32(PRECISION_SHIFT)) | (lod.astype(np.uint32) << np.uint32(LOD_SHIFT))
        words[rows] |= self._batches(self._primitive[rows], lod) << np.uint32(BATCH_SHIFT)
        words[self._free] = FREE
        return words

    def of_slices(self, view: CullView, visible: np.ndarray, lod: np.ndarray, ages: np.ndarray) -> np.ndarray:
        """(N,) uint32 where answers may be older. `visible` (N,) bool; `lod` (N,) uint8; `ages` (N,) integer."""
        batch = self._batches(self._primitive, lod)
        tables = self._tables
        return classify(view, tables.bounds, visible, lod, batch, ages, alive=tables.alive, precision=self._precision)
