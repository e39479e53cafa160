"""Panels draw what is set and what was cached, and touch nothing else."""

from types import SimpleNamespace

import bpy
import pytest

from gpuscene.blender import lists, panels, viewmodel
from gpuscene.core.findings import Finding

FINDINGS = [Finding("empty-mesh", "info", f"Empty {i}", "no faces.").to_json() for i in range(9)] + [
    Finding("sheared-transform", "warning", "Leaning", "sheared by 12 %.", "Apply the scale.").to_json(),
    Finding("zero-scale", "error", "Flat", "scale (0, 1, 1).", "Give it a thickness.").to_json()]
RESULT = {"instances": 20000, "primitives": 9, "batches": 12, "triangles": 1234567, "bytes": 12_345_678,
          "path": "/somewhere/forest.glb", "findings": FINDINGS, "seconds": {"total": 1.239}}


def only(**allowed):
    """A context that has these attributes and raises on any other: a draw() that looks further fails."""
    return SimpleNamespace(**allowed)


@pytest.fixture
def scene(ui):
    """A stand-in for the scene that offers its settings and identity only: no objects, no collections."""
    real = bpy.context.scene
    return SimpleNamespace(gpuscene=real.gpuscene, session_uid=real.session_uid)


@pytest.fixture
def filled(scene):
    """Lists with rows, and a result with more findings than fit."""
    bpy.ops.gpuscene.reset_channels()
    bpy.ops.gpuscene.add_lod()
    viewmodel.store_result(scene, RESULT)
    return scene


def test_drawing_changes_nothing_and_looks_at_settings_only(ui, filled):
    obj = SimpleNamespace(name="Cube", gpuscene=bpy.context.object.gpuscene)
    before = ui.snapshot(filled.gpuscene), ui.snapshot(obj.gpuscene)
    for scope in ("SCENE", "COLLECTION", "SELECTION"):
        filled.gpuscene.scope = scope
        ui.draw(panels.GPUSCENE_PT_scene, only(scene=filled))
    filled.gpuscene.scope = "SCENE"
    ui.draw(panels.GPUSCENE_PT_custom_data, only(scene=filled))
    ui.draw(panels.GPUSCENE_PT_object, only(object=obj))
    assert (ui.snapshot(filled.gpuscene), ui.snapshot(obj.gpuscene)) == before


def test_the_collection_is_asked_for_only_when_it_matters(ui, scene):
    assert "collection" not in ui.draw(panels.GPUSCENE_PT_scene, only(scene=scene)).properties()
    scene.gpuscene.scope = "COLLECTION"
    assert ui.draw(panels.GPUSCENE_PT_scene, only(scene=scene)).properties()[:2] == ["scope", "collection"]


def test_the_last_result_is_drawn_red_rows_first(ui, filled):
    recorder = ui.draw(panels.GPUSCENE_PT_scene, only(scene=filled))
    texts = recorder.texts()
    assert texts[texts.index("forest.glb"):] == [
        "forest.glb", "", "", "Instances", "20,000", "Primitives", "9", "Batches", "12", "Triangles", "1,234,567",
        "Written", "12.3 MB in 1.24 s", "1 error, 1 warning, 9 info",
        "Zero scale: Flat", "Sheared transform: Leaning", *(f"Empty mesh: Empty {i}" for i in range(6)), "and 3 more"]
    buttons = [o for o in recorder.operators if o.idname == "gpuscene.select_finding"]
    assert [b.subject for b in buttons][:2] == ["Flat", "Leaning"]
    assert buttons[0].details == "scale (0, 1, 1). Give it a thickness."


def test_only_errors_are_red():
    assert [row.alert for row in viewmodel.view_of(RESULT).findings] == [True] + [False] * 7


def test_a_result_without_findings_says_so():
    view = viewmodel.view_of({**RESULT, "findings": []})
    assert (view.findings_title, view.findings, view.more) == ("No findings", (), "")


