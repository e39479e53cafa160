"""Preferences: what a new scene starts with.

They only fill in properties that were never set, in a window and when a file is opened, so the panel always shows what is
exported and a batch run gives the same file on every machine.
"""

from __future__ import annotations

import bpy
from bpy.app.handlers import persistent
from bpy.props import EnumProperty

from .properties import AXES_ITEMS, VISIBLE_ITEMS

#: ``bl_ext.user_default.gpuscene`` when installed as an extension.
ROOT_PACKAGE = __package__.rsplit(".", 2)[0]


def apply_defaults(scene, preferences) -> None:
    """Set the scene's axes and visibility from the preferences where it has none of its own."""
    for name in ("axes", "visible"):
        if not scene.gpuscene.is_property_set(name) and preferences.is_property_set(name):
            setattr(scene.gpuscene, name, getattr(preferences, name))


def _apply_to_open_file(self, _context):
    for scene in bpy.data.scenes:
        if scene.is_editable:
            apply_defaults(scene, self)


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

    def draw(self, _context):
        layout = self.layout
        layout.use_property_split = True
        layout.label(text="For scenes whose settings were never changed:")
        layout.prop(self, "axes")
        layout.prop(self, "visible")


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
