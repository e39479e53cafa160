"""``gpuscene cull`` and ``gpuscene tree`` through real processes, on a scene whose visible sets are worked out by hand."""

import csv
import json
import os
import subprocess
import sys
import textwrap

import pytest

#: A row of 21 unit cubes of one mesh at x = 0, 10, ..., 200, and a cube "Late" that is at (0, 0, 900) until frame 10 and at (0, 0, 0) from frame 11 on, all at
#: y = 0. Camera "Main" stands at y = -50, z = 0 and looks along +y with a half angle of atan(0.42) either way, so that at the row it sees x - 21 to x + 21;
#: it stands at x = 0 at frame 1 and at x = 100 at frame 11, linearly. Camera "Round" is panoramic. Camera "Back" at y = -50 looks along -y: it sees nothing.
BUILD = textwrap.dedent("""
    import math
    import sys
    import bpy
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.resolution_x = scene.render.resolution_y = 100
    bpy.ops.mesh.primitive_cube_add(size=1)
    cube = bpy.context.object
    def put(obj):
        scene.collection.objects.link(obj)
        return obj
    for i in range(1, 21):
        put(cube.copy()).location.x = 10 * i
    late = put(cube.copy())
    late.name = "Late"
    for frame, z in ((10, 900), (11, 0)):
        late.location.z = z
        late.keyframe_insert("location", index=2, frame=frame)
    def camera(name, kind="PERSP", turn=0):
        data = bpy.data.cameras.new(name)
        data.type = kind
        if kind == "PERSP":
            data.angle = 2 * math.atan(0.42)
        obj = put(bpy.data.objects.new(name, data))
        obj.location, obj.rotation_euler = (0, -50, 0), (math.pi / 2, 0, turn)
        return obj
    main, _, _ = scene.camera, *_ = camera("Main"), camera("Round", "PANO"), camera("Back", turn=math.pi)
    scene.camera = main
    for frame, x in ((1, 0), (11, 100)):
        main.location.x = x
        main.keyframe_insert("location", index=0, frame=frame)
    for obj in (main, late):
        for curve in obj.animation_data.action.layers[0].strips[0].channelbags[0].fcurves:
            for point in curve.keyframe_points:
                point.interpolation = "LINEAR"
    scene.frame_set(1)
    bpy.ops.wm.save_as_mainfile(filepath=sys.argv[1])
    for obj in list(bpy.data.cameras):
        bpy.data.cameras.remove(obj)
    bpy.ops.wm.save_as_mainfile(filepath=sys.argv[2], copy=True)
    """)


def environment(**changes):
    base = {k: v for k, v in os.environ.items() if k not in ("PYTHONUNBUFFERED", "GPUSCENE_DEBUG", "DISPLAY")}
    return {**base, "PYTHONDONTWRITEBYTECODE": "1", **changes}  # no PYTHONPATH: with Blender loaded, sys.path holds a second bpy


def command(*arguments, **changes):
    return subprocess.run([sys.executable, "-m", "gpuscene.cli", *map(str, arguments)], capture_output=True, text=True, timeout=300,
                          env=environment(**changes), stdin=subprocess.DEVNULL)


def document(*arguments, **changes):
    """The one JSON document of a command that succeeds."""
    result = command(*arguments, "--json", **changes)
    assert (result.returncode, result.stderr) == (0, ""), result.stderr
    return json.loads(result.stdout)


def error(*arguments):
    result = command(*arguments)
    assert result.returncode == 1 and result.stdout == "" and result.stderr.count("\n") == 1, result.stderr
    return result.stderr


@pytest.fixture(scope="module")
def scenes(tmp_path_factory):
    """(.blend with cameras, .blend without, .glb of the first)."""
    folder = tmp_path_factory.mktemp("a folder")
    paths = folder / "row \u6811.blend", folder / "blind.blend", folder / "row.glb"
    subprocess.run([sys.executable, "-c", BUILD, *paths[:2]], check=True, env=environment(), stdout=subprocess.DEVNULL, timeout=300)
    assert command("export", paths[0], "-o", paths[2]).returncode == 0
    return paths


