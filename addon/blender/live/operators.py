"""Start and stop, freeze, reset, and what is done to a running session. None changes the .blend but where it says UNDO."""

from __future__ import annotations

import bpy

from ...core.errors import GpuSceneError
from ..operators.poll import refuse
from . import model

NOT_RUNNING = "Press Start first: the scene is not live"


def running():
    """The session, or None; does not load the session's code while nothing was ever started."""
    from . import state

    return state.running()


def why_not_live() -> str:
    """One line saying why there is nothing to act on; empty when there is."""
    return "" if running() is not None else NOT_RUNNING


class GPUSCENE_OT_live_toggle(bpy.types.Operator):
    """Start or stop."""

    bl_idname = "gpuscene.live_toggle"
    bl_label = "Start or Stop Live"
    bl_description = ("Follow the scene, cull it each redraw and show what became of every instance in the 3D Views. Pressed "
                      "again: take everything away; nothing runs then")
    bl_options = {"REGISTER"}

    @classmethod
    def description(cls, _context, _properties):
        return ("Stop following the scene: the overlays go, and nothing of GPUScene runs any more" if running() is not None
                else cls.bl_description)

    @classmethod
    def poll(cls, context):
        return refuse(cls, "" if context.scene is not None else "There is no scene")

    def execute(self, context):
        from . import session

        model.set_error("")
        if session.current() is not None:
            session.stop()
        else:
            try:
                session.start(context)
            except GpuSceneError as error:
                model.set_error(str(error))
                self.report({"ERROR"}, str(error))
                return {"CANCELLED"}
        model.redraw_views()
        return {"FINISHED"}


class GPUSCENE_OT_live_freeze(bpy.types.Operator):
    """Keep the view that culls, or let it go."""

    bl_idname = "gpuscene.live_freeze"
    bl_label = "Freeze Culling"
    bl_description = ("Keep culling with what this view sees now, and fly away to see from outside what is drawn and what is "
                      "dropped; the frustum stays in the picture. Pressed again: every view culls for itself")
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        reason = why_not_live()
        if not reason and (context.space_data is None or context.space_data.type != "VIEW_3D"):
            reason = "Move the cursor over a 3D View: its view is what is frozen"
        return refuse(cls, reason)

    def execute(self, context):
        from . import views

        live, group = running(), context.scene.gpuscene_live
        if group.camera == "FROZEN":
            live.unfreeze()
            group.camera = "VIEW"
        else:
            space = context.space_data
            # Beside the view, in the sidebar, there is no region data: the area's own view is meant.
            in_view = context.region is not None and context.region.type == "WINDOW"
            data = context.region_data if in_view else space.region_3d
            live.freeze(views.camera_of_region(space, data, context.scene, live.convention))
            group.camera = "FROZEN"
        model.redraw_views()
        return {"FINISHED"}


class GPUSCENE_OT_live_reset(bpy.types.Operator):
    """Defaults, and a fresh start of a running session."""

    bl_idname = "gpuscene.live_reset"
    bl_label = "Reset Live Settings"
    bl_description = ("Set everything in the panels Live, Culling and Overlay back to its default, let go of a frozen view and "
                      "forget the history")
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return refuse(cls, "" if context.scene is not None and context.scene.is_editable else "The scene cannot be edited")

    def execute(self, context):
        group = context.scene.gpuscene_live
        for name in group.bl_rna.properties.keys():
            group.property_unset(name) if name not in ("rna_type", "name") else None
        model.set_explained(None)
        live = running()
        if live is not None:
            live.reset()
        model.redraw_views()
        return {"FINISHED"}


class GPUSCENE_OT_live_refresh(bpy.types.Operator):
    """Extract anew."""

    bl_idname = "gpuscene.live_refresh"
    bl_label = "Refresh"
    bl_description = ("Read the whole scene again, as Start does. For what Blender announces nobody: a custom property set by a "
                      "script, a channel of the export's registry")

    @classmethod
    def poll(cls, _context):
        return refuse(cls, why_not_live())

    def execute(self, _context):
        running().mark_all("refresh")
        model.redraw_views()
        return {"FINISHED"}


class GPUSCENE_OT_live_compact(bpy.types.Operator):
    """Close the holes."""

    bl_idname = "gpuscene.live_compact"
    bl_label = "Compact"
    bl_description = ("Move the instances together, over the slots of removed and hidden ones, and upload all of them once. The "
                      "picture stays the same; Index Fragmentation goes back to 0")

    @classmethod
    def poll(cls, _context):
        return refuse(cls, why_not_live())

    def execute(self, _context):
        running().compact()
        model.redraw_views()
        return {"FINISHED"}


CLASSES = (GPUSCENE_OT_live_toggle, GPUSCENE_OT_live_freeze, GPUSCENE_OT_live_reset, GPUSCENE_OT_live_refresh,
           GPUSCENE_OT_live_compact)
