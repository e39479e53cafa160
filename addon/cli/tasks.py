"""What runs with Blender at hand: each task takes JSON values and a progress callback, and returns JSON values.

The console script runs them in a process of its own (`worker`); inside Blender they run where they are (`hosted`).
"""

from __future__ import annotations

import sys
from pathlib import Path

from ..core import blendfile
from ..core.errors import GpuSceneError, InputError


def export(arguments: dict, progress) -> dict:
    """Export one file; the result of ``blender.export.export_file``."""
    import bpy

    from ..blender.export import ExportSettings, export_file

    _register_properties()
    source = arguments["source"]
    if source is None:
        _check_loaded()
    else:
        blendfile.check(source, bpy.app.version)
    settings = ExportSettings(**arguments["settings"])
    return export_file(None if source is None else Path(source), Path(arguments["output"]), settings, progress)


def _check_loaded():
    """Refuse the loaded file when it is from a newer Blender, or is the start-up scene in place of one that would not open."""
    import bpy

    if bpy.data.filepath:
        if Path(bpy.data.filepath).exists():
            blendfile.check(bpy.data.filepath, bpy.app.version)
    elif named := named_blend(sys.argv):
        blendfile.check(named, bpy.app.version)
        raise InputError(f"{named} is damaged: Blender could not open it.", "Restore it from a backup.")


def named_blend(argv: list) -> str | None:
    """The .blend file that Blender's own command line asks for, the last one if several, or None.

    When Blender cannot open it, ``--command`` goes on with the start-up scene, and that must not be exported in its stead.
    """
    named = None
    for before, argument in zip(argv, argv[1:]):
        if argument in ("-c", "--command", "--"):
            break
        if argument.lower().endswith(".blend") and before not in ("-P", "--python"):
            named = argument
    return named


def _register_properties():
    """The settings that the panel stores in a .blend (channels, LODs, full precision) are readable only once their types are registered.

    Inside Blender the enabled extension has done so.
    """
    import bpy

    from ..blender import registration

    if not hasattr(bpy.types.Scene, "gpuscene"):
        registration.register()


def bench_export(arguments: dict, progress) -> dict:
    """Measure; the figures and their table as text."""
    import bpy  # noqa: F401  so that a missing module is named first

    from ..bench.export import format_table, run

    result = run(arguments["instances"], arguments["peers"], progress)
    return {"result": result, "text": format_table(result)}


def bench_cull(arguments: dict, progress) -> dict:
    """Measure culling on the CPU, on the GPU, or both; the GPU's part says why where there is none."""
    from ..bench import cull as cpu

    device, result, texts = arguments["device"], {}, []
    if device != "gpu":
        result["cpu"] = cpu.run(arguments["instances"], progress)
        texts.append(cpu.format_table(result["cpu"]))
    if device != "cpu":
        import bpy  # noqa: F401  the module gpu is there once Blender is

        from ..bench import cull_gpu
        from .bench_text import gpu_text
        tell = (lambda text: None) if progress is None else (lambda text: progress(0.5, text))
        try:
            result["gpu"] = cull_gpu.run(arguments["instances"], tell)
        except GpuSceneError as error:
            if device == "gpu":
                raise
            result["gpu"] = {"missing": str(error)}
        texts.append(gpu_text(result["gpu"]))
    return {"result": result, "text": "\n".join(texts)}


def bench_tree(arguments: dict, progress) -> dict:
    """Measure building; the figures and their table as text."""
    from ..bench.tree import format_table, run

    result = run(arguments["instances"], progress)
    return {"result": result, "text": format_table(result)}


def bench_update(arguments: dict, progress) -> dict:
    """Measure following changes; the figures and their table as text."""
    from ..bench.update import format_table, run

    if arguments["device"] != "cpu":
        import bpy  # noqa: F401  the module gpu is there once Blender is
    result = run(arguments["instances"], arguments["device"] != "cpu", progress)
    return {"result": result, "text": format_table(result)}


