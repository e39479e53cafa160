"""``gpuscene export`` on Blender's Python module, through real processes: results, streams, exit codes, and bad input."""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
from gpuscene.core import gltf

#: Three cubes of one mesh at x = 0, 10, 20; in the collection "Trees" a cone at (1, 2, 3), hidden in renders; a cube "Lift" whose height is
#: the frame number, 1 when saved; a camera. The scene stores one channel of the panel: channel 5 is the constant 4.5.
BUILD = textwrap.dedent("""
    import sys
    import bpy
    from gpuscene.blender import properties
    bpy.ops.wm.read_factory_settings(use_empty=True)
    for cls in properties.CLASSES:
        bpy.utils.register_class(cls)
    properties.attach()
    scene = bpy.context.scene
    bpy.ops.mesh.primitive_cube_add()
    cube = bpy.context.object
    for i in (1, 2):
        twin = cube.copy()
        twin.location.x = 10 * i
        scene.collection.objects.link(twin)
    trees = bpy.data.collections.new("Trees")
    scene.collection.children.link(trees)
    bpy.ops.mesh.primitive_cone_add(vertices=8, location=(1, 2, 3))
    cone = bpy.context.object
    cone.name = "\u6811 cone"
    scene.collection.objects.unlink(cone) if cone.name in scene.collection.objects else None
    trees.objects.link(cone) if cone.name not in trees.objects else None
    cone.hide_render = True
    bpy.ops.mesh.primitive_cube_add(size=1)
    lift = bpy.context.object
    lift.name = "Lift"
    for frame in (1, 101):
        lift.location.z = frame
        lift.keyframe_insert("location", index=2, frame=frame)
    curves = lift.animation_data.action.layers[0].strips[0].channelbags[0].fcurves
    for point in (p for curve in curves for p in curve.keyframe_points):
        point.interpolation = "LINEAR"
    bpy.ops.object.camera_add()
    scene.frame_set(1)
    channel = scene.gpuscene.channels.add()
    channel.index, channel.label, channel.source, channel.default = 5, "glow", "CONSTANT", 4.5
    bpy.ops.wm.save_as_mainfile(filepath=sys.argv[1], compress=False)
    bpy.ops.wm.save_as_mainfile(filepath=sys.argv[2], compress=True, copy=True)
    """)


def environment(**changes):
    """This environment without what changes the streams. No PYTHONPATH: with Blender loaded, sys.path holds a second ``bpy``."""
    base = {k: v for k, v in os.environ.items() if k not in ("PYTHONUNBUFFERED", "GPUSCENE_DEBUG", "DISPLAY")}
    return {**base, "PYTHONDONTWRITEBYTECODE": "1", **changes}


def command(*arguments, preexec_fn=None, **changes):
    return subprocess.run([sys.executable, "-m", "gpuscene.cli", *map(str, arguments)], capture_output=True, text=True, timeout=300,
                          env=environment(**changes), stdin=subprocess.DEVNULL, preexec_fn=preexec_fn)


@pytest.fixture(scope="module")
def blends(tmp_path_factory):
    """The scene of `BUILD`, plain and compressed."""
    folder = tmp_path_factory.mktemp("a folder")
    plain, compressed = folder / "sc\u00e8ne 1.blend", folder / "compressed.blend"
    subprocess.run([sys.executable, "-c", BUILD, plain, compressed], check=True, env=environment(), stdout=subprocess.DEVNULL, timeout=300)
    return plain, compressed


@pytest.fixture(scope="module")
def exported(blends, tmp_path_factory):
    """(completed process, path) of one plain ``--json`` export."""
    out = tmp_path_factory.mktemp("out put") / "\u6728 1.glb"
    return command("export", blends[0], "-o", out, "--json"), out


def positions(path):
    """Instance origins, sorted, as a list of lists."""
    return sorted(gltf.read(path)["instance_transforms"]["position"].tolist())


def test_json_is_the_only_thing_on_stdout_and_counts_are_right(exported):
    result, out = exported
    assert (result.returncode, result.stderr) == (0, "")
    document = json.loads(result.stdout)  # one document: trailing text would raise
    # 5 instances: 3 cubes of one mesh, a cone, a smaller cube. Triangles: 4 cubes of 12, a cone of 8 sides and an 8-gon of 6.
    assert (document["instances"], document["primitives"], document["batches"], document["triangles"]) == (5, 3, 3, 62)
    assert Path(document["path"]) == out and document["bytes"] == out.stat().st_size
    assert document["findings"] == []
    seconds = dict(document["seconds"])
    total = seconds.pop("total")
    assert {"open", "extract", "write"} <= set(seconds) and 0 < sum(seconds.values()) <= total * 1.01


def test_the_file_holds_the_scene(exported):
    assert positions(exported[1]) == [[0, 0, 0], [0, 0, 1], [1, 2, 3], [10, 0, 0], [20, 0, 0]]
    scene = gltf.read(exported[1])
    assert "\u6811 cone" in scene.sources and scene.metadata["frame"] == 1


