"""Two programs that are not ours read the files: the Khronos validator finds no error, three.js shows every instance where the scene has it.

Needs node, ``npm ci`` in this folder (make does it) and Chromium; skips without, or fails where GPUSCENE_REQUIRE_CLIENTS is set.
"""

import json
import os
import shutil
import struct
import subprocess
import zlib
from pathlib import Path

import numpy as np
import pytest
from gpuscene.core import gltf, layout
from gpuscene.core.conventions import PRESETS
from gpuscene.core.culling.camera import Camera
from scene_factory import make_scene

HERE = Path(__file__).parent
DRAWN = layout.INSTANCE_VISIBLE | layout.INSTANCE_VALID
#: perspective with a lens shift, orthographic, and one that no viewer can show
CAMERAS = (Camera("Shifted", np.array([[1.2, -0.3, 0, 0], [0, 0, 2, 0], [0, 1.002, 0, -20], [0, 1, 0, 0.0]]), np.zeros(3)),
           Camera("Plan \U0001f332", np.array([[0.01, 0, 0, 0], [0, 0.02, 0, 0], [0, 0, 0.002, -1], [0, 0, 0, 1.0]]), np.zeros(3), False, 0.01),
           Camera("Round", None, np.zeros(3), note="panoramic"))
#: name -> scene; every axis preset, with mirrored, hidden and single instances, LODs, nasty names
SCENES = {f"{axes}{suffix}": dict(instances=60, primitives=4, seed=7, lods=3, axes=axes) for axes in PRESETS for suffix in (".glb", ".gltf")} | {
    "one of each, 木 🌲.gltf": dict(instances=3, primitives=3, seed=1, hidden=False, names=["木/林 🌲", 'a "b"', ""], sources=["é\n", "#?%20", "🌳"]),
    "sheep % flock.glb": dict(instances=2000, primitives=1, seed=2, materials=0),
    "nothing drawn.glb": dict(instances=0, primitives=1),
    "cameras.glb": dict(instances=9, primitives=2, axes="unreal", cameras=CAMERAS),
    "plain.glb": dict(instances=9, primitives=2, materials=1, full_precision=2, extra_tables={"later": np.arange(9, dtype="<f4")}),
}


