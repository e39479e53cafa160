"""Several armatures on one mesh, and masks, as one set of influences where linear blending can say it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .influences import Influences


def unmoved(vertex_count: int, object_bone: int) -> Influences:
    """Every vertex follows the object."""
    return Influences(np.arange(vertex_count + 1), np.full(vertex_count, object_bone, np.int32), np.ones(vertex_count))


def mixed(first: Influences, second: Influences, share) -> Influences:
    """``(1 - share)`` of `first` and ``share`` (V,) of `second`."""
    share = np.asarray(share, np.float64)
    a, b = first.vertices, second.vertices
    return Influences.of(
        first.vertex_count,
        np.r_[a, b],
        np.r_[first.bones, second.bones],
        np.r_[first.weights * (1 - share)[a], second.weights * share[b]],
    )


def masked(influences: Influences, mask, object_bone: int) -> Influences:
    """`influences` by `mask` (V,) in 0 to 1, the rest by the object. None masks nothing."""
    if mask is None:
        return influences
    return mixed(unmoved(influences.vertex_count, object_bone), influences, mask)


def follows_object(influences: Influences, object_bone: int) -> np.ndarray:
    """(V,) bool: nothing but the object moves the vertex."""
    elsewhere = np.bincount(influences.vertices, influences.bones != object_bone, minlength=influences.vertex_count)
    return elsewhere == 0


@dataclass(frozen=True)
class Composed:
    """`influences`, and the `conflicts`: ids of vertices that two armatures move one after the other, which no linear blend
    can say.
    """

    influences: Influences
    conflicts: np.ndarray


def after(first: Influences, second: Influences, object_bone: int) -> Composed:
    """`second` applied to what `first` made: exact where one of them leaves a vertex to the object; elsewhere `second` alone."""
    by_first, by_second = (~follows_object(i, object_bone) for i in (first, second))
    return Composed(mixed(first, second, by_second | ~by_first), np.flatnonzero(by_first & by_second))
