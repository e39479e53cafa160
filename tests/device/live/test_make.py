"""Which device a session gets, and what it says."""

import numpy as np
import pytest
import worlds
from gpuscene.core.live.options import LiveOptions
from gpuscene.device import capabilities
from gpuscene.device.errors import DeviceError, ShaderError
from gpuscene.device.live.make import make_device
from live_worlds import World


def test_the_gpu_where_there_is_one(device, transport):
    world = World(200)
    live = make_device(world.tables, world.clusters, world.options, transport)
    assert (live.kind, live.note, live.transport, live.renderer) == ("gpu", "", transport, device.renderer)


def test_the_cpu_as_set(device):
    world = World(200)
    live = make_device(world.tables, world.clusters, LiveOptions(device="cpu", rule="return false;"))
    assert live.kind == "cpu" and "as set" in live.note and "custom rule" in live.note


def test_the_cpu_where_there_is_no_gpu(monkeypatch):
    def start():
        raise DeviceError("There is no GPU: no driver.", "Install one.")

    monkeypatch.setattr(capabilities, "start", start)
    world = World(200)
    live = make_device(world.tables, world.clusters, world.options)
    assert live.kind == "cpu" and "no driver. Install one." in live.note
    view, camera = live.view(), worlds.view(world.tables.bounds, 1, reach=8.0, far=25.0)
    view.cull(camera)
    view.classify(camera, np.zeros(len(live.block_boxes()), int))
    assert view.stats().visible == view.visible_rows().sum() > 0
    assert view.streams is view.status is view.nodes is None and len(view.status_rows()) == world.tables.capacity


def test_an_error_in_a_rule_is_the_users(device):
    world = World(200)
    with pytest.raises(ShaderError, match="custom rule, line 2"):
        make_device(world.tables, world.clusters, LiveOptions(rule="float x = 1.0;\nreturn nonsense;"))


def test_what_the_cpu_culls_can_be_drawn(device):
    """Tables on the GPU follow uploads, and hold the status words."""
    world = World()
    live = make_device(world.tables, world.clusters, LiveOptions(device="cpu"))
    view = live.view()
    for frame in range(2):
        camera = worlds.view(world.tables.bounds, frame, reach=8.0, far=25.0)
        view.cull(camera)
        view.classify(camera, np.arange(len(live.block_boxes())))
        order = world.clusters.order
        assert np.array_equal(view.status.read_words(), view.status_rows()[order])
        spheres = view.streams.spheres.read()
        assert np.array_equal(spheres[:, :3], world.tables.bounds.center[order])
        assert np.array_equal(spheres[:, 3] >= 0, world.tables.bounds.drawable[order])
        assert view.nodes.read().tobytes() == world.clusters.tree.nodes.tobytes()
        live.upload(world.edit(20))
