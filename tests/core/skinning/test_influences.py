"""Influences against plain loops over dictionaries."""

from fractions import Fraction

import numpy as np
import pytest
from gpuscene.core.errors import LimitError
from gpuscene.core.skinning import Influences, Skin, pack
from gpuscene.core.skinning.quantise import dequantise, quantise
from hypothesis import given
from hypothesis import strategies as st

WEIGHT = st.integers(0, 1000).map(lambda n: n / 1000)
VERTICES = st.lists(st.lists(st.tuples(st.integers(0, 11), WEIGHT), max_size=9), min_size=1, max_size=12)


def of(vertices):
    flat = [(v, bone, weight) for v, entries in enumerate(vertices) for bone, weight in entries]
    return (
        Influences.of(len(vertices), *(np.array(column) for column in zip(*flat, strict=True)))
        if flat
        else Influences.of(len(vertices), [], [], [])
    )


def as_dicts(influences):
    return [
        dict(zip(influences.bones[a:b].tolist(), influences.weights[a:b].tolist(), strict=True))
        for a, b in zip(influences.starts, influences.starts[1:], strict=False)
    ]


def summed(entries):
    out = {}
    for bone, weight in entries:
        if weight > 0:
            out[bone] = out.get(bone, 0) + weight
    return out


@given(VERTICES)
def test_entries_of_a_bone_add_up(vertices):
    for found, entries in zip(as_dicts(of(vertices)), vertices, strict=True):
        assert found == pytest.approx(summed(entries))


@given(VERTICES, st.sampled_from([0.0, 1e-4, 0.5]))
def test_normalised(vertices, least):
    for found, entries in zip(as_dicts(of(vertices).normalised(77, least)), vertices, strict=True):
        expected = summed(entries)
        total = sum(expected.values())
        if total == pytest.approx(least, abs=1e-12):
            continue  # one ulp decides
        assert found == pytest.approx({b: w / total for b, w in expected.items()} if total > least else {77: 1.0})


@given(VERTICES, st.integers(1, 5))
def test_strongest(vertices, limit):
    """The largest weights, of equals the lower bone, scaled to the sum before."""
    for found, entries in zip(as_dicts(of(vertices).strongest(limit)), vertices, strict=True):
        whole = summed(entries)
        order = sorted(whole.items(), key=lambda pair: (-pair[1], pair[0]))
        # Bones whose weights differ by rounding alone may stand in either order.
        chosen = dict(order[:limit])
        assert len(found) == len(chosen) and sum(found.values()) == pytest.approx(sum(whole.values()))
        share = sum(whole.values()) / sum(chosen.values()) if chosen else 1
        assert sorted(found.values()) == pytest.approx(sorted(w * share for w in chosen.values()))
        assert all(found[b] == pytest.approx(whole[b] * share) for b in found)


def test_of_equals_the_lower_bones_stay():
    even = Influences.of(1, [0] * 6, [9, 3, 7, 1, 5, 2], [0.5] * 6)
    assert as_dicts(even.strongest(4)) == [{1: 0.75, 2: 0.75, 3: 0.75, 5: 0.75}]
    bones, weights = even.strongest(4).padded(4)
    assert bones.tolist() == [[1, 2, 3, 5]] and weights.tolist() == [[0.75] * 4]
    with pytest.raises(ValueError, match="6 influences"):
        even.padded(4)


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=8).filter(any))
def test_bytes_are_hamiltons(parts):
    """Against exact fractions: floors, then one more for the largest remainders in order."""
    total = sum(parts)
    exact = [Fraction(255 * part, total) for part in parts]
    floors = [int(e) for e in exact]
    order = sorted(range(len(parts)), key=lambda i: (floors[i] - exact[i], i))
    expected = [f + (i in order[: 255 - sum(floors)]) for i, f in enumerate(floors)]
    found = quantise(np.array([parts]) / total)
    assert found.dtype == np.uint8 and found.sum() == 255
    remainders = sorted(e - f for e, f in zip(exact, floors, strict=True))
    if min((b - a for a, b in zip(remainders, remainders[1:], strict=False) if b != a), default=1) > 1e-9 and len(
        set(remainders)
    ) == len(remainders):
        assert found[0].tolist() == expected
    assert np.abs(dequantise(found[0]) - np.array(parts) / total).max() < 1 / 255


def test_ties_of_remainders_go_to_the_first():
    assert quantise(np.array([[0.25] * 4])).tolist() == [[64, 64, 64, 63]]
    assert quantise(np.array([[0.5, 0.5, 0, 0], [1, 0, 0, 0]])).tolist() == [[128, 127, 0, 0], [255, 0, 0, 0]]


def skin_of(influences, bone_count):
    count = influences.vertex_count
    return Skin(
        "s",
        np.zeros((count, 3), np.float32),
        np.zeros((0, 3), np.int32),
        influences,
        (*(f"b{i}" for i in range(bone_count - 1)), ""),
        np.full(bone_count, -1, np.int32),
    )


@given(VERTICES)
def test_packed_says_what_the_bytes_say(vertices):
    packed = pack(skin_of(of(vertices).normalised(12), 13))
    for found, row, weights in zip(as_dicts(packed.influences), packed.bone_indices, packed.bone_weights, strict=True):
        assert found == pytest.approx(summed((int(packed.used[b]), w / 255) for b, w in zip(row, weights.tolist(), strict=True)))
    used = {b for d in as_dicts(packed.influences) for b in d}
    assert packed.used.tolist() == sorted(used) and packed.bone_indices.dtype == np.uint8
    for bone in range(13):
        assert packed.remap[bone] == (sorted(used).index(bone) if bone in used else 0xFFFFFFFF)
    table = packed.table()
    assert (table["bone_weights"][:, None].view(np.uint8) == packed.bone_weights).all()
    assert (table["bone_indices"][:, None].view(np.uint8) == packed.bone_indices).all()


def test_more_than_256_used_bones_take_two_bytes():
    """Case S3 in arrays: 260 bones of which 199 are used fit a byte, 300 used do not."""
    few = pack(skin_of(Influences.of(199, np.arange(199), np.arange(199) + 61, np.ones(199)), 261))
    assert few.bone_count == 199 and few.bone_indices.dtype == np.uint8 and few.table()["bone_indices"].max() == 198
    many = pack(skin_of(Influences.of(300, np.arange(300), np.arange(300), np.ones(300)), 301))
    assert (
        many.bone_count == 300 and many.bone_indices.dtype == np.uint16 and many.bone_indices[:, 0].tolist() == list(range(300))
    )
    wide = many.table()
    assert many.is_wide and not few.is_wide and wide.dtype.itemsize == 24
    assert (
        wide["bone_indices_low"].tolist() == list(range(300))
        and not wide["bone_indices_high"].any()
        and (wide["bone_weights"] == 255).all()
    )
    with pytest.raises(LimitError, match="8 is past the limit of 4"):
        pack(skin_of(Influences.of(1, [0], [0], [1]), 2), 8).table()
