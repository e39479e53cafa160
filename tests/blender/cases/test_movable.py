"""What may move by itself: animated, driven, constrained or simulated, and what is below such an object, a bone or a vertex."""

import bpy
import pytest
from builders import add, fan
from gpuscene.core import layout


def movable(data) -> set:
    """Sources of the rows that say they may move."""
    flags = data["instance_transforms"]["flags"]
    return {data.sources[source] for source, flag in zip(data["instance_sources"], flags) if flag & layout.INSTANCE_MOVABLE}


def keyed(obj):
    obj.keyframe_insert("location", frame=1)


def driven(obj):
    obj.driver_add("location", 0).driver.expression = "frame"


def constrained(obj):
    obj.constraints.new("COPY_LOCATION").target = bpy.data.objects["still"]


def simulated(obj):
    bpy.ops.rigidbody.world_add()
    with bpy.context.temp_override(object=obj, active_object=obj, selected_objects=[obj]):
        bpy.ops.rigidbody.object_add()


@pytest.mark.parametrize("why", [keyed, driven, constrained, simulated], ids=lambda f: f.__name__)
@pytest.mark.parametrize("shown", [True, False], ids=["", "the mover has no mesh"])
def test_it_moves_and_so_does_what_is_below_it(extract, why, shown):
    """One reason at a time: nothing else in the scene would have anybody ask."""
    mesh = fan("leaf")
    add("still", mesh)
    mover = add("mover", mesh if shown or why is simulated else None, location=(3, 0, 0))
    child = add("child", mesh, parent=mover)
    add("grandchild", mesh, parent=child)
    assert movable(extract()) == set()
    why(mover)
    expected = {"child", "grandchild"} | ({"mover"} if mover.data else set())
    assert movable(extract()) == expected


def test_a_parent_behind_a_closed_eye_still_moves(extract):
    mesh = fan("leaf")
    mover = add("mover", mesh)
    add("child", mesh, parent=mover)
    constrained_to = add("still", None)
    mover.constraints.new("COPY_LOCATION").target = constrained_to
    mover.hide_viewport = True
    assert movable(extract()) == {"child"}


@pytest.mark.parametrize("kind", ["VERTEX", "BONE"])
def test_below_a_vertex_or_a_bone(extract, kind):
    mesh = fan("leaf")
    if kind == "BONE":
        above = add("above", None)
        bpy.data.objects.remove(above)
        above = bpy.data.objects.new("above", bpy.data.armatures.new("bones"))
        bpy.context.scene.collection.objects.link(above)
        bpy.context.view_layer.objects.active = above
        bpy.ops.object.mode_set(mode="EDIT")
        above.data.edit_bones.new("bone").tail = (0, 0, 1)
        bpy.ops.object.mode_set(mode="OBJECT")
    else:
        above = add("above", mesh)
    below = add("below", mesh, parent=above)
    assert movable(extract()) == set()
    below.parent_type = kind
    if kind == "BONE":
        below.parent_bone = "bone"
    assert movable(extract()) == {"below"}