def test_an_error_takes_the_place_of_the_result(ui, filled):
    viewmodel.store_error(filled, "The folder /nowhere does not exist. Make it, or choose another.")
    texts = ui.draw(panels.GPUSCENE_PT_scene, only(scene=filled)).texts()
    assert "forest.glb" not in texts and "Export failed" in texts
    assert " ".join(texts[texts.index("Export failed") + 1:]) == "The folder /nowhere does not exist. Make it, or choose another."


def test_a_running_export_shows_progress_in_place_of_the_button(ui, scene):
    viewmodel.set_progress(viewmodel.Progress(0.25, "Reading meshes"))
    recorder = ui.draw(panels.GPUSCENE_PT_scene, only(scene=scene))
    assert not [o for o in recorder.operators if o.idname == "gpuscene.export"]
    assert ("progress", (), {"factor": 0.25, "text": "Reading meshes"}) in recorder.calls
    viewmodel.set_progress(None)
    assert [o.idname for o in ui.draw(panels.GPUSCENE_PT_scene, only(scene=scene)).operators] == ["gpuscene.export"]


def test_results_belong_to_their_scene_and_end_with_the_file(ui, filled):
    other = bpy.data.scenes.new("Other")
    assert viewmodel.result_of(other) is None
    assert viewmodel.result_of(bpy.context.scene).headline == "forest.glb"
    bpy.ops.wm.read_factory_settings()
    assert viewmodel.result_of(bpy.context.scene) is None


def test_the_object_panel_without_an_object(ui):
    assert ui.draw(panels.GPUSCENE_PT_object, only(object=None)).texts() == ["No active object"]


def test_the_channel_panel_explains_an_empty_list(ui, scene):
    recorder = ui.draw(panels.GPUSCENE_PT_custom_data, only(scene=scene))
    assert recorder.texts() == ["Default channels are in use", "Edit Channels"]


def test_a_constant_channel_asks_for_a_value_only(ui, filled):
    filled.gpuscene.channels[0].source = "CONSTANT"
    assert ui.draw(panels.GPUSCENE_PT_custom_data, only(scene=filled)).properties() == ["index", "label", "source", "default"]


def test_rows_of_the_lists(ui, filled):
    recorder = ui.Recorder()
    lists.GPUSCENE_UL_channels.draw_item(None, None, recorder, None, filled.gpuscene.channels[2], 0, None, "", 2)
    assert recorder.texts()[0] == "[1].x" and recorder.properties() == ["label"]
    recorder = ui.Recorder()
    lists.GPUSCENE_UL_lods.draw_item(None, None, recorder, None, bpy.context.object.gpuscene.lods[0], 0, None, "", 0)
    assert recorder.texts()[:2] == ["LOD 1", "Choose an object"] and recorder.properties() == ["screen_size"]
    bpy.context.object.gpuscene.lods[0].object = bpy.data.objects.new("Low", None)
    recorder = ui.Recorder()
    lists.GPUSCENE_UL_lods.draw_item(None, None, recorder, None, bpy.context.object.gpuscene.lods[0], 0, None, "", 0)
    assert recorder.texts()[:2] == ["LOD 1", "Low"]


@pytest.mark.parametrize("count, text", [
    (999, "999 bytes"), (1000, "1.0 kB"), (12_345_678, "12.3 MB"), (4_294_967_295, "4.3 GB")])
def test_sizes(count, text):
    assert viewmodel.size_text(count) == text


def test_the_line_that_is_reported():
    assert viewmodel.summary(RESULT) == ("20,000 instances, 9 primitives, 12 batches, 12.3 MB in 1.24 s, 11 findings: "
                                         "/somewhere/forest.glb")
    one = {**RESULT, "instances": 1, "primitives": 1, "batches": 1, "bytes": 640, "findings": FINDINGS[:1]}
    assert viewmodel.summary(one) == "1 instance, 1 primitive, 1 batch, 640 bytes in 1.24 s, 1 finding: /somewhere/forest.glb"
