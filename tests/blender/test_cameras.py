"""Cameras against values worked out by hand, and against Blender's own projection of points (case C6)."""

import math

import bpy
import numpy as np
import pytest
from bpy_extras.object_utils import world_to_camera_view
from gpuscene.blender.cameras import camera_of, render_size
from gpuscene.blender.export import ExportSettings, extract_scene
from gpuscene.core.conventions import PRESETS
from mathutils import Euler, Matrix, Vector


@pytest.fixture(autouse=True)
def empty_scene():
    bpy.ops.wm.read_factory_settings(use_empty=True)


def add(name="Camera", location=(0, 0, 0), rotation=(0, 0, 0), active=True, **settings):
    data = bpy.data.cameras.new(name)
    for key, value in settings.items():
        setattr(data, key, value)
    obj = bpy.data.objects.new(name, data)
    obj.location, obj.rotation_euler = location, rotation
    bpy.context.scene.collection.objects.link(obj)
    if active:
        bpy.context.scene.camera = obj
    return obj


def made(obj, size=None, axes="blender"):
    bpy.context.view_layer.update()
    return camera_of(obj, bpy.context.evaluated_depsgraph_get(), bpy.context.scene, size, PRESETS[axes])


def test_a_camera_worked_out_by_hand():
    """90 degrees wide, 2:1, at the origin, looking down -Z: the side planes stand at 45 degrees, the top one at atan(1/2)."""
    camera = made(add(angle=math.pi / 2, clip_start=0.5, clip_end=10.0), size=(200, 100))
    r2, r5 = math.sqrt(0.5), math.sqrt(0.2)
    expected = [(r2, 0, -r2, 0), (-r2, 0, -r2, 0), (0, 2 * r5, -r5, 0), (0, -2 * r5, -r5, 0), (0, 0, -1, -0.5), (0, 0, 1, 10)]
    assert camera.planes() == pytest.approx(np.array(expected), abs=2e-7)
    assert camera.is_perspective and camera.note == "" and camera.position.tolist() == [0, 0, 0]
    assert camera.screen_factor == pytest.approx(1.0, rel=1e-6)  # a sphere of radius 1 at distance 2 is as high as the view: 2 * 1 * 1 / 2


def test_an_orthographic_camera_worked_out_by_hand():
    """8 units wide, 2:1, at z = 20 looking down."""
    camera = made(add(location=(1, 2, 20), type="ORTHO", ortho_scale=8.0, clip_start=1.0, clip_end=15.0), size=(200, 100))
    expected = [(1, 0, 0, 3), (-1, 0, 0, 5), (0, 1, 0, 0), (0, -1, 0, 4), (0, 0, -1, 19), (0, 0, 1, -5)]
    assert camera.planes() == pytest.approx(np.array(expected), abs=2e-6)
    assert not camera.is_perspective
    assert camera.screen_factor == pytest.approx(1 / 4)  # the view is 4 high: a sphere of radius 1 fills 2 / 4


CASES = {
    "perspective": {},
    "shifted": {"shift_x": 0.3, "shift_y": -0.7},
    "portrait": {"size": (300, 700)},
    "sensor fit vertical": {"sensor_fit": "VERTICAL", "sensor_height": 20.0, "lens": 18.0, "size": (640, 200)},
    "sensor fit horizontal, portrait": {"sensor_fit": "HORIZONTAL", "size": (200, 640)},
    "clip start 1e-4": {"clip_start": 1e-4, "clip_end": 100.0},
    "clip end 1e6": {"clip_start": 1e-4, "clip_end": 1e6},
    "orthographic": {"type": "ORTHO", "ortho_scale": 13.0},
    "orthographic, shifted, portrait": {"type": "ORTHO", "ortho_scale": 12.0, "shift_x": 0.4, "shift_y": 1.2, "size": (90, 160)},
    "scaled": {"scale": (2.0, 0.5, 3.0)},
    "mirrored": {"scale": (-1.0, 1.0, 1.0)},
    "pixel aspect": {"aspect": (2.0, 1.0)},
}


@pytest.mark.parametrize("axes", list(PRESETS))
@pytest.mark.parametrize("case", CASES)
def test_points_project_as_blender_projects_them(case, axes):
    """`world_to_camera_view` gives x, y as shares of the picture and z in metres before the camera."""
    settings = dict(CASES[case])
    size, scale = settings.pop("size", (1920, 1080)), settings.pop("scale", (1, 1, 1))
    scene = bpy.context.scene
    scene.render.pixel_aspect_x, scene.render.pixel_aspect_y = settings.pop("aspect", (1, 1))
    scene.render.resolution_x, scene.render.resolution_y = size
    obj = add(location=(3, -4, 2), rotation=(1.1, 0.2, 0.7), **settings)
    obj.scale = scale
    camera = made(obj, axes=axes)
    rng = np.random.default_rng(5)
    local = np.column_stack((rng.uniform(-3, 3, (40, 2)), rng.uniform(-20, -1, 40)))
    points = [obj.matrix_world.normalized() @ Vector(p) for p in local]
    clip = camera.clip_from_world @ np.column_stack((PRESETS[axes].points(np.array(points, np.float64)), np.ones(40))).T
    shares = (clip[:2] / clip[3] + 1) / 2
    expected = np.array([world_to_camera_view(scene, obj, p) for p in points]).T
    assert shares == pytest.approx(expected[:2], abs=2e-5)
    # The near and far planes stand at the clip distances, also where float32 has lost the far one.
    planes, data = camera.planes(), obj.data
    matrix = np.array(obj.matrix_world.normalized(), np.float64)
    for plane, distance in ((4, data.clip_start), (5, data.clip_end)):
        target = PRESETS[axes].points((matrix[:3, 3] - matrix[:3, 2] * distance)[None])[0]
        units = PRESETS[axes].units_per_metre
        assert planes[plane, :3] @ target + planes[plane, 3] == pytest.approx(0, abs=units * max(distance * 1e-6, 2e-6))
    assert camera.position == pytest.approx(PRESETS[axes].points(matrix[None, :3, 3])[0])


