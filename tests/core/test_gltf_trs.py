"""decompose: hand-computed cases, recomposition by quaternion algebra, and an eigenvector oracle in float64."""

import numpy as np
import pytest
from gpuscene.core import layout
from gpuscene.core.transforms_trs import CHUNK_ROWS, compose, decompose
from hypothesis import given
from hypothesis import strategies as st
from scene_factory import make_scene, rotations

HALF = np.sqrt(0.5)


def stored(matrix3, position=(0, 0, 0)):
    """(1, 4, 4) float32, column after column, of a 3x3 matrix."""
    out = np.eye(4, dtype=np.float32)[None]
    out[0, :3, :3] = np.transpose(matrix3)
    out[0, 3, :3] = position
    return out


def rotated(quaternions, points):
    """Rotate (K, 3) points by (K, 4) quaternions x, y, z, w: v + 2 w (u x v) + 2 u x (u x v)."""
    u, w = quaternions[:, :3].astype(np.float64), quaternions[:, 3:].astype(np.float64)
    turn = np.cross(u, points)
    return points + 2 * w * turn + 2 * np.cross(u, turn)


def recomposed(rotation, scale):
    """(K, 3, 3) float64 matrices for column vectors."""
    return np.stack([rotated(rotation, np.eye(3)[[axis] * len(rotation)]) * scale[:, axis:axis + 1].astype(np.float64)
                     for axis in range(3)], axis=2)


@pytest.mark.parametrize(("matrix", "quaternion", "scale"), [
    ([[1, 0, 0], [0, 1, 0], [0, 0, 1]], (0, 0, 0, 1), (1, 1, 1)),
    ([[0, -1, 0], [1, 0, 0], [0, 0, 1]], (0, 0, HALF, HALF), (1, 1, 1)),  # 90 degrees about z
    ([[1, 0, 0], [0, 0, -3], [0, 2, 0]], (HALF, 0, 0, HALF), (1, 2, 3)),  # 90 degrees about x, after scaling
    ([[1, 0, 0], [0, -1, 0], [0, 0, -1]], (1, 0, 0, 0), (1, 1, 1)),  # half turns: w is 0
    ([[-1, 0, 0], [0, 1, 0], [0, 0, -1]], (0, 1, 0, 0), (1, 1, 1)),
    ([[-1, 0, 0], [0, -1, 0], [0, 0, 1]], (0, 0, 1, 0), (1, 1, 1)),
    ([[0, 0, 1], [1, 0, 0], [0, 1, 0]], (0.5, 0.5, 0.5, 0.5), (1, 1, 1)),  # 120 degrees about (1, 1, 1)
    ([[-2, 0, 0], [0, 1, 0], [0, 0, 1]], (0, 0, 0, 1), (-2, 1, 1)),  # mirrored in x
    ([[1, 0, 0], [0, 1, 0], [0, 0, -1]], (0, 1, 0, 0), (-1, 1, 1)),  # mirrored in z: x mirrored and a half turn about y
])
def test_hand_computed(matrix, quaternion, scale):
    t, q, s, error = decompose(stored(matrix, (4, 5, 6)))
    assert t.tolist() == [[4, 5, 6]]
    assert s == pytest.approx(np.array([scale]), abs=1e-6)
    assert np.sign(q[0] @ quaternion) * q[0] == pytest.approx(np.array(quaternion), abs=1e-6)
    assert error.tolist() == [0]


def test_many_recompose_and_match_the_eigenvector_oracle():
    rng = np.random.default_rng(5)
    count = 2 * CHUNK_ROWS + 77  # three chunks, the last one short
    scale = 10 ** rng.uniform(-3, 3, (count, 3)) * np.where(rng.random((count, 1)) < 0.3, (-1, 1, 1), 1)
    matrices = np.zeros((count, 4, 4), np.float32)
    matrices[:, :3, :3] = (rotations(rng, count) * scale[:, None, :]).transpose(0, 2, 1)
    matrices[:, 3, :3] = rng.normal(size=(count, 3)) * 1000
    exact = matrices[:, :3, :3].transpose(0, 2, 1).astype(np.float64)
    t, q, s, error = decompose(matrices)
    assert np.array_equal(t, matrices[:, 3, :3])
    assert not error.any()
    assert np.array_equal(np.sign(s.prod(axis=1)), np.sign(np.linalg.det(exact)))
    lengths = np.linalg.norm(exact, axis=1)
    assert np.abs(recomposed(q, s) - exact).max(axis=1) / lengths == pytest.approx(0, abs=1e-6)
    assert np.array_equal(compose(t, q, s)[:, :3, 3], t)
    assert compose(t, q, s)[:, :3, :3] == pytest.approx(recomposed(q, s), rel=1e-12, abs=1e-9)
    # Bar-Itzhack (2000): the quaternion is the eigenvector of the largest eigenvalue of a symmetric matrix of the rotation
    unit = exact / (lengths * np.where(np.linalg.det(exact) < 0, -1, 1)[:, None] ** [1, 0, 0])[:, None, :]
    r = unit.transpose(1, 2, 0)
    symmetric = np.array([[r[0, 0] - r[1, 1] - r[2, 2], r[1, 0] + r[0, 1], r[2, 0] + r[0, 2], r[2, 1] - r[1, 2]],
                          [r[1, 0] + r[0, 1], r[1, 1] - r[0, 0] - r[2, 2], r[2, 1] + r[1, 2], r[0, 2] - r[2, 0]],
                          [r[2, 0] + r[0, 2], r[2, 1] + r[1, 2], r[2, 2] - r[0, 0] - r[1, 1], r[1, 0] - r[0, 1]],
                          [r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1], r[0, 0] + r[1, 1] + r[2, 2]]])
    oracle = np.linalg.eigh(symmetric.transpose(2, 0, 1))[1][:, :, 3]
    assert np.abs((oracle * q).sum(axis=1)) == pytest.approx(1, abs=1e-6)
    assert np.linalg.norm(q.astype(np.float64), axis=1) == pytest.approx(1, abs=3e-7)


