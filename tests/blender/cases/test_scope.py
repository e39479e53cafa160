"""What an export is limited to: the scene, a collection with all below it, or the selection."""

import bpy
import pytest
from builders import add, collection, fan, instance
from gpuscene.blender.export import ExportSettings, extract_scene
from gpuscene.core.errors import InputError

VISIBLE = pytest.mark.parametrize("visible", ["viewport", "render"])


@pytest.fixture
def trees():
    """At x = 0 and 1 two objects of one mesh outside, at 10 one in the collection "grove", at 20 one in its child; an instance of "grove" at y = 5."""
    mesh = fan("fan", 5)
    grove = collection("grove")
    child = collection("thicket", grove)
    for name, x, target in (("a", 0, None), ("b", 1, None), ("c", 10, grove), ("d", 20, child)):
        add(name, mesh, target, location=(x, 0, 0))
    instance("grove again", grove, location=(0, 5, 0))
    bpy.context.view_layer.update()  # new objects can be selected only then
    return grove


def origins(visible, **scope):
    data = extract_scene(bpy.context, ExportSettings(visible=visible, **scope))
    return sorted(tuple(p) for p in data["instance_transforms"]["position"].tolist())


@VISIBLE
def test_the_scene_is_everything(trees, visible):
    assert origins(visible) == [(0, 0, 0), (1, 0, 0), (10, 0, 0), (10, 5, 0), (20, 0, 0), (20, 5, 0)]


@VISIBLE
def test_a_collection_takes_its_children_but_not_instances_of_itself(trees, visible):
    assert origins(visible, scope="collection", collection="grove") == [(10, 0, 0), (20, 0, 0)]


@VISIBLE
def test_the_selection_takes_what_selected_objects_instance(trees, visible):
    for obj in bpy.context.view_layer.objects:
        obj.select_set(obj.name in ("b", "grove again"))
    assert origins(visible, scope="selection") == [(1, 0, 0), (10, 5, 0), (20, 5, 0)]


def test_nothing_selected_is_said_so(trees):
    for obj in bpy.context.view_layer.objects:
        obj.select_set(False)
    with pytest.raises(InputError, match="Nothing is selected"):
        origins("viewport", scope="selection")
