"""Operators: what they do, and what they say when they cannot."""

import json
import os
from types import SimpleNamespace

import bpy
import pytest

from gpuscene.blender import viewmodel
from gpuscene.blender.operators.findings import GPUSCENE_OT_select_finding
from gpuscene.blender.operators.poll import LOOK_AT_MOST, why_not_export
from gpuscene.core.scene import DEFAULT_CHANNELS


def refusal(operator, **arguments):
    """The line that Blender shows when the operator's poll fails."""
    assert not operator.poll()
    with pytest.raises(RuntimeError) as caught:
        operator(**arguments)
    return str(caught.value).split(".poll() ", 1)[1].strip()


def test_export_says_why_it_is_greyed_out(ui, tmp_path):
    group = bpy.context.scene.gpuscene
    assert why_not_export(bpy.context) == "Save the .blend first, or set an absolute output path"
    group.filepath = str(tmp_path / "x.glb")
    assert why_not_export(bpy.context) == ""
    group.scope = "SELECTION"
    bpy.ops.object.select_all(action="DESELECT")
    assert refusal(bpy.ops.gpuscene.export) == "Select the objects to export, or set the scope to Scene"
    bpy.data.objects["Camera"].select_set(True)
    assert refusal(bpy.ops.gpuscene.export) == "The selection holds no mesh, curve, text or other object that becomes triangles"
    bpy.data.objects["Cube"].select_set(True)
    assert bpy.ops.gpuscene.export.poll()
    group.scope = "COLLECTION"
    assert refusal(bpy.ops.gpuscene.export) == "Choose the collection to export"
    group.collection = bpy.data.collections.new("Lights")
    assert refusal(bpy.ops.gpuscene.export) == (
        "Collection Lights holds no mesh, curve, text or other object that becomes triangles")
    group.collection = bpy.data.collections["Collection"]
    assert bpy.ops.gpuscene.export.poll()
    group.scope = "SCENE"
    bpy.data.objects.remove(bpy.data.objects["Cube"])
    assert refusal(bpy.ops.gpuscene.export) == "The scene holds no mesh, curve, text or other object that becomes triangles"


def test_the_panel_button_needs_a_path_but_a_script_gives_its_own(ui):
    from gpuscene.blender.operators.export import GPUSCENE_OT_export
    context = SimpleNamespace(scene=bpy.context.scene, view_layer=bpy.context.view_layer, region=SimpleNamespace(type="UI"))
    assert not GPUSCENE_OT_export.poll(context)
    context.region = None
    assert GPUSCENE_OT_export.poll(context)


def test_an_empty_that_instances_a_collection_is_worth_exporting(ui):
    bpy.data.objects.remove(bpy.data.objects["Cube"])
    empty = bpy.data.objects.new("Forest", None)
    empty.instance_type = "COLLECTION"
    bpy.context.scene.collection.objects.link(empty)
    assert why_not_export(bpy.context, needs_path=False) == ""


def test_the_poll_looks_at_a_bounded_number_of_objects(ui):
    looked = []

    def cameras():
        while True:
            looked.append(1)
            yield SimpleNamespace(type="CAMERA", instance_type="NONE")

    context = SimpleNamespace(scene=SimpleNamespace(gpuscene=bpy.context.scene.gpuscene, objects=cameras()))
    assert why_not_export(context, needs_path=False) == ""
    assert len(looked) == LOOK_AT_MOST


def test_only_one_export_runs_at_a_time(ui):
    viewmodel.set_progress(viewmodel.Progress(0.5, "Writing"))
    assert refusal(bpy.ops.gpuscene.export) == "An export is running. Press Esc to cancel it"


def test_adding_to_the_empty_list_keeps_the_defaults(ui):
    bpy.ops.gpuscene.add_channel()
    items = bpy.context.scene.gpuscene.channels
    assert [i.index for i in items] == [c.index for c in DEFAULT_CHANNELS] + [2]
    assert (items[-1].label, bpy.context.scene.gpuscene.active_channel) == ("channel_2", 4)


