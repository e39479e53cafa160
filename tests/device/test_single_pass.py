"""Culling, listing and arguments in a single pass, against the CPU. Its work groups wait for each other, and llvmpipe gives up
a loop after 65,535 turns, so there the work groups run on one thread, one after the other: in a process of its own.
"""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import worlds
from gpuscene.core.cluster_tree import build, build_forest, insert
from gpuscene.core.culling import draws, gpu_streams
from gpuscene.core.culling.flat import cull_flat
from gpuscene.core.culling.gpu_records import DRAW_SLOT
from gpuscene.core.culling.gpu_tree import GpuTree
from gpuscene.device.frame import GpuCuller
from gpuscene.device.passes.mapping import Mapping
from gpuscene.device.passes.single import SingleTree

_ONE_THREAD = "LP_NUM_THREADS"
MAPPINGS = [Mapping("transpose", 64, 2, True), Mapping("transpose", 256, 8, True)]


@pytest.fixture
def storage(device):
    if "storage" not in device.transports:
        pytest.skip("Blender 5.2 has no storage buffers")
    if device.is_software and os.environ.get(_ONE_THREAD) != "1":
        pytest.skip("runs in a process of its own, below")


def test_in_a_process_of_its_own(device):
    if not device.is_software or os.environ.get(_ONE_THREAD) == "1" or "storage" not in device.transports:
        pytest.skip("the tests run in this process")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", __file__],
        env=os.environ | {_ONE_THREAD: "1"},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "8 passed" in done.stdout, done.stdout


def check(culler, bounds, slots, most, views):
    assert [type(one) for one in culler.passes] == [SingleTree]
    for view in views:
        want, got = cull_flat(view, bounds), culler.cull(view)
        assert np.array_equal(got.words, want.words)
        args = draws.arguments(slots, want.visible, None, most)
        assert got.indirect_args.tobytes() == args.tobytes()
        bits = np.unpackbits(culler.visibility.read_words().view(np.uint8), bitorder="little")[: len(culler.tree.order)]
        assert np.array_equal(got.draw_instances, culler.tree.order[bits != 0])  # cluster order


@pytest.mark.parametrize("mapping", MAPPINGS, ids=lambda m: str(m.group_size))
@pytest.mark.parametrize("most", [draws.UNLIMITED, 7])
def test_many_draws(storage, mapping, most):
    """Draws that begin and end within words and blocks, split into parts; frames in turn with much and nothing to see."""
    scene, bounds = worlds.scene_of(3000, primitives=6)
    primitive = scene["instance_data"]["primitive_id"]
    forest = GpuTree.of_nodes(*build_forest(bounds, np.searchsorted(primitive, np.arange(7)), cluster_size=16), row_count=3000)
    slots = draws.draw_slots(scene, most, False)
    culler = GpuCuller(
        bounds, scene, tree=forest, draw_slots=slots, max_instances_per_draw=most, transport="storage", mapping=mapping
    )
    seen = [worlds.view(bounds, seed, reach=8.0, far=25.0) for seed in range(5)]
    nothing = worlds.view(bounds, 1, back=-1e4, far=1.0)
    check(culler, bounds, slots, most, [*seen[:3], nothing, seen[3], nothing, nothing, seen[4]])
    assert not len(culler.cull(nothing).draw_instances)


@pytest.mark.parametrize("cluster_size", [1, 64, 1024])
def test_many_blocks(storage, cluster_size):
    """More blocks than work groups, so that each takes several; leaves within a word and over many; rows outside the tree."""
    count = 60_000
    bounds = worlds.random_bounds(count, seed=4)
    rows = np.arange(count, dtype=np.uint32)
    tree = insert(build(bounds, rows=rows[:-500], cluster_size=cluster_size), rows[-500:])
    slots = DRAW_SLOT.empty(1)
    slots["row_count"], slots["index_count"] = count, 36
    culler = GpuCuller(
        bounds,
        tree=GpuTree.of(tree),
        draw_slots=slots,
        primitive=np.zeros(count, np.uint32),
        transport="storage",
        mapping=Mapping("transpose", 64, 2, True),
    )
    assert np.prod(culler.passes[0].groups) < culler.numbers["block_count"][0]
    check(culler, bounds, slots, draws.UNLIMITED, [worlds.view(bounds, seed, half_angle=0.2 + 0.3 * seed) for seed in range(4)])


def test_edges_of_draws_by_hand():
    """Two draws of rows 0 to 39 and 40 to 99, in blocks of 64; a draw of another level has nothing."""
    slots = DRAW_SLOT.empty(3)
    slots["first_row"], slots["row_count"], slots["level"] = [0, 40, 40], [40, 60, 60], [0, 0, 1]
    edges = gpu_streams.draw_edges(slots, 100, 64)
    end = 1 << 31
    assert edges[:3].tolist() == [0, 3, 6]
    assert edges[3:].reshape(-1, 2).tolist() == [[0, 0], [40, 1], [40, end], [100, 1 + end], [128, 2], [128, 2 + end]]
