"""Operators that explain an instance: of the active object, or under the cursor."""

from __future__ import annotations

import bpy
from bpy_extras import view3d_utils

from ...core.errors import GpuSceneError
from ..operators.poll import refuse
from . import model
from .operators import running, why_not_live

HINT = "Click an instance to explain it   Esc: end"

#: events that start the operator from a button, a menu or a script: the cursor is there by chance
NO_KEYS = {"LEFTMOUSE", "MIDDLEMOUSE", "RIGHTMOUSE", "MOUSEMOVE", "INBETWEEN_MOUSEMOVE", "RET", "NUMPAD_ENTER", "NONE",
           "WINDOW_DEACTIVATE"}


def is_key(event) -> bool:
    """Whether a key is being pressed: a script finds the last event here, whose key has gone up again."""
    return event.value == "PRESS" and event.type not in NO_KEYS and not event.type.startswith("TIMER")


def explain(operator, slot: int, view_key) -> set:
    """Show the explanation of `slot` in the panel and report its one reason."""
    try:
        explanation = running().explain(slot, view_key)
    except GpuSceneError as error:
        operator.report({"WARNING"}, str(error))
        return {"CANCELLED"}
    stats = running().stats(view_key)
    model.set_explained(model.explain_view(explanation, view_key, stats.frame))
    operator.report({"INFO"}, f"{explanation.subject}: {explanation.reason}" if explanation.reason else explanation.subject)
    return {"FINISHED"}


def key_of(context) -> int | None:
    """Number of the 3D View that `context` is in."""
    space = context.space_data
    return space.region_3d.as_pointer() if space is not None and space.type == "VIEW_3D" else None


class GPUSCENE_OT_explain_active(bpy.types.Operator):
    """The first instance of the active object."""

    bl_idname = "gpuscene.explain_active"
    bl_label = "Explain Active Object"
    bl_description = ("Say for the active object's instance which tests it passed and failed in this view, with the numbers, "
                      "and the one setting that would change it. Of many instances the first one")

    @classmethod
    def poll(cls, context):
        reason = why_not_live()
        if not reason and context.object is None:
            reason = "There is no active object"
        return refuse(cls, reason)

    def execute(self, context):
        live, name = running(), context.object.name_full
        slot = live.slot_of(name)
        if slot is None:
            self.report({"WARNING"}, f"{name} has no instance in the live scene: it has no mesh, is hidden, or is a level of "
                                     "detail")
            return {"CANCELLED"}
        return explain(self, slot, key_of(context))


class GPUSCENE_OT_explain_pick(bpy.types.Operator):
    """A key explains what is under the cursor at once; a button or menu, and a key over nothing, waits for a click."""

    bl_idname = "gpuscene.explain_pick"
    bl_label = "Explain by Click"
    bl_description = ("Click an instance in the view: the Explain panel says which tests it passed and failed, with the "
                      "numbers. Culled ones can be clicked too. The selection stays as it is")

    @classmethod
    def poll(cls, _context):
        return refuse(cls, why_not_live())

    def invoke(self, context, event):
        if is_key(event) and self._pick(context, event) == {"FINISHED"}:
            return {"FINISHED"}
        context.window.cursor_modal_set("EYEDROPPER")
        context.workspace.status_text_set(f"GPUScene: {HINT}")
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if running() is None or event.type in {"ESC", "RIGHTMOUSE"} and event.value == "PRESS":
            self._end(context)
            return {"CANCELLED"}
        if event.type == "LEFTMOUSE" and event.value == "PRESS":
            result = self._pick(context, event)
            if result == {"FINISHED"}:
                self._end(context)
                return result
            return {"RUNNING_MODAL"}  # nothing there: click again
        if event.type in {"MIDDLEMOUSE", "WHEELUPMOUSE", "WHEELDOWNMOUSE", "MOUSEMOVE", "TIMER", "TRACKPADPAN", "TRACKPADZOOM"}:
            return {"PASS_THROUGH"}
        return {"RUNNING_MODAL"}

    def cancel(self, context):
        """Blender is closing, or another file is being loaded."""
        self._end(context)

    def _end(self, context):
        context.window.cursor_modal_restore()
        context.workspace.status_text_set(None)

    def _pick(self, context, event):
        from . import picking

        found = view_under(context.window, event.mouse_x, event.mouse_y)
        if found is None:
            self.report({"INFO"}, "Click in a 3D View")
            return {"CANCELLED"}
        region, rv3d = found
        place = (event.mouse_x - region.x, event.mouse_y - region.y)
        origin = view3d_utils.region_2d_to_origin_3d(region, rv3d, place)
        direction = view3d_utils.region_2d_to_vector_3d(region, rv3d, place)
        slot = picking.pick(running().tables, context.scene, context.evaluated_depsgraph_get(), origin, direction)
        if slot is None:
            self.report({"INFO"}, "There is no instance under the cursor")
            return {"CANCELLED"}
        return explain(self, slot, rv3d.as_pointer())


class GPUSCENE_OT_explain_copy(bpy.types.Operator):
    """The explanation as text."""

    bl_idname = "gpuscene.explain_copy"
    bl_label = "Copy Explanation"
    bl_description = "Copy the explanation with every test to the clipboard, to paste it into a report or a chat"

    @classmethod
    def poll(cls, _context):
        return refuse(cls, "" if model.explained() is not None else "Explain an instance first")

    def execute(self, context):
        context.window_manager.clipboard = model.explained().text
        self.report({"INFO"}, "Explanation copied to the clipboard")
        return {"FINISHED"}


def view_under(window, x: int, y: int):
    """(region, RegionView3D) of the 3D View at a place in `window`, or None; a sidebar or tool bar over it is not the view."""
    for area in window.screen.areas:
        if area.type != "VIEW_3D" or not _holds(area, x, y):
            continue
        if any(_holds(r, x, y) for r in area.regions if r.type not in {"WINDOW", "HUD"} and r.width > 1 and r.height > 1):
            return None
        for region in area.regions:
            if region.type == "WINDOW" and _holds(region, x, y):
                return region, region.data
    return None


def _holds(box, x, y) -> bool:
    return box.x <= x < box.x + box.width and box.y <= y < box.y + box.height


CLASSES = (GPUSCENE_OT_explain_active, GPUSCENE_OT_explain_pick, GPUSCENE_OT_explain_copy)
