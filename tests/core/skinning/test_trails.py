"""Rings of poses and measures of particles, against lists and plain loops."""

import numpy as np
import pytest
from gpuscene.core.skinning import pack
from gpuscene.core.skinning.measures import at_points, dominant_bones, speeds, weight_errors
from gpuscene.core.skinning.surface import on_surface
from gpuscene.core.skinning.trails import PoseRing
from hypothesis import given
from hypothesis import strategies as st
from skin_factory import random_skin


@given(st.integers(1, 6), st.lists(st.integers(0, 99) | st.none(), max_size=20))
def test_the_last_poses(length, frames):
    """None jumps in time. Only one slot changes a frame."""
    ring, past = PoseRing(2, length), []
    for frame in frames:
        if frame is None:
            ring.clear()
            past = []
            continue
        before = ring.rows.copy()
        slot = ring.push(np.full((2, 3, 4), frame))
        past = [frame, *past][:length]
        assert np.array_equal(np.delete(ring.rows, slot, axis=0), np.delete(before, slot, axis=0)) and ring.slot(0) == slot
        assert [float(ring.pose(age)[0, 0, 0]) for age in range(ring.length)] == past
    assert ring.length == len(past)
    with pytest.raises(IndexError, match=f"only {len(past)}"):
        ring.slot(len(past))


def test_a_ring_of_none():
    with pytest.raises(ValueError, match="holds none"):
        PoseRing(1, 0)


@given(st.integers(0, 10**6), st.sampled_from([1, 2, 4, 8]))
def test_weight_errors(seed, count):
    skin = random_skin(seed, vertices=10)
    packed = pack(skin, count)
    for vertex, found in enumerate(weight_errors(packed)):
        exact = {}
        for e in range(skin.influences.starts[vertex], skin.influences.starts[vertex + 1]):
            exact[int(skin.influences.bones[e])] = float(skin.influences.weights[e])
        for bone, weight in zip(
            packed.used[packed.bone_indices[vertex]].tolist(), packed.bone_weights[vertex].tolist(), strict=True
        ):
            exact[bone] = exact.get(bone, 0) - weight / 255
        assert found == pytest.approx(sum(abs(d) for d in exact.values()) / 2, abs=1e-12)
        assert found < (count + 1) / 510 or count < 8


def test_dominant_bones_and_interpolation():
    skin = random_skin(3, vertices=12)
    packed = pack(skin)
    heaviest = [
        max(
            range(7),
            key=lambda b: (
                sum(
                    skin.influences.weights[e]
                    for e in range(skin.influences.starts[v], skin.influences.starts[v + 1])
                    if skin.influences.bones[e] == b
                ),
                -b,
            ),
        )
        for v in range(12)
    ]
    assert dominant_bones(packed).tolist() == heaviest
    points = on_surface(skin.rest, skin.triangles, 30, seed=4)
    assert at_points(skin.rest[:, 0], points) == pytest.approx(points.at(skin.rest.astype(float))[:, 0], abs=1e-12)
    assert at_points(np.ones(12), points) == pytest.approx(np.ones(30), abs=1e-6)


def test_speeds():
    assert speeds([[3, 4, 0], [0, 0, 0]], np.zeros((2, 3)), 0.5).tolist() == [10.0, 0.0] and speeds(
        [[1, 0, 0]], [[0, 0, 0]], 0.0
    ).tolist() == [0.0]
