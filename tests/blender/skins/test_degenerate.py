"""Meshes with nothing in them, and scales of zero: what Blender shows, and the other characters unharmed."""

import json
import subprocess
import sys

import bpy
import numpy as np
import pytest
import skin_builders as make
import skin_live
from gpuscene.blender.skins.character import read_character
from gpuscene.blender.export import ExportSettings, export_scene
from gpuscene.core import gltf
from gpuscene.core.skinning.blend import linear_blend
from gpuscene.device import capabilities

FLAT = ((1, 0, 1), (0, 0, 0), (2, 2, 0))


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("armature", [(1, 1, 1), *FLAT])
@pytest.mark.parametrize("own", [(1, 1, 1), *FLAT])
def test_scales_of_zero(own, armature, turned):
    obj, rig = make.standing()
    turn = (0.3, 0.2, 0.1) if turned else (0, 0, 0)
    make.place(obj, (1, 2, 3), turn, own)
    make.place(rig, (-1, 0, 1), turn, armature)
    graph = make.depsgraph()
    truth = make.shown(obj)
    evaluated = obj.evaluated_get(graph)
    character = read_character(evaluated, graph)
    ours = linear_blend(character.skin.rest, character.skin.influences, character.matrices(evaluated, graph))
    assert np.abs(ours - truth).max() <= 1e-5
    assert "skin-not-linear" not in {f.code for f in character.findings}


def empty(obj):
    obj.data = bpy.data.meshes.new("empty")


def one_vertex(obj):
    obj.data = bpy.data.meshes.new("one")
    obj.data.from_pydata([(0, 0, 1)], [], [])


def no_area(obj):
    for vertex in obj.data.vertices:
        vertex.co.x = vertex.co.y = 0


def not_finite(obj):
    obj.data.vertices[3].co.x = float("nan")


@pytest.mark.parametrize("spawn", ["surface", "vertices"])
@pytest.mark.parametrize("spoil, vertices", [(empty, 0), (one_vertex, 1), (no_area, 64), (not_finite, 64)])
def test_one_that_holds_nothing_disturbs_no_other(skins, spoil, vertices, spawn):
    obj, armature = skin_live.character("odd")
    other, rig = skin_live.character("other", location=(4, 0, 0))
    skin_live.bend(rig)
    skins.start(obj, other, spawn=spawn, trail=3)
    spoil(obj)
    obj.data.update()
    bpy.context.scene.frame_set(9)
    session = skins.session.current()
    session.redraw(skin_live.update())
    session.measure(skin_live.update())
    off, height = skin_live.off(session, other)
    assert off <= 1e-4 * height and skins.session.current() is session
    if spawn == "vertices" or spoil is not not_finite:
        assert session.stage.particles[str(obj.session_uid)] == (vertices if spawn == "vertices" else 0)
    spoil(other)
    other.data.update()
    session.redraw(skin_live.update())
    assert skins.session.current() is session


@pytest.fixture
def odd_file(tmp_path):
    """Characters that hold nothing, numbers that are none, and a mesh that moves without its bones."""
    for name, spoil in (("empty", empty), ("one", one_vertex), ("nan", not_finite)):
        spoil(skin_live.character(name)[0])
    _, armature = skin_live.character("lost")
    armature.pose.bones["b1"].scale.x = float("nan")
    skin_live.shape_keys()
    bpy.context.scene.frame_set(1)
    path = tmp_path / "odd.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True)
    return path


def no_number(constant):
    raise AssertionError(f"{constant} is no JSON")


def test_the_command(odd_file):
    arguments = ["skin", str(odd_file), "--frames", "1:20:19", "--compare", "--particles", "50", "--json"]
    if not capabilities.why_none():
        arguments += ["--device", "both"]
    done = subprocess.run([sys.executable, "-m", "gpuscene.cli", *arguments], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, "")
    result = json.loads(done.stdout, parse_constant=no_number)
    rows = {row["name"]: row for row in result["characters"]}
    assert rows["empty"]["bounds"] is None and rows["empty"]["vertices"] == 0
    assert all(row["unlimited_share"] <= 1e-4 for row in rows.values())
    assert result["gpu"] is None or result["gpu"]["vertex_mismatches"] == result["gpu"]["particle_mismatches"] == 0
    ways = {way["name"]: way for way in result["compare"]}
    # A texture of bone matrices cannot know of shape keys: at frame 20 they move a vertex by its radius, 0.3 m, before the pose.
    assert ways["baked: bone matrices"]["error"] == pytest.approx(0.3, abs=0.05)
    for way in result["compare_gpu"]:
        if way["name"] in ways:
            assert way["error"] == pytest.approx(ways[way["name"]]["error"], rel=1e-3, abs=1e-6)


def test_the_file(odd_file, tmp_path):
    bpy.ops.wm.open_mainfile(filepath=str(odd_file))
    export_scene(bpy.context, tmp_path / "odd.glb", ExportSettings(skins=True, skin_frames=(1, 2, 1)))
    data = gltf.read(tmp_path / "odd.glb")
    names = [data.sources[data["instance_sources"][row]] for row in data["skins"]["instance"]]
    assert names == ["skin"] and np.isfinite(data["bone_frames"]["row0"]).all()
    codes = {(finding.code, finding.subject) for finding in data.findings}
    assert {("skin-not-exported", "nan"), ("skin-not-exported", "lost")} <= codes
