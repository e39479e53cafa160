"""Which LOD an instance is drawn with: exact float32 comparisons of squares, with hysteresis.

Screen size is ``s = 2 r f / d`` (perspective) or ``2 r f`` (orthographic), the bounding sphere's diameter as a share of the
view's height. ``s < t`` is decided as ``((r * r) * lod_factor) * scale  <  (t * t) * d2``, with ``t * t`` and
``scale = exp2(-bias) ** 2`` rounded to float32 once, on the CPU. Every threshold has a band of ``t * (1 -+ hysteresis)``: an
instance turns coarser below the band and finer above it, and keeps its LOD within. Same order of operations in GLSL.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import layout, limits
from ..scene import SceneData
from .camera import CullView
from .decide import squared_distance

NO_LOD = 255  #: of a row that has not been visible yet
_SWITCHES = limits.MAX_LODS - 1


@dataclass(frozen=True)
class LodTable:
    """Thresholds of each primitive; column k is the switch between LOD k and k + 1. Squares; 0 past the last, which is never
    below.

    Attributes
    ----------
    enter, coarser, finer : (P, 7) float32
        ``t ** 2``, ``(t * (1 - h)) ** 2``, ``(t * (1 + h)) ** 2``; each falls from column to column.
    count : (P,) uint8
    """

    enter: np.ndarray
    coarser: np.ndarray
    finer: np.ndarray
    count: np.ndarray

    @classmethod
    def of(cls, scene: SceneData) -> "LodTable":
        """From `primitives` and `lods`. A LOD's entry is the one before's exit; thresholds that rise in a foreign file are cut
        to those before.
        """
        primitives, lods = scene["primitives"], scene["lods"]
        count = np.clip(primitives["lod_count"], 1, limits.MAX_LODS).astype(np.int64)
        column = np.arange(1, limits.MAX_LODS)
        there = column < count[:, None]
        rows = np.where(there, primitives["first_lod"][:, None] + column, 0)
        lods = lods if len(lods) else layout.LOD.empty(1)
        threshold = np.where(there, lods["screen_size_in"].astype(np.float64)[rows], 0)
        threshold = np.minimum.accumulate(np.clip(np.nan_to_num(threshold), 0, 1e18), axis=1)
        # The band belongs to the switch: it is that of the LOD entered.
        band = np.clip(np.nan_to_num(lods["hysteresis"].astype(np.float64)), 0, 0.99)
        band = np.where(there, band[rows], 0)
        squares = [(threshold * factor) ** 2 for factor in (np.ones_like(band), 1 - band, 1 + band)]
        return cls(*(np.minimum.accumulate(square, axis=1).astype(np.float32) for square in squares), count.astype(np.uint8))


@dataclass(frozen=True)
class LodInputs:
    """What a scene's instances bring to the choice.

    Attributes
    ----------
    table : LodTable
    primitive : (N,) uint32
    scale : (N,) float32
        ``exp2(-bias) ** 2``.
    forced : int or None
        Draw this LOD everywhere (or the coarsest there is below it).
    """

    table: LodTable
    primitive: np.ndarray
    scale: np.ndarray
    forced: int | None = None

    @classmethod
    def of(cls, scene: SceneData, bias: float = 0.0, forced: int | None = None) -> "LodInputs":
        """`bias` is added to each instance's own (channel [0].y): +1 halves the screen size it counts with, so it turns
        coarser earlier.
        """
        data = scene["instance_data"]
        return cls(LodTable.of(scene), data["primitive_id"], lod_scale(data["custom_data"][:, 0, 1], bias), forced)


def lod_scale(own_bias, bias: float = 0.0):
    """(K,) float32 ``exp2(-bias) ** 2`` of instances' own biases (K,) float32 and one that is added to each."""
    total = np.clip(np.nan_to_num(own_bias.astype(np.float64)) + bias, -30, 30)
    return np.exp2(-2 * total).astype(np.float32)


def squared_size(view: CullView, radius, scale):
    """float32 ``((r * r) * lod_factor) * scale``: the squared screen size times the squared distance."""
    return ((radius * radius) * view.lod_factor) * scale


def count_below(size2, d2, squares, primitive):
    """(K,) uint8: how many thresholds ``size2 < squares[primitive, k] * d2`` holds for. `squares` (P, 7) float32, `primitive`
    (K,) or one for all.
    """
    below = np.zeros(np.shape(size2), np.uint8)
    for thresholds in squares.T:
        if not thresholds.any():
            break  # they fall from column to column
        below += size2 < thresholds[primitive] * d2
    return below


