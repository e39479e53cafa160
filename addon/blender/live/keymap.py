"""Shortcuts of the 3D View and their menu entries: View > GPUScene. The keys are free in Blender's default keymap."""

from __future__ import annotations

import bpy

#: operator and key, with Ctrl and Shift
SHORTCUTS = (("gpuscene.live_toggle", "L"), ("gpuscene.live_freeze", "F"), ("gpuscene.explain_pick", "I"))
KEYMAP = "3D View"

_items = []  # (key map, item): what is there to take back


class GPUSCENE_MT_live(bpy.types.Menu):
    """Everything that has a shortcut, and what else acts on a running session."""

    bl_idname = "GPUSCENE_MT_live"
    bl_label = "GPUScene"

    def draw(self, _context):
        layout = self.layout
        layout.operator_context = "INVOKE_DEFAULT"
        layout.operator("gpuscene.live_toggle", text="Start or Stop Live")
        layout.operator("gpuscene.live_freeze")
        layout.separator()
        layout.operator("gpuscene.explain_pick")
        layout.operator("gpuscene.explain_active")
        layout.separator()
        layout.operator("gpuscene.live_record")
        layout.operator("gpuscene.live_refresh")
        layout.operator("gpuscene.live_compact")
        layout.operator("gpuscene.live_reset")


CLASSES = (GPUSCENE_MT_live,)


def _draw_menu(self, _context):
    self.layout.separator()
    self.layout.menu(GPUSCENE_MT_live.bl_idname)


def attach():
    """Add keys and menu. Without a window manager there is no key map to add to."""
    bpy.types.VIEW3D_MT_view.append(_draw_menu)
    manager = bpy.context.window_manager
    config = manager.keyconfigs.addon if manager is not None else None
    if config is None:
        return
    keymap = config.keymaps.new(name=KEYMAP, space_type="VIEW_3D")
    for operator, key in SHORTCUTS:
        _items.append((keymap, keymap.keymap_items.new(operator, key, "PRESS", ctrl=True, shift=True)))


def detach():
    while _items:
        keymap, item = _items.pop()
        keymap.keymap_items.remove(item)
    bpy.types.VIEW3D_MT_view.remove(_draw_menu)


def user_items(context) -> list:
    """(key map, item) of our shortcuts as the user has them now, for the preferences."""
    config = context.window_manager.keyconfigs.user
    keymap = config.keymaps.get(KEYMAP) if config is not None else None
    ours = {operator for operator, _key in SHORTCUTS}
    return [(keymap, item) for item in keymap.keymap_items if item.idname in ours] if keymap is not None else []
