"""I8: linked collections with a rig inside, instanced, placed, overridden, through a second library, and missing."""

import bpy
import pytest

import oracle
from builders import add, collection, fan, instance, points, scatter

VISIBLE = pytest.mark.parametrize("visible", ["viewport", "render"])


def rig(into):
    """An armature with two bones, the upper one bent, and a mesh that follows it, in the collection `into`."""
    armature = bpy.data.armatures.new("rig")
    rigged = add("rig", armature, into)
    scene = bpy.context.scene
    held = rigged.name not in scene.collection.objects
    if held:
        scene.collection.objects.link(rigged)
    bpy.context.view_layer.objects.active = rigged
    bpy.ops.object.mode_set(mode="EDIT")
    for index, name in enumerate(("lower", "upper")):
        bone = armature.edit_bones.new(name)
        bone.head, bone.tail = (0, 0, index), (0, 0, index + 1)
    bpy.ops.object.mode_set(mode="OBJECT")
    if held:
        scene.collection.objects.unlink(rigged)
    rigged.pose.bones["upper"].rotation_mode = "XYZ"
    rigged.pose.bones["upper"].rotation_euler = (0.7, 0, 0)
    body = add("body", fan("body", 9, height=2.0), into, parent=rigged)
    for name, weights in (("lower", (0, 1, 2, 3)), ("upper", (0, 4, 5, 6, 7, 8, 9, 10))):
        body.vertex_groups.new(name=name).add(weights, 0.5, "REPLACE")
    body.modifiers.new("rig", "ARMATURE").object = rigged
    hat = add("hat", fan("hat", 5), into, location=(0, 0, 0.5))
    hat.parent, hat.parent_type, hat.parent_bone = rigged, "BONE", "upper"
    return rigged


@pytest.fixture
def library(tmp_path):
    """A .blend whose collection ``character`` has a rig, a collection instance, a scatter and hair. -> its path."""
    group = collection("character", linked=False, offset=(0, 0, 0.5))
    rig(group)
    parts = collection("parts", linked=False)
    leaf = add("leaf", fan("leaf", 4), parts, location=(1, 0, 0))
    instance("parts", parts, group, location=(0, 5, 0))
    scatter(add("scatter", points("scatter", [(0, 0, 7), (0, 0, 8)]), group), leaf)
    path = tmp_path / "library.blend"
    bpy.data.libraries.write(str(path), {group}, fake_user=True)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    return path


def link(path, name="character"):
    with bpy.data.libraries.load(str(path), link=True) as (source, target):
        assert name in source.collections
        target.collections = [name]
    return target.collections[0]


RIGHT = {"body": 1, "hat": 1, "leaf": 1 + 2}


@VISIBLE
def test_i8_linked_collection_instanced(check, visible, library):
    group = link(library)
    instance("hero", group, location=(3, 0, 0))
    instance("twin", group, location=(-3, 0, 0), scale=(-1, 1, 1))
    add("leaf", fan("other", 6))  # of the same name as one in the library
    data, expected = check(visible)
    counts = oracle.counts_by_object(expected)
    library_name = bpy.data.libraries[0].name
    assert counts == {"leaf": 1, **{f"{name} [{library_name}]": 2 * count for name, count in RIGHT.items()}}
    assert sorted({data.sources[i] for i in data["instance_sources"]}) == sorted(counts)


@VISIBLE
def test_i8_the_pose_is_the_evaluated_one(check, visible, library):
    instance("hero", link(library))
    data, _ = check(visible)
    index = next(i for i, name in enumerate(data.primitive_names) if name.startswith("body"))
    rest = next(mesh for mesh in bpy.data.meshes if mesh.name == "body")
    assert data["primitives"][index]["box_min"][1] != pytest.approx(min(v.co.y for v in rest.vertices), abs=1e-3)


@VISIBLE
def test_i8_linked_collection_in_the_scene_itself(check, visible, library):
    bpy.context.scene.collection.children.link(link(library))
    data, expected = check(visible)
    library_name = bpy.data.libraries[0].name
    assert oracle.counts_by_object(expected) == {f"{name} [{library_name}]": count for name, count in RIGHT.items()}


@VISIBLE
def test_i8_library_of_a_library(check, visible, library, tmp_path):
    shot = collection("shot", linked=False, offset=(1, 0, 0))
    instance("hero", link(library), shot, location=(0, 3, 0))
    second = tmp_path / "second.blend"
    bpy.data.libraries.write(str(second), {shot}, path_remap="RELATIVE_ALL")
    bpy.ops.wm.read_factory_settings(use_empty=True)
    instance("a", link(second, "shot"))
    instance("b", bpy.data.collections["shot"], location=(50, 0, 0))
    data, expected = check(visible)
    assert len(expected) == 2 * sum(RIGHT.values())


@VISIBLE
def test_i8_library_override(check, visible, library):
    """An override in the scene, its rig moved and posed, beside a plain instance of the library."""
    group = link(library)
    hero = instance("hero", group)
    made = group.override_hierarchy_create(bpy.context.scene, bpy.context.view_layer, do_fully_editable=True)
    bpy.context.view_layer.update()
    moved = next(o for o in made.all_objects if o.type == "ARMATURE")
    moved.location = (20, 0, 0)
    moved.pose.bones["lower"].rotation_mode = "XYZ"
    moved.pose.bones["lower"].rotation_euler = (0, 0.5, 0)
    hero.location = (-20, 0, 0)
    data, expected = check(visible)
    assert len(expected) == 2 * sum(RIGHT.values())
    # The two bodies are posed differently.
    assert sum(name.startswith("body") for name in data.primitive_names) == 2


def test_i8_missing_library(check, library):
    """The file is gone: the rest is exported, nothing raised."""
    instance("hero", link(library))
    add("local", fan("local", 6))
    shot = library.with_name("shot.blend")
    bpy.ops.wm.save_as_mainfile(filepath=str(shot))
    library.unlink()
    bpy.ops.wm.open_mainfile(filepath=str(shot))
    data, expected = check()
    assert oracle.counts_by_object(expected) == {"local": 1} and data.instance_count == 1
