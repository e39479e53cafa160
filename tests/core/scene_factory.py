"""Scenes from a seed, valid in every respect, without Blender: for tests of everything behind extraction."""

import numpy as np

from gpuscene.core import layout, limits
from gpuscene.core.conventions import PRESETS
from gpuscene.core.findings import Finding
from gpuscene.core.scene import DEFAULT_CHANNELS, Material, SceneData

#: a box: 24 vertices with face normals and UVs, 12 triangles wound counter-clockwise seen from outside
_AXES = [(axis, sign) for axis in range(3) for sign in (1, -1)]


def box() -> tuple:
    """Positions (24, 3), normals (24, 3), UVs (24, 2) float32 and indices (36,) uint32 of the cube [-1, 1]^3."""
    positions, normals, uvs, indices = [], [], [], []
    for axis, sign in _AXES:
        u, v = (axis + 1) % 3, (axis + 2) % 3
        corners = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
        for a, b in corners if sign > 0 else corners[::-1]:
            point = [0, 0, 0]
            point[axis], point[u], point[v] = sign, a, b
            positions.append(point)
            normals.append([sign * (i == axis) for i in range(3)])
            uvs.append([(a + 1) / 2, (1 - b) / 2])
        first = len(positions) - 4
        indices += [first, first + 1, first + 2, first, first + 2, first + 3]
    return np.array(positions, "f4"), np.array(normals, "f4"), np.array(uvs, "f4"), np.array(indices, "u4")


def rotations(rng, count) -> np.ndarray:
    """(count, 3, 3) float64 random rotations, by Gram-Schmidt on Gaussian vectors."""
    matrices, _ = np.linalg.qr(rng.normal(size=(count, 3, 3)))
    matrices[:, :, 2] *= np.linalg.det(matrices)[:, None] if count else 1
    return matrices


def make_scene(instances=20, primitives=3, seed=0, *, axes="blender", lods=2, materials=2, mirrored=True, hidden=True, full_precision=0,
               sources=None, names=None, findings=(), metadata=None, extra_tables=None, cameras=()) -> SceneData:
    """A random scene of boxes of different sizes.

    Parameters
    ----------
    instances, primitives, materials : int
        Counts. Every primitive has ``min(materials, 2)`` batches in each LOD. `instances` are dealt out at random.
    seed : int
    axes : str
        Preset name; the data is generated in these axes (instances within 10 of its units), not converted.
    lods : int
        LODs of every second primitive; the others have one.
    mirrored, hidden : bool
        Let a quarter of the instances be mirrored; a quarter hidden or invalid.
    full_precision : int
        Rows flagged full precision, with a table of float64 matrices.
    sources, names : sequence of str, optional
        Object names (default ``Object.000``...) and primitive names (default ``Box 0``...).
    """
    rng = np.random.default_rng(seed)
    tables = {name: layout.TABLES[name].empty(0) for name in layout.REQUIRED_TABLES}
    _geometry(tables, rng, primitives, lods, materials)
    sources = tuple(sources) if sources is not None else tuple(f"Object.{i:03}" for i in range(min(instances, 50)))
    _instances(tables, rng, instances, primitives, len(sources), mirrored, hidden)
    if full_precision:
        chosen = rng.choice(instances, full_precision, replace=False)
        tables["instance_transforms"]["flags"][chosen] |= layout.INSTANCE_FULL_PRECISION
        tables["full_precision_transforms"] = rng.normal(size=(full_precision, 16))
    tables |= extra_tables or {}
    return SceneData(
        tables, PRESETS[axes], tuple(names) if names is not None else tuple(f"Box {i}" for i in range(primitives)), sources,
        tuple(Material(f"Material {i}", tuple(np.round(rng.random(4), 3).tolist()), 0.25 * i % 1, 0.5, bool(i % 2)) for i in range(materials)),
        DEFAULT_CHANNELS, tuple(findings) or (Finding("zero-scale", "warning", "Object.000", "scale is 0", "Give it a size."),),
        {"scene": "Test", "frame": 1} if metadata is None else metadata, tuple(cameras))