@given(st.lists(st.sampled_from([0, 1e-7, 1e-4, 0.3, 1, -1, -0.7]), min_size=4, max_size=4).filter(lambda q: any(abs(x) > 0.1 for x in q)),
       st.tuples(*[st.floats(1e-6, 1e6)] * 3), st.booleans())
def test_rotations_near_the_corner_cases(quaternion, scale, mirror):
    quaternion = np.array([quaternion]) / np.linalg.norm(quaternion)
    scale = np.array([scale]) * (-1 if mirror else 1, 1, 1)
    matrix = recomposed(quaternion, scale)[0]
    _, q, s, error = decompose(stored(matrix))
    assert np.abs(recomposed(q, s)[0] - matrix).max(axis=0) / np.abs(scale[0]) == pytest.approx(0, abs=1e-6)
    assert (s[0, 0] < 0) == mirror and error[0] == 0


def test_shear_gives_the_nearest_trs_and_its_error():
    # a child turned 45 degrees about z under a parent scaled (1, 3, 1)
    matrix = np.diag([1.0, 3, 1]) @ np.array([[HALF, -HALF, 0], [HALF, HALF, 0], [0, 0, 1]])
    _, q, s, error = decompose(stored(matrix))
    found = recomposed(q, s)[0]
    corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]).T
    by_hand = np.linalg.norm((matrix - found) @ corners, axis=0).max() / np.linalg.norm(matrix @ corners, axis=0).max()
    assert error[0] == pytest.approx(by_hand, rel=1e-5)
    assert 0.2 < error[0] < 0.6
    # no small turn or scale brings it nearer
    rng = np.random.default_rng(0)
    residual = np.linalg.norm(matrix - found)
    for _ in range(500):
        turned = q + rng.normal(size=4) * 0.02
        other = recomposed(turned / np.linalg.norm(turned), s + rng.normal(size=3) * 0.02)[0]
        assert np.linalg.norm(matrix - other) >= residual - 1e-4


@pytest.mark.parametrize("mirror", [1, -1])
def test_random_shears_keep_the_determinants_sign(mirror):
    rng = np.random.default_rng(2)
    matrices = rng.normal(size=(500, 3, 3))
    matrices *= (np.sign(np.linalg.det(matrices)) * mirror)[:, None, None]
    given_ = np.zeros((500, 4, 4), np.float32)
    given_[:, :3, :3] = matrices.transpose(0, 2, 1)
    _, q, s, error = decompose(given_)
    found = recomposed(q, s)
    assert np.array_equal(np.sign(np.linalg.det(found)), np.full(500, mirror))
    columns = matrices / np.linalg.norm(matrices, axis=1)[:, None, :]
    u, _, v = np.linalg.svd(columns * [mirror, 1, 1])  # Loewdin's rotation, which treats the axes alike
    start = u @ v
    scales = np.einsum("nij,nij->nj", start, matrices)
    naive = np.linalg.norm(matrices - start * scales[:, None, :], axis=(1, 2))
    assert (np.linalg.norm(matrices - found, axis=(1, 2)) <= naive * (1 + 1e-5)).all()
    assert (error > 0).all() and np.isfinite(error).all()


@pytest.mark.parametrize("scale", [(0, 1, 1), (0, 0, 1), (0, 0, 0), (1e-20, 1e-20, 1e-20), (1e-30, 1, 1), (1e18, 1, 1)])
def test_degenerate_scales_stay_finite(scale):
    rotation = rotations(np.random.default_rng(3), 1)[0]
    _, q, s, error = decompose(stored(rotation * scale))
    assert np.abs(s[0]) == pytest.approx(np.array(scale), rel=1e-5, abs=1e-25)
    assert np.linalg.norm(q[0]) == pytest.approx(1, abs=1e-6)
    assert error[0] <= 1e-6
    assert np.abs(recomposed(q, s)[0] - rotation * scale).max() <= 1e-6 * max(scale)


def test_not_a_number_stays_finite():
    matrices = np.concatenate([stored(np.full((3, 3), np.nan)), stored(np.diag([np.inf, 1, 1]))])
    for values in decompose(matrices)[1:]:
        assert np.isfinite(values).all()


def test_rows_and_threads_give_the_same_as_all_at_once():
    transforms = make_scene(instances=CHUNK_ROWS + 500, seed=4)["instance_transforms"]
    rows = np.flatnonzero(transforms["flags"] & layout.INSTANCE_VALID)[::-1]
    everything, some = decompose(transforms, threads=1), decompose(transforms, rows, threads=2)
    for whole, part in zip(everything, some):
        assert np.array_equal(whole[rows], part)


def test_nothing_and_wrong_shapes():
    assert [len(out) for out in decompose(np.zeros((0, 4, 4), np.float32))] == [0, 0, 0, 0]
    with pytest.raises(ValueError, match=r"\(5, 3, 4\)"):
        decompose(np.zeros((5, 3, 4), np.float32))
