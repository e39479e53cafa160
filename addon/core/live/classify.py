"""The status word of every instance, in the exact float32 arithmetic of `culling.decide`: the oracle of the GPU's pass."""

from __future__ import annotations

import math

import numpy as np

from ..culling.bounds import InstanceBounds
from ..culling.camera import CullView
from ..culling.decide import beyond_distance, box_outside, sphere_outside
from .status import (
    AGE_SHIFT, BATCH_SHIFT, DISTANCE, FREE, FRUSTUM, FULL, HIDDEN, LATE, LOD_SHIFT, MAX_AGE, PRECISION_SHIFT, RULE, VISIBLE,
)

#: metres: a step of float32 as large as these is adequate no more than, and coarse
PRECISION_STEPS = (1e-4, 1e-3)


def reasons(view: CullView, bounds: InstanceBounds, visible, rule_keeps=None, alive=None) -> np.ndarray:
    """(N,) uint32: `status.VISIBLE` to `status.LATE`.

    Parameters
    ----------
    visible : (N,) bool
        The culler's own answer; what it draws is visible even where its answer is of an earlier frame.
    rule_keeps : (N,) bool, optional
        What the custom rule says. None: there is no rule. Where nobody knows it but from the culler's answer, give `visible`.
    alive : (N,) bool, optional
        False for free slots. None: there are none.
    """
    x, y, z = bounds.center.T
    out = np.full(len(bounds), LATE, np.uint32)
    if rule_keeps is not None:
        out[~np.asarray(rule_keeps, bool)] = RULE
    with np.errstate(over="ignore", invalid="ignore"):
        out[sphere_outside(view, x, y, z, bounds.radius) | box_outside(view, bounds.box_min, bounds.box_max)] = FRUSTUM
        out[beyond_distance(view, x, y, z, bounds.radius, bounds.cull_radius)] = DISTANCE
    out[~bounds.drawable] = HIDDEN
    out[np.asarray(visible, bool)] = VISIBLE
    if alive is not None:
        out[~np.asarray(alive, bool)] = FREE
    return out


def precision_limits(units_per_metre: float = 1.0) -> tuple:
    """Largest |coordinate|, in scene units, from which a float32 step is as large as each of `PRECISION_STEPS`; powers of two
    (1,024 and 16,384 where the unit is the metre).
    """
    limits = []
    for step in PRECISION_STEPS:
        mantissa, exponent = math.frexp(step * units_per_metre)
        # The step in [2**e, 2**(e + 1)) is 2**(e - 23): the first power of two that is no smaller than the step looked for.
        limits.append(np.float32(2.0 ** (exponent - (mantissa == 0.5) + 23)))
    return tuple(limits)


def precision_levels(positions, units_per_metre: float = 1.0, full_precision=None) -> np.ndarray:
    """(N,) uint32 `status.FINE` to `status.FULL` at `positions` (N, 3) float32, scene units. `full_precision`: (N,) bool, rows
    with INSTANCE_FULL_PRECISION.
    """
    size = np.abs(np.asarray(positions, np.float32))
    levels = np.zeros(len(size), np.uint32)
    for limit in precision_limits(units_per_metre):
        levels += (size >= limit).any(axis=1)
    if full_precision is not None:
        levels[np.asarray(full_precision, bool)] = FULL
    return levels


def batch_numbers(primitives, lods, primitive, lod) -> np.ndarray:
    """(N,) uint32: row of the first batch that each instance is drawn by. `primitives`, `lods`: the tables; `primitive`, `lod`
    (N,); a LOD past the primitive's last is that.
    """
    of = primitives[np.asarray(primitive)]
    level = np.minimum(np.asarray(lod, np.int64), of["lod_count"].astype(np.int64) - 1)
    return lods["first_batch"][of["first_lod"].astype(np.int64) + level]


def classify(view: CullView, bounds: InstanceBounds, visible, lod, batch, age_of_row, rule_keeps=None, alive=None, *,
             precision=None) -> np.ndarray:
    """(N,) uint32 status words, in the order of `bounds`.

    Parameters
    ----------
    visible, rule_keeps, alive
        As in `reasons`.
    lod : (N,) uint8
        Read where `visible`; elsewhere the word's LOD is 0.
    batch : (N,) integer
        Colour numbers (`batch_numbers`); the low 16 bits are kept.
    age_of_row : (N,) integer
        Frames since the answer; negative for never, 0 for this frame.
    precision : (N,) uint32, optional
        `precision_levels`. None: of the centres, with the metre as unit and nothing in full precision.
    """
    out = reasons(view, bounds, visible, rule_keeps, alive)
    free = out == FREE
    precision = precision_levels(bounds.center) if precision is None else np.asarray(precision, np.uint32)
    age = np.asarray(age_of_row, np.int64)
    age = np.where((age < 0) | (age > MAX_AGE), MAX_AGE, age).astype(np.uint32)
    out |= np.where(out == VISIBLE, np.asarray(lod, np.uint32) & 7, 0).astype(np.uint32) << np.uint32(LOD_SHIFT)
    out |= precision << np.uint32(PRECISION_SHIFT)
    out |= age << np.uint32(AGE_SHIFT)
    out |= (np.asarray(batch).astype(np.uint32) & np.uint32(0xFFFF)) << np.uint32(BATCH_SHIFT)
    out[free] = FREE
    return out


def unpack(words) -> dict:
    """Columns of status words: reason, lod, precision, age, batch; (N,) int64 each."""
    words = np.asarray(words).astype(np.int64)
    fields = {"reason": (0, 3), "lod": (LOD_SHIFT, 3), "precision": (PRECISION_SHIFT, 2), "age": (AGE_SHIFT, 8),
              "batch": (BATCH_SHIFT, 16)}
    return {name: (words >> shift) & ((1 << bits) - 1) for name, (shift, bits) in fields.items()}
