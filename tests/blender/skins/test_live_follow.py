"""Particles are where Blender's evaluated mesh is, in the frame that is drawn: whatever moves the character."""

import bpy
import numpy as np
import pytest
import skin_builders as make
import skin_live


@pytest.mark.parametrize("build", skin_live.SCENES, ids=lambda f: f.__name__)
def test_no_frame_late(skins, build):
    obj = build()
    session = skins.start(obj)
    moved, before = 0.0, None
    for frame in (1, 2, 7, 8, 20, 13):
        bpy.context.scene.frame_set(frame)
        session.redraw(bpy.context.view_layer.depsgraph)
        off, height = skin_live.off(session, obj)
        assert off <= 1e-4 * height, frame
        now = session.positions(obj.session_uid)
        moved = max(moved, 0.0 if before is None else float(np.linalg.norm(now - before, axis=1).max()))
        before = now
    assert moved > 0.1  # else a session that stands still would pass


def test_on_vertices_each_particle_is_its_vertex(skins):
    obj = skin_live.keyed()
    session = skins.start(obj, spawn="vertices", particles=10_000)
    bpy.context.scene.frame_set(15)
    session.redraw(bpy.context.view_layer.depsgraph)
    vertices, _ = skin_live.spots(session, obj)
    assert sorted(vertices[:, 0]) == list(range(len(obj.data.vertices)))
    assert np.abs(session.positions(obj.session_uid) - make.shown(obj)[vertices[:, 0]]).max() < 3e-4


def test_a_pose_by_hand_and_a_moved_armature(skins):
    obj, armature = skin_live.character()
    session = skins.start(obj)
    armature.pose.bones["b1"].rotation_euler.x = 0.9
    session.redraw(skin_live.update())
    assert skin_live.off(session, obj)[0] < 3e-4
    armature.location = (5, 0, 0)
    session.redraw(skin_live.update())
    assert skin_live.off(session, obj)[0] < 3e-4 and session.positions(obj.session_uid)[:, 0].mean() > 4


def test_nothing_is_read_while_nothing_changes(skins):
    obj = skin_live.keyed()
    session = skins.start(obj)
    session.redraw(skin_live.update())
    poses = session.actors[obj.session_uid].poses
    newest = poses[0]
    assert not session.has_marks
    session.redraw(bpy.context.view_layer.depsgraph)
    assert poses[0] is newest and len(poses) == 1


@pytest.mark.parametrize("matrices, tolerance", [("float32", 1e-4), ("half", 2e-3), ("trs", 1e-4)])
def test_matrix_formats(skins, matrices, tolerance):
    """A metre-high column bent without shear: half floats are off by their last bit, the others by nothing."""
    obj = skin_live.root_motion()
    session = skins.start(obj, matrix_format=matrices)
    bpy.context.scene.frame_set(20)
    session.redraw(bpy.context.view_layer.depsgraph)
    off, height = skin_live.off(session, obj)
    assert off <= tolerance * height
    assert (off > 1e-4 * height) == (matrices == "half")


def test_trails_are_where_the_character_was(skins):
    obj = skin_live.root_motion()
    session = skins.start(obj, trail=5)
    truths = []
    for frame in range(1, 9):
        bpy.context.scene.frame_set(frame)
        session.redraw(bpy.context.view_layer.depsgraph)
        truths.insert(0, make.shown(obj))
    for age in range(5):
        off, height = skin_live.off(session, obj, age, truths[age])
        assert off <= 1e-4 * height, age
    # Another pose at the same frame replaces the newest, and a jump forgets the way.
    bpy.data.objects["skin rig"].location.y = 4
    session.redraw(skin_live.update())
    assert skin_live.off(session, obj)[0] < 5e-4
    assert skin_live.off(session, obj, 1, truths[1])[0] < 5e-4
    bpy.context.scene.frame_set(500)
    session.redraw(bpy.context.view_layer.depsgraph)
    assert len(session.actors[obj.session_uid].poses) == 1


def test_speed_is_metres_a_second(skins):
    obj, armature = skin_live.character()
    skin_live.key(armature, "location", {1: (0, 0, 0), 25: (12, 0, 0)})
    for curve in skin_live.curves(armature):
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"
    bpy.context.scene.render.fps = 24
    session = skins.start(obj, color="speed")
    for frame in (1, 2, 4):
        bpy.context.scene.frame_set(frame)
        session.redraw(bpy.context.view_layer.depsgraph)
        values = session.stage.device.values(str(obj.session_uid))
        assert values == pytest.approx(0 if frame == 1 else 12.0, rel=1e-3)


def test_reading_a_rest_mesh_marks_nothing(skins):
    """Blender names the object in an update of its own afterwards; were that a change, redraws would never end."""
    obj = skin_live.shape_keys()
    session = skins.start(obj)
    bpy.context.scene.frame_set(9)
    session.redraw(bpy.context.view_layer.depsgraph)
    rest = session.actors[obj.session_uid].rest
    for _ in range(3):
        session.redraw(skin_live.update())
        assert not session.has_marks and session.actors[obj.session_uid].rest is rest
    session.measure(bpy.context.view_layer.depsgraph)
    skin_live.update()
    assert not session.has_marks
