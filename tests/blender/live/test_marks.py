"""Marks read what Blender names only when it says that something of a kind they care for was updated."""

import bpy
import pytest

from builders import add, fan
from gpuscene.blender.live.marks import _READ, Marks


class Silent:
    """A graph of which only lights were updated."""

    def __init__(self):
        self.asked = []

    def id_type_updated(self, kind):
        self.asked.append(kind)
        return kind == "LIGHT"

    @property
    def updates(self):
        raise AssertionError("looks at every ID")


def test_updates_of_other_kinds_are_not_read():
    marks, graph = Marks(), Silent()
    marks.note(graph, lambda name: True)
    assert not marks and graph.asked == list(_READ)


EDITS = {
    "move": lambda obj: setattr(obj, "location", (1, 2, 3)),
    "rename": lambda obj: setattr(obj, "name", "another"),
    "mesh": lambda obj: obj.data.update_tag(),
    "select": lambda obj: obj.select_set(True),
    "hide": lambda obj: obj.hide_set(True),
    "unlink": lambda obj: bpy.context.scene.collection.objects.unlink(obj),
    "colour": lambda obj: setattr(obj, "color", (1, 0, 0, 1)),
    "material": lambda obj: setattr(obj.data.materials[0], "name", "other material"),
    "collection": lambda obj: setattr(bpy.data.collections["some"], "name", "other"),
}


@pytest.mark.parametrize("edit", EDITS)
def test_blender_says_so_whenever_it_names_one(empty_scene, edit):
    """`id_type_updated` is true for each kind that is among the updates: what the marks rely on."""
    obj = add("thing", fan("fan"))
    obj.data.materials.append(bpy.data.materials.new("material"))
    bpy.context.scene.collection.children.link(bpy.data.collections.new("some"))
    bpy.context.view_layer.update()
    seen = []

    def handler(_scene, graph):
        named = {update.id.id_type for update in graph.updates}
        seen.append((named, {kind for kind in named if graph.id_type_updated(kind)}))

    bpy.app.handlers.depsgraph_update_post.append(handler)
    try:
        EDITS[edit](obj)
        bpy.context.view_layer.update()
    finally:
        bpy.app.handlers.depsgraph_update_post.remove(handler)
    assert seen and all(named == updated for named, updated in seen)
    assert any(named & set(_READ) for named, _ in seen)
