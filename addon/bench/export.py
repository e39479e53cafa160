"""``gpuscene bench export``: this exporter against Blender's USD and glTF exporters, and extraction against the bare reads it is made of."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import bpy
import numpy as np

from ..blender.export import ExportSettings, export_scene
from . import scenes
from .measure import PeakMemory, paired, seconds

#: linked duplicates and glTF peers are measured at this many (or fewer, when fewer are asked for): the glTF exporter takes minutes beyond
MANY_OBJECTS = 100_000
RUNS = 7


def run(instances: int, peers: bool, progress=None) -> dict:
    """Measure in scratch scenes (the loaded file is left behind) and return figures.

    Parameters
    ----------
    instances : int
        Geometry Nodes instances; separate objects are measured at ``min(instances, MANY_OBJECTS)``.
    peers : bool
        Also run Blender's exporters, each once.
    progress : callable or None
        ``progress(fraction, text)``.
    """
    report = progress or (lambda fraction, text: None)
    few = min(instances, MANY_OBJECTS)
    result = {"blender": bpy.app.version_string, "instances": instances, "objects": few, "runs": RUNS}
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        report(0.0, f"{instances:,} Geometry Nodes instances")
        scenes.empty()
        obj = scenes.geometry_nodes(instances)
        result["export"] = _export(folder / "scene.glb", instances + 1)
        result["extraction"] = _extraction(obj, folder / "scene.glb")
        report(0.2, "gpuscene info")
        result["info"] = _info(folder / "scene.glb")
        if peers:
            report(0.25, f"Blender's USD exporter, {instances:,}")
            result["usd"] = _usd(folder / "scene.usdc", instances, result["export"]["seconds"])
        report(0.45, f"{few:,} separate objects")
        scenes.empty()
        scenes.linked_duplicates(few)
        result["linked_duplicates"] = _linked_duplicates(folder / "scene.glb")
        if peers:
            scenes.empty()
            scenes.geometry_nodes(few)
            ours = _export(folder / "scene.glb", few + 1)["seconds"]
            report(0.55, f"Blender's glTF exporter with GPU instances, {few:,}")
            result["gltf"] = _gltf(folder / "peer.glb", few, ours)
    report(1.0, "done")
    return result


def _timed_export(path) -> dict:
    return export_scene(bpy.context, path, ExportSettings())


def _export(path, expected) -> dict:
    """Median seconds of whole exports (warm), and the memory growth of one."""
    with PeakMemory() as peak:
        first = _timed_export(path)
    if first["instances"] != expected:
        raise AssertionError(f"exported {first['instances']} of {expected} instances")
    results = [_timed_export(path) for _ in range(RUNS)]
    totals = sorted(r["seconds"]["total"] for r in results)
    middle = next(r for r in results if r["seconds"]["total"] == totals[RUNS // 2])
    return {"seconds": middle["seconds"]["total"], "stages": middle["seconds"], "first_seconds": first["seconds"]["total"], "bytes": first["bytes"],
            "memory_growth": peak.bytes, "memory_over_file": None if peak.bytes is None else peak.bytes / first["bytes"]}


def _extraction(obj, path) -> dict:
    """Extraction's stage against the bare read of the same matrices into a fresh array."""
    depsgraph = bpy.context.evaluated_depsgraph_get()

    def bare():
        start = time.perf_counter()
        geometry = obj.evaluated_get(depsgraph).evaluated_geometry()
        points = geometry.instances_pointcloud()
        matrices = np.empty(len(points.points) * 16, np.float32)
        points.attributes["instance_transform"].data.foreach_get("value", matrices)
        return time.perf_counter() - start

    stages = []

    def ours():
        stages.append(_timed_export(path)["seconds"])
        return stages[-1]["extract"]

    read, extract, ratio = paired(bare, ours, RUNS)
    assemble = float(np.median([s["assemble"] for s in stages]))
    return {"bare_foreach_get": read, "extract": extract, "ratio": ratio, "assemble": assemble}


