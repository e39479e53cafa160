"""Leaves past a distance kept whole: the set that the CPU keeps, whichever way the GPU goes down the tree."""

import numpy as np
import pytest
import worlds
from gpuscene.core.cluster_tree import build
from gpuscene.core.culling import draws
from gpuscene.core.culling.gpu_tree import GpuTree
from gpuscene.core.culling.traverse import cull_tree
from gpuscene.device.frame import GpuCuller
from gpuscene.device.passes.mapping import Mapping


@pytest.mark.parametrize("descent", ["leaves", "levels"])
@pytest.mark.parametrize("mapping", [Mapping("word", 64), Mapping("transpose", 128, 4)], ids=lambda m: m.name)
@pytest.mark.parametrize("distance", [0.0, 30.0, 80.0, np.inf])
def test_the_set_of_the_cpu(device, transport, descent, mapping, distance):
    """Some hidden, some with a cull radius: both still count past the distance."""
    bounds = worlds.random_bounds(20_000)
    tree = build(bounds, cluster_size=64)
    culler = GpuCuller(
        bounds, tree=GpuTree.of(tree), descent=descent, transport=transport, mapping=mapping, conservative_distance=distance
    )
    more = 0
    for seed in range(4):
        view = worlds.view(bounds, seed)
        want = cull_tree(view, bounds, tree, conservative_distance=distance)
        assert np.array_equal(culler.cull(view).words, want.words)
        more += int((want.visible & ~cull_tree(view, bounds, tree).visible).sum())
    assert (more == 0) == (distance == np.inf)


def test_with_draws_in_as_few_passes_as_there_are(device, transport):
    scene, bounds = worlds.scene_of(5000, primitives=1, lods=1)
    tree = build(bounds, cluster_size=16)
    slots = draws.draw_slots(scene, with_lods=False)
    culler = GpuCuller(bounds, scene, tree=GpuTree.of(tree), draw_slots=slots, transport=transport, conservative_distance=6.0)
    view = worlds.view(bounds, 1, reach=8.0, far=25.0)
    want, exact = cull_tree(view, bounds, tree, conservative_distance=6.0), cull_tree(view, bounds, tree)
    got = culler.cull(view)
    assert np.array_equal(got.words, want.words) and want.visible.sum() > exact.visible.sum()
    assert np.array_equal(np.sort(got.draw_instances), want.rows)