def bench_viewport(arguments: dict, progress) -> dict:
    """Measure a live session; the figures and their table as text."""
    import bpy  # noqa: F401  so that a missing module is named first

    from ..bench.viewport import format_table, run

    result = run(arguments["instances"], progress)
    return {"result": result, "text": format_table(result)}


def _frames(arguments: dict):
    """The frames that a culling task works on, and how many they are."""
    from .views import blend_frames, is_stored, stored_frame

    source, frames = arguments["source"], arguments.get("frames")
    if is_stored(source):
        return [stored_frame(source, arguments["camera"], frames)], 1
    import bpy

    _register_properties()
    _check_loaded() if source is None else blendfile.check(source, bpy.app.version)
    return blend_frames(source, arguments["camera"], frames), 1 if frames is None else len(range(frames[0], frames[1] + 1, frames[2]))


def cull(arguments: dict, progress) -> dict:
    """Cull frames on CPU and GPU; the result of ``culling.cull_frames``."""
    import bpy  # noqa: F401  the module gpu is there once Blender is

    from .culling import Choices, cull_frames

    frames, count = _frames(arguments)
    return cull_frames(frames, count, arguments["device"], arguments["slices"], Choices(**arguments["choices"]), progress)


def tree(arguments: dict, progress) -> dict:
    """Measure cluster trees over a .blend's scene; the result of ``tree.measure``."""
    import bpy

    from ..blender.export import ExportSettings, extract_scene, open_blend
    from .tree import measure

    _register_properties()
    if arguments["source"] is None:
        _check_loaded()
    else:
        blendfile.check(arguments["source"], bpy.app.version)
        open_blend(arguments["source"])
    return measure(extract_scene(bpy.context, ExportSettings()), arguments, progress)


def snapshot(arguments: dict, progress) -> dict:
    """Draw one frame; the result of ``picture.snapshot``."""
    import bpy  # noqa: F401  so that a missing module is named first

    from .picture import snapshot as draw

    for frame in _frames(arguments)[0]:
        skins = None
        if arguments["overlay"] == "skin":
            from .picture_skins import PictureSkins

            skins = PictureSkins(arguments)
        return draw(frame, arguments, skins)


def skin(arguments: dict, progress) -> dict:
    """Pose a .blend's characters and hold them against Blender; the result of ``skinning.measure``."""
    import bpy

    from ..blender.export import open_blend
    from .skinning import measure

    if arguments["source"] is None:
        _check_loaded()
    else:
        blendfile.check(arguments["source"], bpy.app.version)
        open_blend(arguments["source"])
    return measure(arguments, progress)


def bench_skin(arguments: dict, progress) -> dict:
    """Measure skinning: Blender's own, numpy's, and the GPU's, which says why where there is none."""
    import bpy  # noqa: F401  so that a missing module is named first

    from ..bench.skin import format_table, run

    device, tell = arguments["device"], (lambda text: None) if progress is None else (lambda text: progress(0.5, text))
    try:
        result = run(arguments["particles"], device != "cpu", tell)
    except GpuSceneError as error:
        if device == "gpu":
            raise
        result = run(arguments["particles"], False, tell)
        result["gpu"] = {"missing": str(error)}
    return {"result": result, "text": format_table(result)}


TASKS = {"export": export, "cull": cull, "tree": tree, "snapshot": snapshot, "skin": skin, "bench_export": bench_export, "bench_cull": bench_cull,
         "bench_tree": bench_tree, "bench_update": bench_update, "bench_viewport": bench_viewport, "bench_skin": bench_skin}


def run_task(name: str, arguments: dict, hosted: bool) -> dict:
    """Run a task where it belongs, with a progress bar on a terminal. Raises `GpuSceneError`."""
    from .output import print_text, progress_bar

    if hosted:
        from .quiet import blender_stdout_dropped
        with blender_stdout_dropped():
            return TASKS[name](arguments, None)
    from . import worker
    with progress_bar() as progress:
        result, said = worker.call(name, arguments, progress)
    for line in said:
        print_text(line, sys.stderr)
    return result
