"""What a user changes while particles run: rigs, groups, modifiers, meshes, names. Each redraw shows what Blender shows."""

import bpy
import pytest
import skin_builders as make
import skin_live
from gpuscene.blender.skins.character import measure, read_character
from gpuscene.core.skinning import pack


def rounding(obj):
    """Metres that bytes for weights cost, by reading the object anew."""
    graph = bpy.context.view_layer.depsgraph
    evaluated = obj.evaluated_get(graph)
    character = read_character(evaluated, graph)
    return measure(character, evaluated, graph, pack(character.skin).influences).largest


@pytest.fixture
def one(skins):
    """``one()``: a session of a bent character at frame 12; ``one.right()`` holds the next redraw against Blender."""
    obj, armature = skin_live.character()
    skin_live.bend(armature)
    skin_live.bend(armature, "b2", 1, -0.8)
    bpy.context.scene.frame_set(12)
    skins.start(obj, trail=3)
    skins.obj, skins.armature = obj, armature

    def right(frame=None):
        from gpuscene.blender.skins.live.properties import chosen_of

        session = skins.session.current()
        assert session is not None, skins.session.last_error()
        for number in (frame, None):
            if number is not None:
                bpy.context.scene.frame_set(number)
            session.configure(None, chosen_of(bpy.context.scene))
            session.redraw(skin_live.update())
        assert session.problems == {}
        off, height = skin_live.off(session, obj)
        assert off <= rounding(obj) + 1e-4 * height
        return session

    skins.right = right
    right()
    return skins


def no_longer_deforms(one):
    one.armature.data.bones["b1"].use_deform = False


def envelope(one):
    one.obj.modifiers[0].use_bone_envelopes, one.obj.modifiers[0].use_vertex_groups = True, False
    one.right()
    one.armature.data.bones["b1"].envelope_distance = 1.3
    one.armature.data.bones["b1"].head_radius = 0.7


def bendy(one):
    one.armature.data.bones["b1"].bbone_segments = 4


def less_bendy(one):
    bendy(one)
    one.right()
    one.armature.data.bones["b1"].bbone_segments = 2
    one.session.current().redraw(skin_live.update(), may_read=False)


def inherit_scale(one):
    one.armature.pose.bones["b0"].scale = (1, 2, 0.5)
    one.right()
    one.armature.data.bones["b1"].inherit_scale = "NONE"


def renamed_group(one):
    one.obj.vertex_groups["b1"].name = "gone"


def swapped_groups(one):
    one.obj.vertex_groups["b1"].name = "x"
    one.obj.vertex_groups["b2"].name = "b1"
    one.obj.vertex_groups["x"].name = "b2"


def ordered_groups(one):
    bpy.context.view_layer.objects.active = one.obj
    one.obj.vertex_groups.active_index = 0
    bpy.ops.object.vertex_group_move(direction="DOWN")


def rest_position(one):
    one.armature.data.pose_position = "REST"


def other_armature(one):
    other = make.rig(make.chain(3), "other", location=(1, 0, 0), rotation=(0, 0, 1))
    for bone in other.pose.bones:
        bone.rotation_mode = "XYZ"
        bone.rotation_euler.x = -0.5
    one.obj.modifiers[0].object = other


def same_object_other_armature_data(one):
    other = make.rig(make.chain(3, 1.2), "other")
    one.armature.data = other.data


def deleted_armature(one):
    bpy.data.objects.remove(one.armature)


def renamed_everything(one):
    one.armature.name, one.armature.data.name, one.obj.name, one.obj.data.name = "a", "b", "c", "d"
    one.armature.data.bones["b1"].name = "spine"


def removed_bone(one):
    bpy.context.view_layer.objects.active = one.armature
    bpy.ops.object.mode_set(mode="EDIT")
    one.armature.data.edit_bones.remove(one.armature.data.edit_bones["b2"])
    bpy.ops.object.mode_set(mode="OBJECT")


def reparented_bone(one):
    bpy.context.view_layer.objects.active = one.armature
    bpy.ops.object.mode_set(mode="EDIT")
    one.armature.data.edit_bones["b2"].parent = one.armature.data.edit_bones["b0"]
    one.armature.data.edit_bones["b2"].roll = 1
    bpy.ops.object.mode_set(mode="OBJECT")


def fewer_vertices(one):
    one.obj.data.clear_geometry()
    other = make.column("other", height=3.0, rings=5)
    other.name = "x"
    import bmesh

    made = bmesh.new()
    made.from_mesh(other)
    made.to_mesh(one.obj.data)
    made.free()
    for group in one.obj.vertex_groups:
        group.remove(range(len(one.obj.data.vertices)))
    make.weigh(one.obj, skin_live.weights(one.obj.data, 3))


def other_mesh(one):
    one.obj.data = make.column("other", height=3.0, rings=9)


def other_faces_of_as_many_vertices(one):
    """As many vertices and faces, but elsewhere."""
    import bmesh

    made = bmesh.new()
    made.from_mesh(one.obj.data)
    made.faces.ensure_lookup_table()
    made.faces.remove(made.faces[5])
    made.verts.ensure_lookup_table()
    made.faces.new([made.verts[0], made.verts[1], made.verts[40]])
    made.to_mesh(one.obj.data)
    made.free()