def _geometry(tables, rng, primitives, lods, materials):
    positions, normals, uvs, indices = box()
    streams = {"vertex_positions": [], "vertex_normals": [], "vertex_uvs": [], "indices": []}
    rows, lod_rows, batch_rows, args_rows = [], [], [], []
    vertex_at = index_at = 0
    for primitive in range(primitives):
        size = rng.uniform(0.1, 1, 3).astype("f4")
        levels = lods if primitive % 2 == 0 else 1
        sizes = [np.inf] + [0.5 ** level for level in range(1, levels)] + [0]
        first_lod = len(lod_rows)
        for level in range(levels):
            faces = 6 - min(level, 5)  # a coarser LOD drops faces
            batches = min(materials, 2) or 1
            lod_rows.append((index_at, 6 * faces, sizes[level], sizes[level + 1], 0.1, vertex_at, len(batch_rows), batches))
            split = [0, 6 * (faces // batches), 6 * faces] if batches == 2 else [0, 6 * faces]
            for start, end in zip(split, split[1:]):
                material = (primitive + len(batch_rows)) % materials if materials else limits.NO_INDEX
                batch_rows.append((primitive, level, material, 0))
                args_rows.append((end - start, 0, index_at + start, vertex_at, 0))
            for name, values in (("vertex_positions", positions[:4 * faces] * size), ("vertex_normals", normals[:4 * faces]),
                                 ("vertex_uvs", uvs[:4 * faces]), ("indices", indices[:6 * faces])):
                streams[name].append(values)
            vertex_at, index_at = vertex_at + 4 * faces, index_at + 6 * faces
        first = lod_rows[first_lod]
        screen = (sizes[1:levels] + [0] * 4)[:3]
        rows.append(((0, 0, 0), float(np.linalg.norm(size)), -size, first_lod, size, levels, (np.float32(3e38), *screen), first[0], first[1],
                     first[5], 24, batch_rows[first[6]][2], limits.NO_INDEX, limits.NO_INDEX,
                     layout.PRIMITIVE_HAS_UV if primitive % 3 else 0))
    for name, parts in streams.items():
        if parts:
            tables[name] = np.concatenate(parts)
    for name, values in (("primitives", rows), ("lods", lod_rows), ("batches", batch_rows), ("indirect_args", args_rows)):
        tables[name] = np.array(values, layout.TABLES[name].dtype)


def _instances(tables, rng, count, primitives, sources, mirrored, hidden):
    transforms, data = layout.TABLES["instance_transforms"].empty(count), layout.TABLES["instance_data"].empty(count)
    scales = rng.uniform(0.2, 2, (count, 3))
    flip = (rng.random(count) < 0.25) & mirrored
    scales[:, 0] *= np.where(flip, -1, 1)
    matrices = rotations(rng, count) * scales[:, None, :]
    for column, name in enumerate(("x_axis", "y_axis", "z_axis")):
        transforms[name] = matrices[:, :, column]
    transforms["position"] = rng.uniform(-10, 10, (count, 3))
    flags = np.full(count, layout.INSTANCE_VISIBLE | layout.INSTANCE_VALID, "u4") | np.where(flip, layout.INSTANCE_MIRRORED, 0).astype("u4")
    if hidden:
        flags &= ~np.where(rng.random(count) < 0.25, rng.choice([layout.INSTANCE_VISIBLE, layout.INSTANCE_VALID], count), 0).astype("u4")
    transforms["flags"] = flags
    ids = np.sort(rng.integers(0, max(primitives, 1), count)).astype("u4")
    data["primitive_id"], data["instance_id"] = ids, rng.permutation(count)
    data["lightmap_index"] = data["shadowmap_index"] = limits.NO_INDEX
    data["custom_data"] = rng.random((count, 2, 4))
    users = np.bincount(ids, minlength=primitives)
    first = np.concatenate(([0], np.cumsum(users)))[:-1]
    if count:
        transforms["bounding_radius"] = tables["primitives"]["sphere_radius"][ids] * np.abs(scales).max(axis=1)
    batches, args = tables["batches"], tables["indirect_args"]
    batches["max_instance_count"] = users[batches["primitive_id"]]
    args["first_instance"] = first[batches["primitive_id"]]
    args["instance_count"] = np.where(batches["lod_index"] == 0, batches["max_instance_count"], 0)
    bits = np.zeros(-(-count // 32) * 32, np.uint8)
    bits[:count] = flags & layout.INSTANCE_VISIBLE
    tables |= {"instance_transforms": transforms, "instance_data": data, "instance_index": np.arange(count, dtype="u4"),
               "instance_sources": rng.integers(0, max(sources, 1), count).astype("u4"),
               "visibility": np.packbits(bits, bitorder="little").view("<u4")}
