"""Envelope weights against the definition: distance to a tapered capsule, one point at a time."""

import math

import numpy as np
import pytest
from gpuscene.core.skinning.envelopes import Envelopes
from hypothesis import given
from hypothesis import strategies as st

COORDINATE = st.integers(-30, 30).map(lambda n: n / 10)
POINT = st.tuples(COORDINATE, COORDINATE, COORDINATE)
RADIUS = st.sampled_from([0.0, 0.1, 0.5, 1.0])


def by_hand(point, head, tail, head_radius, tail_radius, reach):
    length = math.dist(head, tail)
    t = sum((p - h) * (b - h) for p, h, b in zip(point, head, tail, strict=True)) / length**2 if length else 0.0
    t = min(max(t, 0.0), 1.0)
    nearest = [h + t * (b - h) for h, b in zip(head, tail, strict=True)]
    distance, radius = math.dist(point, nearest), head_radius + t * (tail_radius - head_radius)
    if distance < radius:
        return 1.0
    if not reach or distance >= radius + reach:
        return 0.0
    return 1 - ((distance - radius) / reach) ** 2


@given(POINT, POINT, POINT, RADIUS, RADIUS, RADIUS)
def test_factors(point, head, tail, head_radius, tail_radius, reach):
    bones = Envelopes(
        np.array([head]), np.array([tail]), np.array([head_radius]), np.array([tail_radius]), np.array([reach]), np.array([0.5])
    )
    expected = by_hand(point, head, tail, head_radius, tail_radius, reach)
    (found,) = bones.factors(np.array([point]), np.array([0]))
    edge = by_hand([c * (1 + 1e-9) + 1e-9 for c in point], head, tail, head_radius, tail_radius, reach)
    if abs(edge - expected) < 1e-6:  # not on an edge, where rounding decides
        assert found == pytest.approx(expected, abs=1e-6)
        vertices, columns, weights = bones.of_vertices(np.array([point]), [0])
        assert weights.tolist() == ([pytest.approx(expected / 2, abs=1e-6)] if found > 0 else [])
        assert len(vertices) == len(columns) == len(weights)


def test_no_bones():
    nothing = Envelopes(*(np.zeros((0, 3)) for _ in range(2)), *(np.zeros(0) for _ in range(4)))
    assert all(len(part) == 0 for part in nothing.of_vertices(np.zeros((3, 3)), []))
