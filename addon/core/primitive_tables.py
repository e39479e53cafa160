"""From geometry and primitive stores to the tables that instances share: primitives, LODs, batches, draw arguments, vertices."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import layout, limits
from .conventions import Convention
from .errors import LimitError
from .geometry import bounding_sphere, vertex_streams


@dataclass(frozen=True)
class PrimitiveTables:
    """Tables of primitives in the scene's axes and units; instance counts in `batches` and `indirect_args` are still 0.

    Attributes
    ----------
    tables : dict of str to ndarray
        ``primitives``, ``lods``, ``batches``, ``indirect_args``, ``vertex_positions``, ``vertex_normals``, ``vertex_uvs``,
        ``indices``.
    names : tuple of str
        One a row of `primitives`.
    materials : tuple of core.scene.Material
        What `material_index` counts in.
    vertex_starts, index_starts : (G + 1,) int64
        Where each geometry begins in the vertex tables and in ``indices``.
    """

    tables: dict
    names: tuple
    materials: tuple
    vertex_starts: np.ndarray
    index_starts: np.ndarray

    def __len__(self):
        return len(self.tables["primitives"])

    @property
    def radii(self) -> np.ndarray:
        """(P,) float32 local sphere radii."""
        return self.tables["primitives"]["sphere_radius"]

    @classmethod
    def of(cls, extraction, convention: Convention, streams: dict | None = None) -> "PrimitiveTables":
        """Of an `assemble.Extraction`'s stores.

        Parameters
        ----------
        streams : dict, optional
            Geometry index -> vertex stream: read and added to, for stores that grow and are asked again.

        Raises
        ------
        LimitError
            There are more vertices or indices than the format holds.
        """
        tables, starts = _tables(extraction, convention, {} if streams is None else streams)
        return cls(tables, tuple(s.name for s in extraction.primitives.specs), tuple(extraction.materials), *starts)


def check_limit(what, count, limit, hint):
    """Raise `LimitError` past `limit`."""
    if count > limit:
        raise LimitError(what, count, limit, hint)


def _tables(extraction, convention, known):
    """The tables, and where each geometry's vertices and indices begin."""
    specs, meshes = extraction.primitives.specs, extraction.geometries.meshes
    streams, bases, index_bases = [], [], []
    vertex_count = index_count = 0
    for number, mesh in enumerate(meshes):
        stream = known.get(number)
        if stream is None:
            stream = known[number] = vertex_streams(mesh)
        streams.append(stream)
        bases.append(vertex_count)
        index_bases.append(index_count)
        vertex_count += len(stream.positions)
        index_count += stream.triangles.size
    check_limit("vertices", vertex_count, limits.MAX_VERTICES, "Reduce mesh resolution or export a collection at a time.")
    check_limit("indices", index_count, limits.MAX_INDICES, "Reduce mesh resolution or export a collection at a time.")

    def gather(name, width, dtype):
        return np.concatenate([getattr(s, name) for s in streams]) if streams else np.zeros((0, width), dtype)

    positions = convention.points(gather("positions", 3, np.float32))
    normals = convention.directions(gather("normals", 3, np.float32))
    triangles = gather("triangles", 3, np.uint32)
    if convention.is_mirrored:
        triangles = triangles[:, [0, 2, 1]]

    lod_rows, batch_rows, arg_rows = [], [], []
    primitives = layout.PRIMITIVE.empty(len(specs))
    sphere_cache: dict[tuple, tuple] = {}
    for index, spec in enumerate(specs):
        row = primitives[index]
        row["first_lod"], row["lod_count"] = len(lod_rows), len(spec.levels)
        for level_index, level in enumerate(spec.levels):
            stream, base, index_base = streams[level.geometry], bases[level.geometry], index_bases[level.geometry]
            leave = spec.levels[level_index + 1].screen_size if level_index + 1 < len(spec.levels) else 0.0
            lod_rows.append((index_base, stream.triangles.size, level.screen_size, leave, spec.hysteresis, base,
                             len(batch_rows), len(stream.sections)))
            for (_slot, first, count), material in zip(stream.sections, level.materials):
                batch_rows.append((index, level_index, material, 0))
                arg_rows.append((count, 0, index_base + first, base, 0))
            if level_index < 4:
                row["lod_screen_sizes"][level_index] = level.screen_size
        finest = spec.levels[0]
        stream = streams[finest.geometry]
        geometries = tuple(level.geometry for level in spec.levels)
        if geometries not in sphere_cache:
            points = np.concatenate([positions[bases[g]:bases[g] + len(streams[g].positions)] for g in geometries])
            sphere_cache[geometries] = (*bounding_sphere(points), points.min(axis=0), points.max(axis=0))
        row["sphere_center"], row["sphere_radius"], row["box_min"], row["box_max"] = sphere_cache[geometries]
        row["first_index"], row["index_count"] = index_bases[finest.geometry], stream.triangles.size
        row["base_vertex"], row["vertex_count"] = bases[finest.geometry], len(stream.positions)
        row["material_index"] = finest.materials[0]
        row["skin_index"] = row["cluster_root"] = limits.NO_INDEX
        if meshes[finest.geometry].corner_uvs is not None:
            row["flags"] = layout.PRIMITIVE_HAS_UV
    return {
        "primitives": primitives,
        "lods": np.array(lod_rows, layout.LOD.dtype), "batches": np.array(batch_rows, layout.BATCH.dtype),
        "indirect_args": np.array(arg_rows, layout.INDIRECT_ARGS.dtype),
        "vertex_positions": positions, "vertex_normals": normals, "vertex_uvs": gather("uvs", 2, np.float32),
        "indices": np.ascontiguousarray(triangles).reshape(-1),
    }, [np.array([*starts, end], np.int64) for starts, end in ((bases, vertex_count), (index_bases, index_count))]
