"""Boxes around runs of visibility words, against a plain loop over leaves."""

import numpy as np
import pytest
from bounds_factory import terrain
from gpuscene.core.cluster_tree import build
from gpuscene.core.culling.gpu_tree import GpuTree


@pytest.mark.parametrize("count", [1, 31, 33, 700, 5000])
@pytest.mark.parametrize("block_words", [1, 8, 64])
def test_a_block_box_is_the_box_of_the_leaves_it_meets(count, block_words):
    bounds = terrain(count)
    tree = GpuTree.of(build(bounds, cluster_size=24))
    boxes = tree.block_boxes(block_words)
    assert len(boxes) == -(-count // (32 * block_words))
    leaves = tree.nodes[tree.leaf_nodes]
    sizes = leaves["count"] & 0x7FFFFFFF
    for block, box in enumerate(boxes):
        begin, end = block * block_words * 32, (block + 1) * block_words * 32
        met = [leaf for leaf, size in zip(leaves, sizes) if leaf["first"] < end and leaf["first"] + size > begin]
        assert box["count"] == len(met)
        assert np.array_equal(box["box_min"], np.min([leaf["box_min"] for leaf in met], axis=0))
        assert np.array_equal(box["box_max"], np.max([leaf["box_max"] for leaf in met], axis=0))
        rows = tree.order[begin:min(end, count)]
        assert (bounds.box_min[rows] >= box["box_min"]).all() and (bounds.box_max[rows] <= box["box_max"]).all()


def test_a_tree_of_nothing_has_no_box_of_anything():
    tree = GpuTree.of(build(terrain(0)))
    assert tree.block_boxes(8)["count"].sum() == 0


def test_a_region_box_is_the_box_of_its_32_blocks():
    tree = GpuTree.of(build(terrain(5000), cluster_size=24))
    blocks, regions = tree.block_boxes(1), tree.region_boxes(1)
    assert len(blocks) == 157 and regions["count"].tolist() == [32, 32, 32, 32, 29]
    for k, region in enumerate(regions):
        run = blocks[32 * k : 32 * k + 32]
        assert region["box_min"].tolist() == [min(box["box_min"][axis] for box in run) for axis in range(3)]
        assert region["box_max"].tolist() == [max(box["box_max"][axis] for box in run) for axis in range(3)]
