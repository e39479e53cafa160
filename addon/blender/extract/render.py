"""Render visibility: a dependency graph evaluated for rendering, which Blender hands only to a render engine."""

from __future__ import annotations

from contextlib import contextmanager

import bpy

from ...core.errors import GpuSceneError, InputError


class GPUSCENE_RE_extract(bpy.types.RenderEngine):
    """Never listed for users for longer than one extraction; its render pass runs a callback on the dependency graph."""

    bl_idname = "GPUSCENE_EXTRACT"
    bl_label = "GPUScene extraction"
    bl_use_preview = False
    callback = None

    def render(self, depsgraph):
        kind = type(self)
        if kind.callback is None or depsgraph.view_layer.name != kind.view_layer:
            return
        try:
            kind.result = kind.callback(depsgraph)
        except BaseException as error:  # carried over Blender's C frames and raised again by the caller
            kind.error = error


def with_render_depsgraph(scene, view_layer, work):
    """Call ``work(depsgraph)`` on `scene`'s render-mode graph and return its result.

    The scene's render settings are put back afterwards; nothing is written. Raises `InputError` when Blender starts no render.
    """
    engine = GPUSCENE_RE_extract
    engine.callback, engine.result, engine.error, engine.view_layer = work, None, None, view_layer.name
    bpy.utils.register_class(engine)
    try:
        with _kept_render_result(), _settings(scene):
            bpy.ops.render.render(write_still=False, layer=view_layer.name, scene=scene.name)
    except RuntimeError as error:
        raise InputError(f"Blender did not start a render of scene {scene.name!r}: {str(error).strip()}.",
                         "Export with viewport visibility instead.") from error
    finally:
        bpy.utils.unregister_class(engine)
        result, failure = engine.result, engine.error
        engine.callback = engine.result = engine.error = None
    if failure is not None:
        raise failure
    if result is None:
        raise GpuSceneError(f"Blender rendered no view layer {view_layer.name!r} of scene {scene.name!r}.",
                            "Enable 'Use for Rendering' on the view layer, or export with viewport visibility.")
    return result


#: Blender can add render slots but not remove them: one by this name is made once and used again
_SLOT = "GPUScene extraction"


@contextmanager
def _kept_render_result():
    """What the user rendered last stays, since this render goes to a slot of its own."""
    image = next((i for i in bpy.data.images if i.type == "RENDER_RESULT"), None)
    if image is None:
        yield
        return
    slots, before = image.render_slots, image.render_slots.active_index
    if _SLOT not in [slot.name for slot in slots]:
        slots.new(name=_SLOT)
    slots.active_index = [slot.name for slot in slots].index(_SLOT)
    try:
        yield
    finally:
        slots.active_index = before


@contextmanager
def _settings(scene):
    """Smallest possible render with our engine, everything restored."""
    render = scene.render
    wanted = {"engine": GPUSCENE_RE_extract.bl_idname, "resolution_x": 16, "resolution_y": 16, "resolution_percentage": 100,
              "use_compositing": False, "use_sequencer": False, "use_border": False, "use_multiview": False,
              "use_single_layer": False, "use_persistent_data": False}
    saved = {name: getattr(render, name) for name in wanted}
    camera = scene.camera
    temporary = None
    try:
        if camera is None:
            # A render wants a camera; extraction does not look at it.
            temporary = bpy.data.objects.new("GPUScene extraction", bpy.data.cameras.new("GPUScene extraction"))
            scene.collection.objects.link(temporary)
            scene.camera = temporary
        for name, value in wanted.items():
            setattr(render, name, value)
        yield
    finally:
        for name, value in saved.items():
            try:
                setattr(render, name, value)
            except TypeError:  # the file's own engine is not available here (an add-on's); Blender showed it as unknown
                pass
        if temporary is not None:
            scene.camera = None
            data = temporary.data
            bpy.data.objects.remove(temporary)
            bpy.data.cameras.remove(data)
