"""Axis presets, each proved by numbers worked out by hand, then against C M C^-1 in float64.

The hand-worked matrix takes (x, y, z) to (-2y + 5, x + 6, 3z + 7) in Blender: turned a quarter turn about +Z
(x to y, y to -x), scaled by (1, 2, 3) along the local axes, moved by (5, 6, 7) metres.
"""

import numpy as np
import pytest
from gpuscene.core.conventions import PRESETS
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

#: Blender columns of the hand-worked matrix
COLUMNS = np.array([[[0, 1, 0, 0], [-2, 0, 0, 0], [0, 0, 3, 0], [5, 6, 7, 1]]], np.float32)

#: preset -> where (1, 2, 3) metres goes; where Blender's +X, -Y (front of a character) and +Z go; the columns of the matrix
HAND = {
    # nothing changes
    "blender": ((1, 2, 3), (1, 0, 0), (0, -1, 0), (0, 0, 1), [(0, 1, 0), (-2, 0, 0), (0, 0, 3), (5, 6, 7)]),
    # centimetres, Y negated: x = 100 bx, y = -100 by, z = 100 bz. The matrix in the new axes: a point (x, y, z) is Blender's
    # (x, -y, z)/100, goes to (2y + 500, x + 600, 3z + 700)/100 there, so to (2y + 500, -x - 600, 3z + 700) here.
    "unreal": ((100, -200, 300), (1, 0, 0), (0, 1, 0), (0, 0, 1), [(0, -1, 0), (2, 0, 0), (0, 0, 3), (500, -600, 700)]),
    # left-handed, Y up: x = -bx, y = bz, z = -by. A point (x, y, z) is Blender's (-x, -z, y), goes to (2z + 5, -x + 6, 3y + 7)
    # there, so to (-2z - 5, 3y + 7, x - 6) here.
    "unity": ((-1, 3, -2), (-1, 0, 0), (0, 0, 1), (0, 1, 0), [(0, 0, 1), (0, 3, 0), (-2, 0, 0), (-5, 7, -6)]),
    # right-handed, Y up: x = bx, y = bz, z = -by. A point (x, y, z) is Blender's (x, -z, y), goes to (2z + 5, x + 6, 3y + 7)
    # there, so to (2z + 5, 3y + 7, -x - 6) here.
    "gltf": ((1, 3, -2), (1, 0, 0), (0, 0, 1), (0, 1, 0), [(0, 0, -1), (0, 3, 0), (2, 0, 0), (5, 7, -6)]),
}


@pytest.mark.parametrize("name", PRESETS)
def test_hand_computed_point_and_directions(name):
    point, right, front, up, _ = HAND[name]
    convention = PRESETS[name]
    assert convention.points(np.array([[1, 2, 3]], np.float32)).tolist() == [list(point)]
    turned = convention.directions(np.array([[1, 0, 0], [0, -1, 0], [0, 0, 1]], np.float32))
    assert turned.tolist() == [list(right), list(front), list(up)]


@pytest.mark.parametrize("name", PRESETS)
def test_hand_computed_matrix(name):
    out = PRESETS[name].transforms(COLUMNS)[0]
    assert out.dtype == np.float32
    assert out[:, :3].tolist() == [list(column) for column in HAND[name][4]]
    assert out[:, 3].tolist() == [0, 0, 0, 1]


@pytest.mark.parametrize("name", PRESETS)
def test_documented_axes_are_the_real_ones(name):
    """`up` and `forward` name the axes that +Z and -Y really go to."""
    convention, axis = PRESETS[name], np.eye(3)
    named = {f"{sign}{letter}": (1 if sign == "+" else -1) * axis[i] for i, letter in enumerate("XYZ") for sign in "+-"}
    assert np.array_equal(convention.directions(np.array([[0, 0, 1.0]]))[0], named[convention.up])
    assert np.array_equal(convention.directions(np.array([[0, -1.0, 0]]))[0], named[convention.forward])


@pytest.mark.parametrize(("name", "mirrored", "handedness"), [
    ("blender", False, "right"), ("unreal", True, "left"), ("unity", True, "left"), ("gltf", False, "right")])
