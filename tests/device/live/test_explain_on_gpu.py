"""Explanations beside the GPU's own answers, over frames that refresh slices of an edited scene, with a custom rule."""

import numpy as np
import pytest
import worlds
from gpuscene.core.live import status
from gpuscene.core.live.classify import unpack
from gpuscene.core.live.explain import explain
from gpuscene.core.live.options import LiveOptions
from gpuscene.core.schedule.blocks import BlockSlices
from gpuscene.device.live.scene import LiveDevice
from live_worlds import World

RULE = "return transform.position.x >= 0.0;"


@pytest.mark.parametrize("slices", [1, 3])
def test_every_answer_of_the_gpu_has_its_reason(device, transport, slices):
    world = World(count=12_000, options=LiveOptions(rule=RULE, slices=slices, lod_bias=0.5))
    tables, clusters = world.tables, world.clusters
    live = LiveDevice(tables, clusters, world.options, transport)
    view, per_block = live.view(), 32 * live.block_words
    schedule = BlockSlices.of(live.block_boxes(), tables.capacity, clusters.built_count, per_block, slices)
    seen, oldest = set(), 0
    for frame in range(8):
        if frame == 4:
            dirty = world.edit(40)
            live.upload(dirty)
            boxes = live.block_boxes()
            schedule.set_boxes(boxes["box_min"], boxes["box_max"])
            schedule.touch(np.unique(clusters.positions[dirty] // per_block))
        camera = worlds.view(tables.bounds, 50 + frame // 2, reach=8.0, far=25.0, half_angle=1.0)
        due = schedule.due(camera)
        view.cull(camera, due=None if due.all() else due)
        view.classify(camera, schedule.age)
        visible, words, lods = view.visible_rows(), unpack(view.status_rows()), view.lod_rows()
        keeps = tables.transforms["position"][:, 0] >= 0
        age = schedule.age[clusters.positions // per_block]
        for slot in world.rng.permutation(tables.capacity)[:120].tolist():
            lod = int(lods[slot]) if visible[slot] else None
            got = explain(tables, clusters, camera, slot, visible=bool(visible[slot]), lod=lod, age=int(age[slot]),
                          rule_keeps=bool(keeps[slot]))
            assert got.drawn == visible[slot] and got.code == words["reason"][slot]
            if got.code != status.FREE:
                facts = {test.name: test for test in got.tests}
                assert facts["Age"].value == words["age"][slot]
                assert not got.drawn or f"LOD {words['lod'][slot]}" in facts["Level of Detail"].text
            seen.add(got.code)
        oldest = max(oldest, schedule.age.max())
    assert {status.VISIBLE, status.HIDDEN, status.DISTANCE, status.FRUSTUM, status.RULE} <= seen
    assert (oldest > 0) == (status.LATE in seen) == (slices > 1)
