"""The live cluster tree: every slot has a place, boxes hold their rows after any edit, paths lead to leaves."""

import numpy as np
import pytest
from cull_scenes import random_camera
from gpuscene.core import ids, layout
from gpuscene.core.cluster_tree import check
from gpuscene.core.culling.camera import CullView
from gpuscene.core.culling.flat import cull_flat
from gpuscene.core.culling.traverse import cull_tree
from gpuscene.core.live.clusters import LiveClusters
from gpuscene.core.live.options import LiveOptions
from live_factory import make_tables, matrix, rows_of, store


def make(count=60, size=4, **kwargs):
    options = LiveOptions(cluster_size=size)
    tables, objects = make_tables(count, options=options, **kwargs)
    return tables, objects, LiveClusters(tables.bounds, options, tables.alive)


def leaf_of_rows(clusters) -> dict:
    """slot -> leaves that have it."""
    nodes, found = clusters.gpu_tree().nodes, {}
    for row, node in enumerate(nodes):
        if node["count"] & layout.CLUSTER_LEAF:
            begin, count = int(node["first"]), int(node["count"]) & ~layout.CLUSTER_LEAF
            for slot in clusters.order[begin:begin + count].tolist():
                found.setdefault(slot, []).append(row)
    return found


def assert_sound(tables, clusters):
    leaves = leaf_of_rows(clusters)
    nodes, parents = clusters.gpu_tree().nodes, clusters.gpu_tree().parents
    past = clusters.order[clusters.built_count:].tolist()
    assert sorted([*leaves, *past]) == list(range(tables.capacity))
    assert clusters.positions[clusters.order].tolist() == list(range(tables.capacity))
    for slot, rows in leaves.items():
        (leaf,) = rows
        path = clusters.path_of(slot)
        assert path[0] == 0 and path[-1] == leaf and [int(parents[row]) for row in path[1:]] == path[:-1]
        assert clusters.depths()[path].tolist() == list(range(len(path)))
        for row in path:
            assert (nodes["box_min"][row] <= tables.bounds.box_min[slot]).all()
            assert (nodes["box_max"][row] >= tables.bounds.box_max[slot]).all()
    assert all(clusters.path_of(slot) == [] for slot in past)
    check(clusters.tree, tables.bounds)


def test_fresh():
    tables, _, clusters = make()
    assert_sound(tables, clusters)
    assert sorted(leaf_of_rows(clusters)) == np.flatnonzero(tables.alive).tolist()
    assert np.array_equal(clusters.order[clusters.built_count:], np.flatnonzero(~tables.alive)) and not clusters.needs_rebuild


@pytest.mark.parametrize("seed", range(4))
def test_boxes_hold_their_rows_through_edits(seed):
    tables, objects, clusters = make(seed=seed)
    extraction, primitives = store()
    rng = np.random.default_rng(seed)
    gpu, order = clusters.gpu_tree(), clusters.order.copy()
    layout_version = tables.layout_version
    names = list(objects)
    for step in range(25):
        name = names[rng.integers(len(names))]
        kind = rng.integers(4)
        if kind == 0:
            tables.hide(ids.name_key(name))
        elif kind == 1:
            tables.remove(ids.name_key(name))
        elif kind == 2:
            tables.apply(rows_of({name: objects[name]}, extraction, primitives), ids.name_keys([name]))
        else:
            slots = rng.choice(np.flatnonzero(tables.alive), 3, replace=False)
            tables.patch(slots, np.stack([matrix(1000 * seed + 10 * step + k + 5) for k in range(3)]))
        assert tables.layout_version == layout_version
        clusters.refit(tables.take_dirty())
        assert clusters.gpu_tree() is gpu and np.array_equal(clusters.order, order)
        assert_sound(tables, clusters)
    clusters.rebuild()
    assert clusters.version == 2 and clusters.gpu_tree() is not gpu
    assert sorted(leaf_of_rows(clusters)) == np.flatnonzero(tables.alive).tolist()
    assert_sound(tables, clusters)


