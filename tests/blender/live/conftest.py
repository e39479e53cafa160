"""What the tests of the live session share: an empty scene, a session of it, and a fresh extraction to compare with."""

from types import SimpleNamespace

import bpy
import numpy as np
import pytest

from builders import add, fan


@pytest.fixture(scope="session")
def factory_settings():
    """Blender as shipped. Slow, as it loads every bundled add-on again: once."""
    bpy.ops.wm.read_factory_settings(use_empty=True)


@pytest.fixture
def empty_scene(factory_settings):
    """A factory scene with nothing in it, and the extension registered."""
    from gpuscene.blender import registration

    registration.register()
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True, load_ui=False)
    yield
    registration.unregister()


def handler_counts() -> dict:
    """Name -> number of functions in each of Blender's handler lists."""
    lists = bpy.app.handlers
    return {name: len(getattr(lists, name)) for name in dir(lists) if isinstance(getattr(lists, name), list)}


def fresh_scene(channels=None):
    """What an extraction that knows nothing of before says: dense, in canonical order."""
    from gpuscene.blender.live.source import SceneSource
    from gpuscene.core.conventions import PRESETS
    from gpuscene.core.live.tables import LiveTables
    from gpuscene.core.scene import DEFAULT_CHANNELS

    source = SceneSource(PRESETS["blender"], channels or DEFAULT_CHANNELS)
    reading = source.read(bpy.context.evaluated_depsgraph_get(), bpy.data)
    return LiveTables.build(reading.rows, reading.primitives, source.convention, source.channels).scene()


def differences(followed, fresh) -> list:
    """What differs between two scenes, byte for byte: names of tables and of name lists."""
    found = [name for name in followed.tables
             if followed[name].shape != fresh[name].shape or followed[name].tobytes() != fresh[name].tobytes()]
    found += [name for name in ("primitive_names", "sources") if getattr(followed, name) != getattr(fresh, name)]
    if [m.name for m in followed.materials] != [m.name for m in fresh.materials]:
        found.append("materials")
    return found


@pytest.fixture
def live(empty_scene):
    """A namespace to start a session with and drive it. Everything is stopped afterwards.

    ``start()`` -> LiveSession on the CPU (culls without a GPU), ``update()`` evaluates and syncs, ``differences()`` compares with
    a fresh extraction, ``camera(location, target)`` makes a camera, ``redraw(key, camera)`` draws a view.
    """
    from gpuscene.blender.live import session, views
    from gpuscene.core.live.options import LiveOptions

    tool = SimpleNamespace(session=session, views=views, handler_counts=handler_counts, fresh_scene=fresh_scene)

    def start(**options):
        bpy.context.view_layer.update()
        tool.running = session.start(bpy.context)
        tool.running.configure(LiveOptions(**{"device": "cpu", **options}))
        return tool.running

    def update():
        bpy.context.view_layer.update()
        return tool.running.sync(bpy.context.evaluated_depsgraph_get())

    def camera(location=(0, -20, 5), target=(0, 0, 0), angle=1.0):
        """A perspective camera that looks at `target`; half the view's height at distance 1 is `angle` / 2."""
        location, target = np.array(location, float), np.array(target, float)
        back = (location - target) / np.linalg.norm(location - target)
        right = np.cross((0, 0, 1), back)
        right /= np.linalg.norm(right)
        world = np.eye(4)
        world[:3, :3], world[:3, 3] = np.stack([right, np.cross(back, right), back], axis=1), location
        f = 2 / angle
        window = np.array([[f, 0, 0, 0], [0, f, 0, 0], [0, 0, -1.002, -0.2002], [0, 0, -1, 0]])
        return views.camera_of_matrices(window, np.linalg.inv(world), (0.1, 1000))

    def redraw(key=1, looks=None):
        return tool.running.redraw_view(key, looks or camera(), bpy.context.evaluated_depsgraph_get())

    tool.start, tool.update, tool.camera, tool.redraw = start, update, camera, redraw
    tool.differences = lambda: differences(tool.running.tables.scene(), fresh_scene(tool.running.tables.channels))
    yield tool
    session.stop()


@pytest.fixture
def grid(live):
    """A running session of 40 objects of one mesh, on the x axis, 5 m apart."""
    mesh = fan("fan")
    for i in range(40):
        add(f"object {i:02}", mesh, location=(5 * (i - 20), 0, 0))
    bpy.ops.ed.undo_push(message="grid")
    live.before = live.handler_counts()
    live.start()
    return live
