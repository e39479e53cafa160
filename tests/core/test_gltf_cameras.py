"""Cameras in the file: exact in the extension, and what viewers make of them by the glTF specification's own formulas."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from gpuscene.core import gltf
from gpuscene.core.conventions import PRESETS
from gpuscene.core.culling.camera import Camera
from gpuscene.core.errors import FormatError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scene_factory import make_scene, rotations
from test_gltf_hostile import EXT, changed, parts, sealed  # noqa: F401  parts is a fixture
from test_gltf_viewer import load, node_matrix


def look(rotation, position, projection, axes="gltf", name="Camera", perspective=True):
    """A camera at `position` (glTF axes) whose local axes are the columns of `rotation`, in the tables' axes `axes`."""
    world = np.eye(4)
    world[:3, :3], world[:3, 3] = rotation, position
    turn = PRESETS[axes].gltf_from_target()
    return Camera(name, projection @ np.linalg.inv(world) @ turn, (np.linalg.inv(turn) @ [*position, 1])[:3], perspective,
                  projection[1, 1] / 2 / (1 if perspective else PRESETS[axes].units_per_metre))


def perspective(yfov, aspect, near, far):
    """The glTF 2.0 specification's projection matrix (3.10.3.3)."""
    t = math.tan(yfov / 2)
    return np.array([[1 / (aspect * t), 0, 0, 0], [0, 1 / t, 0, 0], [0, 0, (far + near) / (near - far), 2 * far * near / (near - far)], [0, 0, -1, 0]])


def orthographic(right, top, near, far):
    """The specification's orthographic matrix (3.10.3.4)."""
    return np.array([[1 / right, 0, 0, 0], [0, 1 / top, 0, 0], [0, 0, 2 / (near - far), (far + near) / (near - far)], [0, 0, 0, 1.0]])


def viewer_matrix(root, definition, node):
    """clip_from_world as a viewer computes it."""
    kind = definition["type"]
    lens = definition[kind]
    projection = (perspective(lens["yfov"], lens["aspectRatio"], lens["znear"], lens["zfar"]) if kind == "perspective"
                  else orthographic(lens["xmag"], lens["ymag"], lens["znear"], lens["zfar"]))
    return projection @ np.linalg.inv(node_matrix(node))


@pytest.mark.parametrize("axes", list(PRESETS))
def test_viewers_see_the_same_view(tmp_path, axes):
    rng = np.random.default_rng(4)
    turns, places = rotations(rng, 30), rng.uniform(-50, 50, (30, 3))
    lenses = [perspective(rng.uniform(0.1, 2.5), rng.uniform(0.2, 5), rng.uniform(1e-3, 1), rng.uniform(10, 1e4)) if i % 2 else
              orthographic(rng.uniform(0.1, 9), rng.uniform(0.1, 9), rng.uniform(0, 1), rng.uniform(10, 1e3)) for i in range(30)]
    cameras = tuple(look(*each, axes, f"Camera.{i:03}", bool(i % 2)) for i, each in enumerate(zip(turns, places, lenses)))
    path = gltf.write(replace(make_scene(axes=axes), cameras=cameras), tmp_path / "a.glb").path
    root, _, _ = load(path)
    top = [root["nodes"][i] for i in root["scenes"][0]["nodes"]]
    nodes = [node for node in top if "camera" in node]
    assert [node["name"] for node in nodes] == [camera.name for camera in cameras] and len(top) == 31
    points = np.column_stack((rng.uniform(-60, 60, (50, 3)), np.ones(50)))
    for node, camera in zip(nodes, cameras):
        seen = viewer_matrix(root, root["cameras"][node["camera"]], node) @ points.T
        expected = camera.clip_from_world @ np.linalg.inv(PRESETS[axes].gltf_from_target()) @ points.T
        assert seen == pytest.approx(expected, rel=1e-6, abs=1e-6 * np.abs(expected).max())