def choose(size2, d2, table: LodTable, primitive, before=None):
    """(K,) uint8 LOD from squared size and distance. `before` (K,) uint8: LODs to stay at within a band; `NO_LOD` or None: none.
    """
    primitive = primitive[0] if len(primitive) and (primitive == primitive[0]).all() else primitive
    fresh = None if before is None else before == NO_LOD
    if fresh is None or fresh.all():
        return count_below(size2, d2, table.enter, primitive)
    lowest, highest = (count_below(size2, d2, squares, primitive) for squares in (table.coarser, table.finer))
    stay = np.minimum(np.maximum(before, lowest), highest)
    return np.where(fresh, count_below(size2, d2, table.enter, primitive), stay) if fresh.any() else stay


def select(view: CullView, stream, lods: LodInputs, rows, state=None) -> np.ndarray:
    """LOD of each of `rows`.

    Parameters
    ----------
    stream : BoundsStream or InstanceBounds
        In the order of `lods`.
    rows : (K,) int64
    state : (N,) uint8 or None
        LODs before; updated in place at `rows`.

    Returns
    -------
    (K,) uint8
    """
    out = select_from(view, stream, lods, rows, None if state is None else state[rows])
    if state is not None:
        state[rows] = out
    return out


def select_from(view: CullView, stream, lods: LodInputs, at, before=None, known=None) -> np.ndarray:
    """As `select`, with the LODs `before` (K,) given; and without a look at those `known` (K,) already: chosen for a whole
    node, `NO_LOD` where not.
    """
    if lods.forced is not None:
        return np.minimum(lods.table.count[lods.primitive[at]] - 1, max(lods.forced, 0)).astype(np.uint8)
    if known is not None:
        open_ = np.flatnonzero(known == NO_LOD)
        out = known.copy()
        out[open_] = select_from(view, stream, lods, at[open_], None if before is None else before[open_])
        return out
    x, y, z, radius = _sphere(stream, at)
    with np.errstate(over="ignore", invalid="ignore"):
        d2 = squared_distance(view, x, y, z) if view.is_perspective else np.ones(len(at), np.float32)
        return choose(squared_size(view, radius, lods.scale[at]), d2, lods.table, lods.primitive[at], before)


def node_choice(view: CullView, lods: LodInputs, nodes) -> np.ndarray:
    """(K,) uint8: the LOD that every instance of a node gets whatever its state, `NO_LOD` where the node's range does not
    settle it.

    `nodes` gives ``near``, ``far`` (K,) float32 squared distances to the node's box, ``radius`` and ``scale`` (2, K) float32
    smallest and largest,
    and ``primitive`` (2, K). A forced LOD is left to `select`.
    """
    near, far, radius, scale, primitive = nodes
    table, of = lods.table, primitive[0]
    if not view.is_perspective:
        near = far = np.ones(len(near), np.float32)
    # The largest and nearest is the last to turn coarser; the smallest and farthest the first. Rounding keeps that order.
    lowest = count_below(squared_size(view, radius[1], scale[1]), near, table.coarser, of)
    highest = count_below(squared_size(view, radius[0], scale[0]), far, table.finer, of)
    return np.where((lowest == highest) & (primitive[0] == primitive[1]), lowest, NO_LOD).astype(np.uint8)


def cross_fade(view: CullView, stream, lods: LodInputs, rows, lod) -> tuple:
    """How far each row is through the band of the switch it is at: for dithering, decides nothing.

    Returns
    -------
    weight : (K,) float32
        Of the row's own LOD: 1 outside every band.
    other : (K,) uint8
        The LOD that has the rest.
    """
    x, y, z, radius = _sphere(stream, rows)
    d2 = squared_distance(view, x, y, z) if view.is_perspective else np.float32(1)
    with np.errstate(divide="ignore"):
        size = np.sqrt(squared_size(view, radius, lods.scale[rows]) / d2)
    primitive, lod = lods.primitive[rows], np.asarray(lod, np.uint8)
    # Switches -1 and 7 have no width.
    padded = [np.pad(np.sqrt(square), ((0, 0), (1, 1))) for square in (lods.table.coarser, lods.table.finer)]
    weight, other = np.ones(len(rows), np.float32), lod.copy()
    for switch, step in ((lod, -1), (lod + 1, 1)):
        low, high = (square[primitive, switch] for square in padded)
        inside = (high > low) & (size > low) & (size < high)
        share = (size - low) / np.where(high > low, high - low, 1)  # of the finer LOD
        weight = np.where(inside, share if step > 0 else 1 - share, weight).astype(np.float32)
        other = np.where(inside, lod + np.int64(step), other).astype(np.uint8)
    return weight, other


def _sphere(stream, rows):
    if hasattr(stream, "data"):
        return [column[rows] for column in stream.data[:4]]
    return (*stream.center[rows].T, stream.radius[rows])
