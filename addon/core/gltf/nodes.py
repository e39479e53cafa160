"""What a viewer sees: glTF meshes over the vertex tables, and nodes for each primitive with its instances."""

from __future__ import annotations

import numpy as np

from .. import layout, transforms_trs
from ..limits import NO_INDEX
from ..scene import SceneData
from .views import Views

FLOAT, UNSIGNED_INT = 5126, 5125
INSTANCING = "EXT_mesh_gpu_instancing"
DRAWN = layout.INSTANCE_VISIBLE | layout.INSTANCE_VALID


class Meshes:
    """glTF meshes and accessors over views of the vertex and index tables: one mesh a primitive and LOD, one glTF primitive a batch.

    Parameters
    ----------
    scene : SceneData
    view_of : dict
        Table name -> buffer view index.

    Attributes
    ----------
    meshes, accessors : list of dict
    of_primitive : dict of int to int
        Primitive row -> its LOD 0 mesh. Primitives with nothing to draw have none.
    """

    def __init__(self, scene: SceneData, view_of: dict):
        self.scene, self.view_of = scene, view_of
        self.meshes, self.accessors, self.of_primitive = [], [], {}
        primitives, lods = scene["primitives"], scene["lods"].tolist()
        self.batches = list(zip(scene["batches"].tolist(), scene["indirect_args"].tolist(), strict=True))
        for row, (first, count, vertices, flags) in enumerate(zip(*(primitives[f].tolist() for f in (
                "first_lod", "lod_count", "vertex_count", "flags")), strict=True)):
            for level in range(count):
                mesh = self._mesh(row, level, lods[first + level], vertices if level == 0 else None, flags)
                if mesh is not None and level == 0:
                    self.of_primitive[row] = mesh

    def _mesh(self, row, level, lod, vertex_count, flags):
        first_index, index_count, *_, base_vertex, first_batch, batch_count = lod
        batches = [b for b in self.batches[first_batch:first_batch + batch_count] if b[1][0]]
        if not batches:
            return None
        if vertex_count is None:
            vertex_count = int(self.scene["indices"][first_index:first_index + index_count].max()) + 1
        attributes = self._attributes(base_vertex, vertex_count, flags)
        primitives = []
        for (_, _, material, _), (count, _, first, _, _) in batches:
            primitive = {"attributes": attributes, "indices": self.accessor("indices", UNSIGNED_INT, "SCALAR", 4 * first, count)}
            primitives.append(primitive | ({"material": material} if material != NO_INDEX else {}))
        name = self.scene.primitive_names[row]
        self.meshes.append({"name": f"{name}_LOD{level}" if level else name, "primitives": primitives,
                            "extras": {"primitive_id": row, "lod_index": level}})
        return len(self.meshes) - 1

    def _attributes(self, base, count, flags):
        part = self.scene["vertex_positions"][base:base + count]
        bounds = {"min": part.min(axis=0).tolist(), "max": part.max(axis=0).tolist()}
        attributes = {"POSITION": self.accessor("vertex_positions", FLOAT, "VEC3", 12 * base, count, bounds),
                      "NORMAL": self.accessor("vertex_normals", FLOAT, "VEC3", 12 * base, count)}
        if flags & layout.PRIMITIVE_HAS_UV:
            attributes["TEXCOORD_0"] = self.accessor("vertex_uvs", FLOAT, "VEC2", 8 * base, count)
        return attributes

    def accessor(self, view: str, component: int, kind: str, offset: int, count: int, more=()) -> int:
        """Append an accessor and return its index."""
        self.accessors.append({"bufferView": self.view_of[view], "byteOffset": offset, "componentType": component, "count": count,
                               "type": kind, **dict(more)})
        return len(self.accessors) - 1


def drawn_groups(scene: SceneData) -> tuple:
    """Which rows viewers draw, and which belong together: those of one primitive, mirrored ones apart.

    Returns
    -------
    rows : (D,) int64 or None
        Drawn rows, group after group; None for all rows in their own order.
    groups : list of (primitive, mirrored, first, count)
        Runs of the drawn rows.
    """
    flags, ids = scene["instance_transforms"]["flags"], scene["instance_data"]["primitive_id"].astype(np.int64)
    drawn = (flags & DRAWN) == DRAWN
    keys = 2 * ids + ((flags & layout.INSTANCE_MIRRORED) != 0)
    rows = None
    if not drawn.all():
        rows = np.flatnonzero(drawn)
        keys = keys[rows]
    if (keys & 1).any():
        order = np.argsort(keys, kind="stable")
        rows, keys = order if rows is None else rows[order], keys[order]
    starts = np.flatnonzero(np.diff(keys, prepend=-1))
    counts = np.diff(starts, append=len(keys))
    return rows, [(key >> 1, bool(key & 1), first, count) for key, first, count in
                  zip(keys[starts].tolist(), starts.tolist(), counts.tolist(), strict=True)]


def add_nodes(scene: SceneData, meshes: Meshes, views: Views) -> list:
    """The node list: a root that turns the scene's axes into glTF's, and children for each primitive that is drawn. Translations, rotations and
    scales of instanced primitives become three views.

    Viewers decide which side of a triangle is its front once for each draw, by the node's determinant. So mirrored instances hang under a node
    that mirrors, F = diag(-1, 1, 1), and are not mirrored in it: F T R S = (F T F) (F R F) (F S).
    """
    rows, groups = drawn_groups(scene)
    groups = [g for g in groups if g[0] in meshes.of_primitive]
    root = {"name": str(scene.metadata.get("scene") or "GPUScene")}
    matrix = scene.convention.gltf_from_target()
    if not np.array_equal(matrix, np.eye(4)):
        root["matrix"] = (matrix.T + 0.0).reshape(-1).tolist()  # + 0.0 turns -0 into 0
    nodes = [root]
    if not groups:
        return nodes
    root["children"] = list(range(1, len(groups) + 1))
    translation, rotation, scale, _ = transforms_trs.decompose(scene["instance_transforms"], rows)
    for _, mirrored, first, count in groups:
        if mirrored and count > 1:
            run = slice(first, first + count)
            translation[run, 0] *= -1
            rotation[run, 1:3] *= -1
            scale[run, 0] *= -1
    parts = {"TRANSLATION": translation, "ROTATION": rotation, "SCALE": scale}
    if any(count > 1 for *_, count in groups):
        for name, values in parts.items():
            meshes.view_of[name] = views.add(f"instances_{name.lower()}", values)
    sources, names = scene["instance_sources"], scene.primitive_names
    for primitive, mirrored, first, count in groups:
        node = {"name": names[primitive], "mesh": meshes.of_primitive[primitive]}
        if count == 1:
            node["name"] = scene.sources[int(sources[first if rows is None else rows[first]])]
            node |= {name.lower(): values[first].tolist() for name, values in parts.items()}
        else:
            node["extensions"] = {INSTANCING: {"attributes": {
                name: meshes.accessor(name, FLOAT, f"VEC{values.shape[1]}", 4 * values.shape[1] * first, count)
                for name, values in parts.items()}}}
            if mirrored:
                node |= {"name": f"{names[primitive]} mirrored", "scale": [-1.0, 1.0, 1.0]}
        nodes.append(node)
    return nodes