def test_channels_stored_by_the_panel_are_used(exported):
    scene = gltf.read(exported[1])
    assert [(c.index, c.label) for c in scene.channels if c.index == 5] == [(5, "glow")]
    assert np.array_equal(scene["instance_data"]["custom_data"][:, 1, 1], np.full(5, 4.5, np.float32))


def test_text_output(blends, tmp_path):
    result = command("export", blends[1], "-o", tmp_path / "x.glb")
    assert (result.returncode, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[:2] == [str(tmp_path / "x.glb"), "  5 instances, 3 primitives, 3 batches, 62 triangles"]
    assert " kB in " in lines[2] and len(lines) == 3


def test_axes_frame_collection_and_visibility(blends, tmp_path):
    out = tmp_path / "x.glb"
    assert command("export", blends[0], "-o", out, "--collection", "Trees", "--axes", "unreal").returncode == 0
    assert positions(out) == [[100, -200, 300]]
    assert command("export", blends[0], "-o", out, "--force", "--frame", 42, "--visible", "render").returncode == 0
    assert positions(out) == [[0, 0, 0], [0, 0, 42], [10, 0, 0], [20, 0, 0]]


def test_container_gltf(blends, tmp_path):
    result = command("export", blends[0], "-o", tmp_path / "x.gltf", "--json")
    document = json.loads(result.stdout)
    assert document["path"].endswith("x.gltf") and json.loads((tmp_path / "x.gltf").read_text())["asset"]["version"] == "2.0"
    assert document["bytes"] == sum(p.stat().st_size for p in tmp_path.iterdir()) and len(list(tmp_path.iterdir())) == 2


def test_inside_blender_the_loaded_file_is_the_default(blends, tmp_path):
    """As ``blender FILE.blend --command gpuscene``. The module announces the file on stdout at once, which the application does not."""
    code = textwrap.dedent("""
        import os, sys, bpy
        from gpuscene.cli import run
        stdout = os.dup(1)
        os.dup2(2, 1)
        bpy.ops.wm.open_mainfile(filepath=sys.argv[1])
        os.dup2(stdout, 1)
        sys.exit(run(["export", *sys.argv[2:]], hosted=True))
        """)
    result = subprocess.run([sys.executable, "-c", code, blends[0], "-o", tmp_path / "x.glb", "--json"], capture_output=True, text=True,
                            env=environment(), timeout=300)
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["instances"] == 5
    result = subprocess.run([sys.executable, "-c", code, blends[0], "-o", tmp_path / "y.glb", "--collection", "Tree"], capture_output=True,
                            text=True, env=environment(), timeout=300)
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.count("gpuscene: error: ") == 1 and "Trees" in result.stderr


def patched(source, position, new):
    data = bytearray(source.read_bytes())
    data[position:position + len(new)] = new
    return bytes(data)


#: name -> (contents made of the two good files, or None for no such file; what the line must say)
BAD_INPUTS = {
    "missing": (lambda plain, compressed: None, "does not exist"),
    "folder": (lambda plain, compressed: "folder", "is a folder"),
    "empty": (lambda plain, compressed: b"", "is empty"),
    "text": (lambda plain, compressed: b"# not a blend file\n" * 50, "not a .blend"),
    "header only": (lambda plain, compressed: plain.read_bytes()[:17], "cannot open it"),
    "cut short": (lambda plain, compressed: plain.read_bytes()[:plain.stat().st_size // 2], "cannot open it"),
    "cut short, compressed": (lambda plain, compressed: compressed.read_bytes()[:compressed.stat().st_size // 2], "cannot open it"),
    "newer": (lambda plain, compressed: patched(plain, 0, b"BLENDER17-01v0909"), "from Blender 9.9, newer than this Blender 5."),
    "newer, old header": (lambda plain, compressed: b"BLENDER-v909" + plain.read_bytes()[12:], "from Blender 9.9, newer than this"),
    "newer file format": (lambda plain, compressed: patched(plain, 0, b"BLENDER17-02"), "newer file format"),
    "big-endian": (lambda plain, compressed: b"BLENDER-V260" + plain.read_bytes()[12:], "big-endian"),
}


@pytest.mark.parametrize("what", BAD_INPUTS)
def test_bad_input_is_one_line_and_the_old_output_stays(what, blends, tmp_path):
    make, says = BAD_INPUTS[what]
    source, folder = tmp_path / "bad one.blend", tmp_path / "out"
    folder.mkdir()
    content = make(*blends)
    if content == "folder":
        source.mkdir()
    elif content is not None:
        source.write_bytes(content)
    out = folder / "x.glb"
    out.write_bytes(b"the old output")
    result = command("export", source, "-o", out, "--json", "--force")
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.startswith("gpuscene: error: ") and result.stderr.count("\n") == 1, result.stderr
    assert says in result.stderr and str(source) in result.stderr
    assert out.read_bytes() == b"the old output" and os.listdir(folder) == ["x.glb"]


def test_damage_inside_is_an_answer_or_one_line(blends, tmp_path):
    """A thousand random bytes in the block data: whatever Blender makes of it, also a crash, ends in success or in one line."""
    data = np.frombuffer(blends[0].read_bytes(), np.uint8).copy()
    rng = np.random.default_rng(7)
    data[rng.integers(200, len(data) - 200, 1000)] = rng.integers(0, 256, 1000, dtype=np.uint8)
    source, folder = tmp_path / "damaged.blend", tmp_path / "out"
    source.write_bytes(data.tobytes())
    folder.mkdir()
    result = command("export", source, "-o", folder / "x.glb", "--json")
    if result.returncode == 0:
        assert os.listdir(folder) == ["x.glb"] and json.loads(result.stdout)["path"]
    else:
        assert (result.returncode, result.stdout, os.listdir(folder)) == (1, "", [])
        assert result.stderr.startswith("gpuscene: error: ") and result.stderr.count("\n") == 1
        assert "internal error" not in result.stderr


def test_unknown_collection_names_the_near_ones(blends, tmp_path):
    result = command("export", blends[0], "-o", tmp_path / "x.glb", "--collection", "Treees")
    assert result.returncode == 1 and "'Treees'" in result.stderr and "Trees" in result.stderr.replace("'Treees'", "")
    assert os.listdir(tmp_path) == []


def test_an_existing_output_is_replaced_only_by_force(blends, tmp_path):
    out = tmp_path / "x.glb"
    out.write_bytes(b"the old output")
    result = command("export", blends[0], "-o", out)
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == f"gpuscene: error: {out} exists. Choose another output, or give --force to replace it.\n"
    assert out.read_bytes() == b"the old output" and os.listdir(tmp_path) == ["x.glb"]
    assert command("export", blends[0], "-o", out, "-f").returncode == 0
    assert len(positions(out)) == 5 and os.listdir(tmp_path) == ["x.glb"]


def test_a_container_does_not_get_round_force(blends, tmp_path):
    (tmp_path / "x.gltf").write_bytes(b"precious")
    result = command("export", blends[0], "-o", tmp_path / "x.glb", "--container", "gltf")
    assert result.returncode == 1 and "x.gltf exists" in result.stderr and (tmp_path / "x.gltf").read_bytes() == b"precious"
    assert command("export", blends[0], "-o", tmp_path / "x.glb", "--container", "gltf", "--force").returncode == 0


def test_an_empty_collection_name_is_not_the_whole_scene(blends, tmp_path):
    result = command("export", blends[0], "-o", tmp_path / "x.glb", "--collection", "")  # a script's variable that is not set
    assert result.returncode == 1 and "no collection ''" in result.stderr and os.listdir(tmp_path) == []


@pytest.mark.parametrize("frame", ["1048575", "-1048575", "99999999999999"])
def test_a_frame_that_blender_has_not(blends, tmp_path, frame):
    result = command("export", blends[0], "-o", tmp_path / "x.glb", "--frame", frame)
    assert result.returncode == 1 and "-1048574 to 1048574" in result.stderr and os.listdir(tmp_path) == []


@pytest.mark.skipif(sys.platform != "linux", reason="a file size limit stands in for the full disk")
def test_no_room_for_the_output(blends, tmp_path):
    """The write fails half way, as on a full disk."""
    import resource

    out = tmp_path / "x.glb"
    out.write_bytes(b"the old output")
    result = command("export", blends[0], "-o", out, "--force", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)))
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.count("\n") == 1 and str(out) in result.stderr
    assert out.read_bytes() == b"the old output" and os.listdir(tmp_path) == ["x.glb"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder(blends, tmp_path):
    folder = tmp_path / "locked"
    folder.mkdir()
    folder.chmod(0o555)
    result = command("export", blends[0], "-o", folder / "x.glb")
    assert result.returncode == 1 and result.stderr.count("\n") == 1 and "not writable" in result.stderr


def test_debug_shows_the_traceback_and_what_blender_prints(blends, tmp_path):
    result = command("export", blends[0], "-o", tmp_path / "x.glb", "--collection", "None such", GPUSCENE_DEBUG="1")
    assert result.returncode == 1 and result.stdout == ""
    assert "Traceback" in result.stderr and "Read blend" in result.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_a_terminal_gets_a_progress_bar_and_a_pipe_none(blends, tmp_path):
    pytest.importorskip("tqdm")
    import pty
    import termios

    leader, follower = pty.openpty()
    termios.tcsetwinsize(follower, (24, 80))
    process = subprocess.Popen([sys.executable, "-m", "gpuscene.cli", "export", blends[0], "-o", tmp_path / "x.glb"],
                               stdout=subprocess.PIPE, stderr=follower, env=environment(TERM="xterm"))
    os.close(follower)
    shown = b""
    try:
        while piece := os.read(leader, 4096):
            shown += piece
    except OSError:  # the terminal's other end is closed
        pass
    os.close(leader)
    assert process.wait(60) == 0 and process.stdout.read().startswith(str(tmp_path).encode())
    process.stdout.close()
    for stage in (b"Opening", b"Extracting", b"Writing"):
        assert stage in shown