def test_a_refit_is_exact():
    """Boxes of leaves are the boxes around their rows, no larger; the root's is around all."""
    tables, _, clusters = make()
    slots = np.flatnonzero(tables.alive)[::7]
    tables.patch(slots, np.stack([matrix(500 + n) for n in range(len(slots))]))
    assert clusters.refit(tables.take_dirty())
    built = clusters.order[:clusters.built_count]
    assert clusters.gpu_tree().nodes["box_min"][0].tolist() == tables.bounds.box_min[built].min(axis=0).tolist()
    by_leaf = {}
    for slot, (leaf,) in leaf_of_rows(clusters).items():
        by_leaf.setdefault(leaf, []).append(slot)
    for leaf, rows in by_leaf.items():
        assert len(rows) <= 4
        assert clusters.tree.nodes["box_max"][leaf].tolist() == tables.bounds.box_max[rows].max(axis=0).tolist()
    assert not clusters.refit([]) and not clusters.refit(clusters.order[clusters.built_count:][:3])


def test_rows_past_the_leaves_call_for_a_rebuild():
    """More than a leaf's worth, and more than one in twenty."""
    tables, objects, clusters = make(60, size=4)
    extraction, primitives = store()
    new = {f"New {i}": {0: (i % 6, 900 + i)} for i in range(12)}
    version = tables.layout_version
    tables.apply(rows_of(new, extraction, primitives), ids.name_keys([*new]))
    assert tables.layout_version == version
    clusters.refit(tables.take_dirty())
    assert 12 > 4 and 12 > (tables.count + 12) / 20 and clusters.needs_rebuild
    clusters.rebuild()
    assert not clusters.needs_rebuild and all(clusters.path_of(slot) for slot in tables.slots_of(ids.name_keys([*new])))


def test_boxes_that_grew_call_for_a_rebuild():
    tables, _, clusters = make(200, size=4)
    slots = np.flatnonzero(tables.alive)
    tables.patch(slots, np.stack([matrix(5000 + n) for n in range(len(slots))]))
    clusters.refit(tables.take_dirty())
    assert clusters.needs_rebuild
    clusters.rebuild()
    assert not clusters.needs_rebuild


def test_no_rows():
    extraction, primitives = store()
    tables, _, _ = make(3)
    owners = np.unique(tables.owners[tables.alive])
    tables.remove(owners)
    clusters = LiveClusters(tables.bounds, tables.options, tables.alive)
    assert clusters.built_count == 0 and clusters.order.tolist() == list(range(tables.capacity)) and clusters.path_of(1) == []
    assert not clusters.needs_rebuild
    tables.apply(rows_of({"A": {0: (0, 9)}}, extraction, primitives), ids.name_keys(["A"]))
    clusters.refit(tables.take_dirty())
    assert_sound(tables, clusters)


def test_drawable_rows_where_nobody_says_who_is_alive():
    tables, objects, _ = make()
    tables.hide(ids.name_key(list(objects)[0]))
    clusters = LiveClusters(tables.bounds, tables.options)
    assert sorted(leaf_of_rows(clusters)) == np.flatnonzero(tables.bounds.drawable).tolist()


def test_the_tree_culls_as_if_there_were_none():
    """After edits that leave rows hidden, freed and past the leaves."""
    tables, objects, clusters = make(200, size=4)
    extraction, primitives = store()
    names = list(objects)
    tables.hide(ids.name_keys(names[:20]))
    tables.remove(ids.name_keys(names[20:40]))
    new = {f"New {i}": {0: (i % 6, 900 + i)} for i in range(9)}
    tables.apply(rows_of(new, extraction, primitives), ids.name_keys([*new]))
    slots = tables.slots_of(ids.name_keys(names[50:90]))
    tables.patch(slots, np.stack([matrix(7000 + n) for n in range(len(slots))]))
    clusters.refit(tables.take_dirty())
    seen = 0
    rng = np.random.default_rng(8)
    for number in range(12):
        view = CullView.of(random_camera(rng, np.zeros(3), 10, number), tables.bounds.extent)
        expected = cull_flat(view, tables.bounds).visible
        assert np.array_equal(cull_tree(view, tables.bounds, clusters.tree).visible, expected)
        assert not expected[~tables.alive].any()
        seen += np.count_nonzero(expected)
    assert 0 < seen < 12 * tables.count