def test_frames_are_evaluated_anew(scenes, tmp_path):
    """Frame 1: x = -21 to 21 holds 0, 10, 20. Frame 6: the camera at 50 sees 30, 40, 50, 60, 70. Frame 11: 80 to 120."""
    found = document("cull", scenes[0], "--frames", "1:11:5", "--csv", tmp_path / "a.csv")
    assert [row["frame"] for row in found["frames"]] == [1, 6, 11]
    assert [row["visible"] for row in found["frames"]] == [3, 5, 5]
    for row in found["frames"]:
        assert row["total"] == 22 and row["mismatches"] == row["false_negatives"] == 0 and row["lod_counts"] == [row["visible"]]
        assert 1 <= row["nodes_tested"] and 0 < row["instances_tested"] <= 22 and row["ms"] > 0
    assert found["camera"] == "Main" and found["note"] == "" and found["device"]["backend"] == "CPU"
    rows = list(csv.DictReader((tmp_path / "a.csv").open()))
    assert [[int(row[key]) for key in ("frame", "total", "visible", "false_negatives", "lod_0", "lod_7")] for row in rows] == [
        [1, 22, 3, 0, 3, 0], [6, 22, 5, 0, 5, 0], [11, 22, 5, 0, 5, 0]]
    before = (tmp_path / "a.csv").read_bytes()
    assert "--force" in error("cull", scenes[2], "--csv", tmp_path / "a.csv") and (tmp_path / "a.csv").read_bytes() == before
    document("cull", scenes[2], "--csv", tmp_path / "a.csv", "--force")
    assert [row["visible"] for row in csv.DictReader((tmp_path / "a.csv").open())] == ["3"]


def test_instances_that_move_are_seen(scenes):
    """Late comes down at frame 11; a camera that stands at x = 0 (Round sees everything) tells them apart by no frustum."""
    assert [row["visible"] for row in document("cull", scenes[0], "--frames", "10:11", "--camera", "Back")["frames"]] == [0, 0]
    round_ = document("cull", scenes[0], "--camera", "Round")
    assert round_["frames"][0]["visible"] == 22 and "panoramic" in round_["note"]


def test_a_file_gives_what_the_blend_gives(scenes):
    """Without Blender: the module is not even imported."""
    (row,) = document("cull", scenes[2])["frames"]
    assert (row["frame"], row["total"], row["visible"]) == (1, 22, 3)
    code = "import sys; from gpuscene.cli import main; code = main(sys.argv[1:]); assert 'bpy' not in sys.modules; sys.exit(code)"
    subprocess.run([sys.executable, "-c", code, "cull", scenes[2], "--camera", "Back", "--cluster-size", "1"], check=True, env=environment(),
                   stdout=subprocess.DEVNULL, timeout=300)


#: the cube becomes LOD 0 of two; LOD 1 lies beside it and is no instance
LEVELS = textwrap.dedent("""
    import sys
    import bpy
    bpy.ops.wm.open_mainfile(filepath=sys.argv[1])
    cube = bpy.data.objects["Cube"]
    cube.name = "Cube_LOD0"
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("Cube_LOD1", cube.data.copy()))
    bpy.ops.wm.save_as_mainfile(filepath=sys.argv[2], copy=True)
    """)


def test_lods_by_bias_and_by_force(scenes, tmp_path):
    """Of the three seen, the one at x = 0 has two LODs. Radius 0.87, 50 away, 0.84 high at 1: size 0.041. LOD 1 is below 0.25; 0.041 * 2 ** 3 = 0.33 is not,
    0.041 * 2 ** 2.5 = 0.23 is.
    """
    path = tmp_path / "levels.blend"
    subprocess.run([sys.executable, "-c", LEVELS, scenes[0], path], check=True, env=environment(), stdout=subprocess.DEVNULL, timeout=300)
    assert command("export", path, "-o", tmp_path / "levels.glb").returncode == 0
    for options, counts in (((), [2, 1]), (("--lod-bias", "-3"), [3, 0]), (("--lod-bias", "-2.5"), [2, 1]), (("--lod", "0"), [3, 0]),
                            (("--lod", "7", "--lod-bias", "-9"), [2, 1]), (("--slices", "2", "--lod", "0"), [3, 0])):
        (row,) = document("cull", tmp_path / "levels.glb", *options)["frames"]
        assert (row["visible"], row["lod_counts"], row["mismatches"]) == (3, counts, 0), options


