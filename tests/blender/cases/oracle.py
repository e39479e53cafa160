"""What Blender draws, by a slow pass over ``depsgraph.object_instances`` in plain Python, and its comparison with a `SceneData`.

Written without a look at the exporter and sharing no code with it: it knows only what Blender's documentation says of the iterator and
the layout of the tables. Two meshes are the same look when, for each material, they agree on triangle count, area, area centroid,
signed volume and box.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import bpy
import numpy as np

#: of positions, relative to their size; Blender computes in float32
TOLERANCE = 1e-5


@dataclass(frozen=True)
class Drawn:
    """One mesh instance with a face: `object` and `parent` (its instancer) by full name, `look` (see `look_of`), `matrix` (4, 4) float64."""

    object: str
    parent: str
    look: dict
    matrix: np.ndarray

    @property
    def triangles(self) -> int:
        return sum(values[0] for values in self.look.values())


def drawn(visible="viewport") -> list:
    """`Drawn` of the current scene as the viewport or a render shows it."""
    if visible == "render":
        return in_render(drawn_by)
    bpy.context.view_layer.update()
    return drawn_by(bpy.context.evaluated_depsgraph_get())


def drawn_by(depsgraph) -> list:
    """`Drawn` of everything a dependency graph shows.

    Fonts, curves, surfaces and metaballs come twice, as themselves and as a mesh item: only the mesh is counted. Instancers that hide
    themselves still come, with `show_self` off.
    """
    instances = depsgraph.object_instances
    # Not item.matrix_world: Blender's iterator looks ahead, and shows a stale matrix before an instancer that hides itself.
    matrices = np.empty((len(instances), 16), np.float32)
    instances.foreach_get("matrix_world", matrices.reshape(-1))
    matrices = matrices.astype(np.float64).reshape(-1, 4, 4).transpose(0, 2, 1)
    # A collection's closed eye leaves its objects in the graph, where only a viewport with local collections shows them.
    layer = depsgraph.view_layer
    closed = {obj for obj in layer.objects if depsgraph.mode == "VIEWPORT" and not obj.visible_get(view_layer=layer)}
    found, looks = [], {}
    for item, matrix in zip(instances, matrices):
        obj = item.object
        if obj.type != "MESH" or not item.show_self or not len(obj.data.polygons):
            continue
        if (item.parent if item.is_instance else obj).original in closed:
            continue
        key = (obj.data.as_pointer(), tuple((s.link, s.material and s.material.name_full) for s in obj.material_slots))
        if key not in looks:
            looks[key] = _look_of_object(obj)
        parent = item.parent.name_full if item.is_instance else ""
        found.append(Drawn(obj.name_full, parent, looks[key], matrix))
    return found


def _look_of_object(obj) -> dict:
    mesh = obj.data
    materials = list(mesh.materials)
    for index, slot in enumerate(obj.material_slots):
        if slot.link == "OBJECT" and index < len(materials):
            materials[index] = slot.material
    mesh.calc_loop_triangles()
    triangles = {}
    for triangle in mesh.loop_triangles:
        # Faces past the last slot are shown with the last one.
        slot = min(triangle.material_index, len(materials) - 1)
        material = materials[slot] if materials else None
        points = [mesh.vertices[v].co[:] for v in triangle.vertices]
        triangles.setdefault(material.name_full if material else None, []).append(points)
    return look_of(triangles)


def look_of(triangles) -> dict:
    """Material name -> (triangle count, area, centroid, signed volume, box min, box max) of ``{name: (T, 3, 3) points}``."""
    look = {}
    for name, points in triangles.items():
        a, b, c = np.asarray(points, np.float64).transpose(1, 0, 2)
        areas = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2
        total = areas.sum()
        centroid = ((a + b + c) / 3 * areas[:, None]).sum(axis=0) / max(total, 1e-30)
        volume = np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6
        corners = np.concatenate([a, b, c])
        look[name] = (len(points), total, centroid, volume, corners.min(axis=0), corners.max(axis=0))
    return look


def same_look(one, other) -> bool:
    if {name: values[0] for name, values in one.items()} != {name: values[0] for name, values in other.items()}:
        return False
    for name, (_count, area, centroid, volume, low, high) in one.items():
        _, area2, centroid2, volume2, low2, high2 = other[name]
        size = max(np.abs([low, high]).max(), 1e-30)
        if not np.allclose([low, high], [low2, high2], rtol=0, atol=TOLERANCE * size):
            return False
        # Sums over triangles, and a centroid of slivers, gather more rounding than a coordinate.
        if not np.allclose(centroid, centroid2, rtol=0, atol=1e-3 * size):
            return False
        if abs(area - area2) > 1e-3 * size ** 2 or abs(volume - volume2) > 1e-3 * size ** 3:
            return False
    return True


def primitive_look(data, index) -> dict:
    """The look of LOD 0 of one row of `primitives`, read from the tables alone."""
    lod = data["lods"][data["primitives"][index]["first_lod"]]
    triangles = {}
    for row in range(lod["first_batch"], lod["first_batch"] + lod["batch_count"]):
        args, material = data["indirect_args"][row], data["batches"][row]["material_index"]
        name = None if material == 0xFFFFFFFF else data.materials[material].name
        indices = data["indices"][args["first_index"]:args["first_index"] + args["index_count"]].astype(np.int64)
        points = data["vertex_positions"][indices + int(args["base_vertex"])].reshape(-1, 3, 3)
        triangles.setdefault(name, []).append(points)
    return look_of({name: np.concatenate(parts) for name, parts in triangles.items()})


def assert_same(data, expected) -> None:
    """`data` (a `SceneData` in Blender's axes) shows exactly the multiset `expected` (of `Drawn`): looks, materials and matrices."""
    looks = []
    for one in expected:
        if not any(one.look is look or same_look(one.look, look) for look in looks):
            looks.append(one.look)

    def group(look):
        return next((i for i, known in enumerate(looks) if known is look or same_look(known, look)), None)

    by_identity = {id(one.look): one.look for one in expected}
    group_of = {identity: group(look) for identity, look in by_identity.items()}
    wanted = np.array([group_of[id(one.look)] for one in expected], int)
    of_primitive = [group(primitive_look(data, p)) for p in range(data.primitive_count)]
    used = np.bincount(data["instance_data"]["primitive_id"], minlength=data.primitive_count)
    unknown = {data.primitive_names[p]: int(used[p]) for p, g in enumerate(of_primitive) if g is None and used[p]}
    assert not unknown, f"primitives that Blender does not show, with their instances: {unknown}"
    actual = np.array([-1 if g is None else g for g in of_primitive], int)[data["instance_data"]["primitive_id"]]
    names = {i: sorted({one.object for one, g in zip(expected, wanted) if g == i})[:4] for i in range(len(looks))}
    counts = {i: (int((actual == i).sum()), int((wanted == i).sum())) for i in range(len(looks))}
    wrong = {tuple(names[i]): f"{got} exported, {right} shown" for i, (got, right) in counts.items() if got != right}
    assert not wrong, wrong
    matrices = data.world_from_local().astype(np.float64)
    right = np.array([one.matrix for one in expected]).reshape(-1, 4, 4)
    for i in range(len(looks)):
        assert_same_matrices(matrices[actual == i], right[wanted == i], names[i])
    assert data.triangle_count() == sum(one.triangles for one in expected)


def assert_same_matrices(actual, expected, what="") -> None:
    """Two (N, 4, 4) multisets of matrices agree: linear parts to `TOLERANCE` of their size, positions to that of theirs or of a metre."""
    actual, expected = np.asarray(actual, np.float64), np.asarray(expected, np.float64)
    assert actual.shape == expected.shape, f"{what}: {len(actual)} matrices exported, {len(expected)} expected"
    # A projection brings equal matrices together; among neighbours along it each is matched once.
    direction = np.random.default_rng(1).normal(size=16)
    direction /= np.linalg.norm(direction)
    a, e = actual.reshape(-1, 16) @ direction, expected.reshape(-1, 16) @ direction
    actual, expected, a, e = actual[np.argsort(a)], expected[np.argsort(e)], np.sort(a), np.sort(e)
    linear, place = _tolerances(expected)
    left = np.flatnonzero(~_close(actual, expected, linear, place))
    reach = 4 * np.maximum(linear, place) * 4
    free = set(left.tolist())
    for row in left.tolist():
        first, last = np.searchsorted(a, [e[row] - reach[row], e[row] + reach[row]])
        candidates = [i for i in range(first, last) if i in free]
        hits = [i for i in candidates if _close(actual[i:i + 1], expected[row:row + 1], linear[row], place[row])[0]]
        assert hits, f"{what}: no exported instance has the matrix\n{expected[row]}\nleft over, for instance:\n{actual[min(free)]}"
        free.discard(hits[0])


def _tolerances(matrices):
    linear = np.abs(matrices[:, :3, :3]).max(axis=(1, 2))
    place = np.maximum(np.abs(matrices[:, :3, 3]).max(axis=1), np.maximum(linear, 1.0))
    return TOLERANCE * linear, TOLERANCE * place


def _close(a, b, linear, place):
    difference = np.abs(a - b)
    return ((difference[:, :3, :3].max(axis=(1, 2)) <= linear) & (difference[:, :3, 3].max(axis=1) <= place)
            & (difference[:, 3].max(axis=1) <= 1e-6))


def counts_by_object(expected) -> Counter:
    """Object name -> number of instances shown."""
    return Counter(one.object for one in expected)


class ORACLE_RE_render(bpy.types.RenderEngine):
    """Hands its render-mode dependency graph to a function."""

    bl_idname = "ORACLE_RENDER"
    bl_label = "Oracle"
    bl_use_preview = False
    work = None
    result = None

    def render(self, depsgraph):
        kind = type(self)
        try:
            kind.result = ("done", kind.work(depsgraph))
        except Exception as error:
            kind.result = ("failed", error)


def in_render(work):
    """``work(depsgraph)`` on the render-mode dependency graph of the current scene and view layer."""
    engine, scene = ORACLE_RE_render, bpy.context.scene
    before = scene.render.engine, scene.render.resolution_x, scene.render.resolution_y, scene.camera
    camera = None
    if scene.camera is None:
        camera = bpy.data.objects.new("oracle camera", bpy.data.cameras.new("oracle camera"))
        scene.collection.objects.link(camera)
        scene.camera = camera
    engine.work, engine.result = staticmethod(work), None
    bpy.utils.register_class(engine)
    try:
        scene.render.engine, scene.render.resolution_x, scene.render.resolution_y = engine.bl_idname, 16, 16
        bpy.ops.render.render(layer=bpy.context.view_layer.name, scene=scene.name)
    finally:
        bpy.utils.unregister_class(engine)
        scene.render.engine, scene.render.resolution_x, scene.render.resolution_y, scene.camera = before
        if camera is not None:
            bpy.data.cameras.remove(camera.data)
    assert engine.result is not None, "Blender started no render"
    kind, value = engine.result
    engine.result = None
    if kind == "failed":
        raise value
    return value
