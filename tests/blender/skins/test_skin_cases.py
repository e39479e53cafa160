"""Cases S1 to S8: skins that trip exporters."""

import bpy
import numpy as np
import pytest
from gpuscene.blender.skins.character import measure, read_character
from gpuscene.core.skinning import pack
from gpuscene.core.skinning.blend import blend_packed, linear_blend
from gpuscene.core.skinning.error import SkinError
from gpuscene.core.skinning.segments import BoneBuffer
from skin_builders import by_height, chain, column, deform, depsgraph, link, place, rig, shown, standing, weigh


def finding(character, code):
    (found,) = [f for f in character.findings if f.code == code]
    return found


def test_s1_sums_that_are_not_one(check):
    """Ring 0 sums to 0.5, ring 6 to 1.7: both move as Blender moves them, and the finding names them."""
    obj, _ = standing()
    weigh(obj, {"b0": {v: 0.5 for v in range(4)}, "b2": {v: 0.9 for v in range(24, 28)}, "b1": {v: 0.8 for v in range(24, 28)}})
    character = check(obj)
    found = finding(character, "skin-weight-sum")
    assert "0, 1, 2, 3, 24 and 3 more" in found.message and "0.5 to 1.7" in found.message
    assert character.skin.influences.sums() == pytest.approx(np.ones(28))


@pytest.mark.parametrize("count", [5, 12])
def test_s1_many_influences(check, count):
    """All `count` reproduce Blender; of 4 quantised ones the reported error is the measured one, and its worst vertex has the
    most to lose.
    """
    armature = rig({f"b{i}": ((i, 0, 0), (i, 0, 1), None) for i in range(count)})
    obj = link("skin", column())
    weigh(obj, {f"b{i}": {v: (i + 1) / 100 if v else float(i == 0) for v in range(28)} for i in range(count)})
    deform(obj, armature)
    for i, bone in enumerate(armature.pose.bones):
        bone.location = (0, 0.1 * i * i, 0)
    character = check(obj)
    assert character.skin.influences.counts.tolist() == [1, *[count] * 27]
    graph = depsgraph()
    evaluated = obj.evaluated_get(graph)
    packed, truth = pack(character.skin), shown(obj)
    assert packed.bone_indices.shape == (28, 4) and packed.bone_count == 5  # the four heaviest and vertex 0's
    moved = blend_packed(packed, packed.matrices(character.matrices(evaluated, graph)))
    distances = np.array(
        [np.sqrt(sum((float(a) - float(b)) ** 2 for a, b in zip(p, t, strict=True))) for p, t in zip(moved, truth, strict=True)]
    )
    reported = SkinError.of(moved, character.truth(evaluated, graph), 1.0)
    assert reported.largest == pytest.approx(distances.max(), rel=1e-5) and reported.worst(1) == [int(distances.argmax())]
    assert distances[0] < 1e-6 < reported.largest


def test_s2_vertices_that_nothing_weights(check):
    """In no group, in a group without a bone, on a bone that does not deform: the object carries them, and bone 0 does not."""
    obj, armature = standing()
    place(obj, (1, 2, 3), (0.1, 0.2, 0.3), (1, 2, 1))
    for group in obj.vertex_groups:
        group.remove(list(range(12)))
    weigh(obj, {"nobody": {v: 1.0 for v in range(4, 8)}, "control": {v: 1.0 for v in range(8, 12)}})
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    armature.data.edit_bones.new("control").tail = (0, 0, 1)
    bpy.ops.object.mode_set(mode="OBJECT")
    armature.data.bones["control"].use_deform = False
    armature.pose.bones["control"].location.x = 9
    armature.pose.bones["b0"].location.x = 5
    character = check(obj)
    for code, first in (("skin-no-group", 0), ("skin-no-bone", 4), ("skin-non-deform", 8)):
        assert f"vertices {', '.join(str(first + i) for i in range(4))}:" in finding(character, code).message
    assert "nobody" in finding(character, "skin-group-without-bone").message
    rows = character.skin.influences.bones[character.skin.influences.starts[:12]]
    assert (rows == character.skin.object_bone).all()
    world = np.array(obj.matrix_world)
    for vertex in range(12):
        assert shown(obj)[vertex] == pytest.approx((world @ [*obj.data.vertices[vertex].co, 1])[:3], abs=1e-5)