def gpu_or_skip(lacking):
    hint = command("bench", "update", "--instances", "10", "--device", "gpu").stdout
    if "There is no GPU" in hint:
        lacking("GPU", hint)


@pytest.mark.parametrize("file", [0, 2], ids=["blend", "glb"])
def test_a_rule_of_the_users_own(scenes, tmp_path, lacking, file):
    """Frame 1 sees 0, 10 and 20; the rule keeps what is past 5, on every path the same."""
    gpu_or_skip(lacking)
    (tmp_path / "past.glsl").write_text("return transform.position.x > 5.0;")
    for device, size in (("gpu", "64"), ("both", "256")):
        (row,) = document("cull", scenes[file], "--device", device, "--rule", tmp_path / "past.glsl", "--group-size", size)["frames"]
        assert [row[k] for k in ("visible", "dropped_by_rule", "lod_counts", "mismatches", "false_negatives")] == [2, 1, [2], 0, 0]
        assert row["ms"] > 0 and ("gpu_ms" in row) == (device == "both")
    # The camera stands at height 0 and every height channel is 0: the rule that ships drops nothing.
    (row,) = document("cull", scenes[file], "--device", "gpu", "--rule", "below_camera")["frames"]
    assert (row["visible"], row["dropped_by_rule"]) == (3, 0)


def test_a_rule_that_is_wrong_is_one_line(scenes, tmp_path, lacking):
    gpu_or_skip(lacking)
    (tmp_path / "bad.glsl").write_text("// mine\nfloat x = 1.0;\n\nreturn x > nowhere;\n")
    said = error("cull", scenes[2], "--device", "gpu", "--rule", tmp_path / "bad.glsl")
    assert "error: bad.glsl, line 4: " in said and "nowhere" in said


def test_choices_for_the_gpu_need_it(scenes, tmp_path):
    for option in (("--rule", "below_camera"), ("--group-size", "64")):
        said = error("cull", scenes[2], *option)
        assert option[0] in said and "--device gpu or both" in said
    assert "none.glsl cannot be read" in error("cull", scenes[2], "--device", "gpu", "--rule", tmp_path / "none.glsl")
    assert "CPU" in error("cull", scenes[2], "--device", "both", "--slices", "3")


def test_text_output(scenes):
    result = command("cull", scenes[2])
    lines = result.stdout.splitlines()
    assert (result.returncode, result.stderr) == (0, "") and "camera Main" in lines[0] and lines[-1] == "1 frame: 0 mismatches, 0 false negatives"
    assert lines[1].split()[:3] == ["frame", "total", "visible"] and lines[2].split()[:3] == ["1", "22", "3"]


def test_what_is_wrong_is_one_line(scenes, tmp_path):
    for path in (scenes[0], scenes[2]):
        said = error("cull", path, "--camera", "Mian")
        assert "'Mian'" in said and all(name in said for name in ("Main", "Back", "Round"))
    assert "blind.blend has no camera" in error("cull", scenes[1])
    assert "holds one frame, 1" in error("cull", scenes[2], "--frames", "1:5")
    assert "does not exist" in error("cull", tmp_path / "none.glb") and "none.blend" in error("cull", tmp_path / "none.blend")
    assert ".csv" in error("cull", scenes[2], "--csv", tmp_path / "a.txt")


