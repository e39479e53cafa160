"""What can be done with the last result: select a culprit, copy the result, open its folder."""

from __future__ import annotations

import bpy
from bpy.props import StringProperty

from .. import viewmodel
from .poll import refuse


def objects_named(context, subject: str) -> list:
    """Objects of the view layer that `subject` means: the object of that name, else the users of the data of that name."""
    objects = context.view_layer.objects
    exact = objects.get(subject)
    if exact is not None:
        return [exact]
    return [o for o in objects if o.name_full == subject or (o.data is not None and subject in (o.data.name, o.data.name_full))]


class GPUSCENE_OT_select_finding(bpy.types.Operator):
    """Select what a finding is about."""

    bl_idname = "gpuscene.select_finding"
    bl_label = "Select Finding"
    bl_description = "Select the object that the finding names, and make it active"
    bl_options = {"REGISTER", "UNDO"}

    subject: StringProperty(
        name="Subject", options={"SKIP_SAVE"},
        description="Name of the object or mesh to select")
    details: StringProperty(
        name="Details", options={"SKIP_SAVE", "HIDDEN"},
        description="What was found and what to do about it, shown as the tooltip")

    @classmethod
    def description(cls, _context, properties):
        return f"{properties.details}\n\nClick to select {properties.subject}" if properties.details else cls.bl_description

    @classmethod
    def poll(cls, context):
        in_object_mode = context.mode == "OBJECT"
        return refuse(cls, "" if in_object_mode else "Leave Edit Mode first: selecting another object needs Object Mode")

    def execute(self, context):
        objects = objects_named(context, self.subject)
        if not objects:
            self.report({"WARNING"}, f"{self.subject} is not an object of this view layer; look for it in an instanced or "
                                     "excluded collection")
            return {"CANCELLED"}
        for other in context.view_layer.objects.selected:
            other.select_set(False)
        for obj in objects:
            obj.select_set(True)
        context.view_layer.objects.active = objects[0]
        if not any(o.select_get() for o in objects):
            self.report({"WARNING"}, f"{self.subject} is hidden in the viewport: it is active, but cannot be selected until "
                                     "it is shown")
        return {"FINISHED"}


class GPUSCENE_OT_copy_result(bpy.types.Operator):
    """The JSON of ``gpuscene export --json``, on the clipboard."""

    bl_idname = "gpuscene.copy_result"
    bl_label = "Copy Result"
    bl_description = "Copy the last result with all its findings to the clipboard, as the JSON that the command line prints"

    @classmethod
    def poll(cls, context):
        view = viewmodel.result_of(context.scene)
        return refuse(cls, "" if view and view.json else "Export first: there is no result to copy")

    def execute(self, context):
        context.window_manager.clipboard = viewmodel.result_of(context.scene).json
        self.report({"INFO"}, "Result copied to the clipboard")
        return {"FINISHED"}


class GPUSCENE_OT_open_folder(bpy.types.Operator):
    """Show the written file in the system's file manager."""

    bl_idname = "gpuscene.open_folder"
    bl_label = "Open Folder"
    bl_description = "Open the folder of the written file in the system's file manager"

    @classmethod
    def poll(cls, context):
        view = viewmodel.result_of(context.scene)
        return refuse(cls, "" if view and view.folder else "Export first: no file has been written yet")

    def execute(self, context):
        return bpy.ops.wm.path_open(filepath=viewmodel.result_of(context.scene).folder)


CLASSES = (GPUSCENE_OT_select_finding, GPUSCENE_OT_copy_result, GPUSCENE_OT_open_folder)