@pytest.fixture(scope="session")
def run_node(lacking):
    """``run_node(script, *arguments)`` -> stdout."""
    node = shutil.which("node")
    if not node:
        lacking("CLIENTS", "node is not installed")
    if not (HERE / "node_modules" / "three").is_dir():
        lacking("CLIENTS", "tests/clients/node_modules is missing: run npm ci --prefix tests/clients")

    def run(script, *arguments):
        done = subprocess.run([node, HERE / script, *map(str, arguments)], capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture(scope="session")
def run_browser(run_node, lacking):
    """As `run_node`, where Chromium is there too."""
    chromium = os.environ.get("GPUSCENE_CHROMIUM", "/usr/bin/chromium")
    if not os.access(chromium, os.X_OK):
        lacking("CLIENTS", f"{chromium} is not there: install Debian's chromium, or set GPUSCENE_CHROMIUM")
    return run_node


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """{name: (scene, path)} of every scene."""
    folder = tmp_path_factory.mktemp("files with spaces é")
    scenes = {name: make_scene(**arguments) for name, arguments in SCENES.items()}
    return {name: (scene, gltf.write(scene, folder / name).path) for name, scene in scenes.items()}


def test_khronos_validator_finds_no_error(written, run_node):
    reports = json.loads(run_node("validate.mjs", *(path for _, path in written.values())))
    assert len(reports) == len(SCENES)
    for (name, (scene, _)), report in zip(written.items(), reports, strict=True):
        serious = [m for m in report["issues"]["messages"] if m["severity"] < 2]
        assert (report["issues"]["numErrors"], report["issues"]["numWarnings"]) == (0, 0), f"{name}: {serious}"
        assert len(json.loads(frame_text(written[name][1])).get("cameras", [])) == (2 if scene.cameras else 0)
        assert report["info"]["materialCount"] == len(scene.materials)  # it did read the file


def test_khronos_validator_finds_an_error_that_is_there(written, run_node, tmp_path):
    """The harness can fail: an index past the last vertex."""
    scene, path = written["plain.glb"]
    content = path.read_bytes()
    at = content.index(scene["indices"].tobytes())
    (tmp_path / "bad.glb").write_bytes(content[:at] + struct.pack("<I", 999) + content[at + 4:])
    report = json.loads(run_node("validate.mjs", tmp_path / "bad.glb"))[0]
    assert "ACCESSOR_INDEX_OOB" in {m["code"] for m in report["issues"]["messages"] if m["severity"] == 0}


def frame_text(path):
    """The JSON of a .glb or .gltf."""
    content = path.read_bytes()
    return content[20:20 + struct.unpack_from("<I", content, 12)[0]] if path.suffix == ".glb" else content


@pytest.fixture(scope="module")
def placed(written, run_browser, tmp_path_factory):
    """{name: meshes as three.js has them}."""
    out = tmp_path_factory.mktemp("three") / "matrices.json"
    run_browser("three_matrices.mjs", out, *(path for _, path in written.values()))
    return dict(zip(written, json.loads(out.read_text()), strict=True))


@pytest.mark.parametrize("name", SCENES)
def test_three_js_places_every_instance(written, placed, name):
    scene, _ = written[name]
    turn = PRESETS["gltf"].target_from_blender() @ np.linalg.inv(scene.convention.target_from_blender())
    matrices = turn @ scene.world_from_local()
    drawn = (scene["instance_transforms"]["flags"] & DRAWN) == DRAWN
    ids = scene["instance_data"]["primitive_id"]
    batches_of = np.bincount(scene["batches"]["primitive_id"][scene["batches"]["lod_index"] == 0], minlength=scene.primitive_count)
    flipped = np.linalg.det(matrices) < 0
    groups = [(int(i), bool(f)) for i, f in np.unique(np.stack((ids[drawn], flipped[drawn]), axis=1), axis=0)]
    meshes = placed[name]
    assert sorted((mesh["primitive"], mesh["flipped"]) for mesh in meshes) == [g for g in groups for _ in range(batches_of[g[0]])]
    for mesh in meshes:
        wanted = matrices[(ids == mesh["primitive"]) & (flipped == mesh["flipped"]) & drawn]
        assert mesh["instanced"] == (len(wanted) > 1)
        found = np.array(mesh["matrices"]).reshape(-1, 4, 4).transpose(0, 2, 1)
        assert found.shape == wanted.shape
        assert found == pytest.approx(wanted, rel=1e-5, abs=1e-5 / scene.convention.units_per_metre)


def test_a_picture_of_a_file(run_browser, tmp_path):
    """The box that three.js frames is the scene's, computed from the tables; and the picture is no blank."""
    scene = make_scene(30, 2, seed=5, axes="gltf", lods=1, hidden=False)
    path = gltf.write(scene, tmp_path / "a.glb").path
    facts = json.loads(run_browser("render_glb.mjs", path, tmp_path / "a.png", "--width", 320, "--height", 200))
    corners = []
    for matrix, primitive in zip(scene.world_from_local().astype(float), scene["instance_data"]["primitive_id"]):
        row = scene["primitives"][primitive]
        points = scene["vertex_positions"][row["base_vertex"]:row["base_vertex"] + row["vertex_count"]]
        corners.append(points @ matrix[:3, :3].T + matrix[:3, 3])
    assert facts["meshes"] == 60  # two materials: two glTF primitives an instance
    assert np.array(facts["box"]) == pytest.approx(np.array([np.min(np.concatenate(corners), axis=0), np.max(np.concatenate(corners), axis=0)]), abs=1e-4)
    png = (tmp_path / "a.png").read_bytes()
    assert struct.unpack(">II", png[16:24]) == (320, 200)
    chunks, at = b"", 8
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at:at + 8])
        chunks += png[at + 8:at + 8 + length] if kind == b"IDAT" else b""
        at += 12 + length
    assert len(set(zlib.decompress(chunks))) > 50


def test_the_lock_file_names_no_host():
    """Packages come from whatever registry npm is set to."""
    lock = json.loads((HERE / "package-lock.json").read_text())
    assert lock["packages"]["node_modules/three"]["integrity"].startswith("sha512-")
    assert not [name for name, package in lock["packages"].items() if "resolved" in package]
