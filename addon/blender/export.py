"""Export: dependency graph -> extraction -> tables -> file, in stages that a caller can show and stop."""

from __future__ import annotations

import difflib
import gc
import time
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import bpy

from ..core import assemble
from ..core.cluster_tree import with_trees
from ..core.conventions import PRESETS
from ..core.errors import InputError
from ..core.gltf import write
from ..core.scene import DEFAULT_CHANNELS, SceneData
from .cameras import camera_objects, cameras_of, render_size
from .extract.context import ExtractContext
from .extract.loaded import loaded_findings
from .extract.render import with_render_depsgraph
from .extract.walk import walk
from .converters import channels_from_scene
from .settings import ExportSettings
from .skins.export import scene_with_skins

__all__ = ["ExportSettings", "export_file", "export_scene", "export_steps", "extract_scene"]


#: MAXFRAME in Blender's DNA_scene_types.h
LAST_FRAME = 1_048_574


class _Clock:
    """Seconds by stage."""

    def __init__(self):
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, stage):
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[stage] = self.seconds.get(stage, 0.0) + time.perf_counter() - start


@contextmanager
def _paused_gc():
    """Extraction makes many short-lived objects and no cycles: collecting among them would only cost time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def export_steps(context, out, settings: ExportSettings):
    """Generator over the stages of an export: yields ``(fraction, text)``, returns the result.

    Closing it early leaves nothing behind. The scene's frame is put back.

    Parameters
    ----------
    context : bpy.types.Context
        Its scene and view layer are exported.
    out : path
    settings : ExportSettings

    Returns
    -------
    dict
        ``path, instances, primitives, batches, triangles, bytes, findings, seconds`` (by stage, and ``total``).

    Raises
    ------
    GpuSceneError
        One clear line; the old output is intact.
    """
    clock, scene = _Clock(), context.scene
    started = time.perf_counter()
    frame = scene.frame_current, scene.frame_subframe
    try:
        yield 0.02, "Evaluating"
        with clock("evaluate"):
            if settings.frame is not None:
                if abs(settings.frame) > LAST_FRAME:  # Blender would take the last one without a word
                    raise InputError(f"There is no frame {settings.frame}.", f"Blender's frames go from {-LAST_FRAME} to {LAST_FRAME}.")
                scene.frame_set(settings.frame)
            wanted = _scope(context, settings)
        yield 0.1, "Extracting"
        data = extract_scene(context, settings, wanted, clock)
        if settings.skins:
            yield 0.3, "Reading skins"
            with clock("skins"):
                frames = settings.skin_frames
                data = scene_with_skins(data, context, () if frames is None else range(frames[0], frames[1] + 1, frames[2]))
    finally:
        if settings.frame is not None and scene.frame_current != frame[0]:
            scene.frame_set(frame[0], subframe=frame[1])
    yield 0.5, "Clustering"
    with clock("cluster"):
        data = with_trees(data, settings.clusters, settings.cluster_size)
    yield 0.6, "Writing"
    with clock("write"):
        written = write(data, Path(out), container=settings.container, replace=settings.replace)
    clock.seconds["total"] = time.perf_counter() - started
    return {
        "path": str(written.path), "instances": data.instance_count, "primitives": data.primitive_count, "batches": data.batch_count,
        "triangles": data.triangle_count(), "bytes": written.bytes, "findings": [f.to_json() for f in data.findings],
        "seconds": {stage: round(s, 6) for stage, s in clock.seconds.items()},
    }


def export_scene(context, out, settings: ExportSettings, progress=None) -> dict:
    """`export_steps` run through; ``progress(fraction, text)`` is called before each stage."""
    steps = export_steps(context, out, settings)
    while True:
        try:
            fraction, text = next(steps)
        except StopIteration as stop:
            return stop.value
        if progress is not None:
            progress(fraction, text)


def export_file(source, out, settings: ExportSettings, progress=None) -> dict:
    """Open `source` (None: the loaded file) and export its active scene. `seconds` has a stage ``open`` then.

    Raises
    ------
    InputError
        Blender cannot open the file.
    """
    started = time.perf_counter()
    if source is not None:
        if progress is not None:
            progress(0.0, "Opening")
        open_blend(source)
    opened = time.perf_counter() - started
    result = export_scene(bpy.context, out, settings, progress)
    if source is not None:
        result["seconds"] = {"open": round(opened, 6), **result["seconds"]}
        result["seconds"]["total"] = round(result["seconds"]["total"] + opened, 6)
    return result


def open_blend(path) -> None:
    """Load a .blend with its scripts disabled. Raises `InputError` where Blender reports an error."""
    try:
        bpy.ops.wm.open_mainfile(filepath=str(path), load_ui=False, use_scripts=False)
    except RuntimeError as error:
        reason = str(error).strip().removeprefix("Error: ").splitlines()
        raise InputError(f"{path}: Blender cannot open it ({reason[0].rstrip('.') if reason else 'no reason given'}).",
                         "Open and save it again in Blender, or restore a backup.") from error


def extract_scene(context, settings: ExportSettings, wanted=None, clock=None) -> SceneData:
    """The tables of `context`'s scene in `settings`' axes and visibility.

    `wanted`: evaluated top-level object -> bool; `settings`' own scope when None. Raises `InputError` for a scene with nothing
    to draw.
    """
    clock = clock or _Clock()
    wanted = wanted or _scope(context, settings)
    scene, view_layer = context.scene, context.view_layer
    channels = channels_from_scene(scene) if hasattr(scene, "gpuscene") else DEFAULT_CHANNELS

    # Looked up before a render-mode graph makes the picture small and lends a camera to a scene without one.
    size, lookers = render_size(scene), camera_objects(scene, view_layer)

    def work(depsgraph):
        with clock("extract"), _paused_gc():
            extraction_context = ExtractContext(depsgraph, lambda: bpy.data.objects, channels)
            walk(extraction_context, bpy.data, wanted)
            for finding in loaded_findings(bpy.data):
                extraction_context.report(finding)
            cameras = cameras_of(lookers, depsgraph, scene, PRESETS[settings.axes], size)
        return extraction_context.result, cameras

    if settings.visible == "render":
        with clock("evaluate"):
            before = clock.seconds.get("extract", 0.0)
            extraction, cameras = with_render_depsgraph(scene, view_layer, work)
        clock.seconds["evaluate"] -= clock.seconds["extract"] - before
    else:
        with clock("evaluate"):
            view_layer.update()
            depsgraph = context.evaluated_depsgraph_get()
        extraction, cameras = work(depsgraph)
    metadata = {"scene": scene.name, "view_layer": view_layer.name, "frame": scene.frame_current, "visible": settings.visible,
                "scope": settings.scope, "source_file": bpy.path.basename(bpy.data.filepath), "blender": bpy.app.version_string}
    with clock("assemble"):
        return replace(assemble.assemble(extraction, PRESETS[settings.axes], channels, metadata), cameras=cameras)


def _scope(context, settings: ExportSettings):
    """The scope as a test on evaluated objects, or None for the whole scene."""
    if settings.scope == "collection":
        collection = bpy.data.collections.get(settings.collection)
        if collection is None:
            near = difflib.get_close_matches(settings.collection, bpy.data.collections.keys(), 3, 0.5) or bpy.data.collections.keys()[:5]
            raise InputError(f"There is no collection {settings.collection!r}.",
                             f"There are: {', '.join(near)}." if near else "The file has no collections.")
        members = set(collection.all_objects)
    elif settings.scope == "selection":
        members = set(context.view_layer.objects.selected)
        if not members:
            raise InputError("Nothing is selected.", "Select objects, or export the scene.")
    else:
        return None
    return lambda obj: obj.original in members
