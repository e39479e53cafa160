"""``Scene.gpuscene_live``: what becomes of each setting, and that it is a setting like any other."""

import bpy
import pytest

from gpuscene.blender.live.properties import options_of, overlay_of
from gpuscene.blender.live.settings import OverlayOptions
from gpuscene.core.live.options import LiveOptions


@pytest.fixture
def group(ui):
    return bpy.context.scene.gpuscene_live


def test_defaults_are_those_of_the_core(group):
    assert options_of(bpy.context.scene) == LiveOptions()
    assert overlay_of(bpy.context.scene) == OverlayOptions()
    assert (group.camera, group.update_every) == ("VIEW", 1)


@pytest.mark.parametrize("name, value, field, result", [
    ("device", "CPU", "device", "cpu"), ("cluster_size", 16, "cluster_size", 16), ("bounds_scale", 2.5, "bounds_scale", 2.5),
    ("cull_distance", 12.5, "cull_distance", 12.5), ("lod_bias", -1.5, "lod_bias", -1.5),
    ("group_size", "128", "group_size", 128), ("slices", 4, "slices", 4)])
def test_each_culling_setting_changes_one_option(group, name, value, field, result):
    setattr(group, name, value)
    options = options_of(bpy.context.scene)
    assert options == LiveOptions(**{field: result})


def test_a_forced_lod_counts_only_while_it_is_on(group):
    group.forced_lod = 3
    assert options_of(bpy.context.scene).forced_lod is None
    group.use_forced_lod = True
    assert options_of(bpy.context.scene).forced_lod == 3


def test_rules(group):
    group.rule = "TEXT"
    assert options_of(bpy.context.scene).rule == ""
    group.rule_text = bpy.data.texts.new("rule.glsl")
    group.rule_text.write("return transform.position.x >= 0.0;\n")
    assert options_of(bpy.context.scene).rule == "return transform.position.x >= 0.0;\n"
    bpy.data.texts.remove(group.rule_text)
    assert options_of(bpy.context.scene).rule == ""
    group.rule = "BELOW_CAMERA"
    assert "custom_rule" in options_of(bpy.context.scene).rule


@pytest.mark.parametrize("name, value, field, result", [
    ("mode", "PRECISION", "mode", "precision"), ("shape", "POINTS", "shape", "points"),
    ("show_instances", False, "instances", False), ("show_clusters", True, "clusters", True),
    ("first_level", 2, "first_level", 2), ("last_level", 5, "last_level", 5),
    ("show_frustum", False, "frustum", False), ("show_legend", False, "legend", False), ("show_plot", True, "plot", True),
    ("show_dashboard", False, "dashboard", False), ("reasons", {"HIDDEN", "VISIBLE"}, "reasons", ("visible", "hidden"))])
def test_each_overlay_setting_changes_one_option(group, name, value, field, result):
    setattr(group, name, value)
    assert overlay_of(bpy.context.scene) == OverlayOptions(**{field: result})


def test_settings_are_saved_undone_and_reset(ui, group, tmp_path):
    bpy.ops.ed.undo_push(message="before")
    group.cluster_size, group.mode, group.camera = 17, "AGE", "SCENE"
    bpy.ops.ed.undo_push(message="after")
    bpy.ops.ed.undo()
    assert (bpy.context.scene.gpuscene_live.cluster_size, bpy.context.scene.gpuscene_live.mode) == (64, "VISIBILITY")
    bpy.ops.ed.redo()
    group = bpy.context.scene.gpuscene_live
    assert (group.cluster_size, group.mode, group.camera) == (17, "AGE", "SCENE")
    before = ui.snapshot(group)
    path = str(tmp_path / "live.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert ui.snapshot(bpy.context.scene.gpuscene_live) == before
    bpy.ops.gpuscene.live_reset()
    assert options_of(bpy.context.scene) == LiveOptions() and overlay_of(bpy.context.scene) == OverlayOptions()
    assert bpy.context.scene.gpuscene_live.camera == "VIEW"


def test_without_a_session_its_operators_say_what_to_press(ui):
    for name in ("live_freeze", "live_record", "live_refresh", "live_compact", "explain_active", "explain_pick"):
        operator = getattr(bpy.ops.gpuscene, name)
        assert not operator.poll()
        with pytest.raises(RuntimeError, match="Press Start first"):
            operator()
    assert bpy.ops.gpuscene.live_toggle.poll() and bpy.ops.gpuscene.live_reset.poll()
