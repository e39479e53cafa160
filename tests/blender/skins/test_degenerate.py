"""Meshes with nothing in them, and scales of zero: what Blender shows, and the other characters unharmed."""

import bpy
import numpy as np
import pytest
import skin_builders as make
import skin_live
from gpuscene.blender.skins.character import read_character
from gpuscene.core.skinning.blend import linear_blend

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