def test_eight_channels_are_all(ui):
    while len(bpy.context.scene.gpuscene.channels) < 8:
        bpy.ops.gpuscene.add_channel()
    assert sorted(i.index for i in bpy.context.scene.gpuscene.channels) == list(range(8))
    assert refusal(bpy.ops.gpuscene.add_channel) == "All 8 channels of an instance are in use"


def test_removing_channels(ui):
    assert refusal(bpy.ops.gpuscene.remove_channel) == "Select a channel in the list; the default channels cannot be removed"
    bpy.ops.gpuscene.reset_channels()
    group = bpy.context.scene.gpuscene
    group.active_channel = 3
    bpy.ops.gpuscene.remove_channel()
    assert ([i.index for i in group.channels], group.active_channel) == ([0, 1, 4], 2)


def add_object(name, kind="MESH"):
    data = bpy.data.meshes.new(name) if kind == "MESH" else None
    obj = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(obj)
    return obj


def test_levels_are_found_by_name(ui):
    tree = add_object("Tree_LOD0")
    for name in ("Tree_LOD2", "Tree_lod1", "Tree_LOD12", "Tree_LOD1.001", "Pine_LOD1", "Tree_LODX"):
        add_object(name)
    add_object("Tree_LOD3", "EMPTY")
    bpy.context.view_layer.objects.active = tree
    assert bpy.ops.gpuscene.find_lods() == {"FINISHED"}
    assert [(i.object.name, i.screen_size) for i in tree.gpuscene.lods] == [("Tree_lod1", 0.25), ("Tree_LOD2", 0.125)]


def test_levels_of_a_copy_are_the_copies(ui):
    add_object("Tree_LOD1")
    copy = add_object("Tree_LOD1.007")
    bpy.context.view_layer.objects.active = tree = add_object("Tree_LOD0.007")
    bpy.ops.gpuscene.find_lods()
    assert [i.object for i in tree.gpuscene.lods] == [copy]


def test_finding_no_level_leaves_the_list_alone(ui):
    cube = bpy.context.object
    bpy.ops.gpuscene.add_lod()
    assert bpy.ops.gpuscene.find_lods() == {"CANCELLED"}
    assert len(cube.gpuscene.lods) == 1
    bpy.context.view_layer.objects.active = add_object("Cube_LOD2")
    assert bpy.ops.gpuscene.find_lods() == {"CANCELLED"}


def test_added_levels_halve(ui):
    for _ in range(7):
        bpy.ops.gpuscene.add_lod()
    group = bpy.context.object.gpuscene
    assert [i.screen_size for i in group.lods] == [0.5 ** n for n in range(2, 9)]
    assert refusal(bpy.ops.gpuscene.add_lod) == "An object has at most 7 levels besides its own mesh"
    group.active_lod = 0
    bpy.ops.gpuscene.remove_lod()
    assert (len(group.lods), group.lods[0].screen_size) == (6, 0.125)


def test_levels_need_an_object_with_a_mesh(ui):
    bpy.context.view_layer.objects.active = None
    assert refusal(bpy.ops.gpuscene.add_lod) == "Make an object active"
    bpy.context.view_layer.objects.active = bpy.data.objects["Camera"]
    assert refusal(bpy.ops.gpuscene.find_lods) == "Camera has no mesh that could have levels of detail"
    bpy.context.view_layer.objects.active = bpy.data.objects["Cube"]
    assert refusal(bpy.ops.gpuscene.remove_lod) == "The active object has no level of detail in its list"


def selected():
    return {o.name for o in bpy.context.view_layer.objects if o.select_get()}


def test_a_finding_selects_its_object(ui):
    add_object("Wall/\"北\"")
    assert bpy.ops.gpuscene.select_finding(subject="Wall/\"北\"") == {"FINISHED"}
    assert selected() == {"Wall/\"北\""}
    assert bpy.context.view_layer.objects.active.name == "Wall/\"北\""


