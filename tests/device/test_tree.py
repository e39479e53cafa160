"""Culling through trees against numpy: one tree for the scene, a forest of one for each primitive, unbuilt and removed rows,
both descents.
"""

import dataclasses

import numpy as np
import pytest
import worlds
from gpuscene.core.cluster_tree import build, build_forest, insert, refit, remove
from gpuscene.core.culling import decide
from gpuscene.core.culling.camera import CullView
from gpuscene.core.culling.gpu_tree import GpuTree
from gpuscene.core.culling.result import pack_words
from gpuscene.core.limits import NO_INDEX
from gpuscene.device.frame import GpuCuller
from gpuscene.device.passes.mapping import Mapping

MAPPINGS = [Mapping("word", 64), Mapping("transpose", 64, 4), Mapping("transpose", 128, 8)]


def check(culler, bounds, seeds=range(4)):
    shares = []
    for seed in seeds:
        view = worlds.view(bounds, seed)
        want = decide.instance_visible(view, bounds)
        assert np.array_equal(culler.cull(view).words, pack_words(want))
        shares.append(want.mean() if len(want) else 0)
    return shares


@pytest.mark.parametrize("descent", ["leaves", "levels"])
@pytest.mark.parametrize("mapping", MAPPINGS, ids=lambda m: f"{m.name}{m.group_size}")
@pytest.mark.parametrize("count", [0, 1, 33, 2049, 20_000])
def test_one_tree(device, transport, descent, mapping, count):
    bounds = worlds.random_bounds(count, seed=count)
    culler = GpuCuller(
        bounds, tree=GpuTree.of(build(bounds, cluster_size=16)), descent=descent, transport=transport, mapping=mapping
    )
    assert max(check(culler, bounds)) > 0.01 or count < 100


@pytest.mark.parametrize("builder", ["spatial", "sah", "grid"])
@pytest.mark.parametrize("cluster_size", [1, 64, 1000])
def test_builders_and_leaf_sizes(device, builder, cluster_size):
    """Leaves of one instance (32 to a word) and of a thousand (32 words to one)."""
    bounds = worlds.random_bounds(3000, seed=1, hidden=False, limited=False)
    check(GpuCuller(bounds, tree=GpuTree.of(build(bounds, builder, cluster_size))), bounds)


def test_what_the_root_settles_is_not_asked(device, transport):
    """A camera that sees everything, and one that sees nothing: one node tested, no instance."""
    bounds = worlds.random_bounds(5000, hidden=False, limited=False)
    culler = GpuCuller(bounds, tree=GpuTree.of(build(bounds)), descent="levels", transport=transport)
    everything = worlds.view(bounds, 0, far=100_000.0, perspective=False, reach=1000.0, back=5000.0)
    nothing = worlds.view(bounds, 0, far=100_000.0, perspective=False, reach=1000.0, back=-5000.0)
    for view, seen in ((everything, True), (nothing, False)):
        result = culler.cull(view)
        assert (result.visible == seen).all()
        assert result.tested == (1, 0)
    partly = culler.cull(worlds.view(bounds, 0))
    assert 1 < partly.tested[0] < len(culler.tree.nodes) and 0 < partly.tested[1] < 5000


@pytest.mark.parametrize("descent", ["leaves", "levels"])
def test_unbuilt_and_removed_rows(device, transport, descent):
    bounds = worlds.random_bounds(2000, seed=5, hidden=False)
    few = build(bounds, rows=np.arange(1500, dtype=np.uint32))
    tree = remove(insert(few, np.arange(1500, 2000, dtype=np.uint32)), np.arange(100, 300, dtype=np.uint32))
    assert len(tree.unbuilt) == 500
    culler = GpuCuller(bounds, tree=GpuTree.of(tree), descent=descent, transport=transport)
    for seed in range(4):
        view = worlds.view(bounds, seed)
        want = decide.instance_visible(view, bounds)
        want[100:300] = False
        assert np.array_equal(culler.cull(view).visible, want)


def test_a_moved_instance_after_a_refit(device):
    """C1: 1 km away, and seen there by the next cull."""
    bounds = worlds.random_bounds(1000, seed=2, hidden=False, limited=False)
    tree = build(bounds)
    looking = worlds.camera(0, far=3000.0)
    target = looking.position + 1000 * looking.planes()[4][:3]  # the near plane's normal points forward
    arrays = {name: getattr(bounds, name).copy() for name in ("center", "box_min", "box_max")}
    shift = target.astype("f4") - arrays["center"][7]
    for array in arrays.values():
        array[7] += shift
    moved = dataclasses.replace(bounds, **arrays)
    view = CullView.of(looking, moved.extent)
    result = GpuCuller(moved, tree=GpuTree.of(refit(tree, moved))).cull(view)
    assert result.visible[7]
    assert np.array_equal(result.visible, decide.instance_visible(view, moved))


def test_a_forest_keeps_primitives_together(device, transport):
    scene, bounds = worlds.scene_of(3000, primitives=6)
    primitive = scene["instance_data"]["primitive_id"]
    nodes, roots, order = build_forest(bounds, np.searchsorted(primitive, np.arange(7)), cluster_size=16)
    tree = GpuTree.of_nodes(nodes, roots, order, row_count=3000)
    for descent in ("leaves", "levels"):
        culler = GpuCuller(bounds, scene, tree=tree, descent=descent, transport=transport)
        assert culler.is_grouped and culler.row_visibility is None
        check(culler, bounds)


def test_layout_of_a_small_forest():
    """By hand: two trees, of one leaf (rows 0 to 2) and of a root with two leaves (rows 3, 4 and row 5)."""
    bounds = worlds.random_bounds(6, hidden=False)
    center = np.array([[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 0, 0], [1, 0, 0], [90, 0, 0]], "f4")
    bounds = dataclasses.replace(bounds, center=center, box_min=center - 1, box_max=center + 1)
    nodes, roots, order = build_forest(bounds, np.array([0, 3, 6]), cluster_size=3)
    first = GpuTree.of_nodes(nodes, roots, order, row_count=6)
    assert first.order.tolist() == order.tolist() and sorted(order[:3]) == [0, 1, 2]
    nodes, roots, order = build_forest(bounds, np.array([0, 3, 6]), cluster_size=2)
    tree = GpuTree.of_nodes(nodes, roots, order, row_count=6)
    leaf = tree.nodes["count"] >= 1 << 31
    assert (tree.parents == NO_INDEX).tolist() == [row in set(roots[:-1]) for row in range(len(tree.nodes))]
    for child, parent in enumerate(tree.parents):
        if parent != NO_INDEX:
            begin = tree.nodes["first"][parent]
            assert begin <= child < begin + tree.nodes["count"][parent] and not leaf[parent]
    assert tree.word_leaves.tolist() == [0]
    assert tree.nodes["first"][tree.leaf_nodes].tolist() == sorted(tree.nodes["first"][leaf])
    assert tree.positions[tree.order].tolist() == [0, 1, 2, 3, 4, 5]
