"""Figures of a tree against hand-computed ones, and the binned builder against a full sweep."""

from dataclasses import replace

import numpy as np
import pytest
from bounds_factory import clusters, make_bounds, of_kind, terrain
from gpuscene.bench.full_sweep import build_full_sweep

from gpuscene.core.cluster_tree import BUILDERS, build, check, quality


def test_figures_of_a_tree_small_enough_to_do_by_hand():
    # Two unit cubes 4 apart on x, a cluster each: root 5 x 1 x 1, half surface 11; leaves 3.
    tree = build(make_bounds([[0, 0, 0], [4, 0, 0]], [[0.5] * 3] * 2), "sah", 1)
    figures = quality(tree)
    assert figures.nodes == 3 and figures.leaves == 2 and figures.depth == 2
    assert figures.node_cost == pytest.approx(1 + 2)  # the root, and its two children always
    assert figures.instance_cost == pytest.approx(2 * 3 / 11)
    assert figures.sah_cost == figures.node_cost + figures.instance_cost
    assert figures.overlap == 0 and figures.leaf_fill == 1 and (figures.leaf_min, figures.leaf_max) == (1, 1)


def test_overlap_by_hand():
    # Boxes [0, 2]^3 and [1, 3] x [0, 2]^2 share [1, 2] x [0, 2]^2: half surface 2 + 2 + 4 = 8; root 3 x 2 x 2: 6 + 6 + 4 = 16.
    tree = build(make_bounds([[1, 1, 1], [2, 1, 1]], [[1] * 3] * 2), "spatial", 1)
    assert quality(tree).overlap == pytest.approx(8 / 16)


def test_unbuilt_rows_count_as_tested_always():
    tree = build(terrain(100), "sah", 8)
    waiting = replace(tree, unbuilt=np.array([100, 101], np.uint32))
    assert quality(waiting).instance_cost == pytest.approx(quality(tree).instance_cost + 2)


def test_one_leaf_and_no_area():
    for bounds in (make_bounds([[1, 2, 3]] * 5, np.zeros((5, 3))), make_bounds(np.zeros((0, 3)), np.zeros((0, 3)))):
        figures = quality(build(bounds, "sah", 64))
        assert (figures.node_cost, figures.instance_cost, figures.overlap, figures.depth) == (1, len(bounds), 0, 1)


@pytest.mark.parametrize("cluster_size", [8, 64])
@pytest.mark.parametrize("make", [terrain, clusters])
def test_binned_splits_cost_within_a_tenth_of_a_full_sweep(make, cluster_size):
    bounds = make(10_000)
    swept = build_full_sweep(bounds, cluster_size)
    check(swept, bounds)
    assert quality(build(bounds, "sah", cluster_size)).sah_cost <= 1.1 * quality(swept).sah_cost


def test_the_full_sweep_finds_the_best_split():
    """Against every division of six boxes along an axis, tried one by one."""
    rng = np.random.default_rng(3)
    bounds = make_bounds(rng.random((6, 3)) * 10, rng.random((6, 3)))

    def half_surface(rows):
        x, y, z = (bounds.box_max[rows].max(axis=0) - bounds.box_min[rows].min(axis=0)).astype(float)
        return x * y + y * z + z * x

    costs = []
    for axis in range(3):
        order = np.argsort((bounds.box_min[:, axis] + bounds.box_max[:, axis]) / 2)
        costs += [half_surface(order[:k]) * k + half_surface(order[k:]) * (6 - k) for k in range(1, 6)]
    tree = build_full_sweep(bounds, 5)
    begin = tree.node_begin[tree.is_leaf]
    found = sum(half_surface(tree.sorted_instances[b:b + n]) * n for b, n in zip(begin, tree.counts[tree.is_leaf]))
    assert found == pytest.approx(min(costs))


@pytest.mark.parametrize("builder", list(BUILDERS))
def test_a_split_one_by_one_does_not_make_the_tree_deep(builder):
    assert build(of_kind("doubling", 20_000), builder, 1).depth_count <= 30