def subdivided(one):
    modifier = one.obj.modifiers.new("Subdivision", "SUBSURF")
    one.obj.modifiers.move(1, 0)
    one.right()
    modifier.levels = 2


def cast_strength(one):
    modifier = one.obj.modifiers.new("Cast", "CAST")
    one.obj.modifiers.move(1, 0)
    one.right()
    modifier.factor = 1.0


def weights_painted(one):
    one.obj.vertex_groups["b0"].add(range(20), 0.4, "REPLACE")


def weights_by_a_modifier(one):
    modifier = one.obj.modifiers.new("Weights", "VERTEX_WEIGHT_EDIT")
    one.obj.modifiers.move(1, 0)
    modifier.vertex_group, modifier.default_weight, modifier.use_add, modifier.add_threshold = "b1", 0.0, True, 0.0
    modifier.map_curve.curves[0].points[0].location = (0, 0.6)
    modifier.falloff_type = "CURVE"
    modifier.map_curve.update()
    one.right()
    modifier.mask_constant = 0.5


def mask_painted(one):
    one.obj.vertex_groups.new(name="mask").add(range(30), 1.0, "REPLACE")
    one.obj.modifiers[0].vertex_group = "mask"
    one.right()
    one.obj.vertex_groups["mask"].add(range(30, 50), 1.0, "REPLACE")
    one.obj.data.update()


def shape_key_added(one):
    one.obj.shape_key_add(name="Basis")
    wide = one.obj.shape_key_add(name="Wide")
    for i, vertex in enumerate(one.obj.data.vertices):
        wide.data[i].co = (vertex.co.x * 2, vertex.co.y * 2, vertex.co.z)
    one.right()
    wide.value = 0.7


def shape_key_moved(one):
    shape_key_added(one)
    one.right()
    for point in one.obj.data.shape_keys.key_blocks["Wide"].data:
        point.co.x += 0.5
    one.obj.data.shape_keys.key_blocks["Wide"].slider_max = 3
    one.obj.data.update()


def parent_and_constraint(one):
    empty = make.link("empty", None)
    empty.location = (1, 2, 3)
    one.obj.parent = None
    one.right()
    one.armature.parent = empty
    one.obj.constraints.new("COPY_ROTATION").target = empty
    empty.rotation_euler.z = 1


def parent_deforms(one):
    one.obj.modifiers.remove(one.obj.modifiers[0])
    one.right()
    one.obj.parent, one.obj.parent_type = one.armature, "ARMATURE"


def on_a_bone(one):
    one.obj.modifiers.remove(one.obj.modifiers[0])
    one.obj.parent, one.obj.parent_type, one.obj.parent_bone = one.armature, "BONE", "b1"
    one.right()
    one.obj.parent_bone = "b2"


def edit_mode(one):
    bpy.context.view_layer.objects.active = one.armature
    bpy.ops.object.mode_set(mode="EDIT")
    one.right()
    one.armature.data.edit_bones["b1"].tail.x += 0.4
    one.right()
    bpy.ops.object.mode_set(mode="OBJECT")


def pinned_by_muting(one):
    one.obj.modifiers[0].show_viewport = False
    one.right()
    one.obj.modifiers[0].show_viewport = True
    one.obj.modifiers.new("Second", "ARMATURE").object = one.armature
    one.obj.modifiers[1].show_viewport = False


def zero_scale_and_back(one):
    one.obj.parent = None
    one.armature.scale = (0, 0, 0)
    bpy.context.view_layer.update()
    one.session.current().redraw(skin_live.update())
    one.armature.scale = (1, 1, 1)


def uneven_and_negative(one):
    one.armature.scale = (-2, 0.3, 1)
    one.armature.rotation_euler = (0.4, 1, 2)
    one.right()
    one.obj.scale = (1, -1, 3)


def action_and_slots(one):
    one.armature.animation_data.action = None
    one.right()
    skin_live.bend(one.armature, "b0", 2, 2.0)


CHANGES = (
    no_longer_deforms, envelope, bendy, less_bendy, inherit_scale, renamed_group, swapped_groups, ordered_groups,
    rest_position, other_armature, same_object_other_armature_data, deleted_armature, renamed_everything, removed_bone,
    reparented_bone, fewer_vertices, other_mesh, other_faces_of_as_many_vertices, subdivided, cast_strength, weights_painted,
    weights_by_a_modifier, mask_painted, shape_key_added, shape_key_moved, parent_and_constraint, parent_deforms, on_a_bone,
    edit_mode, pinned_by_muting, zero_scale_and_back, uneven_and_negative, action_and_slots,
)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_change_shows_at_once(one, change):
    change(one)
    one.right()
    one.right(15)
    one.right(3)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_change_seen_while_drawing_ends_nothing(one, change):
    """A redraw must not read: what it cannot show yet it leaves out."""
    one.right = lambda frame=None: None
    change(one)
    session = one.session.current()
    for frame in (None, 13):
        if frame is not None:
            bpy.context.scene.frame_set(frame)
        session.redraw(skin_live.update(), may_read=False)
    assert one.session.current() is session and session.problems == {}
