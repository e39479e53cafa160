"""What the tests of skins share: an empty scene each, and our blend held against the evaluated mesh."""

from types import SimpleNamespace

import bpy
import pytest
from skin_oracle import compare


@pytest.fixture(scope="session")
def factory_settings():
    """Blender as shipped."""
    bpy.ops.wm.read_factory_settings(use_empty=True)


@pytest.fixture(autouse=True)
def empty_scene(factory_settings):
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True, load_ui=False)


@pytest.fixture
def check():
    return compare

@pytest.fixture(params=["cpu", "gpu"])
def device(request, lacking):
    """What moves the particles."""
    if request.param == "gpu":
        from gpuscene.device import capabilities

        if why := capabilities.why_none():
            lacking("GPU", why)
    return request.param


@pytest.fixture
def skins(device):
    """A namespace: ``start(*objects, **settings)`` -> the session that runs, as Start makes it but with settings given. Stopped afterwards."""
    from gpuscene.blender import registration
    from gpuscene.blender.skins.live import session
    from gpuscene.blender.skins.live.settings import SkinSettings

    registration.register()
    tool = SimpleNamespace(session=session, device=device)

    def start(*objects, **settings):
        group = bpy.context.scene.gpuscene_skins
        group.items.clear()
        for obj in objects:
            group.items.add().object = obj
        bpy.context.view_layer.update()
        group.device = device.upper()
        running = session.start(bpy.context)
        running.configure(SkinSettings(**{"device": device, "particles": 300, **settings}))
        running.redraw(bpy.context.view_layer.depsgraph)
        assert running.stage.kind == device and running.problems == {}
        return running

    tool.start = start
    yield tool
    session.stop()
    registration.unregister()
