"""Preferences: what a new scene starts with, the size of text in the view, shortcuts.

The first only fill in properties that were never set, in a window and when a file is opened, so the panel always shows what is
exported and a batch run gives the same file on every machine.
"""

from __future__ import annotations

import bpy
from bpy.app.handlers import persistent
from bpy.props import EnumProperty, FloatProperty

from .live import model
from .live.keymap import user_items
from .live.properties import DEVICE_ITEMS
from .properties import AXES_ITEMS, VISIBLE_ITEMS

#: ``bl_ext.user_default.gpuscene`` when installed as an extension.
ROOT_PACKAGE = __package__.rsplit(".", 2)[0]


def apply_defaults(scene, preferences) -> None:
    """Set the scene's axes and visibility from the preferences where it has none of its own."""
    for name in ("axes", "visible"):
        if not scene.gpuscene.is_property_set(name) and preferences.is_property_set(name):
            setattr(scene.gpuscene, name, getattr(preferences, name))
    live = scene.gpuscene_live
    if not live.is_property_set("device") and preferences.is_property_set("device"):
        live.device = preferences.device


def dashboard_size() -> float:
    """The user's factor for text in the view; 1 where the extension has no preferences, as under tests."""
    addon = bpy.context.preferences.addons.get(ROOT_PACKAGE)
    return addon.preferences.dashboard_size if addon is not None and addon.preferences is not None else 1.0


def _apply_to_open_file(self, _context):
    for scene in bpy.data.scenes:
        if scene.is_editable:
            apply_defaults(scene, self)


def _redraw_views(_self, _context):
    model.redraw_views()


def _draw_shortcuts(column, context):
    import rna_keymap_ui

    config = context.window_manager.keyconfigs.user
    for keymap, item in user_items(context):
        column.context_pointer_set("keymap", keymap)
        rna_keymap_ui.draw_kmi([], config, keymap, item, column, 0)


class GPUSCENE_AP_preferences(bpy.types.AddonPreferences):
    """Defaults for scenes that GPUScene has not exported before."""

    bl_idname = ROOT_PACKAGE

    axes: EnumProperty(
        name="Default Axes", items=AXES_ITEMS, default="BLENDER", update=_apply_to_open_file,
        description="Axes and units that scenes start with, so that a studio which always exports to one engine need not "
                    "choose it again")
    visible: EnumProperty(
        name="Default Visibility", items=VISIBLE_ITEMS, default="VIEWPORT", update=_apply_to_open_file,
        description="Whose visibility scenes start with: what the viewport shows, or what a render shows")

    device: EnumProperty(
        name="Default Device", items=DEVICE_ITEMS, default="GPU", update=_apply_to_open_file,
        description="What culls a live scene whose own setting was never changed. The picture is the same on both")
    dashboard_size: FloatProperty(
        name="Text in the View", default=1.0, min=0.5, max=3.0, precision=2, step=5, subtype="FACTOR", update=_redraw_views,
        description="Size of legend, dashboard and plot in the 3D View, on top of Blender's resolution scale")

    def draw(self, context):
        layout = self.layout
        layout.use_property_split = True
        layout.label(text="For scenes whose settings were never changed:")
        column = layout.column()
        column.prop(self, "axes")
        column.prop(self, "visible")
        column.prop(self, "device")
        layout.label(text="Live scene:")
        layout.prop(self, "dashboard_size")
        layout.label(text="Shortcuts in the 3D View:")
        _draw_shortcuts(layout.column(), context)


@persistent
def _on_load(_path):
    addon = bpy.context.preferences.addons.get(ROOT_PACKAGE)
    if addon is not None and addon.preferences is not None and not bpy.app.background:
        _apply_to_open_file(addon.preferences, None)


CLASSES = (GPUSCENE_AP_preferences,)


def attach():
    bpy.app.handlers.load_post.append(_on_load)


def detach():
    bpy.app.handlers.load_post.remove(_on_load)
