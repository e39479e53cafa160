"""The two lists of the panel."""

from __future__ import annotations

import bpy

from .converters import component_name

SOURCE_ICONS = {"PROPERTY": "PROPERTIES", "ATTRIBUTE": "SPREADSHEET", "CONSTANT": "RADIOBUT_ON"}
#: Ready-made, so that drawing a row formats nothing.
CHANNEL_NAMES = tuple(map(component_name, range(8)))


class GPUSCENE_UL_channels(bpy.types.UIList):
    """Channel place, label, and what kind of source it has; its name is under the list, where there is room."""

    def draw_item(self, _context, layout, _data, item, _icon, _active_data, _active_property, _index):
        row = layout.split(factor=0.2)
        row.label(text=CHANNEL_NAMES[item.index])
        row = row.row()
        row.prop(item, "label", text="", emboss=False)
        row.label(text="", icon=SOURCE_ICONS[item.source])


class GPUSCENE_UL_lods(bpy.types.UIList):
    """Level, object, screen size."""

    def draw_item(self, _context, layout, _data, item, _icon, _active_data, _active_property, index):
        row = layout.split(factor=0.22)
        row.label(text=f"LOD {index + 1}")
        row = row.split(factor=0.6)
        row.prop(item, "object", text="")
        row.prop(item, "screen_size", text="")


CLASSES = (GPUSCENE_UL_channels, GPUSCENE_UL_lods)
