"""Trees that change: what is moved, inserted and removed is covered before the next cull, and a degraded tree is rebuilt."""

from dataclasses import replace

import numpy as np
import pytest
from bounds_factory import ARRAYS, clusters, make_bounds, of_kind, terrain
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuscene.core.cluster_tree import BatchEdit, EditableTree, build, check, degradation, insert, refit, remove
from gpuscene.core.limits import NO_INDEX

def pick(bounds, rows):
    return replace(bounds, **{name: getattr(bounds, name)[rows] for name in ARRAYS})


def boxes_by_leaf(tree, bounds):
    """Each node's box from all rows under it, by plain loops over its range."""
    out = []
    for begin, end in zip(tree.node_begin, tree.node_end):
        rows = tree.sorted_instances[begin:end]
        out.append((bounds.box_min[rows].min(axis=0), bounds.box_max[rows].max(axis=0)) if len(rows) else None)
    return out


def assert_tight(tree, bounds):
    check(tree, bounds)
    for node, box in zip(tree.nodes, boxes_by_leaf(tree, bounds)):
        if box is not None:
            assert np.array_equal(node["box_min"], box[0]) and np.array_equal(node["box_max"], box[1])


def test_one_instance_moved_a_kilometre_is_covered():
    bounds = terrain(5000)
    edited = EditableTree(bounds)
    edited.move([1234], make_bounds([[1000, 1000, 5]], [[1, 1, 1]]))
    tree = edited.tree
    assert edited.bounds.box_max[1234].tolist() == [1001, 1001, 6]
    assert tree.nodes["box_max"][0][0] == 1001
    assert_tight(tree, edited.bounds)
    assert edited.rebuilds == 0, "one instance is not worth a rebuild"
    assert bounds.box_max[1234][0] < 1000, "the caller's bounds are the caller's"


@settings(max_examples=40, deadline=None)
@given(count=st.integers(1, 600), moved=st.integers(0, 600), cluster_size=st.sampled_from([1, 4, 64]),
       seed=st.integers(0, 1 << 16))
def test_refit_of_some_rows_is_refit_of_all(count, moved, cluster_size, seed):
    rng = np.random.default_rng(seed)
    bounds, tree = clusters(count, seed), build(clusters(count, seed), "sah", cluster_size)
    rows = rng.integers(0, count, moved)
    target = of_kind("mixed_sizes", count, seed + 1)
    for name in ARRAYS:
        getattr(bounds, name)[rows] = getattr(target, name)[rows]
    some = refit(tree, bounds, rows)
    assert some.nodes.tobytes() == refit(tree, bounds).nodes.tobytes()
    assert_tight(some, bounds)


def test_refit_keeps_the_bounds_scale():
    bounds = make_bounds([[0, 0, 0]], [[1, 1, 1]])
    tree = build(bounds, bounds_scale=2.0)
    moved = make_bounds([[10, 0, 0]], [[1, 1, 1]])
    for rows in (None, [0]):
        assert refit(tree, moved, rows).nodes["box_min"][0].tolist() == [8, -2, -2]


def test_inserted_rows_are_unbuilt():
    tree = insert(build(terrain(100), "sah", 8), [100, 103])
    assert tree.unbuilt.tolist() == [100, 103] and tree.instance_count == 102
    assert len(tree.reorder) == 104 and tree.reorder[100:].tolist() == [NO_INDEX] * 4
    check(tree)
    for rows in ([50], [100], [200, 200]):
        with pytest.raises(ValueError, match="already"):
            insert(tree, rows)


def test_removed_rows_are_in_no_leaf():
    bounds = terrain(100)
    tree = remove(insert(build(bounds, "sah", 8), [100, 101]), [3, 101, 77])
    assert sorted(tree.sorted_instances.tolist()) == sorted(set(range(100)) - {3, 77}) and tree.unbuilt.tolist() == [100]
    assert tree.reorder[[3, 77, 101]].tolist() == [NO_INDEX] * 3
    check(tree)
    for rows in ([3], [101], [999], [-1]):
        with pytest.raises(ValueError):
            remove(tree, rows)


def test_emptied_leaves_stay_valid():
    bounds = terrain(200)
    tree = build(bounds, "sah", 4)
    leaf = np.flatnonzero(tree.is_leaf)[7]
    tree = refit(remove(tree, tree.sorted_instances[tree.node_begin[leaf]:tree.node_end[leaf]]), bounds)
    assert tree.counts[leaf] == 0
    assert_tight(tree, bounds)
    tree = refit(remove(tree, tree.sorted_instances), bounds)
    assert tree.instance_count == 0 and not tree.nodes["box_max"].any()
    check(tree, bounds)


