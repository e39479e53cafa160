"""The list of the Skins panel."""

from __future__ import annotations

import bpy

from . import model


class GPUSCENE_UL_skins(bpy.types.UIList):
    """Object, its error, and whether it is shown."""

    def draw_item(self, _context, layout, _data, item, _icon, _active_data, _active_property, _index):
        row = layout.row(align=True)
        if item.object is None:
            row.label(text="Deleted", icon="ERROR")
            return
        view = model.view()
        said = view.characters.get(item.object.session_uid) if view is not None else None
        row.label(text=item.object.name, icon="ERROR" if said is not None and said.alert else "MESH_DATA")
        if said is not None:
            end = row.row()
            end.alignment = "RIGHT"
            end.label(text=said.short)
        row.prop(item, "show", text="", icon="HIDE_OFF" if item.show else "HIDE_ON", emboss=False)


CLASSES = (GPUSCENE_UL_skins,)
