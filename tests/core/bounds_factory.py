"""Instance bounds from a seed, of the kinds that trip tree builders."""

import numpy as np

from gpuscene.core.culling.bounds import InstanceBounds


#: what `InstanceBounds` has a row of for each instance
ARRAYS = ("center", "radius", "box_min", "box_max", "cull_radius", "drawable")


def make_bounds(center, half) -> InstanceBounds:
    """Boxes (N, 3) centre +- half, spheres around them, all drawable, no cull radius."""
    center, half = np.asarray(center, np.float32).reshape(-1, 3), np.asarray(half, np.float32).reshape(-1, 3)
    low, high = center - half, center + half
    return InstanceBounds(center, np.linalg.norm(half.astype(np.float64), axis=1).astype(np.float32), low, high,
                          np.zeros(len(center), np.float32), np.ones(len(center), bool))


def terrain(count, seed=0) -> InstanceBounds:
    """Evenly over a square, 10 high, one instance to 4 square units."""
    rng, side = np.random.default_rng(seed), count ** 0.5
    return make_bounds(rng.random((count, 3)) * [2 * side, 2 * side, 10], rng.random((count, 3)) * 0.5 + 0.1)


def clusters(count, seed=0) -> InstanceBounds:
    """Crowds of three densities around 50 places, sizes over two decades."""
    rng = np.random.default_rng(seed)
    places = rng.normal(size=(50, 3)) * [500, 500, 20]
    spread = rng.normal(size=(count, 3)) * rng.choice([2.0, 10.0, 60.0], (count, 1))
    return make_bounds(places[rng.integers(0, 50, count)] + spread, rng.lognormal(0, 1, (count, 3)) * 0.3)


def _one_point(count, rng):
    return np.full((count, 3), 7.25), rng.random((count, 3))


def _identical(count, rng):
    return np.full((count, 3), -3.0), np.full((count, 3), 0.5)


def _points_on_a_line(count, rng):
    return rng.random((count, 1)) * [1, 2, 3], np.zeros((count, 3))


def _coplanar(count, rng):
    return rng.random((count, 3)) * [100, 100, 0], rng.random((count, 3)) * [1, 1, 0]


def _huge(count, rng):
    return rng.uniform(-1e38, 1e38, (count, 3)), rng.random((count, 3)) * 1e38


def _tiny(count, rng):
    return rng.uniform(-1e-38, 1e-38, (count, 3)), rng.random((count, 3)) * 1e-39


def _far_from_origin(count, rng):
    return 1e7 + rng.random((count, 3)) * 50, rng.random((count, 3))


def _one_far_out(count, rng):
    center = rng.random((count, 3)) * 100
    center[:1] = -1e12
    return center, rng.random((count, 3))


def _doubling(count, rng):
    return (2.0 ** (np.arange(count) % 120))[:, None] * [1, 0, 0], np.full((count, 3), 0.1)


def _mixed_sizes(count, rng):
    return rng.random((count, 3)) * 100, 10.0 ** rng.uniform(-6, 4, (count, 3))


KINDS = {make.__name__.strip("_"): make for make in (
    _one_point, _identical, _points_on_a_line, _coplanar, _huge, _tiny, _far_from_origin, _one_far_out, _doubling, _mixed_sizes)}


def of_kind(kind, count, seed=0) -> InstanceBounds:
    """Bounds of one of `KINDS`."""
    return make_bounds(*KINDS[kind](count, np.random.default_rng(seed)))
