"""Export: in stages with progress and Esc in a window, in one go without one."""

from __future__ import annotations

import os
import time

import bpy
from bpy.props import StringProperty
from bpy_extras.io_utils import ExportHelper

from .. import viewmodel
from ..converters import output_path, settings_from_scene
from ...core.errors import GpuSceneError
from .poll import refuse, why_not_export

#: Seconds between two looks at the event queue, so that Esc and redraws get through.
TIMER_SECONDS = 0.01
ESC_HINT = "Esc: cancel"


class GPUSCENE_OT_export(bpy.types.Operator):
    """Runs ``export.export_steps``: one stage a timer event in a window, all at once from scripts and in background."""

    bl_idname = "gpuscene.export"
    bl_label = "Export GPUScene"
    bl_description = ("Write instances, meshes and GPU tables to a glTF file that an engine can upload as it is. "
                      "The scene is not changed, and an existing file is replaced only when the export succeeded")
    bl_options = {"REGISTER"}

    filepath: StringProperty(
        name="File Path", subtype="FILE_PATH", options={"SKIP_SAVE"},
        description="File to write instead of the path set in the panel. Empty: the panel's path, or the .blend's name beside it")

    @classmethod
    def poll(cls, context):
        # A poll does not see `filepath`: only the panel's button, which gives none, needs a path in the scene.
        in_panel = context.region is not None and context.region.type == "UI"
        return refuse(cls, why_not_export(context, needs_path=in_panel))

    def invoke(self, context, _event):
        """Start; the stages run on timer events."""
        if not self._start(context):
            return {"CANCELLED"}
        manager = context.window_manager
        self._timer = manager.event_timer_add(TIMER_SECONDS, window=context.window)
        manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC":
            self._stop(context)
            self.report({"WARNING"}, "Export cancelled; nothing was written")
            return {"CANCELLED"}
        if event.type == "TIMER" and not self._step(context):
            return self._end(context)
        return {"RUNNING_MODAL"}

    def cancel(self, context):
        """Blender is closing, or another file is being loaded."""
        self._stop(context)

    def execute(self, context):
        """All stages at once: scripts and background."""
        if not self._start(context):
            return {"CANCELLED"}
        while self._step(context):
            pass
        return self._end(context)

    def _start(self, context) -> bool:
        self._timer = self._result = self._error = None
        self._busy = 0.0
        self._scene = context.scene
        try:
            from ..export import export_steps
            self._steps = export_steps(context, output_path(context.scene, self.filepath), settings_from_scene(context.scene))
        except GpuSceneError as error:
            self._fail(error)
            return False
        context.window_manager.progress_begin(0, 100)
        self._show(context, 0.0, "Starting")
        return True

    def _step(self, context) -> bool:
        """One stage; False when there is no more, with `_result` or `_error` set. Any other exception cleans up and goes on.

        The result's total is the time in here: between two stages the window redraws, which is not the export's work.
        """
        started = time.perf_counter()
        try:
            fraction, text = next(self._steps)
        except StopIteration as stop:
            self._result = stop.value
            self._result["seconds"]["total"] = round(self._busy + time.perf_counter() - started, 6)
            return False
        except GpuSceneError as error:
            self._error = error
            return False
        except BaseException:
            self._stop(context)
            raise
        self._busy += time.perf_counter() - started
        self._show(context, fraction, text)
        return True

    def _show(self, context, fraction: float, text: str):
        context.window_manager.progress_update(round(100 * fraction))
        if context.workspace is not None:
            context.workspace.status_text_set(f"GPUScene: {text} ({fraction:.0%})   {ESC_HINT}")
        viewmodel.set_progress(viewmodel.Progress(fraction, text))

    def _stop(self, context):
        """Close the generator, which removes its temporary file, and take back everything shown."""
        self._steps.close()
        if self._timer is not None:
            context.window_manager.event_timer_remove(self._timer)
            self._timer = None
        context.window_manager.progress_end()
        if context.workspace is not None:
            context.workspace.status_text_set(None)
        viewmodel.set_progress(None)

    def _end(self, context):
        self._stop(context)
        if self._error is not None:
            self._fail(self._error)
            return {"CANCELLED"}
        viewmodel.store_result(self._scene, self._result)
        self.report({"INFO"}, viewmodel.summary(self._result))
        return {"FINISHED"}

    def _fail(self, error: GpuSceneError):
        viewmodel.store_error(self._scene, str(error))
        self.report({"ERROR"}, str(error))


class GPUSCENE_OT_export_file(bpy.types.Operator, ExportHelper):
    """The file browser of File > Export."""

    bl_idname = "gpuscene.export_file"
    bl_label = "Export GPUScene File"
    bl_description = "Choose a file and write the scene to it, with the settings of the GPUScene tab in the 3D View's sidebar"
    bl_options = {"REGISTER"}

    filename_ext = ".glb"
    filter_glob: StringProperty(
        default="*.glb;*.gltf", options={"HIDDEN"},
        description="File names shown in the file browser")
    filepath: StringProperty(
        name="File Path", subtype="FILE_PATH", options={"SKIP_SAVE"}, description="File to write")

    @classmethod
    def poll(cls, context):
        return refuse(cls, why_not_export(context, needs_path=False))

    def check(self, context):
        """Show the suffix that will be written, so that the warning about an existing file is about the right one."""
        if not os.path.basename(self.filepath):
            return False
        path = str(output_path(context.scene, self.filepath))
        changed, self.filepath = path != self.filepath, path
        return changed

    def execute(self, _context):
        """Hand over to ``gpuscene.export``, which shows progress where there is a window."""
        mode = "EXEC_DEFAULT" if bpy.app.background else "INVOKE_DEFAULT"
        bpy.ops.gpuscene.export(mode, filepath=self.filepath)
        return {"FINISHED"}


CLASSES = (GPUSCENE_OT_export, GPUSCENE_OT_export_file)
