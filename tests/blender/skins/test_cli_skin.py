"""``gpuscene skin``, as its users run it: in a process of its own."""

import json
import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest


def command(*arguments):
    environment = {k: v for k, v in os.environ.items() if k != "GPUSCENE_DEBUG"} | {"PYTHONIOENCODING": "utf-8"}
    return subprocess.run(
        [sys.executable, "-m", "gpuscene.cli", *map(str, arguments)],
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
        stdin=subprocess.DEVNULL,
    )


def document(*arguments):
    result = command(*arguments, "--json")
    assert (result.returncode, result.stderr) == (0, ""), result.stderr
    return json.loads(result.stdout)


#: a column on three bones that bend by frame 11; the same in a collection that is instanced twice, five metres and mirrored; a
#: cube without a rig
BUILD = textwrap.dedent("""
    import sys
    import bpy
    sys.path.insert(0, sys.argv[2])
    from skin_builders import column, link, standing
    bpy.ops.wm.read_factory_settings(use_empty=True)
    obj, armature = standing(bend=0)
    link("still", column("still"))
    for bone in armature.pose.bones:
        bone.keyframe_insert("rotation_euler", frame=1)
        bone.rotation_euler.x = 1
        bone.keyframe_insert("rotation_euler", frame=11)
    troupe = bpy.data.collections.new("troupe")
    for member in (obj, armature):
        troupe.objects.link(member)
    for location, scale in (((5, 0, 0), (1, 1, 1)), ((0, 5, 0), (-2, 2, 2))):
        empty = link("place", None)
        empty.instance_type, empty.instance_collection, empty.location, empty.scale = "COLLECTION", troupe, location, scale
    bpy.context.scene.frame_set(1)
    bpy.ops.wm.save_as_mainfile(filepath=sys.argv[1])
    """)


@pytest.fixture(scope="module")
def scene(tmp_path_factory, root):
    path = tmp_path_factory.mktemp("a folder") / "r\u00f6w.blend"
    subprocess.run(
        [sys.executable, "-c", BUILD, path, root / "tests" / "blender" / "skins"],
        check=True,
        stdout=subprocess.DEVNULL,
        timeout=300,
    )
    return path


def test_characters_and_their_instances(scene):
    """A ring vertex is half of two bones at 255 steps, so the error is at most 1/510 of what two bones are apart."""
    found = document("skin", scene, "--frames", "1:11:5", "--particles", "200")
    assert [row["name"] for row in found["characters"]] == ["skin", "skin #1", "skin #2"] and found["frame_count"] == 3
    for row, size in zip(found["characters"], (1, 1, 2), strict=True):
        assert (row["vertices"], row["triangles"], row["bones_total"], row["bones_used"], row["influences_most"]) == (
            28,
            48,
            3,
            3,
            2,
        )
        assert row["bytes_per_frame"] == 3 * 48 and row["index_bits"] == 8 and row["object"] == "skin"
        assert row["unlimited_share"] < 1e-6 and 0 < row["error"] < size * 3 / 510 and row["worst_frame"] == 11
        assert row["worst_vertices"][0] in range(4, 24)
    low, high = found["characters"][1]["bounds"]
    assert low[0] == pytest.approx(4.7, abs=1e-2) and high[0] == pytest.approx(5.3, abs=1e-2)
    assert found["characters"][2]["height"] > 1.9 * found["characters"][0]["height"] / 1.01
    assert found["bytes_per_frame"] == 3 * 144 and found["buffer_rows"] == 9 and not found["findings"]
    assert found["particles"]["count"] == 600 and found["particles"]["error"] <= found["characters"][2]["error"] * 1.01


def test_eight_and_one(scene):
    errors = [document("skin", scene, "--frames", "11", "--influences", n)["characters"][0]["error"] for n in (8, 2, 1)]
    assert errors[0] == errors[1] < errors[2]  # a vertex has two
    assert document("skin", scene)["characters"][0]["error"] < 1e-6  # frame 1 stands still


