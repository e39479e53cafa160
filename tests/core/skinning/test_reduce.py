"""Reductions for distance, and several armatures as one set of influences."""

import numpy as np
import pytest
from gpuscene.core.skinning import Influences
from gpuscene.core.skinning.blend import linear_blend
from gpuscene.core.skinning.chain import after, follows_object, masked, mixed, unmoved
from gpuscene.core.skinning.lod import fewer_influences, fold_bones, fold_targets, reduced_bones
from hypothesis import given
from hypothesis import strategies as st
from skin_factory import random_matrices, random_skin


@given(st.integers(0, 10**6), st.sampled_from([4, 2, 1]))
def test_fewer_influences(seed, limit):
    skin = random_skin(seed)
    few = fewer_influences(skin, limit)
    assert few.influences.counts.max() <= limit and few.influences.sums() == pytest.approx(np.ones(skin.vertex_count))


@given(st.integers(0, 10**6), st.lists(st.booleans(), min_size=7, max_size=7))
def test_weights_go_to_the_nearest_kept_ancestor(seed, keep):
    skin = random_skin(seed)
    keep = np.array([*keep[:-1], True])
    for bone, target in enumerate(fold_targets(skin.parents, keep).tolist()):
        at = bone
        while at != -1 and not keep[at]:
            at = skin.parents[at]
        assert target == (at if at != -1 else 6)
    folded = fold_bones(skin, keep).influences
    assert folded.sums() == pytest.approx(np.ones(skin.vertex_count)) and keep[np.unique(folded.bones)].all()


@given(st.integers(0, 10**6), st.integers(0, 6))
def test_where_children_move_with_their_parents_nothing_is_lost(seed, count):
    """All bones of a family under one matrix: whatever folds, the mesh stays."""
    skin = random_skin(seed)
    keep = reduced_bones(skin, count)
    assert keep[:-1].sum() == count and keep[-1]
    for bone in range(6):  # a kept bone's parent is kept
        assert not keep[bone] or skin.parents[bone] == -1 or keep[skin.parents[bone]]
    same = np.repeat(random_matrices(seed)[:1], 7, axis=0)
    before, later = (linear_blend(skin.rest, s.influences, same) for s in (skin, fold_bones(skin, keep)))
    assert later == pytest.approx(before, abs=1e-12)


def test_a_hand_folds_fingers_first():
    """arm <- hand <- two fingers, a vertex each: the finger nearer to the hand goes first, then the other, then the hand. That the
    arm moves the least of the mesh does not matter.
    """
    skin = random_skin(0, vertices=4, bones=5, most=4)
    skin = type(skin)(
        skin.name,
        np.array([(0, 0, 0), (1, 0, 0), (1.2, 0, 0), (1.1, 0, 0)], np.float32),
        skin.triangles,
        Influences.of(4, range(4), [0, 1, 2, 3], [0.1, 1.0, 1.0, 1.0]),
        skin.bones,
        np.array([-1, 0, 1, 1, -1], np.int32),
    )
    assert [np.flatnonzero(reduced_bones(skin, n)[:-1]).tolist() for n in (4, 3, 2, 1, 0)] == [
        [0, 1, 2, 3],
        [0, 1, 2],
        [0, 1],
        [0],
        [],
    ]


def test_a_limb_of_few_vertices_outlasts_a_face_of_many():
    """body <- shin (two vertices, half a metre long), body <- lip (twenty vertices within a centimetre)."""
    rest = np.array([(0, 0, 1), (0, 0, 0.5), (0, 0, 0), *((0.01 * i / 20, 0, 1.5) for i in range(20))], np.float32)
    vertices = [0, 1, 1, 2, *range(3, 23), *range(3, 23)]
    bones = [0, 0, 1, 1, *[2] * 20, *[0] * 20]
    weights = [1, 0.5, 0.5, 1, *[0.9] * 20, *[0.1] * 20]
    skin = random_skin(0, vertices=23, bones=4, most=4)
    skin = type(skin)("man", rest, skin.triangles, Influences.of(23, vertices, bones, weights), skin.bones, np.array([-1, 0, 0, -1], np.int32))
    assert np.flatnonzero(reduced_bones(skin, 2)[:-1]).tolist() == [0, 1]


@given(st.integers(0, 10**6))
def test_a_mask_blends_towards_the_object(seed):
    skin, matrices = random_skin(seed), random_matrices(seed)
    mask = np.random.default_rng(seed).choice([0.0, 0.25, 1.0], skin.vertex_count)
    whole, still = (
        linear_blend(skin.rest, skin.influences, matrices),
        linear_blend(skin.rest, unmoved(skin.vertex_count, 6), matrices),
    )
    found = linear_blend(skin.rest, masked(skin.influences, mask, 6), matrices)
    assert found == pytest.approx(still + mask[:, None] * (whole - still), abs=1e-9)
    assert masked(skin.influences, None, 6) is skin.influences
    both = mixed(skin.influences, unmoved(skin.vertex_count, 6), mask)
    assert linear_blend(skin.rest, both, matrices) == pytest.approx(whole + mask[:, None] * (still - whole), abs=1e-9)


def test_two_armatures_conflict_only_where_both_act():
    first = Influences.of(4, [0, 1, 2, 3], [0, 0, 9, 9], [1.0] * 4)
    second = Influences.of(4, [0, 1, 2, 3], [9, 5, 5, 9], [1.0] * 4)
    composed = after(first, second, 9)
    assert composed.conflicts.tolist() == [1] and composed.influences.bones.tolist() == [0, 5, 5, 9]
    assert follows_object(composed.influences, 9).tolist() == [False, False, False, True]
