"""Start and stop, the list of objects, measuring."""

from __future__ import annotations

import bpy

from ....core.errors import GpuSceneError
from ...live import model as views
from ...operators.poll import refuse
from . import model
from .state import running


def _editable(context) -> str:
    if context.scene is None:
        return "There is no scene"
    return "" if context.scene.is_editable else "The scene cannot be edited"


class GPUSCENE_OT_skins_toggle(bpy.types.Operator):
    """Start or stop."""

    bl_idname = "gpuscene.skins_toggle"
    bl_label = "Start or Stop Skins"
    bl_description = ("Put particles on the skins of the listed objects, moved by their bone matrices in every frame. With an "
                      "empty list it takes the selected meshes, else all that an armature deforms")
    bl_options = {"REGISTER"}

    @classmethod
    def description(cls, _context, _properties):
        return "Take the particles away: nothing of Skins runs any more" if running() is not None else cls.bl_description

    @classmethod
    def poll(cls, context):
        return refuse(cls, "" if context.scene is not None else "There is no scene")

    def execute(self, context):
        from . import session

        model.set_error("")
        if session.current() is not None:
            session.stop()
            return {"FINISHED"}
        group = context.scene.gpuscene_skins
        if not len(group.items) and context.scene.is_editable:
            if _add(group, [o for o in context.selected_objects if o.type == "MESH"] or skinned(context)):
                bpy.ops.ed.undo_push(message="Add Skins")  # else undoing what comes next would empty the list
        try:
            session.start(context)
        except GpuSceneError as error:
            model.set_error(str(error))
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        if not len(group.items):
            self.report({"WARNING"}, "No mesh of the scene has an armature: add one to the list")
        return {"FINISHED"}


class GPUSCENE_OT_skins_add(bpy.types.Operator):
    """Add the selection."""

    bl_idname = "gpuscene.skins_add"
    bl_label = "Add Selected"
    bl_description = ("Add the selected meshes, and the meshes that selected armatures deform, to the list: they carry particles "
                      "too")
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return refuse(cls, _editable(context) or ("" if context.selected_objects else "Select the objects to add"))

    def execute(self, context):
        selected = list(context.selected_objects)
        rigs = {o for o in selected if o.type == "ARMATURE"}
        meshes = [o for o in selected if o.type == "MESH"]
        if rigs:
            meshes += [o for o in context.view_layer.objects if o.type == "MESH" and (
                o.parent in rigs or any(m.type == "ARMATURE" and m.object in rigs for m in o.modifiers))]
        if not meshes:
            self.report({"WARNING"}, "None of the selected objects is a mesh, or an armature that deforms one")
            return {"CANCELLED"}
        count = _add(context.scene.gpuscene_skins, meshes)
        self.report({"INFO"}, f"{count} object{'' if count == 1 else 's'} added")
        views.redraw_views()
        return {"FINISHED"}


class GPUSCENE_OT_skins_remove(bpy.types.Operator):
    """Remove the active row."""

    bl_idname = "gpuscene.skins_remove"
    bl_label = "Remove"
    bl_description = "Take the object of the active row off the list: its particles go, the others stay"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return refuse(cls, _editable(context) or ("" if len(context.scene.gpuscene_skins.items) else "The list is empty"))

    def execute(self, context):
        group = context.scene.gpuscene_skins
        index = min(group.active, len(group.items) - 1)
        group.items.remove(index)
        group.active = max(0, min(index, len(group.items) - 1))
        views.redraw_views()
        return {"FINISHED"}


class GPUSCENE_OT_skins_measure(bpy.types.Operator):
    """Measure against Blender."""

    bl_idname = "gpuscene.skins_measure"
    bl_label = "Measure Error"
    bl_description = ("Hold every character against Blender's evaluated mesh at this frame: the list then says how far its "
                      "farthest vertex is off. The picture stays the same")

    @classmethod
    def poll(cls, _context):
        return refuse(cls, "" if running() is not None else "Press Start first: no skin is shown")

    def execute(self, context):
        from . import session

        live, depsgraph = running(), context.evaluated_depsgraph_get()
        live.read_settings(context.scene)
        live.redraw(depsgraph)
        live.measure(depsgraph)
        session.publish()
        worst = max((m.shown.share for m in live.measured.values()), default=0.0)
        self.report({"INFO"}, f"{len(live.measured)} measured: at most {worst:.3%} of the height off")
        return {"FINISHED"}


def skinned(context) -> list:
    """Objects of the view layer that an armature deforms."""
    from ..deformers import deformers_of

    depsgraph = context.evaluated_depsgraph_get()
    return [obj.original for obj in depsgraph.objects if obj.type == "MESH" and deformers_of(obj, depsgraph)]


def _add(group, objects) -> int:
    """Add those that the list lacks; how many."""
    known, count = {item.object for item in group.items}, 0
    for obj in objects:
        if obj not in known:
            known.add(obj)
            group.items.add().object = obj
            count += 1
    if count:
        group.active = len(group.items) - 1
    return count


CLASSES = (GPUSCENE_OT_skins_toggle, GPUSCENE_OT_skins_add, GPUSCENE_OT_skins_remove, GPUSCENE_OT_skins_measure)