@pytest.mark.parametrize("case", CASES)
def test_planes_agree_with_the_projection_about_what_is_inside(case):
    """A point is before all six planes exactly where Blender puts it inside the picture and between the clip distances."""
    settings = dict(CASES[case])
    size, scale = settings.pop("size", (1920, 1080)), settings.pop("scale", (1, 1, 1))
    scene = bpy.context.scene
    scene.render.pixel_aspect_x, scene.render.pixel_aspect_y = settings.pop("aspect", (1, 1))
    scene.render.resolution_x, scene.render.resolution_y = size
    obj = add(location=(3, -4, 2), rotation=Euler((1.1, 0.2, 0.7)), **settings)
    obj.scale = scale
    planes = made(obj).planes()
    points = np.random.default_rng(9).uniform(-30, 30, (3000, 3))
    distances = points @ planes[:, :3].T + planes[:, 3]
    seen = np.array([world_to_camera_view(scene, obj, Vector(p)) for p in points])
    data = obj.data
    expected = ((seen[:, :2] >= 0) & (seen[:, :2] <= 1)).all(axis=1) & (seen[:, 2] >= data.clip_start) & (seen[:, 2] <= data.clip_end)
    clear = np.abs(distances).min(axis=1) > 1e-4  # not on a plane
    assert clear.sum() > 2900 and 10 < expected.sum() < 2900
    assert ((distances >= 0).all(axis=1) == expected)[clear].all()


@pytest.mark.parametrize(("kind", "word"), [("PANO", "panoramic"), ("CUSTOM", "custom")])
def test_cameras_without_a_frustum_say_so(kind, word):
    camera = made(add(name="All round", location=(1, 2, 3), type=kind), axes="unreal")
    assert camera.clip_from_world is None and len(camera.planes()) == 0
    assert "All round" in camera.note and word in camera.note
    assert camera.position.tolist() == [100, -200, 300]


def test_a_flat_or_broken_matrix_leaves_no_frustum():
    obj = add()
    obj.scale = (0, 1, 1)
    assert "flat" in made(obj).note
    obj.matrix_world = Matrix(((math.nan, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)))
    camera = made(obj)
    assert camera.clip_from_world is None and np.isfinite(camera.position).all()


def stored(**settings):
    """Cameras of the extracted scene."""
    return extract_scene(bpy.context, ExportSettings(**settings)).cameras


def test_the_scenes_camera_is_first_and_moves_with_the_frame():
    add(name="B", active=False)
    last = add(name="Z")
    add(name="A", active=False)
    for frame, x in ((1, 0.0), (11, 10.0)):
        last.location.x = x
        last.keyframe_insert("location", index=0, frame=frame)
    scene = bpy.context.scene
    scene.frame_set(11)
    cameras = stored()
    assert [c.name for c in cameras] == ["Z", "A", "B"] and cameras[0].position[0] == 10
    scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = 1001, 500, 50
    assert render_size(scene) == (500, 250)


def test_an_object_that_is_no_camera_can_be_looked_through():
    obj = bpy.data.objects.new("Empty", None)
    bpy.context.scene.collection.objects.link(obj)
    bpy.context.scene.camera = obj
    bpy.context.view_layer.update()
    [camera] = stored()
    assert camera.name == "Empty" and len(camera.planes()) == 6


@pytest.mark.parametrize("visible", ["viewport", "render"])
def test_extraction_brings_the_cameras_along(visible):
    """The render-mode graph renders 16 x 16 pixels; the cameras keep the scene's proportions."""
    bpy.ops.mesh.primitive_cube_add()
    assert stored(visible=visible) == ()
    obj, hidden = add(location=(0, -5, 1), rotation=(1.5, 0, 0), shift_x=0.1), add(name="Hidden", active=False)
    hidden.hide_viewport = hidden.hide_render = True
    [camera] = stored(visible=visible, axes="unity")
    expected = made(obj, (1920, 1080), "unity")
    assert camera.clip_from_world == pytest.approx(expected.clip_from_world, abs=1e-12) and camera.screen_factor == expected.screen_factor
    assert camera.position.tolist() == expected.position.tolist()