def _linked_duplicates(path) -> dict:
    """Extraction's stage against one pass over ``object_instances``: doing nothing in it, and reading object and matrix."""
    depsgraph = bpy.context.evaluated_depsgraph_get()

    def bare():
        return seconds(lambda: [None for _ in depsgraph.object_instances])

    def reading():
        def loop():
            for instance in depsgraph.object_instances:
                instance.object, instance.matrix_world  # noqa: B018  the read is what is measured
        return seconds(loop)

    def ours():
        return _timed_export(path)["seconds"]["extract"]

    bare_pass, extract, ratio = paired(bare, ours, RUNS)
    reading_pass, _, reading_ratio = paired(reading, ours, RUNS)
    return {"bare_pass": bare_pass, "extract": extract, "ratio": ratio, "reading_pass": reading_pass, "reading_ratio": reading_ratio}


def _info(path) -> dict:
    """Wall-clock of the whole ``info`` command, Python start included."""
    package = __package__.rpartition(".")[0]
    command = [sys.executable, "-P", "-m", f"{package}.cli", "info", str(path), "--json"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    times = sorted(seconds(lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)) for _ in range(RUNS))
    return {"seconds": times[RUNS // 2], "bytes": path.stat().st_size}


def _usd(path, count: int, ours: float) -> dict:
    taken = seconds(lambda: bpy.ops.wm.usd_export(filepath=str(path), use_instancing=True))
    if path.stat().st_size < 8 * count:  # a position and an orientation take more, even compressed
        raise AssertionError(f"Blender's USD exporter wrote {path.stat().st_size} bytes, too few for {count} instances")
    return {"seconds": taken, "gpuscene_seconds": ours, "ratio": taken / ours, "bytes": path.stat().st_size}


def _gltf(path, count: int, ours: float) -> dict:
    if not hasattr(bpy.types, "EXPORT_SCENE_OT_gltf"):
        bpy.ops.preferences.addon_enable(module="io_scene_gltf2")
    taken = seconds(lambda: bpy.ops.export_scene.gltf(filepath=str(path), export_format="GLB", export_gpu_instances=True, export_gn_mesh=True))
    length = int.from_bytes(path.read_bytes()[12:16], "little")
    accessors = json.loads(path.read_bytes()[20:20 + length])["accessors"]
    if not any(a["count"] == count for a in accessors):
        raise AssertionError(f"Blender's glTF exporter wrote no accessor of {count} instances")
    return {"instances": count, "seconds": taken, "gpuscene_seconds": ours, "ratio": taken / ours, "bytes": path.stat().st_size}


def format_table(result: dict) -> str:
    """The figures as lines of text."""
    def megabytes(value):
        return "unknown" if value is None else f"{value / 1e6:.0f} MB"

    export, extraction, linked, info = (result[k] for k in ("export", "extraction", "linked_duplicates", "info"))
    lines = [f"Blender {result['blender']}, medians of {result['runs']} runs",
             f"export {result['instances']:,} Geometry Nodes instances   {export['seconds']:.3f} s   {megabytes(export['bytes'])}   "
             + " ".join(f"{k} {v:.3f}" for k, v in export["stages"].items() if k != "total")]
    if export["memory_over_file"] is not None:
        lines.append(f"  memory grows by   {megabytes(export['memory_growth'])}   {export['memory_over_file']:.2f} x the file")
    lines.append(f"  extraction        {extraction['extract']:.3f} s   {extraction['ratio']:.2f} x the bare foreach_get ({extraction['bare_foreach_get']:.3f} s)")
    lines.append(f"  gpuscene info     {info['seconds']:.3f} s   on {megabytes(info['bytes'])}")
    if "usd" in result:
        usd = result["usd"]
        lines.append(f"  Blender's USD     {usd['seconds']:.2f} s   {usd['ratio']:.0f} x ours")
    lines.append(f"extract {result['objects']:,} linked duplicates   {linked['extract']:.3f} s   {linked['ratio']:.2f} x a bare pass over object_instances "
                 f"({linked['bare_pass']:.3f} s), {linked['reading_ratio']:.2f} x one that reads object and matrix ({linked['reading_pass']:.3f} s)")
    if "gltf" in result:
        gltf = result["gltf"]
        lines.append(f"export {gltf['instances']:,} Geometry Nodes instances   {gltf['gpuscene_seconds']:.3f} s   "
                     f"Blender's glTF exporter with GPU instances {gltf['seconds']:.1f} s   {gltf['ratio']:.0f} x ours")
    return "\n".join(lines)
