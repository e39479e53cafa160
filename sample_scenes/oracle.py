"""Counts a .blend the slow, plain way: one Python pass over `depsgraph.object_instances`.

Usage: ``python oracle.py FILE.blend...`` prints one JSON object a file, with the numbers of the viewport and of the render
(Blender hands its render-mode dependency graph to a render engine only, so a tiny one is registered here).
It shares no code with the extension, so that the two can be compared. A mesh instance is an item with at least one
face that shows itself; text, curves, surfaces and metaballs are listed by Blender twice, as themselves and as a MESH item,
and the MESH item is the one that counts. Cost: about 1 s for 20,000 instances.
"""

from __future__ import annotations

import json
import sys

import bpy
import numpy as np

ENGINE = "SAMPLE_SCENES_ORACLE"
#: A column this short, in metres, has no direction left: float32 cannot square it.
ZERO_AXIS = 1e-18


def _mesh_facts(mesh) -> tuple:
    """((N, 3) float64 finite vertices, triangles) of an evaluated mesh."""
    points = np.empty(len(mesh.vertices) * 3, np.float32)
    mesh.vertices.foreach_get("co", points)
    points = points.reshape(-1, 3).astype(np.float64)
    return points[np.isfinite(points).all(1)], sum(len(polygon.vertices) - 2 for polygon in mesh.polygons)


def _name(data_block) -> str:
    """The name with its library's, where it has one: two libraries may use one name."""
    original = data_block.original or data_block
    return original.name_full


def measure(depsgraph) -> dict:
    """The numbers of one evaluated dependency graph, as JSON values; positions in metres, summed in float64."""
    facts, by_object, by_mesh = {}, {}, {}
    count = triangles = negative = zero = not_finite = 0
    total, low, high = np.zeros(3), np.full(3, np.inf), np.full(3, -np.inf)
    for item in depsgraph.object_instances:
        source = item.object
        if source.type != "MESH" or not item.show_self or not len(source.data.polygons):
            continue
        key = source.data.as_pointer()
        if key not in facts:
            facts[key] = _mesh_facts(source.data)
        points, mesh_triangles = facts[key]
        matrix = np.array(item.matrix_world, np.float64)
        count += 1
        triangles += mesh_triangles
        for table, name in ((by_object, _name(source)), (by_mesh, _name(source.data))):
            table[name] = table.get(name, 0) + 1
        if not np.isfinite(matrix).all():
            not_finite += 1
            continue
        total += matrix[:3, 3]
        if (np.linalg.norm(matrix[:3, :3], axis=0) < ZERO_AXIS).any():
            zero += 1
        elif np.linalg.det(matrix[:3, :3]) < 0:
            negative += 1
        if len(points):
            placed = points @ matrix[:3, :3].T + matrix[:3, 3]
            low, high = np.minimum(low, placed.min(0)), np.maximum(high, placed.max(0))
    return {
        "instances": count,
        "triangles": triangles,
        "negative_det": negative,
        "zero_scale": zero,
        "not_finite": not_finite,
        "sum_translation": total.tolist(),
        "aabb": [low.tolist(), high.tolist()] if count else None,
        "by_object": dict(sorted(by_object.items())),
        "by_mesh": dict(sorted(by_mesh.items())),
    }


def measure_viewport() -> dict:
    """The open file as the viewport shows it."""
    return measure(bpy.context.evaluated_depsgraph_get())


def measure_render() -> dict:
    """The open file as a render sees it. Changes the open scene's engine and size; do not save it afterwards."""
    found = []

    class OracleEngine(bpy.types.RenderEngine):
        """Renders nothing; measures what it is given."""

        bl_idname = ENGINE
        bl_label = "Sample scenes oracle"

        def render(self, depsgraph):
            found.append(measure(depsgraph))

    bpy.utils.register_class(OracleEngine)
    try:
        scene = bpy.context.scene
        scene.render.engine = ENGINE
        scene.render.resolution_x = scene.render.resolution_y = 16
        scene.render.resolution_percentage = 100
        bpy.ops.render.render()
    finally:
        bpy.utils.unregister_class(OracleEngine)
    return found[0]


def measure_file(path) -> dict:
    """Opens `path` and returns ``{"viewport": ..., "render": ...}``."""
    bpy.ops.wm.open_mainfile(filepath=str(path), load_ui=False)
    return {"viewport": measure_viewport(), "render": measure_render()}


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        print(json.dumps(measure_file(argument), indent=1))
