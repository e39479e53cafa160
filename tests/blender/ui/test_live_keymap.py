"""Shortcuts: none that Blender uses already, each with a menu entry, all taken back."""

import importlib.util
from pathlib import Path

import bpy
import pytest

from gpuscene.blender import registration
from gpuscene.blender.live import keymap


def ours():
    config = bpy.context.window_manager.keyconfigs.addon
    return [item for km in config.keymaps for item in km.keymap_items if item.idname.startswith("gpuscene.")]


@pytest.mark.parametrize("preset", ["blender_default", "industry_compatible_data"])
def test_no_shortcut_of_blenders_own_is_taken(ui, preset):
    path = Path(bpy.utils.system_resource("SCRIPTS"), "presets", "keyconfig", "keymap_data", f"{preset}.py")
    spec = importlib.util.spec_from_file_location(preset, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    parameters = module.Params() if preset.startswith("blender") else module.Params(use_mouse_emulate_3_button=False)
    taken = {}
    for name, _, content in module.generate_keymaps(parameters):
        if "Modal" in name or name.startswith("Gesture"):  # only while an operator of Blender's runs
            continue
        for item in content["items"]:
            key = item[1]
            if key.get("any"):
                held = [(ctrl, shift) for ctrl in (0, 1) for shift in (0, 1)]
            else:
                held = [(ctrl, shift) for ctrl in (0, 1) for shift in (0, 1) if key.get("ctrl", 0) in (ctrl, -1)
                        and key.get("shift", 0) in (shift, -1) and key.get("alt", 0) in (0, -1)]
            for ctrl, shift in held:
                taken.setdefault((key["type"], ctrl, shift), []).append((name, item[0]))
    assert ("Z", 1, 1) in taken and ("S", 1, 1) in taken  # redo and save as: the table is read right
    for item in ours():
        assert taken.get((item.type, int(item.ctrl), int(item.shift)), []) == []


def test_each_shortcut_has_a_menu_entry_and_a_line_in_the_preferences(ui):
    recorder = ui.Recorder()
    recorder.operator_context = ""
    keymap.GPUSCENE_MT_live.draw(type("Menu", (), {"layout": recorder})(), bpy.context)
    in_menu = {o.idname for o in recorder.operators}
    assert {item.idname for item in ours()} <= in_menu
    assert {"gpuscene.live_record", "gpuscene.live_reset", "gpuscene.live_refresh", "gpuscene.live_compact",
            "gpuscene.explain_active"} <= in_menu
    keyconfigs = bpy.context.window_manager.keyconfigs
    keyconfigs.update()
    assert {item.idname for _, item in keymap.user_items(bpy.context)} == {item.idname for item in ours()}


def test_registering_twice_and_unregistering_leaves_no_key(ui):
    assert len(ours()) == 3
    registration.register()
    assert len(ours()) == 3
    registration.unregister()
    assert ours() == []
    registration.register()
