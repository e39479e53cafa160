"""Record: run the frame range once with the session live, then show the plot."""

from __future__ import annotations

import bpy

from ..operators.poll import refuse
from . import model
from .operators import running, why_not_live

#: seconds between two looks at whether the views have drawn
TIMER_SECONDS = 0.005
#: looks after which a frame that no view draws is passed over: with every 3D View covered nothing would ever go on
PATIENCE = 200


class GPUSCENE_OT_live_record(bpy.types.Operator):
    """One frame of the range for each redraw, so that each is measured as the user would meet it."""

    bl_idname = "gpuscene.live_record"
    bl_label = "Record"
    bl_description = ("Run the scene's frame range once, each frame drawn and measured, then open the plot of the last 240 "
                      "frames. Esc stops early; the current frame comes back")
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context):
        reason = why_not_live()
        if not reason and model.recording() is not None:
            reason = "A recording runs already. Press Esc to end it"
        if not reason and bpy.app.background:
            reason = "Recording needs a window with a 3D View"
        if not reason and context.screen is not None and context.screen.is_animation_playing:
            reason = "Stop the playback first"
        return refuse(cls, reason)

    def invoke(self, context, _event):
        live, scene = running(), context.scene
        self._scene_uid, self._frame_before = scene.session_uid, scene.frame_current
        self._first, self._last = scene.frame_start, scene.frame_end
        self._next, self._looks = scene.frame_start, 0
        self._live, self._drawn = live, None
        self._timer = context.window_manager.event_timer_add(TIMER_SECONDS, window=context.window)
        context.window_manager.modal_handler_add(self)
        self._show(context)
        return {"RUNNING_MODAL"}

    def execute(self, context):
        """From a script, too, it runs on in the window."""
        return self.invoke(context, None)

    def modal(self, context, event):
        if running() is not self._live or context.scene.session_uid != self._scene_uid:
            self._stop(context, restore=False)
            self.report({"WARNING"}, "The live session ended; so did the recording")
            return {"CANCELLED"}
        if event.type == "ESC":
            return self._finish(context, early=True)
        if event.type != "TIMER":
            return {"PASS_THROUGH"} if event.type == "MOUSEMOVE" else {"RUNNING_MODAL"}
        self._looks += 1
        if self._live.frame == self._drawn and self._looks < PATIENCE:
            return {"RUNNING_MODAL"}
        if self._next > self._last:
            return self._finish(context)
        if self._next == self._first:
            self._live.history.clear()  # not before: a redraw that was due already is none of the range
        self._drawn, self._looks = self._live.frame, 0
        context.scene.frame_set(self._next)
        self._next += 1
        for state in self._live.views.values():
            state.culled_for = None  # a frame in which nothing moves is measured, too
        self._show(context)
        model.redraw_views()
        return {"RUNNING_MODAL"}

    def cancel(self, context):
        """Blender is closing, or another file is being loaded."""
        self._stop(context, restore=False)

    def _show(self, context):
        done, count = self._next - self._first, self._last - self._first + 1
        text = f"Frame {min(self._next, self._last)} of {self._last}"
        context.workspace.status_text_set(f"GPUScene: recording, {text}   Esc: end")
        model.set_recording(model.Recording(done / count, text))

    def _finish(self, context, early=False):
        self._stop(context, restore=True)
        context.scene.gpuscene_live.show_plot = True
        count = len(self._live.history)
        self.report({"INFO"}, f"{'Ended early: ' if early else ''}{count} frames recorded")
        model.redraw_views()
        return {"FINISHED"}

    def _stop(self, context, restore):
        if self._timer is not None:
            context.window_manager.event_timer_remove(self._timer)
            self._timer = None
        if context.workspace is not None:
            context.workspace.status_text_set(None)
        model.set_recording(None)
        if restore:
            context.scene.frame_set(self._frame_before)
        self._live = self._live if restore else None


CLASSES = (GPUSCENE_OT_live_record,)
