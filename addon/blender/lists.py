"""The two lists of the panel."""

from __future__ import annotations

import bpy

from ..core.limits import CUSTOM_CHANNELS, MAX_LODS
from .converters import component_name

SOURCE_ICONS = {"PROPERTY": "PROPERTIES", "ATTRIBUTE": "SPREADSHEET", "CONSTANT": "RADIOBUT_ON"}
#: Ready-made, so that drawing a row formats nothing.
CHANNEL_NAMES = tuple(map(component_name, range(CUSTOM_CHANNELS)))
LEVEL_NAMES = tuple(f"LOD {level}" for level in range(1, MAX_LODS))


class GPUSCENE_UL_channels(bpy.types.UIList):
    """Channel place, label, and what kind of source it has; its name is under the list, where there is room."""

    def draw_item(self, _context, layout, _data, item, _icon, _active_data, _active_property, _index):
        row = layout.split(factor=0.2)
        row.label(text=CHANNEL_NAMES[item.index])
        row = row.row()
        row.prop(item, "label", text="", emboss=False)
        row.label(text="", icon=SOURCE_ICONS[item.source])


class GPUSCENE_UL_lods(bpy.types.UIList):
    """Level, object, screen size. The object is chosen under the list, where its name has room."""

    def draw_item(self, _context, layout, _data, item, _icon, _active_data, _active_property, index):
        row = layout.split(factor=0.22)
        row.label(text=LEVEL_NAMES[index] if index < len(LEVEL_NAMES) else "")
        row = row.split(factor=0.68)
        if item.object is None:
            row.label(text="Choose an object", icon="ERROR")
        else:
            row.label(text=item.object.name)
        row.prop(item, "screen_size", text="", emboss=False)


CLASSES = (GPUSCENE_UL_channels, GPUSCENE_UL_lods)