numbers = st.floats(-1e6, 1e6, allow_nan=False)
any_camera = st.builds(lambda name, matrix, position, kind, factor, note: Camera(name, matrix, np.array(position), kind, factor, note),
                       st.text(max_size=10), st.none() | st.lists(numbers, min_size=16, max_size=16).map(lambda v: np.array(v).reshape(4, 4)),
                       st.lists(numbers, min_size=3, max_size=3), st.booleans(), st.floats(0, 1e6), st.text(max_size=10))


@given(cameras=st.lists(any_camera, max_size=4), axes=st.sampled_from(sorted(PRESETS)))
@settings(deadline=None, max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_camera_survives_bit_for_bit(tmp_path, cameras, axes):
    gltf.write(replace(make_scene(axes=axes), cameras=tuple(cameras)), tmp_path / "a.glb")
    found = gltf.read(tmp_path / "a.glb").cameras
    assert len(found) == len(cameras)
    for a, b in zip(cameras, found):
        assert (a.name, a.is_perspective, a.screen_factor, a.note) == (b.name, b.is_perspective, b.screen_factor, b.note)
        assert a.position.tobytes() == b.position.tobytes()
        assert (a.clip_from_world is None) == (b.clip_from_world is None)
        if a.clip_from_world is not None:
            assert a.clip_from_world.tobytes() == b.clip_from_world.tobytes()
    json.dumps(gltf.read_info(tmp_path / "a.glb"))


def test_what_gltf_cannot_describe_is_no_viewer_camera(tmp_path):
    """Panoramic; a matrix of zeros; a matrix whose far plane is behind the near one."""
    backwards = look(np.eye(3), (0, 0, 0), perspective(1, 1, 0.1, 10) * [[1], [1], [-1], [1]])
    cameras = (Camera("round", None, np.zeros(3), note="panoramic"), Camera("zero", np.zeros((4, 4)), np.zeros(3)), backwards,
               look(np.eye(3), (1, 2, 3), perspective(1, 1, 0.1, 10), name="good"))
    path = gltf.write(replace(make_scene(axes="gltf"), cameras=cameras), tmp_path / "a.glb").path
    root, _, _ = load(path)
    assert [camera["name"] for camera in root["cameras"]] == ["good"]
    assert root["nodes"][-1]["translation"] == [1, 2, 3]
    assert [camera.name for camera in gltf.read(path).cameras] == ["round", "zero", "Camera", "good"]


def test_a_file_without_cameras_reads(parts, tmp_path):  # noqa: F811
    """Files of the first release have none."""
    assert gltf.read(sealed(tmp_path / "a.glb", changed(parts[0], (*EXT, "cameras"), ...), parts[1])).cameras == ()


GOOD = {"name": "C", "clip_from_world": [1.0] * 16, "position": [0, 0, 0], "is_perspective": True, "screen_factor": 1, "note": ""}


@pytest.mark.parametrize(("key", "value"), [
    ("name", 3), ("name", ...), ("clip_from_world", [1.0] * 15), ("clip_from_world", [1.0] * 17), ("clip_from_world", "x" * 16),
    ("clip_from_world", [[1.0]] * 16), ("clip_from_world", [1e200] * 16), ("clip_from_world", [True] * 16), ("clip_from_world", ...),
    ("clip_from_world", 5), ("position", None), ("position", [0, 0]), ("position", [0, 0, "0"]), ("position", [0, 0, 1e31]), ("is_perspective", 1),
    ("is_perspective", ...), ("screen_factor", -1), ("screen_factor", 1e40), ("screen_factor", "1"), ("note", None),
])
def test_a_lie_about_a_camera(parts, tmp_path, key, value):  # noqa: F811
    cameras = changed([GOOD], (0, key), value)
    path = sealed(tmp_path / "h.glb", changed(parts[0], (*EXT, "cameras"), cameras), parts[1])
    with pytest.raises(FormatError, match=r"h\.glb.*cameras\[0\]"):
        gltf.read(path)


@pytest.mark.parametrize("cameras", [None, {}, "C", [None], [[]], 7])
def test_cameras_that_are_no_list_of_cameras(parts, tmp_path, cameras):  # noqa: F811
    with pytest.raises(FormatError, match="h.glb"):
        gltf.read(sealed(tmp_path / "h.glb", changed(parts[0], (*EXT, "cameras"), cameras), parts[1]))