def test_a_finding_about_a_mesh_selects_its_users(ui):
    mesh = bpy.data.meshes.new("Plank")
    for name in ("A", "B"):
        bpy.context.scene.collection.objects.link(bpy.data.objects.new(name, mesh))
    bpy.ops.gpuscene.select_finding(subject="Plank")
    assert selected() == {"A", "B"}


def test_a_finding_about_something_elsewhere_keeps_the_selection(ui):
    before = selected()
    assert bpy.ops.gpuscene.select_finding(subject="Not Here") == {"CANCELLED"}
    assert selected() == before != set()


def test_a_hidden_object_becomes_active(ui):
    add_object("Hidden").hide_viewport = True
    assert bpy.ops.gpuscene.select_finding(subject="Hidden") == {"FINISHED"}
    assert bpy.context.view_layer.objects.active.name == "Hidden" and selected() == set()


def test_the_tooltip_of_a_finding_is_the_finding(ui):
    properties = SimpleNamespace(subject="Flat", details="scale (0, 1, 1). Give it a thickness.")
    assert GPUSCENE_OT_select_finding.description(None, properties) == (
        "scale (0, 1, 1). Give it a thickness.\n\nClick to select Flat")


def test_results_are_needed_before_they_are_copied(ui):
    assert refusal(bpy.ops.gpuscene.copy_result) == "Export first: there is no result to copy"
    assert refusal(bpy.ops.gpuscene.open_folder) == "Export first: no file has been written yet"


def test_export_writes_the_file_and_keeps_the_result(ui, tmp_path):
    path = tmp_path / "out.glb"
    assert bpy.ops.gpuscene.export(filepath=str(path)) == {"FINISHED"}
    view = viewmodel.result_of(bpy.context.scene)
    result = json.loads(view.json)
    assert (view.headline, result["instances"], result["primitives"], result["triangles"]) == ("out.glb", 1, 1, 12)
    assert path.stat().st_size == result["bytes"]
    stages = [seconds for stage, seconds in result["seconds"].items() if stage != "total"]
    assert result["seconds"]["total"] > sum(stages) - 1e-4
    assert viewmodel.progress() is None
    assert os.listdir(tmp_path) == ["out.glb"]


def test_export_by_the_menu_adds_the_suffix(ui, tmp_path):
    assert bpy.ops.gpuscene.export_file(filepath=str(tmp_path / "menu")) == {"FINISHED"}
    assert os.listdir(tmp_path) == ["menu.glb"]


def test_export_does_not_change_the_scene(ui, tmp_path):
    before = ui.snapshot(bpy.context.scene.gpuscene), selected(), len(bpy.data.objects), len(bpy.data.meshes)
    bpy.ops.gpuscene.export(filepath=str(tmp_path / "out.glb"))
    assert (ui.snapshot(bpy.context.scene.gpuscene), selected(), len(bpy.data.objects), len(bpy.data.meshes)) == before


def test_a_failed_export_is_one_line_and_leaves_the_old_file(ui, tmp_path):
    path = tmp_path / "out.glb"
    path.write_bytes(b"old")
    for _ in range(2):
        item = bpy.context.scene.gpuscene.channels.add()
        item.index, item.name = 5, "height"
    with pytest.raises(RuntimeError, match="channel 5 .* is listed twice") as caught:
        bpy.ops.gpuscene.export(filepath=str(path))
    assert "Traceback" not in str(caught.value)
    assert path.read_bytes() == b"old" and os.listdir(tmp_path) == ["out.glb"]
    assert viewmodel.result_of(bpy.context.scene).error and viewmodel.progress() is None


def test_a_missing_folder_is_one_line(ui, tmp_path):
    with pytest.raises(RuntimeError) as caught:
        bpy.ops.gpuscene.export(filepath=str(tmp_path / "nowhere" / "out.glb"))
    assert "nowhere" in str(caught.value) and "Traceback" not in str(caught.value)
