"""``gpuscene snapshot --overlay skin``: particles at pixels worked out by hand, from the console, and clear refusals."""

import json
import subprocess
import sys
import textwrap

import bpy
import numpy as np
import pytest
import skin_live
from tests.blender.test_snapshot import BACKENDS, command, decode, environment

#: Orthographic from the front, 8 m wide, at 200 x 200: (x, z) is at column 100 + 25 x, row 100 - 25 (z - 1.5).
SETTINGS = ("--size", "200x200", "--color-by", "plain", "--particle-size", "3", "--particles", "400")


@pytest.fixture(scope="module")
def blend(tmp_path_factory):
    """A column that stands at x = -2 at frame 1 and at x = 2 at frame 9, by its root bone."""
    path = tmp_path_factory.mktemp("skin") / "walk.blend"
    bpy.ops.wm.read_factory_settings(use_empty=True)
    obj, armature = skin_live.character()
    obj.data.materials.append(bpy.data.materials.new("Grey"))
    skin_live.key(armature, 'pose.bones["b0"].location', {1: (-2, 0, 0), 9: (2, 0, 0)})
    for curve in skin_live.curves(armature):
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"
    data = bpy.data.cameras.new("Camera")
    data.type, data.ortho_scale = "ORTHO", 8
    camera = bpy.data.objects.new("Camera", data)
    camera.location, camera.rotation_euler = (0, -20, 1.5), (np.pi / 2, 0, 0)
    bpy.context.scene.collection.objects.link(camera)
    bpy.context.scene.camera = camera
    bpy.context.scene.frame_set(1)
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


@pytest.fixture
def snap(blend, tmp_path, lacking):
    def run(*arguments, backend="best"):
        path = tmp_path / "picture.png"
        asked = "-o", path, "-f", "--json", "--overlay", "skin", *SETTINGS, *arguments
        done = command("snapshot", blend, *asked, **BACKENDS[backend])
        if "There is no GPU" in done.stderr:
            lacking("GPU", done.stderr)
        assert (done.returncode, done.stderr) == (0, "")
        return json.loads(done.stdout), decode(path.read_bytes()).astype(int)

    return run


def orange(picture):
    """(K, 2) columns and rows of pixels in the particles' own orange, (255, 158, 51)."""
    red, green, blue = picture.transpose(2, 0, 1)
    rows, columns = np.nonzero((red > 150) & (green < 0.75 * red) & (blue < 0.45 * red))
    return np.stack((columns, rows), axis=1)


@pytest.mark.parametrize("backend", BACKENDS)
def test_particles_stand_where_the_column_stands(snap, backend):
    for frame, x in ((1, -2), (9, 2)):
        result, picture = snap("--frame", str(frame), backend=backend)
        assert (result["overlay"], result["frame"], result["legend"]) == ("skin", frame, {"skin": 400})
        places = orange(picture)
        assert len(places) > 200
        # The column is 0.6 m wide and 3 m high, from the ground up.
        assert places[:, 0].min() >= 100 + 25 * (x - 0.3) - 3 and places[:, 0].max() <= 100 + 25 * (x + 0.3) + 3
        assert (places[:, 1].min(), places[:, 1].max()) == pytest.approx((100 - 25 * 1.5, 100 + 25 * 1.5), abs=4)


def test_an_offset_moves_them_off_the_mesh(snap):
    _, picture = snap("--frame", "1", "--offset=3,0,0.4")
    places = orange(picture)
    assert places[:, 0].mean() == pytest.approx(125, abs=1.5) and places[:, 1].mean() == pytest.approx(100 - 10, abs=4)


def test_a_trail_leads_to_where_it_was(snap):
    """Half a metre a frame: five poses at x = 0 to 2 at frame 9; without a trail there is nothing left of x = 1.5."""
    _, alone = snap("--frame", "9")
    _, trail = snap("--frame", "9", "--trails", "5")
    difference = np.abs(trail - alone).max(axis=2) > 8
    columns = np.nonzero(difference[40:160])[1]
    assert columns.min() == pytest.approx(100 - 7.5, abs=4) and columns.max() <= 100 + 25 * 2.3 + 3
    for x in (0.0, 0.5, 1.0, 1.5):
        assert difference[60:140, round(100 + 25 * x) - 4:round(100 + 25 * x) + 4].sum() > 30, x


def test_what_cannot_be_drawn_says_why(blend, tmp_path):
    glb, empty, out = tmp_path / "walk.glb", tmp_path / "empty.blend", tmp_path / "out.png"
    assert command("export", blend, "-o", glb).returncode == 0
    done = command("snapshot", glb, "-o", out, "--overlay", "skin")
    assert done.returncode == 1 and "need the .blend" in done.stderr and len(done.stderr.strip().splitlines()) == 1
    subprocess.run([sys.executable, "-c", textwrap.dedent(f"""
        import bpy
        bpy.ops.wm.read_factory_settings()
        bpy.ops.wm.save_as_mainfile(filepath={str(empty)!r})
        """)], check=True, env=environment(), stdout=subprocess.DEVNULL)
    done = command("snapshot", empty, "-o", out, "--overlay", "skin")
    assert done.returncode == 1 and "has an armature" in done.stderr and not out.exists()
    assert command("snapshot", blend, "-o", out, "--overlay", "skin", "--offset", "1,2").returncode == 2
    assert command("snapshot", blend, "-o", out, "--overlay", "skin", "--trails", "0").returncode == 2