def test_the_tree_of_a_scene(scenes):
    for path in (scenes[0], scenes[2]):
        found = document("tree", path, "--cluster-size", "4")
        assert found["instances"] == 22 and set(found["builders"]) == {"spatial", "sah", "grid"}
        assert all(each["leaves"] >= 6 and each["leaf_max"] <= 4 for each in found["builders"].values())  # 22 / 4
    blind = document("tree", scenes[1], "--sweep", "1:16")
    assert [row["cluster_size"] for row in blind["sizes"]] == [1, 2, 4, 8, 16]


def test_the_sweep_recommends_what_its_cost_model_says(scenes):
    found = document("tree", scenes[2], "--sweep", "1:64")
    assert [row["cluster_size"] for row in found["sizes"]] == [1, 2, 4, 8, 16, 32, 64]
    last = found["sizes"][-1]
    assert (last["nodes"], last["nodes_tested"]) == (1, 1)  # one leaf: the root
    for row in found["sizes"]:
        assert row["submitted"] >= found["visible"]
        assert row["cpu_cost"] == pytest.approx(row["nodes_tested"] + row["submitted"] / 16, abs=0.02)
        assert row["gpu_cost"] == pytest.approx(row["submitted"] + row["nodes_tested"] / 16, abs=0.02)
    for target, cost in (("cpu_bound", "cpu_cost"), ("gpu_bound", "gpu_cost")):
        best = min(row[cost] for row in found["sizes"])
        assert [row[cost] for row in found["sizes"] if row["cluster_size"] == found["recommended"][target]] == [best]
    text = command("tree", scenes[2], "--sweep", "1:64").stdout
    assert f"CPU-bound target: clusters of {found['recommended']['cpu_bound']}." in text and "nodes tested + submitted / 16" in text


@pytest.mark.parametrize("line", ["cull", "cull a.glb --frames 5:1", "cull a.glb --frames 1:9:0", "cull a.glb --frames a", "cull a.glb --frames 1:1048575",
                                  "cull a.glb --cluster-size 0",
                                  "cull a.glb --cluster-size 1025", "cull a.glb --slices 0", "cull a.glb --device cloud", "tree a.glb --sweep 16",
                                  "tree a.glb --sweep 512:16", "tree a.glb --sweep 0:4", "snapshot a.glb", "snapshot a.glb -o a.png --size 0x4",
                                  "cull a.glb --lod 8", "cull a.glb --lod-bias nan", "cull a.glb --group-size 32",
                                  "snapshot a.glb -o a.png --size 4", "snapshot a.glb -o a.png --overlay heat"])
def test_wrong_usage_is_2(line, capsys):
    from gpuscene.cli import main
    assert main(line.split()) == 2
    assert "usage:" in capsys.readouterr().err


def test_benches_say_what_they_measured():
    """The figures' bookkeeping, not their size: what is compared is checked against each other within, before it is timed."""
    found = document("bench", "update", "--instances", "3_000", "--device", "cpu")
    assert (found["instances"], found["changed"]) == (3000, 30)
    for name in ("refit", "remove", "insert"):
        row = found[name]
        assert min(row.values()) > 0 and set(row) == {"seconds", "rebuild_seconds", "times_faster"}
    found = document("bench", "cull", "--instances", "4_000", "--device", "cpu")
    assert found["cpu"]["instances"] == 4000 and found["cpu"]["views"]["all"]["visible"] == 4000 and "gpu" not in found
    text = command("bench", "update", "--instances", "2_000", "--device", "both")
    assert text.returncode == 0 and text.stdout.startswith("20 of 2,000 instances changed") and "upload" in text.stdout


def test_benches_without_a_gpu():
    hidden = {"VK_DRIVER_FILES": "/nonexistent", "__EGL_VENDOR_LIBRARY_FILENAMES": "/nonexistent"}
    found = document("bench", "update", "--instances", "2_000", **hidden)
    assert "There is no GPU" in found["upload"]["missing"] and found["refit"]["seconds"] > 0
    result = command("bench", "cull", "--instances", "2_000", "--device", "gpu", **hidden)
    assert result.returncode == 1 and result.stdout == "" and "There is no GPU" in result.stderr
