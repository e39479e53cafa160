"""Particles: uniform by area, seeded, and attached."""

import numpy as np
import pytest
from gpuscene.core.skinning.surface import on_surface, on_vertices
from hypothesis import given
from hypothesis import strategies as st

#: a right triangle of area 0.5, one of area 4.5 apart from it, and one without area
REST = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (10, 0, 0), (13, 0, 0), (10, 3, 0)], np.float32)
TRIANGLES = np.array([(0, 1, 2), (3, 4, 5), (0, 0, 1)], np.int32)


def test_as_many_as_the_area_says():
    points = on_surface(REST, TRIANGLES, 20000, seed=3)
    large = (points.vertices[:, 0] == 3).sum()
    assert (points.vertices[:, 2] != 1).all()
    assert abs(large - 18000) < 5 * (20000 * 0.9 * 0.1) ** 0.5  # five standard deviations of the binomial
    at = points.at(REST)
    assert at[points.vertices[:, 0] == 0].mean(axis=0) == pytest.approx([1 / 3, 1 / 3, 0], abs=0.03)
    assert at[points.vertices[:, 0] == 3].mean(axis=0) == pytest.approx([11, 1, 0], abs=0.03)
    # Uniform within: the corner cut off at half the height holds a quarter of the area.
    assert (at[points.vertices[:, 0] == 3][:, 1] > 1.5).mean() == pytest.approx(0.25, abs=0.02)


@given(st.integers(0, 2**32 - 1), st.integers(0, 50))
def test_the_seed_decides_and_barycentrics_are_shares(seed, count):
    points, again = on_surface(REST, TRIANGLES, count, seed), on_surface(REST, TRIANGLES, count, seed)
    assert (
        np.array_equal(points.vertices, again.vertices)
        and np.array_equal(points.barycentrics, again.barycentrics)
        and len(points) == count
    )
    assert (points.barycentrics >= 0).all() and points.barycentrics.sum(axis=1) == pytest.approx(np.ones(count), abs=2e-7)


def test_they_stay_on_the_surface():
    """Under any affine map of the vertices a point goes where the map takes it."""
    points = on_surface(REST, TRIANGLES, 100, seed=1)
    turn = np.array([[0, -2, 0.5], [1, 0, 0], [0.3, 0, 1]])
    assert points.at(REST.astype(float) @ turn.T + 7) == pytest.approx(points.at(REST.astype(float)) @ turn.T + 7, abs=1e-5)
    assert points.at(REST).dtype == np.float32
    few = points.first(10)
    assert np.array_equal(few.at(REST), points.at(REST)[:10])


def test_on_vertices():
    assert on_vertices(6).at(REST).tolist() == REST.tolist()
    some = on_vertices(6, 40, seed=2)
    assert len(some) == 40 and set(map(tuple, some.at(REST).tolist())) <= set(map(tuple, REST.tolist()))


def test_no_area_has_no_point():
    for rest, triangles in ((REST, TRIANGLES[2:]), (REST, TRIANGLES[:0]), (np.full((3, 3), np.nan), TRIANGLES[:1])):
        assert len(on_surface(rest, triangles, 5)) == 0
    assert len(on_vertices(0)) == len(on_vertices(0, 5)) == 0
