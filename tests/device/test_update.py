"""C9: of a change, only the changed records travel; the next cull sees them."""

import dataclasses

import numpy as np
import pytest
import worlds
from gpuscene.core.cluster_tree import build, refit
from gpuscene.core.culling import decide
from gpuscene.core.culling.gpu_records import BOUNDS_UPDATE
from gpuscene.core.culling.gpu_tree import GpuTree
from gpuscene.device.frame import GpuCuller


def changed(bounds, rows, seed=0):
    """`bounds` with `rows` moved up to 50 in each direction, and every third of them hidden or shown."""
    rng = np.random.default_rng(seed)
    arrays = {name: getattr(bounds, name).copy() for name in ("center", "box_min", "box_max", "drawable")}
    shift = rng.uniform(-50, 50, (len(rows), 3)).astype("f4")
    for name in ("center", "box_min", "box_max"):
        arrays[name][rows] += shift
    arrays["drawable"][rows[::3]] ^= True
    return dataclasses.replace(bounds, **arrays)


@pytest.mark.parametrize("kind", ["flat", "leaves", "levels"])
def test_one_percent_changed(device, transport, kind):
    bounds = worlds.random_bounds(20_000, hidden=False)
    tree = None if kind == "flat" else build(bounds)
    culler = GpuCuller(
        bounds, tree=tree and GpuTree.of(tree), descent=kind if tree else "leaves", transport=transport, movable=True
    )
    for frame in range(3):
        rows = np.random.default_rng(frame).choice(20_000, 200, replace=False)
        bounds = changed(bounds, rows, frame)
        if tree:
            tree = refit(tree, bounds, rows)
        uploaded = culler.update(bounds, rows, tree and GpuTree.of(tree))
        blocks = -(-20_000 // (32 * culler.mapping.block_words))  # a box to a work group's words
        boxes = 0 if kind == "flat" else (tree.is_leaf.sum() + (len(tree.nodes) if kind == "levels" else blocks)) * 32
        assert uploaded - boxes == 256 * BOUNDS_UPDATE.stride  # 200 rows, to a power of two
        view = worlds.view(bounds, frame)
        assert np.array_equal(culler.cull(view).visible, decide.instance_visible(view, bounds))


def test_the_rest_of_the_streams_is_untouched(device, transport):
    bounds = worlds.random_bounds(3000)
    culler = GpuCuller(bounds, transport=transport, movable=True)
    before = [table.read_words() for table in culler.streams.tables[:2]]
    rows = np.array([0, 31, 2999])
    assert culler.update(bounds, rows[:0]) == 0
    culler.update(changed(bounds, rows), rows)
    for table, old in zip(culler.streams.tables, before):
        differs = (table.read_words() != old).reshape(3000, -1).any(axis=1)
        assert np.flatnonzero(differs).tolist() == [0, 31, 2999]


def test_another_tree_is_refused(device):
    bounds = worlds.random_bounds(500)
    culler = GpuCuller(bounds, tree=GpuTree.of(build(bounds)), movable=True)
    with pytest.raises(ValueError, match="not the culler's tree"):
        culler.update(bounds, [1], GpuTree.of(build(bounds, cluster_size=8)))