@pytest.mark.parametrize(("bones", "weighted"), [(260, 199), (300, 300)])
def test_s3_many_bones(check, bones, weighted):
    armature = rig({f"b{i}": ((i, 0, 0), (i, 0, 1), None) for i in range(bones)})
    obj = link("skin", column(rings=weighted, sides=3))
    weigh(obj, {f"b{i + bones - weighted}": {3 * i + s: 1.0 for s in range(3)} for i in range(weighted)})
    deform(obj, armature)
    for bone in list(armature.pose.bones)[::7]:
        bone.location.y = 2
    character = check(obj)
    packed = pack(character.skin)
    assert packed.bone_count == weighted and character.skin.bone_count == bones + 1
    if weighted <= 256:
        assert packed.bone_indices.dtype == np.uint8 and len(packed.table()) == weighted * 3
        assert (packed.remap[: bones - weighted] == 0xFFFFFFFF).all() and packed.remap[bones - weighted] == 0
    else:
        assert packed.bone_indices.dtype == np.uint16
        assert (packed.table()["bone_indices_low"] & 0xFFFF).tolist() == [i // 3 for i in range(900)]


@pytest.mark.parametrize("mode", ["FULL", "FIX_SHEAR", "ALIGNED", "AVERAGE", "NONE", "NONE_LEGACY"])
def test_s4_inherit_scale(check, mode):
    obj, armature = standing()
    armature.pose.bones["b0"].scale = (1, 3, 0.5)
    armature.pose.bones["b1"].scale = (0.5, 1, 2)
    for bone in armature.data.bones:
        bone.inherit_scale = mode
    assert not check(obj).findings


@pytest.mark.parametrize(("inherit", "local"), [(False, True), (True, False), (False, False)])
def test_s4_inherit_rotation_and_local_location(check, inherit, local):
    obj, armature = standing()
    armature.pose.bones["b1"].location = (0.3, 0.1, 0)
    for bone in armature.data.bones:
        bone.use_inherit_rotation, bone.use_local_location = inherit, local
    check(obj)


@pytest.mark.parametrize("segments", [2, 5])
def test_s4_bendy_bones(check, segments):
    """Straight mapping is linear: each joint is a bone."""
    obj, armature = standing()
    armature.data.bones["b1"].bbone_segments = segments
    armature.pose.bones["b1"].bbone_curveinx = 0.4
    armature.pose.bones["b2"].scale = (1, 1.5, 1)
    character = check(obj)
    assert character.skin.bones == ("b0", *(f"b1[{i}]" for i in range(segments + 1)), "b2", "") and not character.findings


def test_s4_curved_bendy_bones_are_reported():
    obj, armature = standing()
    bone = armature.data.bones["b1"]
    bone.bbone_segments, bone.bbone_mapping_mode, bone.bbone_curveinx, bone.bbone_curveoutx = 8, "CURVED", 0.8, -0.8
    armature.pose.bones["b1"].bbone_curveinz = 0.5
    character = read_character(obj.evaluated_get(depsgraph()), depsgraph())
    assert finding(character, "skin-b-bone").severity == "warning" and "'b1'" in finding(character, "skin-b-bone").message


@pytest.mark.parametrize("by_parent", [False, True])
@pytest.mark.parametrize("pinned", [False, True])
def test_s5_shape_keys(check, by_parent, pinned):
    """Relative to another key, limited by a group, muted, negative: as Blender shows. In the tip's ring the sum is written out
    by hand.
    """
    obj, armature = standing()
    obj.vertex_groups.new(name="half").add(list(range(28)), 0.5, "REPLACE")
    obj.shape_key_add(name="Basis")
    keys = [obj.shape_key_add(name=f"k{i}", from_mix=False) for i in range(4)]
    for number, key in enumerate(keys):
        key.slider_min = -2
        for point in key.data:
            point.co.x += number + 1
    keys[0].value, keys[1].value, keys[2].value, keys[3].value = 0.3, -0.5, 1.0, 0.25
    keys[1].relative_key, keys[1].vertex_group, keys[2].mute = keys[0], "half", True
    if by_parent:
        obj.modifiers.clear()
        obj.parent, obj.parent_type = armature, "ARMATURE"
    if pinned:
        obj.show_only_shape_key, obj.active_shape_key_index = True, 4
    character = check(obj)
    offset = 4 if pinned else 0.3 * 1 + -0.5 * (2 - 1) * 0.5 + 0.25 * 4
    assert character.skin.rest[27, 0] == pytest.approx(obj.data.vertices[27].co.x + offset, abs=1e-5)
    assert character.moving_rest and character.by_parent == by_parent


def test_s5_driven_keys_are_read_each_frame(check):
    obj, armature = standing()
    obj.shape_key_add(name="Basis")
    key = obj.shape_key_add(name="wide")
    for point in key.data:
        point.co.y *= 3
    key.value = 0
    key.keyframe_insert("value", frame=1)
    key.value = 1
    key.keyframe_insert("value", frame=11)
    bpy.context.scene.frame_set(1)
    character = check(obj)
    bpy.context.scene.frame_set(11)
    graph = depsgraph()
    evaluated = obj.evaluated_get(graph)
    rest = character.rest(evaluated, graph)
    assert np.abs(rest[:, 1]).max() == pytest.approx(0.9, abs=1e-6)
    assert np.abs(linear_blend(rest, character.skin.influences, character.matrices(evaluated, graph)) - shown(obj)).max() < 1e-5
    assert measure(character, evaluated, graph).largest < 1e-5


def test_s6_two_rigs_and_a_shared_mesh(check):
    """Groups belong to the mesh, bones to each rig: the same mesh on two rigs, whose bones move differently, in one buffer."""
    first, armature = standing(bend=0.5)
    other = rig({"b2": ((0, 0, 0), (0, 0, 1), None), "b0": ((0, 0, 1), (0, 0, 2), "b2")}, "other", location=(4, 0, 0))
    other.pose.bones["b2"].location.y = 2
    second = link("second", first.data)
    for group in first.vertex_groups:
        assert group.name in second.vertex_groups  # they share the mesh's groups
    deform(second, other)
    place(second, (4, 0, 0))
    characters = [check(obj) for obj in (first, second)]
    assert characters[0].skin.bones == ("b0", "b1", "b2", "") and characters[1].skin.bones == ("b2", "b0", "")
    buffer, graph = BoneBuffer(4), depsgraph()
    packs = [pack(c.skin) for c in characters]
    for character, packed, obj in zip(characters, packs, (first, second), strict=True):
        buffer.allocate(obj.name, packed.bone_count)
        buffer.write(obj.name, packed.matrices(character.matrices(obj.evaluated_get(graph), graph)))
    a, b = buffer["skin"], buffer["second"]
    assert a.stop <= b.start or b.stop <= a.start
    for packed, obj in zip(packs, (first, second), strict=True):
        rows = buffer.rows[buffer[obj.name].start : buffer[obj.name].stop]
        assert np.abs(blend_packed(packed, rows) - shown(obj)).max() < 5e-3 * 3


@pytest.mark.parametrize("scale", [100, 0.547929, 0.01, -1])
def test_s7_scaled_armature(check, scale):
    """No false finding, right positions, whether the mesh is the armature's child or not."""
    for parented in (False, True):
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True, load_ui=False)
        obj, armature = standing()
        place(armature, (3, 0, 0), (0.2, 0, 0.4), (scale,) * 3)
        if parented:
            obj.parent = armature
        assert not check(obj).findings


