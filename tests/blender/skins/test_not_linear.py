"""What one linear blend cannot say: a finding with the measured distance, never a silent wrong answer. And what it can say
after all.
"""

import re

import bpy
import numpy as np
import pytest
from gpuscene.blender.skins.character import measure, read_character
from gpuscene.core.skinning.blend import linear_blend
from mathutils import Matrix
from skin_builders import by_height, chain, column, deform, depsgraph, link, place, rig, shown, standing, weigh


def read(obj):
    graph = depsgraph()
    return read_character(obj.evaluated_get(graph), graph)


def reported(character, code):
    """Metres in the one finding of that code."""
    (found,) = [f for f in character.findings if f.code == code]
    assert found.severity == "warning" and found.subject == character.skin.name
    return float(re.search(r"\(([0-9.e+-]+) m\)", found.message)[1])


def distance(character, obj):
    """The largest, by the mesh Blender shows."""
    graph = depsgraph()
    ours = linear_blend(character.skin.rest, character.skin.influences, character.matrices(obj.evaluated_get(graph), graph))
    return np.linalg.norm(ours - shown(obj), axis=1).max()


def test_preserve_volume():
    obj, _ = standing(bend=1.2, use_deform_preserve_volume=True)
    character = read(obj)
    assert distance(character, obj) > 0.01
    assert reported(character, "skin-preserve-volume") == pytest.approx(distance(character, obj), rel=1e-2)


def test_preserve_volume_in_rest_pose_is_named_all_the_same():
    obj, _ = standing(bend=0, use_deform_preserve_volume=True)
    assert reported(read(obj), "skin-preserve-volume") == pytest.approx(0, abs=1e-5)


def second_armature(obj, **settings):
    other = rig(chain(3), "other")
    other.pose.bones["b1"].location = (1, 0, 0)
    deform(obj, other, "Second", **settings)
    return other


def test_one_armature_after_another():
    obj, _ = standing()
    second_armature(obj)
    character = read(obj)
    assert distance(character, obj) > 0.1
    assert reported(character, "skin-armature-chain") == pytest.approx(distance(character, obj), rel=1e-2)


def test_multi_modifier_is_a_blend_of_two(check):
    """Half the first's result and half the second's on the mesh that both began with."""
    obj, armature = standing()
    weigh(obj, {"half": dict.fromkeys(range(28), 0.5)})
    second_armature(obj, use_multi_modifier=True, vertex_group="half")
    character = check(obj)
    assert not [f for f in character.findings if f.severity == "warning"]
    assert character.skin.bones == (*(f"rig/b{i}" for i in range(3)), *(f"other/b{i}" for i in range(3)), "")
    found = distance(character, obj)
    obj.modifiers["Second"].use_multi_modifier = False
    assert found < 1e-5 < distance(character, obj)  # the switch matters


def test_armatures_whose_masks_do_not_overlap(check):
    obj, _ = standing()
    weigh(obj, {"low": dict.fromkeys(range(12), 1.0)})
    obj.modifiers[0].vertex_group = "low"
    second_armature(obj, vertex_group="low", invert_vertex_group=True)
    assert not [f for f in check(obj).findings if f.severity == "warning"]


@pytest.mark.parametrize("invert", [False, True])
def test_a_mask_of_halves(check, invert):
    obj, _ = standing()
    place(obj, (1, 2, 3), (0.2, 0, 0))
    weigh(obj, {"mask": {v: v / 27 for v in range(28)}})
    whole = shown(obj)
    obj.modifiers[0].vertex_group, obj.modifiers[0].invert_vertex_group = "mask", invert
    assert np.abs(shown(obj) - whole).max() > 0.1
    assert not [f for f in check(obj).findings if f.severity == "warning"]


def test_envelopes_are_weights(check):
    """No groups at all: the distance to the bones decides, at rest, so it is linear."""
    armature = rig(chain(3), location=(0.5, 0, 0))
    obj = link("skin", column())
    deform(obj, armature, use_bone_envelopes=True, use_vertex_groups=False)
    for bone in armature.data.bones:
        bone.envelope_distance, bone.head_radius, bone.tail_radius = 0.7, 0.1, 0.3
    armature.pose.bones["b1"].location = (1, 0, 0)
    character = check(obj)
    assert character.skin.influences.counts.max() == 3
    (found,) = character.findings  # one corner of the foot is farther from every bone than its envelope
    assert found.code == "skin-no-group" and found.message.startswith("vertex 2: ") and "out of reach" in found.message


