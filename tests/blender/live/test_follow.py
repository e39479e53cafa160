"""What an edit costs and touches: only the records that it concerns, against numbers worked out by hand."""

import bpy
import numpy as np
from builders import add, fan, material, plane
from mathutils import Matrix


def _settle(live):
    """Take what is dirty; (layout version, slots)."""
    live.update()
    return live.running.tables.layout_version, live.running.tables.take_dirty()


def test_a_move_touches_one_record_and_takes_blenders_bits(live):
    mesh = fan("fan")
    for i in range(20):
        add(f"object {i}", mesh, location=(i, 0, 0))
    session = live.start()
    layout, _ = _settle(live)
    turned = bpy.data.objects["object 7"]
    turned.location, turned.rotation_euler, turned.scale = (-0.0, 5, 0.1), (0, 0, 3.14159), (1, -2, 1)
    now, dirty = _settle(live)
    tables = session.tables
    assert now == layout and dirty.tolist() == [session.slot_of("object 7")]
    row = tables.transforms[dirty[0]]
    expected = np.array(turned.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world, np.float32)
    for column, name in enumerate(("x_axis", "y_axis", "z_axis", "position")):
        assert row[name].tobytes() == np.ascontiguousarray(expected[:3, column]).tobytes()  # -0.0 included


def test_the_same_bits_alone_and_among_duplicates(live):
    """An object whose mesh nobody shares goes another way through extraction; its records are the same."""
    mesh = fan("fan")
    one = add("one", mesh, location=(-0.0, 2, -0.0), rotation=(0, 180, 0), scale=(-1, 1, 1))
    session = live.start()
    alone = session.tables.transforms[session.slot_of("one")].tobytes()
    other = add("other", mesh)
    live.update()
    live.running.mark_all()
    live.update()
    assert session.tables.count == 2
    assert session.tables.transforms[session.slot_of("one")].tobytes() == alone
    bpy.data.objects.remove(other)
    live.update()
    assert session.tables.count == 1 and session.tables.transforms[session.slot_of("one")].tobytes() == alone
    assert one.name == "one"


def test_hiding_clears_one_flag_and_showing_takes_the_old_slot(live):
    mesh = fan("fan")
    for i in range(10):
        add(f"object {i}", mesh, location=(i, 0, 0))
    session = live.start()
    layout, _ = _settle(live)
    obj, slot = bpy.data.objects["object 4"], session.slot_of("object 4")
    for hide in ("hide_viewport", "eye"):
        before = session.tables.transforms[slot].copy()
        obj.hide_set(True) if hide == "eye" else setattr(obj, hide, True)
        now, dirty = _settle(live)
        after = session.tables.transforms[slot].copy()
        assert (now, dirty.tolist()) == (layout, [slot]) and session.tables.count == 9 and session.tables.hidden_count == 1
        assert before["flags"] ^ after["flags"] == 1
        after["flags"] = before["flags"]
        assert after.tobytes() == before.tobytes()
        obj.hide_set(False) if hide == "eye" else setattr(obj, hide, False)
        now, dirty = _settle(live)
        assert (now, dirty.tolist()) == (layout, [slot]) and session.tables.count == 10
        assert session.tables.transforms[slot].tobytes() == before.tobytes()


def test_animation_moves_and_hides(live):
    mesh = fan("fan")
    for i in range(6):
        add(f"object {i}", mesh, location=(i, 0, 0))
    mover, blinker = bpy.data.objects["object 2"], bpy.data.objects["object 4"]
    for frame in (1, 11):
        mover.location.z = frame - 1
        mover.keyframe_insert("location", frame=frame)
        blinker.hide_viewport = frame == 11
        blinker.keyframe_insert("hide_viewport", frame=frame)
    for curve in mover.animation_data.action.layers[0].strips[0].channelbags[0].fcurves:
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"
    bpy.context.scene.frame_set(1)
    session = live.start()
    layout, _ = _settle(live)
    bpy.context.scene.frame_set(6)
    now, dirty = _settle(live)
    assert now == layout and session.slot_of("object 2") in dirty and len(dirty) <= 2
    assert session.tables.transforms["position"][session.slot_of("object 2")].tolist() == [2, 0, 5]
    bpy.context.scene.frame_set(11)
    live.update()
    assert session.tables.count == 5 and session.tables.hidden_count == 1
    bpy.context.scene.frame_set(6)
    live.update()
    assert session.tables.count == 6 and live.differences() == []


def test_materials_at_object_level_and_by_name(live):
    red, blue = material("red"), material("blue")
    mesh = fan("fan", materials=[red])
    first, second = add("first", mesh), add("second", mesh, location=(3, 0, 0))
    session = live.start()
    assert len(session.tables.primitives) == 1
    first.material_slots[0].link = "OBJECT"
    first.material_slots[0].material = blue
    live.update()
    scene = session.tables.scene()
    shown = {scene.sources[s]: scene.materials[scene["batches"]["material_index"][p]].name
             for s, p in zip(scene["instance_sources"], scene["instance_data"]["primitive_id"])}
    assert shown == {first.name: "blue", second.name: "red"}
    blue.name = "azure"
    live.update()
    assert sorted(m.name for m in session.tables.scene().materials) == ["azure", "red"] and live.differences() == []


