"""Trees keep their invariants over every kind of input: looked at here node by node, in plain loops, not by the code that keeps
them."""

from dataclasses import replace

import numpy as np
import pytest
from bounds_factory import ARRAYS, KINDS, clusters, make_bounds, of_kind, terrain
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuscene.core import layout
from gpuscene.core.cluster_tree import BUILDERS, build, build_forest, check, quality
from gpuscene.core.culling.bounds import InstanceBounds

builders = pytest.mark.parametrize("builder", list(BUILDERS))


def walk(nodes, box_of, rows_of, cluster_size, root=0):
    """Visit a tree from its root by its records alone; assert what each node promises. Returns the rows in the order met, and the
    rows of `nodes` met by level."""
    leaf_bit, met, levels = 1 << 31, [], {}

    def visit(at, depth):
        node = nodes[root + at]
        levels.setdefault(depth, []).append(at)
        first, count = int(node["first"]), int(node["count"])
        if count & leaf_bit:
            count &= leaf_bit - 1
            assert count <= cluster_size
            boxes = [box_of(row) for row in rows_of(first, count)]
            met.extend(rows_of(first, count))
        else:
            assert 2 <= count <= 8 and first > at
            boxes = [visit(child, depth + 1) for child in range(first, first + count)]
        if boxes:
            assert np.array_equal(node["box_min"], np.min([b[0] for b in boxes], axis=0)), "not the least box"
            assert np.array_equal(node["box_max"], np.max([b[1] for b in boxes], axis=0)), "not the least box"
        return node["box_min"], node["box_max"]

    visit(0, 0)
    return met, [row for depth in sorted(levels) for row in levels[depth]]


def assert_tree(tree, bounds, cluster_size):
    rows = tree.sorted_instances
    met, numbering = walk(tree.nodes, lambda row: (bounds.box_min[row], bounds.box_max[row]),
                          lambda first, count: rows[first:first + count].tolist(), cluster_size)
    assert numbering == list(range(len(tree.nodes))), "not breadth-first"
    assert sorted(met) == list(range(len(bounds))), "an instance in no leaf or in two"
    assert met == rows.tolist(), "leaves are not from left to right"
    assert all(tree.reorder[row] == place for place, row in enumerate(rows.tolist()))
    if len(bounds):
        assert (tree.counts[tree.is_leaf] >= 1).all()
    check(tree, bounds)


@builders
@settings(max_examples=60, deadline=None)
@given(kind=st.sampled_from(sorted(KINDS)), count=st.integers(0, 400), cluster_size=st.sampled_from([1, 2, 3, 8, 64, 1024]),
       seed=st.integers(0, 1 << 16))
def test_every_kind_of_input(builder, kind, count, cluster_size, seed):
    bounds = of_kind(kind, count, seed)
    with np.errstate(all="raise", under="ignore"):
        tree = build(bounds, builder, cluster_size)
    assert tree.nodes.dtype == layout.CLUSTER_NODE.dtype and tree.sorted_instances.dtype == tree.reorder.dtype == np.uint32
    assert_tree(tree, bounds, cluster_size)


@builders
@settings(max_examples=40, deadline=None)
@given(points=st.lists(st.tuples(*[st.floats(width=32, allow_nan=False, allow_infinity=False)] * 3), max_size=40),
       cluster_size=st.integers(1, 5))
def test_any_finite_points(builder, points, cluster_size):
    bounds = make_bounds(np.array(points).reshape(-1, 3), np.zeros((len(points), 3)))
    assert_tree(build(bounds, builder, cluster_size), bounds, cluster_size)


