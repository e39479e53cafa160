"""Operators on a real session without a window: start, stop, refresh, compact, explain; unregistering while it runs."""

import bpy
import numpy as np
import pytest

from gpuscene.blender import preferences, registration
from gpuscene.blender.cameras import camera_of
from gpuscene.blender.live import model, session
from gpuscene.blender.live.properties import options_of


def live_handlers():
    lists = {name: value for name in dir(bpy.app.handlers) if isinstance(value := getattr(bpy.app.handlers, name), list)}
    return [name for name, functions in lists.items() for function in functions
            if getattr(function, "__module__", "").startswith("gpuscene.blender.live")]


@pytest.fixture
def live(ui):
    """A session of the factory scene on the processor, as the Start button makes it."""
    bpy.context.scene.gpuscene_live.device = "CPU"
    assert bpy.ops.gpuscene.live_toggle() == {"FINISHED"}
    yield session.current()
    session.stop()


def look(live):
    """One redraw of a view that is the scene's camera; what a window would do."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    live.redraw_view(1, camera_of(bpy.context.scene.camera, depsgraph, bpy.context.scene), depsgraph)


def test_the_button_starts_and_stops(ui):
    assert live_handlers() == []
    bpy.ops.gpuscene.live_toggle()
    assert session.current() is not None and len(live_handlers()) >= 5
    bpy.ops.gpuscene.live_toggle()
    assert session.current() is None and live_handlers() == []


def test_unregistering_stops_first(live):
    registration.unregister()
    assert session.current() is None and live_handlers() == [] and live.has_ended
    registration.register()


def test_registering_again_ends_a_session_of_before(live):
    registration.register()
    assert session.current() is None and live_handlers() == []


def test_a_registry_in_the_middle_of_an_edit_is_noted(ui):
    for _ in range(2):
        bpy.ops.gpuscene.add_channel()
    channels = bpy.context.scene.gpuscene.channels
    channels[0].index = channels[1].index = 5
    bpy.ops.gpuscene.live_toggle()
    assert "listed twice" in " ".join(session.current().notes)
    bpy.ops.gpuscene.live_toggle()


def test_why_a_session_ended_by_itself_stays_until_the_next_start(live):
    live.fail("The driver went away. Start it again.")
    assert session.current() is None and live_handlers() == []
    assert " ".join(model.error()) == "The driver went away. Start it again."
    bpy.ops.gpuscene.live_toggle()
    assert model.error() == () and session.current() is not None


def test_refresh_reads_what_blender_announces_to_nobody(live):
    look(live)
    bpy.ops.gpuscene.reset_channels()
    cube = bpy.data.objects["Cube"]
    slot = live.slot_of("Cube")
    before = float(live.tables.transforms["position"][slot][0])
    cube.matrix_world.translation.x = before  # nothing has changed: refreshing keeps every byte
    rows = live.tables.transforms.copy()
    assert bpy.ops.gpuscene.live_refresh() == {"FINISHED"}
    look(live)
    assert np.array_equal(live.tables.transforms, rows)


def test_compact_closes_the_holes(live):
    for number in range(20):
        copy = bpy.data.objects["Cube"].copy()
        copy.location.x = number
        bpy.context.scene.collection.objects.link(copy)
    look(live)
    for obj in [o for o in bpy.data.objects if o.name.startswith("Cube.")][::2]:
        bpy.data.objects.remove(obj)
    look(live)
    assert live.tables.count == 11 and live.tables.fragmentation > 0.3
    bpy.ops.gpuscene.live_compact()
    assert live.tables.count == 11 and live.tables.fragmentation == 0


def test_the_active_object_is_explained(live):
    cube = bpy.context.view_layer.objects.active = bpy.data.objects["Cube"]
    assert bpy.ops.gpuscene.explain_active() == {"CANCELLED"} and model.explained() is None  # no view has drawn yet
    look(live)
    assert bpy.ops.gpuscene.explain_active() == {"FINISHED"}
    assert model.explained().subject[0].startswith("Cube ") and model.explained().drawn
    cube.location = (0, 0, 5000)
    look(live)
    bpy.ops.gpuscene.explain_active()
    assert not model.explained().drawn and "plane" in " ".join(model.explained().reason)
    bpy.context.view_layer.objects.active = bpy.data.objects["Light"]
    assert bpy.ops.gpuscene.explain_active() == {"CANCELLED"}
    session.stop()
    assert model.explained() is None


def test_what_needs_a_view_says_so(live):
    for name, why in (("live_freeze", "Move the cursor over a 3D View"), ("live_record", "Recording needs a window")):
        with pytest.raises(RuntimeError, match=why):
            getattr(bpy.ops.gpuscene, name)()


def test_reset_forgets_the_history_too(live):
    look(live)
    bpy.context.scene.gpuscene_live.cull_distance = 3
    assert len(live.history) == 1
    assert bpy.ops.gpuscene.live_reset() == {"FINISHED"}
    assert len(live.history) == 0 and options_of(bpy.context.scene).cull_distance == 0


def test_another_file_ends_it(live):
    bpy.ops.wm.read_factory_settings()
    assert session.current() is None and live_handlers() == [] and live.has_ended


def test_the_preferred_device_is_for_scenes_that_have_none(ui):
    fresh, decided = bpy.context.scene, bpy.data.scenes.new("Decided")
    decided.gpuscene_live.device = "GPU"

    class Chosen:
        device = "CPU"

        def is_property_set(self, name):
            return name == "device"

    for scene in (fresh, decided):
        preferences.apply_defaults(scene, Chosen())
    assert (fresh.gpuscene_live.device, decided.gpuscene_live.device) == ("CPU", "GPU")
    assert preferences.dashboard_size() == 1.0
