"""Cameras of 3D Views: planes against Blender's own view settings, worked out from lens, sensor and clip distances."""

import bpy
import gpu
import numpy as np
import pytest
from builders import trs


@pytest.fixture
def window(empty_scene, request):
    """(window, area, region, space) of a 3D View in Blender's own start-up screen. Needs a GPU, as updating a view does."""
    from gpuscene.device import capabilities

    why = capabilities.why_none()
    if why:
        request.getfixturevalue("lacking")("GPU", why)
    gpu.init()
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    found = bpy.context.window_manager.windows[0]
    area = next(a for a in found.screen.areas if a.type == "VIEW_3D")
    return found, area, next(r for r in area.regions if r.type == "WINDOW"), area.spaces[0]


def _inside(camera, point) -> bool:
    """Whether a point is before all planes."""
    planes = camera.planes()
    return bool((planes[:, :3] @ np.asarray(point, float) + planes[:, 3] >= 0).all())


def _border(camera, start, direction, longest=10000.0) -> float:
    """Distance along a direction at which the frustum ends, by bisection; `start` is inside."""
    assert _inside(camera, start)
    low, high = 0.0, longest
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _inside(camera, np.asarray(start) + middle * np.asarray(direction)) else (low, middle)
    return low


def test_perspective_view(window):
    from gpuscene.blender.live import views

    _window, _area, region, space = window
    view = space.region_3d
    space.lens, space.clip_start, space.clip_end = 50, 0.5, 200
    view.view_location, view.view_rotation, view.view_distance, view.view_perspective = (1, 2, 3), (1, 0, 0, 0), 10, "PERSP"
    view.update()
    camera = views.camera_of_region(space, view, bpy.context.scene)
    # Looking down from 10 above (1, 2, 3); Blender's views use twice a 36 mm sensor across the wider side.
    assert np.allclose(camera.position, (1, 2, 13), atol=1e-5) and camera.is_perspective
    half = 36 / 50 * 10  # at the distance of the pivot
    x, y = (1, region.height / region.width) if region.width >= region.height else (region.width / region.height, 1)
    assert _border(camera, (1, 2, 3), (1, 0, 0)) == pytest.approx(half * x, rel=1e-4)
    assert _border(camera, (1, 2, 3), (0, -1, 0)) == pytest.approx(half * y, rel=1e-4)
    assert _border(camera, (1, 2, 3), (0, 0, 1)) == pytest.approx(10 - 0.5, rel=1e-4)
    assert _border(camera, (1, 2, 3), (0, 0, -1)) == pytest.approx(190, rel=1e-5)
    # A sphere of radius r at the pivot covers 2 r / (2 half y) of the height.
    assert 2 * camera.screen_factor / 10 == pytest.approx(1 / (half * y), rel=1e-4)


def test_far_clip_that_float32_loses(window):
    from gpuscene.blender.live import views

    space = window[3]
    space.clip_start, space.clip_end = 0.01, 1e6
    space.region_3d.view_location, space.region_3d.view_rotation, space.region_3d.view_distance = (0, 0, 0), (1, 0, 0, 0), 10
    space.region_3d.update()
    camera = views.camera_of_region(space, space.region_3d, bpy.context.scene)
    assert _border(camera, (0, 0, 0), (0, 0, -1), 1e9) == pytest.approx(1e6 - 10, rel=1e-5)


def test_orthographic_view(window):
    from gpuscene.blender.live import views

    _window, _area, region, space = window
    view = space.region_3d
    space.lens, space.clip_end = 50, 1000
    view.view_location, view.view_rotation, view.view_distance, view.view_perspective = (0, 0, 0), (1, 0, 0, 0), 10, "ORTHO"
    view.update()
    camera = views.camera_of_region(space, view, bpy.context.scene)
    half = 36 / 50 * 10
    x, y = (1, region.height / region.width) if region.width >= region.height else (region.width / region.height, 1)
    assert not camera.is_perspective
    assert _border(camera, (0, 0, 0), (1, 0, 0)) == pytest.approx(half * x, rel=1e-4)
    assert _border(camera, (0, 0, 0), (0, 1, 0)) == pytest.approx(half * y, rel=1e-4)
    # Blender halves the clip range for orthographic views, to both sides of the pivot.
    assert _border(camera, (0, 0, 0), (0, 0, 1)) == pytest.approx(500, rel=1e-4)
    assert _border(camera, (0, 0, 0), (0, 0, -1)) == pytest.approx(500, rel=1e-4)
    assert 2 * camera.screen_factor == pytest.approx(1 / (half * y), rel=1e-4)


def test_through_the_scene_camera(window):
    """Looking through a camera shows at least what the camera sees: its frame lies inside the view."""
    from gpuscene.blender.cameras import camera_of
    from gpuscene.blender.live import views

    space, scene = window[3], bpy.context.scene
    scene.camera.matrix_world = trs((0, 0, 10))
    scene.camera.data.clip_start, scene.camera.data.clip_end = 1, 50
    bpy.context.view_layer.update()
    space.region_3d.view_perspective = "CAMERA"
    space.region_3d.update()
    camera = views.camera_of_region(space, space.region_3d, scene)
    own = camera_of(scene.camera, bpy.context.evaluated_depsgraph_get(), scene)
    assert np.allclose(camera.position, own.position, atol=1e-5)
    assert _border(camera, (0, 0, 5), (0, 0, -1)) == pytest.approx(45, rel=1e-4)
    assert _border(own, (0, 0, 5), (0, 0, -1)) == pytest.approx(45, rel=1e-4)
    for direction in ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0)):
        assert _border(camera, (0, 0, 5), direction) >= _border(own, (0, 0, 5), direction) * 0.999


def test_open_views_are_those_of_the_shown_screen(window):
    """Other workspaces have 3D Views too, which nobody sees."""
    from gpuscene.blender.live import views

    opened, _area, _region, space = window
    keys = views.open_views(bpy.context.window_manager)
    assert keys == {a.spaces.active.region_3d.as_pointer() for a in opened.screen.areas if a.type == "VIEW_3D"}
    assert space.region_3d.as_pointer() in keys
    others = {a.spaces.active.region_3d.as_pointer() for screen in bpy.data.screens if screen != opened.screen
              for a in screen.areas if a.type == "VIEW_3D"}
    assert others and keys.isdisjoint(others)


def test_axes_of_another_engine(window):
    """Positions come out in the convention's axes and units: Unreal has y the other way and centimetres."""
    from gpuscene.blender.live import views
    from gpuscene.core.conventions import PRESETS

    space = window[3]
    view = space.region_3d
    view.view_location, view.view_rotation, view.view_distance, view.view_perspective = (1, 2, 3), (1, 0, 0, 0), 10, "ORTHO"
    view.update()
    camera = views.camera_of_region(space, view, bpy.context.scene, PRESETS["unreal"])
    own = views.camera_of_region(space, view, bpy.context.scene)
    assert np.allclose(camera.position, own.position * (100, -100, 100), rtol=1e-5)
    assert _border(camera, (100, -200, 300), (1, 0, 0)) == pytest.approx(100 * _border(own, (1, 2, 3), (1, 0, 0)), rel=1e-4)
    assert camera.screen_factor == pytest.approx(own.screen_factor / 100)