@builders
@pytest.mark.parametrize("make", [terrain, clusters])
def test_deeper_trees(builder, make):
    bounds = make(20_000)
    tree = build(bounds, builder, 16)
    assert_tree(tree, bounds, 16)
    assert tree.depth_count >= 4
    assert len(tree.level_starts) == tree.depth_count + 1 and tree.level_starts[-1] == len(tree)
    inner = np.flatnonzero(~tree.is_leaf)
    for node in inner[:: len(inner) // 50]:
        children = range(int(tree.nodes["first"][node]), int(tree.nodes["first"][node] + tree.nodes["count"][node]))
        assert all(tree.parent[c] == node and tree.depth[c] == tree.depth[node] + 1 for c in children)
        assert tree.node_begin[node] == tree.node_begin[children[0]] and tree.node_end[node] == tree.node_end[children[-1]]


@builders
@pytest.mark.parametrize("count", [0, 1])
def test_none_and_one(builder, count):
    bounds = make_bounds([[1, 2, 3]] * count, [[1, 1, 1]] * count)
    tree = build(bounds, builder)
    assert len(tree) == 1 and tree.nodes["count"][0] == (layout.CLUSTER_LEAF | count) and tree.nodes["first"][0] == 0
    assert tree.nodes["box_min"][0].tolist() == ([0, 1, 2] if count else [0, 0, 0])
    assert tree.depth_count == 1 and tree.parent.tolist() == [-1] and (tree.node_begin[0], tree.node_end[0]) == (0, count)


@builders
def test_all_at_one_point_fills_leaves_evenly(builder):
    tree = build(of_kind("identical", 1000), builder, 64)
    assert tree.counts[tree.is_leaf].min() >= 32 or builder == "grid" and tree.counts[tree.is_leaf].min() >= 31
    assert tree.depth_count <= 3


@builders
def test_leaf_of_very_different_sizes_holds_each(builder):
    bounds = make_bounds([[0, 0, 0], [1, 0, 0], [2, 0, 0]], [[0.001] * 3, [500, 1, 1], [0.5, 0.5, 900]])
    tree = build(bounds, builder)
    assert tree.nodes["box_min"][0].tolist() == [-499, -1, -900] and tree.nodes["box_max"][0].tolist() == [501, 1, 900]


@pytest.mark.parametrize("builder", ["spatial", "sah"])
def test_one_instance_far_out_does_not_spoil_the_rest(builder):
    calm, disturbed = of_kind("one_far_out", 5000, 1), of_kind("one_far_out", 5000, 1)
    calm = InstanceBounds(*(getattr(calm, name)[1:] for name in ARRAYS))
    tree, other = build(calm, builder), build(disturbed, builder)
    far = other.leaves_at(other.reorder[[0]])

    def volumes(of, skip):
        leaves = of.nodes[np.setdiff1d(np.flatnonzero(of.is_leaf), skip)]
        return np.prod((leaves["box_max"] - leaves["box_min"]).astype(float), axis=1)

    assert np.median(volumes(other, far)) <= 1.5 * np.median(volumes(tree, []))


def test_grid_leaves_stay_in_their_cells():
    """The cell edge, found from the tree by hand: no leaf's centres span more than one edge."""
    from gpuscene.core.cluster_tree.grid import cell_edge
    bounds = terrain(5000)
    centers = [bounds.box_min[:, i] * np.float32(0.5) + bounds.box_max[:, i] * np.float32(0.5) for i in range(3)]
    # 2 * sqrt(5000) a side, 5000 / 32 cells on the plane, one cell high
    edge = cell_edge(centers, 64)
    assert edge == pytest.approx(2 * 5000 ** 0.5 / (5000 / 32) ** 0.5, rel=0.02)
    tree = build(bounds, "grid")
    for leaf in np.flatnonzero(tree.is_leaf):
        rows = tree.sorted_instances[tree.node_begin[leaf]:tree.node_end[leaf]]
        cells = np.floor(np.stack([c[rows] for c in centers], axis=1).astype(np.float64) / edge)
        assert (cells == cells[0]).all()


@builders
def test_bounds_scale_grows_boxes_about_their_centres(builder):
    bounds = make_bounds([[10, 0, 0], [20, 0, 0]], [[1, 2, 3], [1, 2, 3]])
    tree = build(bounds, builder, 1, bounds_scale=1.5)
    leaves = tree.nodes[tree.is_leaf]
    assert sorted(leaves["box_min"].tolist()) == [[8.5, -3, -4.5], [18.5, -3, -4.5]]
    assert sorted(leaves["box_max"].tolist()) == [[11.5, 3, 4.5], [21.5, 3, 4.5]]
    assert tree.nodes["box_min"][0].tolist() == [8.5, -3, -4.5] and tree.nodes["box_max"][0].tolist() == [21.5, 3, 4.5]
    with np.errstate(all="raise", under="ignore"):
        check(build(of_kind("huge", 100), builder, 4, bounds_scale=100.0), of_kind("huge", 100))


@builders
def test_same_input_same_tree(builder):
    one, two = build(clusters(3000), builder, 8), build(clusters(3000), builder, 8)
    assert one.nodes.tobytes() == two.nodes.tobytes() and one.sorted_instances.tobytes() == two.sorted_instances.tobytes()


@builders
@settings(max_examples=25, deadline=None)
@given(sizes=st.lists(st.integers(0, 120), min_size=1, max_size=12), cluster_size=st.sampled_from([1, 7, 64]),
       seed=st.integers(0, 1 << 16))
def test_forest_has_a_tree_for_each_run(builder, sizes, cluster_size, seed):
    starts = np.concatenate(([0], np.cumsum(sizes)))
    bounds = of_kind("mixed_sizes", int(starts[-1]), seed)
    nodes, roots, order = build_forest(bounds, starts, builder, cluster_size)
    assert len(roots) == len(sizes) + 1 and roots[-1] == len(nodes)
    for run, (start, end) in enumerate(zip(starts, starts[1:])):
        if start == end:
            assert roots[run] == roots[run + 1]
            continue
        met, numbering = walk(nodes, lambda row: (bounds.box_min[row], bounds.box_max[row]),
                              lambda first, count: order[first:first + count].tolist(), cluster_size, roots[run])
        assert numbering == list(range(roots[run + 1] - roots[run]))
        assert sorted(met) == list(range(start, end)) and met == order[start:end].tolist()


def test_tree_over_some_rows():
    bounds = terrain(500)
    rows = np.arange(0, 500, 3)
    tree = build(bounds, "sah", 8, rows=rows)
    assert sorted(tree.sorted_instances.tolist()) == rows.tolist()
    assert (tree.reorder[np.setdiff1d(np.arange(500), rows)] == 0xFFFFFFFF).all()
    check(tree, bounds)


def test_arguments_out_of_range():
    bounds = terrain(10)
    for arguments in ({"builder": "octree"}, {"cluster_size": 0}, {"cluster_size": 1025}, {"bounds_scale": 0.5},
                      {"bounds_scale": float("nan")}):
        with pytest.raises(ValueError):
            build(bounds, **arguments)


def test_check_finds_each_kind_of_damage():
    bounds = terrain(2000)
    tree = build(bounds, "sah", 16)

    def damaged(change):
        nodes = tree.nodes.copy()
        change(nodes)
        return replace(tree, nodes=nodes)

    def shrink(nodes):
        nodes["box_max"][-1] = nodes["box_min"][-1]

    def burst(nodes):
        nodes["box_max"][1] += 1000

    def crowd(nodes):
        nodes["count"][-1] += 20

    def loop(nodes):
        nodes["first"][1] = 0

    for change in (shrink, burst, crowd, loop):
        with pytest.raises(ValueError, match="Cluster tree"):
            check(damaged(change), bounds)
    order = tree.sorted_instances.copy()
    order[0] = order[1]
    with pytest.raises(ValueError, match="Cluster tree"):
        check(replace(tree, sorted_instances=order), bounds)
    assert quality(tree).leaf_max <= 16