def test_levels_of_detail_come_and_go(live):
    add("tree_LOD0", fan("fine", 9))
    coarse = add("tree_LOD1", fan("coarse", 4), location=(5, 0, 0))
    session = live.start()
    primitives = session.tables.scene()["primitives"]
    assert session.tables.count == 1 and primitives["lod_count"].tolist() == [2]
    coarse.data.vertices[0].co.z = 7  # of the coarser level alone: the bounds hold every level
    coarse.data.update()
    live.update()
    assert session.tables.scene()["primitives"]["box_max"][0, 2] == 7
    coarse.name = "something else"
    live.update()
    assert session.tables.count == 2 and session.tables.scene()["primitives"]["lod_count"].tolist() == [1, 1]
    assert live.differences() == []


def test_settings_of_the_export_are_read_again(live):
    parent = add("parent", fan("fan"))
    add("child", fan("other", 5), parent=parent)
    add("level", fan("level", 3), location=(9, 0, 0))
    session = live.start()
    parent.gpuscene.movable = "YES"
    live.update()
    assert live.differences() == []
    parent.gpuscene.full_precision = True
    live.update()
    assert session.tables.transforms["flags"][session.slot_of("parent")] & 32 and live.differences() == []
    entry = parent.gpuscene.lods.add()
    entry.object = bpy.data.objects["level"]
    live.update()
    scene = session.tables.scene()
    assert sorted(scene["primitives"]["lod_count"].tolist()) == [1, 1, 2] and live.differences() == []


def test_the_first_animation_of_a_scene(live):
    """Where nothing is animated, extraction does not ask which objects have constraints."""
    held = add("held", fan("fan"))
    held.constraints.new("LIMIT_SCALE")
    other = add("other", fan("other", 5))
    live.start()
    other.keyframe_insert("location", frame=1)
    live.update()
    assert live.differences() == []
    other.animation_data_clear()
    live.update()
    assert live.differences() == []


def test_mirrored_and_flat_scales(live):
    mesh = fan("fan")
    obj = add("object", mesh)
    add("twin", mesh)
    session = live.start()
    for scale, flags in (((-1, 1, 1), 1 | 2 | 8), ((0, 1, 1), 1), ((1, 1, 1), 1 | 2), ((1e-20, 1, 1), None)):
        obj.scale = scale
        live.update()
        if flags is not None:
            assert session.tables.transforms["flags"][session.slot_of("object")] == flags
        assert live.differences() == []


def test_a_parent_moves_its_children(live):
    parent = add("parent", None)
    child = add("child", fan("fan"), location=(1, 0, 0), parent=parent)
    add("animated", fan("animated", 5)).keyframe_insert("location", frame=1)
    session = live.start()
    parent.matrix_world = Matrix.Translation((0, 7, 0))
    live.update()
    assert session.tables.transforms["position"][session.slot_of("child")].tolist() == [1, 7, 0]
    parent.constraints.new("LIMIT_SCALE")
    live.update()
    assert session.tables.transforms["flags"][session.slot_of(child.name)] & 4  # movable now
    assert live.differences() == []


def test_unused_meshes_do_not_pile_up(live):
    """Every edit of a mesh is a new mesh to the stores; they are made anew before they hold many that nothing shows."""
    mesh = fan("fan")
    add("object", mesh)
    live.start()
    counts = []
    for i in range(200):
        mesh.vertices[0].co.z += 1
        mesh.update()
        live.update()
        counts.append(live.running._sync.source.geometry_count)
    assert max(counts) <= 1 * 2 + 64 + 1 and live.differences() == []


def test_a_mesh_in_edit_mode_stays(live):
    """Blender's evaluated mesh has no face while it is edited, until somebody asks for them."""
    cube = add("cube", plane("plane"))
    add("twin", cube.data, location=(5, 0, 0))
    add("other", fan("fan"))
    session = live.start()
    bpy.context.view_layer.objects.active = cube
    bpy.ops.object.mode_set(mode="EDIT")
    live.update()
    assert session.tables.count == 3 and live.differences() == []
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.mesh.subdivide()
    live.update()
    triangles = session.tables.scene()["primitives"]["index_count"] // 3
    assert session.tables.count == 3 and sorted(triangles.tolist()) == [3, 8] and live.differences() == []
    bpy.ops.object.mode_set(mode="OBJECT")
    live.update()
    assert session.tables.count == 3 and live.differences() == []


def test_selecting_reads_nothing(live):
    for i in range(5):
        add(f"object {i}", fan(f"fan {i}"))
    session = live.start()
    bpy.data.objects["object 1"].select_set(True)
    live.update()
    readings = session._sync.readings
    for i in (2, 3, 1):
        bpy.data.objects[f"object {i}"].select_set(i != 1)
        live.update()
    assert session._sync.readings == readings
    bpy.data.objects["object 2"].hide_set(True)
    live.update()
    assert session.tables.count == 4 and session._sync.readings == readings + 1