def test_subdivision_after_the_armature():
    """The skin is the smooth surface that is drawn, with weights interpolated; how far it is from Blender's is said."""
    obj, _ = standing()
    obj.modifiers.new("smooth", "SUBSURF").levels = 1
    character = read(obj)
    evaluated = obj.evaluated_get(depsgraph())
    assert character.skin.vertex_count == len(evaluated.data.vertices) > 28
    assert reported(character, "skin-modifiers-after") == pytest.approx(distance(character, obj), rel=1e-2)
    assert distance(character, obj) < 0.1


def test_generators_before_the_armature_carry_weights(check):
    """Mirror renames groups from left to right, and the mirrored half follows the right bone."""
    bones = {"arm.L": ((0.5, 0, 0), (0.5, 0, 1), None), "arm.R": ((-0.5, 0, 0), (-0.5, 0, 1), None)}
    armature = rig(bones)
    mesh = column()
    mesh.transform(Matrix.Translation((1, 0, 0)))
    obj = link("skin", mesh)
    weigh(obj, {"arm.L": dict.fromkeys(range(28), 1.0), "arm.R": {}})
    obj.modifiers.new("mirror", "MIRROR")
    deform(obj, armature)
    armature.pose.bones["arm.L"].location.y = 3
    armature.pose.bones["arm.R"].location.y = -2
    character = check(obj)
    assert character.skin.vertex_count == 56 and not character.findings
    assert character.skin.influences.used(3).tolist() == [True, True, False]


def test_a_mesh_that_changes_with_the_pose_is_taken_before_it(check):
    """Weld after the armature merges what the pose brings together: the skin is the cage, and the finding says so."""
    obj, armature = standing(bend=0)
    armature.pose.bones["b2"].scale = (0.001, 1, 0.001)
    obj.modifiers.new("weld", "WELD").merge_threshold = 0.01
    character = read(obj)
    graph = depsgraph()
    assert len(obj.evaluated_get(graph).data.vertices) < 28 == character.skin.vertex_count
    (found,) = [f for f in character.findings if f.code == "skin-modifiers-after"]
    assert "weld" in found.message and "before them" in found.message
    assert measure(character, obj.evaluated_get(graph), graph).share < 1e-6


def test_a_lattice_as_parent_is_part_of_the_rest_mesh(check):
    """It deforms before the modifiers do."""
    obj, _ = standing()
    before = check(obj).skin.rest
    lattice = link("lattice", bpy.data.lattices.new("lattice"))
    lattice.scale = (4, 4, 8)
    lattice.data.points[0].co_deform.x += 0.5
    obj.parent, obj.parent_type = lattice, "LATTICE"
    character = check(obj)
    assert np.abs(character.skin.rest - before).max() > 0.01 and not character.findings


def test_anything_else_is_noticed():
    """Absolute shape keys where the parent deforms: Blender cannot leave that deformation out, and we do not mix such keys."""
    obj, armature = standing()
    obj.modifiers.clear()
    obj.parent, obj.parent_type = armature, "ARMATURE"
    obj.shape_key_add(name="a")
    for point in obj.shape_key_add(name="b").data:
        point.co.x += 2
    keys = obj.data.shape_keys
    keys.use_relative, keys.eval_time = False, keys.key_blocks[1].frame
    character = read(obj)
    assert (
        reported(character, "skin-not-linear") == pytest.approx(distance(character, obj), rel=1e-2) == pytest.approx(2, rel=1e-3)
    )


@pytest.mark.parametrize("missing", ["armature", "switched off"])
def test_modifiers_that_do_nothing_are_left_out(check, missing):
    obj, armature = standing()
    if missing == "armature":
        obj.modifiers[0].object = None
    else:
        obj.modifiers[0].show_viewport = False
    deform(obj, armature, "Second")
    check(obj)


def test_weights_by_height_add_up():
    mesh = column()
    assert sum(sum(v.values()) for v in by_height(mesh, 3).values()) == pytest.approx(28)