@pytest.mark.parametrize("scale", [(-1, 1, 1), (1, -2, 0.5), (-1, -1, -1)])
def test_s7_mirrored_and_uneven(check, scale):
    obj, armature = standing()
    place(obj, (1, 0, 0), (0.3, 0.1, 0), scale)
    place(armature, (0, 1, 0), (0, 0.5, 0), (2, 1, 3))
    assert not check(obj).findings


def test_s8_the_evaluated_pose(check):
    """No action; an action at each of two frames; a driver; a constraint; the rest-position switch."""
    obj, armature = standing(bend=0)
    assert np.abs(check(obj).skin.rest - shown(obj)).max() < 1e-6
    bone = armature.pose.bones["b1"]
    for frame, angle in ((1, 0.0), (11, 1.2)):
        bone.rotation_euler.x = angle
        bone.keyframe_insert("rotation_euler", frame=frame)
    first = armature.animation_data.action
    armature.animation_data.action = None
    other = bpy.data.actions.new("other")
    armature.animation_data.action = other
    bone.rotation_euler.y = 0.8
    bone.keyframe_insert("rotation_euler", frame=1)
    positions = []
    for action, frame in ((first, 1), (first, 6), (first, 11), (other, 11)):
        armature.animation_data.action = action
        bpy.context.scene.frame_set(frame)
        check(obj)
        positions.append(shown(obj))
    assert all(np.abs(a - b).max() > 0.01 for i, a in enumerate(positions) for b in positions[:i])
    armature.animation_data_clear()
    driver = armature.pose.bones["b2"].driver_add("location", 0).driver
    driver.expression = "1.5 + 0.5"
    check(obj)
    target = link("target", None)
    target.location = (2, 2, 1)
    constraint = armature.pose.bones["b1"].constraints.new("COPY_LOCATION")
    constraint.target = target
    check(obj)
    armature.data.pose_position = "REST"
    assert np.abs(check(obj).skin.rest - shown(obj)).max() < 1e-5


def test_bone_parented_object(check):
    """Its one bone is itself, and goes where the bone takes it."""
    _, armature = standing()
    hat = link("hat", column("hat", 1.0, 2))
    hat.parent, hat.parent_type, hat.parent_bone = armature, "BONE", "b2"
    character = check(hat)
    assert character.skin.bones == ("",) and not character.findings
    armature.pose.bones["b0"].location.x = 4
    graph = depsgraph()
    evaluated = hat.evaluated_get(graph)
    moved = linear_blend(character.skin.rest, character.skin.influences, character.matrices(evaluated, graph))
    assert np.abs(moved - shown(hat)).max() < 1e-5


def test_root_motion_far_away(check):
    """A kilometre off, float32 world positions still are a ten-thousandth of the height."""
    obj, armature = standing()
    armature.pose.bones["b0"].location = (1000, 500, 0)
    check(obj)
