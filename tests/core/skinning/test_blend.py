"""Linear blending, formats of matrices, bounds and errors, against one vertex at a time in plain Python."""

import numpy as np
import pytest
from gpuscene.core.skinning import Influences, Skin, pack
from gpuscene.core.skinning.blend import PER_BYTE, blend_packed, linear_blend
from gpuscene.core.skinning.bounds import BoneBoxes
from gpuscene.core.skinning.error import SkinError, character_height
from gpuscene.core.skinning.matrices import FORMATS, decode, encode, world_from_rest
from hypothesis import given
from hypothesis import strategies as st
from skin_factory import random_matrices, random_skin


def by_hand(skin, influences, matrices):
    out = []
    for v in range(skin.vertex_count):
        x = [float(c) for c in skin.rest[v]]
        total = [0.0, 0.0, 0.0]
        for e in range(influences.starts[v], influences.starts[v + 1]):
            m, w = matrices[influences.bones[e]], float(influences.weights[e])
            for row in range(3):
                total[row] += w * (sum(float(m[row][c]) * x[c] for c in range(3)) + float(m[row][3]))
        out.append(total)
    return np.array(out)


@given(st.integers(0, 10**6))
def test_the_reference_is_the_definition(seed):
    skin, matrices = random_skin(seed), random_matrices(seed)
    assert linear_blend(skin.rest, skin.influences, matrices) == pytest.approx(
        by_hand(skin, skin.influences, matrices), rel=1e-12, abs=1e-12
    )


@given(st.integers(0, 10**6), st.sampled_from([1, 2, 4, 8]))
def test_the_float32_path_is_the_reference_of_its_bytes(seed, count):
    """Apart from rounding: some twenty operations on numbers of this size."""
    skin = random_skin(seed)
    packed = pack(skin, count)
    matrices = packed.matrices(random_matrices(seed))
    wide = np.zeros((skin.bone_count, 3, 4), np.float32)
    wide[packed.used] = matrices
    found, exact = blend_packed(packed, matrices), linear_blend(skin.rest, packed.influences, wide)
    assert found.dtype == np.float32 and np.abs(found - exact).max() < 24 * 2**-24 * 16
    moved = (skin.rest + 1).astype(np.float32)
    assert np.abs(blend_packed(packed, matrices, moved) - linear_blend(moved, packed.influences, wide)).max() < 24 * 2**-24 * 32


def test_a_rigid_vertex_is_exact():
    """255 shares are exactly one, so what follows one bone moves as that bone does, in float32."""
    assert np.float32(255) * PER_BYTE == 1
    skin = Skin(
        "s",
        np.array([[1, 2, 3]], np.float32),
        np.zeros((0, 3), np.int32),
        Influences.of(1, [0], [0], [1]),
        ("b", ""),
        np.array([-1, -1]),
    )
    packed = pack(skin)
    assert blend_packed(packed, packed.matrices(np.array([np.eye(4)[:3], np.eye(4)[:3]]))).tolist() == [[1, 2, 3]]


@given(st.integers(0, 10**6))
def test_one_product_is_the_chain_of_products(seed):
    random = np.random.default_rng(seed)
    armature, obj, deform = (np.vstack([random.normal(size=(3, 4)), [0, 0, 0, 1]]) for _ in range(3))
    if abs(np.linalg.det(armature)) < 1e-2:
        armature[:3, :3] = np.eye(3)
    x = np.r_[random.normal(size=3), 1]
    (found,) = world_from_rest(armature, deform[None], obj)
    assert found @ x == pytest.approx((armature @ (deform @ (np.linalg.inv(armature) @ (obj @ x))))[:3], rel=1e-9, abs=1e-9)


def test_an_armature_without_size_stays_finite():
    flat = np.diag([1.0, 0.0, 1.0, 1.0])
    assert np.isfinite(world_from_rest(flat, np.eye(4)[None], np.eye(4))).all()


@given(st.integers(0, 10**6), st.sampled_from([0.0, 1000.0]))
def test_formats(seed, offset):
    """Bytes a bone as stated; half to 11 bits of what is left about the origin; TRS exact for rotation and scale."""
    random = np.random.default_rng(seed)
    turns, _ = np.linalg.qr(random.normal(size=(5, 3, 3)))
    matrices = np.concatenate([turns * random.uniform(0.5, 2, (5, 1, 3)), offset + random.uniform(-1, 1, (5, 3, 1))], axis=2)
    origin = (offset, offset, offset)
    for kind, size in FORMATS.items():
        encoded = encode(matrices, kind, origin)
        assert sum(array.nbytes for array in encoded) == 5 * size
        off = np.abs(decode(encoded, kind, origin) - matrices).max()
        assert (
            off
            <= {
                "float32": 2**-24 * max(2, offset * 1.01),
                "half": 2**-11 * 2 + 2**-24 * offset * 2,
                "trs": 4e-6 + 2**-23 * offset,
            }[kind]
        )
    with pytest.raises(ValueError, match="quaternion"):
        encode(matrices, "quaternion")


@given(st.integers(0, 10**6), st.sampled_from([0.0, 100.0]))
def test_bounds_hold_every_vertex_of_the_pose(seed, offset):
    packed = pack(random_skin(seed))
    matrices = packed.matrices(random_matrices(seed, offset=offset))
    low, high = BoneBoxes.of(packed).posed(matrices)
    positions = blend_packed(packed, matrices)
    assert (positions >= low).all() and (positions <= high).all()


def test_bounds_follow_the_root():
    """Case C4: a cube on one bone that moves 10 m stands at [9, 11]."""
    corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], np.float32)
    packed = pack(
        Skin(
            "s",
            corners,
            np.zeros((0, 3), np.int32),
            Influences.of(8, np.arange(8), np.zeros(8, int), np.ones(8)),
            ("b", ""),
            np.array([-1, -1]),
        )
    )
    moved = np.eye(4)[None, :3].copy()
    moved[0, 0, 3] = 10
    low, high = BoneBoxes.of(packed).posed(moved)
    assert low == pytest.approx([9, -1, -1], abs=1e-4) and high == pytest.approx([11, 1, 1], abs=1e-4)


def test_errors_name_the_worst_vertices():
    truth = np.zeros((4, 3))
    off = SkinError.of([[0, 0, 0], [3, 4, 0], [0, 0, 1], [0, 0, 1]], truth, 2.0)
    assert (off.largest, off.share, off.mean, off.worst()) == (5.0, 2.5, 7 / 4, [1, 2, 3])
    assert SkinError.of([[np.nan, 0, 0]], truth[:1], 1.0).largest == np.inf and SkinError.of(truth, truth, 0.0).share == 0
    assert character_height([[0, 0, -1], [0.5, 0, 1.5], [np.nan, 9, 9]]) == 2.5 and character_height(np.zeros((0, 3))) == 0