def test_handedness(name, mirrored, handedness):
    assert PRESETS[name].is_mirrored == mirrored
    assert PRESETS[name].handedness == handedness


@pytest.mark.parametrize("name", PRESETS)
def test_winding_flips_exactly_in_mirrored_presets(name):
    """A counter-clockwise triangle on the ground faces up. Its turned corners give the turned up, or its opposite when mirrored."""
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], np.float64)
    a, b, c = PRESETS[name].points(corners)
    normal = np.cross(b - a, c - a)
    up = np.array(HAND[name][3], np.float64)
    facing = float(normal @ up / np.linalg.norm(normal))
    assert facing == {"blender": 1, "gltf": 1, "unreal": -1, "unity": -1}[name]
    assert (facing < 0) == PRESETS[name].is_mirrored


@pytest.mark.parametrize("name", PRESETS)
def test_a_mirrored_instance_stays_mirrored(name):
    """Both sides of a conjugation mirror, so the sign of the determinant, which INSTANCE_MIRRORED stands for, is kept."""
    mirrored = COLUMNS.copy()
    mirrored[0, 0] *= -1
    for columns, sign in ((COLUMNS, 1), (mirrored, -1)):
        assert np.sign(np.linalg.det(PRESETS[name].transforms(columns)[0, :3, :3])) == sign


@pytest.mark.parametrize("name", PRESETS)
def test_gltf_from_target_undoes_the_preset(name):
    """A viewer that applies the root node sees the glTF preset's (1, 3, -2), whatever the file's own axes are."""
    convention = PRESETS[name]
    point = np.append(convention.points(np.array([[1.0, 2.0, 3.0]]))[0], 1)
    assert np.allclose(convention.gltf_from_target() @ point, [1, 3, -2, 1], rtol=0, atol=1e-12)


def test_gltf_from_target_by_hand():
    """Unreal: x = x/100; glTF y is z/100; glTF z is -by, and y here is -100 by, so z = y/100."""
    expected = [[0.01, 0, 0, 0], [0, 0, 0.01, 0], [0, 0.01, 0, 0], [0, 0, 0, 1]]
    assert np.allclose(PRESETS["unreal"].gltf_from_target(), expected, rtol=0, atol=1e-15)
    assert np.array_equal(PRESETS["gltf"].gltf_from_target(), np.eye(4))


finite = st.floats(-1e6, 1e6, width=32)


@given(st.sampled_from(sorted(PRESETS)), arrays(np.float32, (4, 4), elements=finite))
def test_conjugation(name, columns):
    """`transforms` equals C M C^-1 in float64, to the rounding of the unit factor."""
    columns[:, 3] = 0, 0, 0, 1
    c = PRESETS[name].target_from_blender()
    expected = c @ columns.T.astype(np.float64) @ np.linalg.inv(c)
    out = PRESETS[name].transforms(columns[None])[0].T
    assert np.allclose(out, expected, rtol=3e-7, atol=1e-9)


@given(st.sampled_from(sorted(PRESETS)), arrays(np.float32, (4, 4), elements=finite), arrays(np.float32, (3,), elements=finite))
def test_moving_a_point_commutes_with_the_preset(name, columns, point):
    """Turn then move in the target equals move in Blender then turn."""
    columns[:, 3] = 0, 0, 0, 1
    convention = PRESETS[name]
    wide, at = columns.astype(np.float64), point.astype(np.float64)
    in_blender = convention.points((at @ wide[:3, :3] + wide[3, :3])[None])[0]
    target, moved = convention.transforms(wide[None])[0], convention.points(at[None])[0]
    assert np.allclose(moved @ target[:3, :3] + target[3, :3], in_blender, rtol=1e-9, atol=1e-2)


@given(st.sampled_from(["unity", "gltf", "blender"]), arrays(np.float32, (4, 4), elements=st.floats(width=32, allow_nan=False)))
def test_presets_in_metres_are_exact(name, columns):
    """Only permuted and negated: every float survives bit by bit, infinities and denormals too."""
    columns[:, 3] = 0, 0, 0, 1
    out = PRESETS[name].transforms(columns[None])[0]
    assert sorted(np.abs(out[:, :3]).ravel().view(np.uint32)) == sorted(np.abs(columns[:, :3]).ravel().view(np.uint32))