def test_tree_of_nothing_takes_instances_in():
    edited = EditableTree(make_bounds(np.zeros((0, 3)), np.zeros((0, 3))))
    rows = edited.insert(terrain(10))
    assert rows.tolist() == list(range(10)) and sorted(edited.tree.unbuilt.tolist()) == list(range(10)) and edited.rebuilds == 0
    edited.insert(terrain(100, 1))  # more than a cluster unbuilt
    assert edited.rebuilds == 1 and not len(edited.tree.unbuilt)
    assert_tight(edited.tree, edited.bounds)


def test_scattered_moves_rebuild_a_tree_past_the_stated_degradation():
    edited = EditableTree(terrain(4000), cluster_size=16)
    fresh = degradation(edited.tree)
    assert fresh.cost_ratio == pytest.approx(1) and (fresh.unbuilt, fresh.removed, fresh.needs_rebuild) == (0, 0, False)
    rng = np.random.default_rng(0)
    with BatchEdit(edited):
        for rows in np.array_split(rng.permutation(4000)[:2000], 20):
            edited.move(rows, pick(terrain(4000, 9), rows))
        degraded = degradation(edited.tree)
        assert degraded.cost_ratio > 1.5 and degraded.needs_rebuild and edited.rebuilds == 0
        check(edited.tree, edited.bounds)
    assert edited.rebuilds == 1, "a batch rebuilds once"
    assert degradation(edited.tree).cost_ratio == pytest.approx(1)
    assert_tight(edited.tree, edited.bounds)


def test_unbuilt_and_removed_rows_rebuild_at_their_shares():
    edited = EditableTree(terrain(2000), cluster_size=16)
    edited.insert(terrain(100, 1))
    assert edited.rebuilds == 0 and len(edited.tree.unbuilt) == 100  # 100 of 2100: not yet 5 %
    edited.insert(terrain(6, 2))
    assert edited.rebuilds == 1 and not len(edited.tree.unbuilt)
    edited.remove(np.arange(1053))
    assert edited.rebuilds == 1
    edited.remove([1053])
    assert edited.rebuilds == 2 and len(edited.tree.sorted_instances) == 1052
    assert not edited.bounds.drawable[:1054].any() and edited.bounds.drawable[1054:].all()
    assert_tight(edited.tree, edited.bounds)
    edited.insert(terrain(2, 3), rows=[5, 6])
    assert edited.tree.unbuilt.tolist() == [5, 6] and edited.bounds.drawable[[5, 6]].all()
    with pytest.raises(ValueError, match="never"):
        edited.insert(terrain(1), rows=[99_999])


def test_edited_bounds_carry_rounding_only_together():
    plain, grown = terrain(10), replace(terrain(10), carries_rounding=True)
    edited = EditableTree(grown)
    edited.move([1], pick(grown, [2]))
    assert edited.bounds.carries_rounding
    edited.insert(pick(grown, []))
    assert edited.bounds.carries_rounding
    edited.insert(plain)
    assert not edited.bounds.carries_rounding
    edited.insert(grown)
    assert not edited.bounds.carries_rounding
    edited = EditableTree(grown)
    edited.move([1], pick(plain, [2]))
    assert not edited.bounds.carries_rounding
    edited = EditableTree(pick(plain, []))
    edited.insert(grown)
    assert edited.bounds.carries_rounding


def test_a_batch_settles_after_an_exception_and_batches_nest():
    edited = EditableTree(terrain(500))
    with pytest.raises(RuntimeError), edited.batch():
        with edited.batch():
            edited.insert(terrain(400, 1))
        assert edited.rebuilds == 0
        raise RuntimeError
    assert edited.rebuilds == 1 and edited.tree.instance_count == 900
    assert_tight(edited.tree, edited.bounds)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 1 << 16), steps=st.lists(st.sampled_from(["move", "insert", "remove", "reuse", "batch"]), max_size=12))
def test_any_history_keeps_the_invariants(seed, steps):
    rng = np.random.default_rng(seed)
    edited, alive, batch = EditableTree(terrain(60, seed), cluster_size=4), set(range(60)), None
    for step in steps:
        rows = rng.permutation(sorted(alive))[:rng.integers(0, 20)]
        if step == "move":
            edited.move(rows, of_kind("mixed_sizes", len(rows), seed))
        elif step == "insert":
            alive |= set(edited.insert(terrain(int(rng.integers(0, 9)), seed)).tolist())
        elif step == "remove":
            edited.remove(rows)
            alive -= set(rows.tolist())
        elif step == "reuse":
            free = sorted(set(range(len(edited.bounds))) - alive)[:3]
            edited.insert(terrain(len(free), seed), rows=free)
            alive |= set(free)
        elif batch is None:
            batch = edited.batch()
            batch.__enter__()
        else:
            batch.__exit__(None, None, None)
            batch = None
        tree = edited.tree
        assert_tight(tree, edited.bounds)
        assert sorted(tree.sorted_instances.tolist() + tree.unbuilt.tolist()) == sorted(alive)
        assert set(np.flatnonzero(edited.bounds.drawable).tolist()) == alive