def test_comparison(scene):
    ways = {way["name"]: way for way in document("skin", scene, "--frames", "1:11:10", "--compare")["compare"]}
    assert [ways[f"matrices: {kind}"]["bytes_per_frame"] for kind in ("float32", "half", "trs")] == [
        3 * 3 * 48,
        3 * (3 * 24 + 12),
        3 * 3 * 40,
    ]
    assert ways["matrices: float32"]["error"] <= ways["matrices: half"]["error"] < 0.02
    assert ways["influences: 1"]["error"] > ways["influences: 2"]["error"] == ways["influences: 4"]["error"]
    assert (
        ways["baked: vertex positions, 16 bits"]["memory"] == 3 * 2 * (28 * 8 + 24)
        and ways["baked: bone matrices"]["bytes_per_frame"] == 0
    )
    assert ways["a quarter of the bones"]["bones"] == 3 and ways["a quarter of the bones"]["error"] > 0.1
    assert all(way["ms"] > 0 for way in ways.values())


#: (height, width, 4) float32 of a picture as Blender loads it
LOAD = textwrap.dedent("""
    import sys
    import bpy
    import numpy as np
    image = bpy.data.images.load(sys.argv[1])
    image.colorspace_settings.name = "Non-Color"
    pixels = np.empty((image.size[1], image.size[0], image.channels), np.float32)
    image.pixels.foreach_get(pixels.reshape(-1))
    np.save(sys.argv[2], pixels[::-1])
    """)
#: (frames, vertices, 3) world positions of the evaluated object, one vertex at a time
SHOWN = textwrap.dedent("""
    import sys
    import bpy
    import numpy as np
    sys.path.insert(0, sys.argv[3])
    from skin_builders import shown
    bpy.ops.wm.open_mainfile(filepath=sys.argv[1])
    frames = []
    for frame in (1, 6, 11):
        bpy.context.scene.frame_set(frame)
        frames.append(shown(bpy.data.objects["skin"]))
    np.save(sys.argv[2], np.array(frames))
    """)


def loaded(code, *arguments):
    subprocess.run([sys.executable, "-c", code, *map(str, arguments)], check=True, stdout=subprocess.DEVNULL, timeout=300)
    return np.load(arguments[1])


@pytest.mark.parametrize("kind", ["vertex", "bone"])
def test_baked_textures(scene, root, tmp_path, kind):
    """Blender reads the picture; its texels, found by the description, are where Blender's vertices are."""
    out = tmp_path / "walk cycle.exr"
    found = document("skin", scene, "--frames", "1:11:5", "--bake", out, "--bake-kind", kind)
    about = json.loads(out.with_suffix(".json").read_text())
    pixels, truth = (
        loaded(LOAD, out, tmp_path / "pixels.npy"),
        loaded(SHOWN, scene, tmp_path / "shown.npy", root / "tests" / "blender" / "skins"),
    )
    assert (
        pixels.shape == (about["height"], about["width"], 4)
        and about["frames"] == [1, 6, 11]
        and found["baked"]["bytes"] == out.stat().st_size
    )
    assert [(c["name"], c["count"]) for c in about["characters"]] == [
        (f"skin{n}", 28 if kind == "vertex" else 3) for n in ("", " #1", " #2")
    ]
    for number in range(3):
        texels = pixels[number * about["rows_per_frame"] : (number + 1) * about["rows_per_frame"]].reshape(-1, 4)
        if kind == "vertex":
            assert np.abs(texels[:28, :3] - truth[number]).max() < 1e-6 and (texels[:84, 3] == 1).all()
            assert np.abs(texels[28:56, :3] - truth[number] - (5, 0, 0)).max() < 1e-5
        else:
            tip = texels[6:9] @ [0.3, 0, 3, 1]  # the third bone's matrix on the first vertex of the top ring
            assert np.abs(tip - truth[number][24]).max() < 1e-5
    again = command("skin", scene, "--bake", out)
    assert again.returncode == 1 and "--force" in again.stderr
    assert command("skin", scene, "--bake", out, "--force").returncode == 0


