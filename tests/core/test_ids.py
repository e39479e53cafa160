"""Ids against plain-integer oracles: published vectors of splitmix64 and FNV-1a, loops, and collisions made on purpose."""

import numpy as np
import pytest
from gpuscene.core import ids
from gpuscene.core.limits import NO_INDEX
from hypothesis import example, given
from hypothesis import strategies as st

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15
NAMES = st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",)), max_size=40)


def mix(value):
    """splitmix64 in Python integers."""
    x = (value + GOLDEN) & MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


def fnv1a(data):
    key = 0xCBF29CE484222325
    for byte in data:
        key = ((key ^ byte) * 0x100000001B3) & MASK
    return key


def folded(low, high):
    """A key that folds to `low`."""
    return high << 32 | (high ^ low)


def u64(values):
    return np.array(values, np.uint64)


def test_the_published_sequence_of_splitmix64():
    """The generator's first three outputs from seed 0."""
    states = u64([0, GOLDEN, (2 * GOLDEN) & MASK])
    assert ids.mix64(states).tolist() == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]


@given(st.lists(st.integers(0, MASK), max_size=20))
def test_mix_and_combine_equal_plain_integers(values):
    assert ids.mix64(u64(values)).tolist() == [mix(v) for v in values]
    assert ids.combine(np.uint64(7), u64(values)).tolist() == [mix(7 * 0x100000001B3 & MASK ^ v) for v in values]


def test_mixing_works_across_chunks_and_keeps_the_shape():
    values = np.arange((1 << 15) * 2 + 3, dtype=np.uint64)
    mixed = ids.mix64(values)
    assert mixed[[0, 1 << 15, -1]].tolist() == [mix(0), mix(1 << 15), mix(len(values) - 1)]
    assert ids.mix64(values[:6].reshape(2, 3)).shape == (2, 3)
    assert len(np.unique(mixed)) == len(values)


def test_order_within_a_path_matters():
    assert ids.combine(np.uint64(1), np.uint64(2)) != ids.combine(np.uint64(2), np.uint64(1))


@pytest.mark.parametrize(
    ("text", "hashed"), [("", 0xCBF29CE484222325), ("a", 0xAF63DC4C8601EC8C), ("foobar", 0x85944171F73967E8)]
)
def test_published_fnv1a_values(text, hashed):
    assert int(ids.name_key(text)) == mix(hashed)


@given(st.lists(NAMES, max_size=30))
@example(["", "", "a", ""])
@example(["木" * 200, "🌲", "a/b\"'", "a"])
def test_names_equal_the_loop_and_do_not_depend_on_each_other(names):
    assert ids.name_keys(names).tolist() == [mix(fnv1a(name.encode())) for name in names]


def test_names_that_are_no_utf8_and_names_with_nul():
    assert int(ids.name_key(b"\xff\xfe".decode("utf-8", "surrogateescape"))) == mix(fnv1a(b"\xff\xfe"))
    with pytest.raises(ValueError, match="NUL"):
        ids.name_keys(["a\0b"])


@given(st.lists(st.integers(-3, 4), max_size=60))
def test_repeats_become_distinct_and_the_first_keeps_its_value(values):
    keys = ids.unique_within(np.array(values, np.int32))
    seen, expected = {}, []
    for value in values:
        word, repeat = value & MASK, seen.get(value, 0)
        expected.append(mix(word * 0x100000001B3 & MASK ^ repeat) if repeat else word)
        seen[value] = repeat + 1
    assert keys.tolist() == expected
    assert len(set(keys.tolist())) == len(values)


@given(
    st.lists(st.tuples(st.sampled_from([0, 1, 5, NO_INDEX - 1, NO_INDEX]), st.integers(0, 0xFFFFFFFF)), unique=True, max_size=40),
    st.randoms(),
)
@example([(NO_INDEX, 3)], None)
@example([(5, 3), (5, 4), (NO_INDEX, 1), (NO_INDEX, 2)], None)
def test_keys_that_fold_alike_get_ids_of_their_own_whatever_their_order(pairs, random):
    keys = [folded(low, high) for low, high in pairs]
    by_key = dict(zip(keys, ids.instance_ids(u64(keys)).tolist()))
    assert len(set(by_key.values())) == len(keys)
    assert NO_INDEX not in by_key.values()
    lows = [low for low, _ in pairs]
    for (low, _), key in zip(pairs, keys):
        if lows.count(low) == 1 and low != NO_INDEX:
            assert by_key[key] == low, "an id without a rival is the fold itself"
    if random is not None:
        random.shuffle(keys)
        assert dict(zip(keys, ids.instance_ids(u64(keys)).tolist())) == by_key


def test_an_id_moved_out_of_the_way_never_takes_anothers():
    """The second attempt of the clashing key is made to land on an id that is in use."""
    first, second = sorted([folded(9, 1), folded(9, 2)])
    attempt = mix(second + 1)
    occupied = (attempt ^ attempt >> 32) & 0xFFFFFFFF
    found = ids.instance_ids(u64([first, second, folded(occupied, 77)]))
    assert found[0] == 9 and found[2] == occupied
    assert len(set(found.tolist())) == 3


def test_even_equal_keys_get_distinct_ids():
    found = ids.instance_ids(u64([123] * 5 + [124]))
    assert len(set(found.tolist())) == 6 and found[5] == 124


def test_no_instances():
    assert (
        ids.instance_ids(u64([])).dtype == np.uint32
        and not len(ids.name_keys([]))
        and not len(ids.unique_within(np.zeros(0, np.int32)))
    )


def test_a_million_points_have_distinct_ids_and_nearly_all_survive_their_neighbours():
    keys = ids.combine(ids.name_key("Scatter"), np.arange(1_000_000, dtype=np.uint64))
    every = ids.instance_ids(keys)
    assert len(np.unique(every)) == len(keys)
    half = ids.instance_ids(keys[::2])
    # Chance of one clash is about count / 2**32; a hundred of a half million is far past it.
    assert np.count_nonzero(half != every[::2]) < 200
