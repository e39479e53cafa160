"""Edit the active object's list of levels of detail."""

from __future__ import annotations

import bpy

from ...core.lod import default_screen_size, split_name
from ..properties import MAX_LISTED_LODS, read_again
from .poll import GEOMETRY_TYPES, refuse

def _why_no_object(context) -> str:
    obj = context.object
    if obj is None:
        return "Make an object active"
    if obj.type not in GEOMETRY_TYPES:
        return f"{obj.name} has no mesh that could have levels of detail"
    if not obj.is_editable:
        return f"{obj.name} is linked from another file; make a library override to edit it"
    return ""


class GPUSCENE_OT_add_lod(bpy.types.Operator):
    """Append a level, at half the screen size of the one before."""

    bl_idname = "gpuscene.add_lod"
    bl_label = "Add Level of Detail"
    bl_description = "Add a coarser level to the active object, drawn from half the screen size of the level before"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        reason = _why_no_object(context)
        if not reason and len(context.object.gpuscene.lods) >= MAX_LISTED_LODS:
            reason = f"An object has at most {MAX_LISTED_LODS} levels besides its own mesh"
        return refuse(cls, reason)

    def execute(self, context):
        group = context.object.gpuscene
        size = group.lods[-1].screen_size / 2 if group.lods else default_screen_size(1)
        group.lods.add().screen_size = size
        group.active_lod = len(group.lods) - 1
        return {"FINISHED"}


class GPUSCENE_OT_remove_lod(bpy.types.Operator):
    """Remove the active row."""

    bl_idname = "gpuscene.remove_lod"
    bl_label = "Remove Level of Detail"
    bl_description = "Remove the active level from the list; the object it names stays in the scene"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        reason = _why_no_object(context)
        if not reason and not 0 <= context.object.gpuscene.active_lod < len(context.object.gpuscene.lods):
            reason = "The active object has no level of detail in its list"
        return refuse(cls, reason)

    def execute(self, context):
        group = context.object.gpuscene
        group.lods.remove(group.active_lod)
        read_again()
        group.active_lod = max(0, min(group.active_lod, len(group.lods) - 1))
        return {"FINISHED"}


class GPUSCENE_OT_find_lods(bpy.types.Operator):
    """Fill the list from names: Tree or Tree_LOD0 takes Tree_LOD1, Tree_LOD2, ..."""

    bl_idname = "gpuscene.find_lods"
    bl_label = "Find by Name"
    bl_description = ("Fill the list with the objects named like the active one with _LOD1, _LOD2 and so on, each drawn from "
                      "half the screen size of the one before. Replaces the list")
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return refuse(cls, _why_no_object(context))

    def execute(self, context):
        obj = context.object
        base, own_level, copy = split_name(obj.name) or (obj.name, 0, "")
        if own_level:
            self.report({"WARNING"}, f"{obj.name} is itself level {own_level}; make {base}_LOD0{copy} active")
            return {"CANCELLED"}
        found = {}
        for other in context.scene.objects:
            name = split_name(other.name)
            if name and name[0] == base and name[2] == copy and 0 < name[1] <= MAX_LISTED_LODS and other.type in GEOMETRY_TYPES:
                found[name[1]] = other
        if not found:
            self.report({"WARNING"}, f"The scene has no object named {base}_LOD1")
            return {"CANCELLED"}
        group = obj.gpuscene
        group.lods.clear()
        for level in sorted(found):
            item = group.lods.add()
            item.object, item.screen_size = found[level], default_screen_size(level)
        group.active_lod = 0
        self.report({"INFO"}, f"{obj.name}: {len(found)} level{'s' * (len(found) > 1)} of detail")
        return {"FINISHED"}


CLASSES = (GPUSCENE_OT_add_lod, GPUSCENE_OT_remove_lod, GPUSCENE_OT_find_lods)