def test_text(scene):
    result = command("skin", scene, "--compare")
    lines = result.stdout.splitlines()
    assert (result.returncode, result.stderr) == (0, "") and lines[0].split()[:3] == ["character", "vertices", "bones"]
    assert lines[1].split()[:4] == ["skin", "28", "3", "3"] and "3 characters, 1 frame: 432 bytes a frame" in lines[-1]


def test_what_is_wrong_is_one_line(root, tmp_path):
    for arguments, said in (
        (("skin", root / "sample_scenes" / "forest.blend"), "No mesh in the scene has an armature"),
        (("skin", tmp_path / "none.blend"), "none.blend"),
        (("skin", tmp_path / "a.glb"), "holds no rig"),
    ):
        result = command(*arguments)
        assert result.returncode == 1 and result.stdout == "" and result.stderr.count("\n") == 1 and said in result.stderr
    assert command("skin", "x.blend", "--influences", "3").returncode == 2
    nothing = command("bench", "skin", "--particles", "0")
    assert nothing.returncode == 2 and "0 is not from 1 to 10,000,000" in nothing.stderr


def test_the_gpu_is_the_cpu(scene, lacking):
    hint = command("bench", "update", "--instances", "10", "--device", "gpu").stdout
    if "There is no GPU" in hint:
        lacking("GPU", hint)
    cpu = document("skin", scene, "--frames", "1:11:5", "--particles", "50")
    found = document("skin", scene, "--frames", "1:11:5", "--particles", "50", "--device", "gpu")
    gpu = found["gpu"]
    assert (gpu["vertex_mismatches"], gpu["particle_mismatches"], gpu["past_segment"]) == (0, 0, 0) and all(
        ms > 0 for ms in gpu["ms"].values()
    )
    assert "texture" in gpu["ms"] and cpu["gpu"] is None and cpu["characters"] == found["characters"]


def test_the_ways_on_the_gpu(scene, lacking):
    """What `--compare` says of the GPU: the errors of the CPU, a bone's bytes a frame, nothing for what is baked."""
    hint = command("bench", "update", "--instances", "10", "--device", "gpu").stdout
    if "There is no GPU" in hint:
        lacking("GPU", hint)
    found = document("skin", scene, "--frames", "1:11:10", "--compare", "--influences", "8", "--device", "both")
    assert (found["gpu"]["vertex_mismatches"], found["gpu"]["particle_mismatches"]) == (0, 0)
    cpu, gpu = ({way["name"]: way for way in found[key]} for key in ("compare", "compare_gpu"))
    both = set(cpu) & set(gpu)
    assert len(both) == 9 and set(gpu) - both == {"a uniform block each", "baked: vertex positions, float32"}
    for name in both:
        assert abs(gpu[name]["error"] - cpu[name]["error"]) < 1e-5, name
    assert gpu["matrices: half"]["bytes_per_frame"] < gpu["matrices: trs"]["bytes_per_frame"] < gpu["matrices: float32"]["bytes_per_frame"]
    assert gpu["baked: bone matrices"]["bytes_per_frame"] == gpu["baked: vertex positions, float32"]["bytes_per_frame"] == 0
    assert all(way["ms"] > 0 and way["memory"] > 0 for way in gpu.values())


def test_export_with_skins(scene, tmp_path):
    found = document("export", scene, "-o", tmp_path / "out.glb", "--skin-frames", "1:11:5")
    assert found["instances"] == 4 and found["seconds"]["skins"] > 0
    info = document("info", tmp_path / "out.glb")
    assert {name: info["tables"][name]["count"] for name in ("skins", "bones", "bone_remap", "bone_frames", "skin_boxes")} == {
        "skins": 3,
        "bones": 9,
        "bone_remap": 4,
        "bone_frames": 27,
        "skin_boxes": 9,
    }
    refused = command("export", scene, "-o", tmp_path / "other.glb", "--skins", "--visible", "render")
    assert refused.returncode == 1 and "viewport" in refused.stderr and not (tmp_path / "other.glb").exists()
