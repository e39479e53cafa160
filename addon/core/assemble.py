"""From extraction's parts to `SceneData`: geometry into vertex streams, parts into rows grouped by primitive."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from . import ids, layout, limits, transforms
from .conventions import Convention
from .errors import LimitError
from .findings import Finding
from .geometry import bounding_sphere, vertex_streams
from .primitives import GeometryStore, PrimitiveStore
from .scene import DEFAULT_CHANNELS, SceneData
from .transforms_trs import decompose


@dataclass
class Part:
    """Instances of one primitive.

    Attributes
    ----------
    primitive : int
        Index into ``PrimitiveStore.specs``.
    columns : (N, 4, 4) float32, column-stored
        World matrices in Blender space (or local to `outer`). May be taken over and overwritten.
    keys : (N,) uint64
        Stable keys (`core.ids`).
    sources : int or (N,) uint32
        Into the source names.
    custom : (N, 8) float32 or None
        Channel values; NaN where not set.
    flags : int or (N,) uint32
        INSTANCE_* bits; VISIBLE is usual.
    outer : (4, 4) float array or None
        Matrix to compose in front of every one of `columns`.
    owners : int or (N,) uint64
        `ids.name_key` of the top-level object that each comes from; 0 where nobody asks. Never exported.
    """

    primitive: int
    columns: np.ndarray
    keys: np.ndarray
    sources: object
    custom: np.ndarray | None = None
    flags: object = layout.INSTANCE_VISIBLE
    outer: np.ndarray | None = None
    owners: object = 0


@dataclass
class Extraction:
    """All that extraction found, in Blender's own axes."""

    geometries: GeometryStore = field(default_factory=GeometryStore)
    primitives: PrimitiveStore = field(default_factory=PrimitiveStore)
    materials: list = field(default_factory=list)
    sources: list = field(default_factory=list)
    parts: list = field(default_factory=list)
    findings: list = field(default_factory=list)
    #: key -> (4, 4) float64 Blender-space matrix, for full-precision instances
    full_precision: dict = field(default_factory=dict)


def assemble(extraction: Extraction, convention: Convention, channels=DEFAULT_CHANNELS, metadata=None) -> SceneData:
    """Build the tables. Raises `LimitError` when a count is past the format's limits."""
    specs = extraction.primitives.specs
    _check("primitives", len(specs), limits.MAX_PRIMITIVES, "Export a collection at a time.")
    tables, spheres = _primitive_tables(extraction, convention)
    order = sorted(range(len(extraction.parts)), key=lambda i: extraction.parts[i].primitive)
    parts = [extraction.parts[i] for i in order]
    counts = np.array([len(p.columns) for p in parts], np.int64)
    total = int(counts.sum())
    _check("instances", total, limits.MAX_INSTANCES, "Export a collection at a time.")
    part_of_row = None if len(parts) == 1 else np.repeat(np.arange(len(parts)), counts)

    def spread(values, dtype):
        """One value a part, or an array a part, to one a row."""
        if all(np.ndim(v) == 0 for v in values):
            array = np.array(values, dtype)
            return array[part_of_row] if part_of_row is not None else np.broadcast_to(array, (total,))
        return np.concatenate([np.broadcast_to(np.asarray(v, dtype), (c,)) for v, c in zip(values, counts)])

    columns = _world_columns(parts, total)
    columns = convention.transforms(columns)
    primitive_rows = spread([p.primitive for p in parts], np.uint32)
    radii = spheres[primitive_rows] if len(specs) != 1 else spheres[0]
    report = transforms.pack(columns, radii, spread([p.flags for p in parts], np.uint32))
    keys = np.concatenate([p.keys for p in parts]) if parts else np.zeros(0, np.uint64)

    data = layout.INSTANCE_DATA.empty(total)
    data["instance_id"] = ids.instance_ids(keys)
    data["primitive_id"] = primitive_rows
    data["lightmap_index"] = data["shadowmap_index"] = limits.NO_INDEX
    _fill_custom(data["custom_data"], parts, counts, channels)

    instance_counts = np.bincount(primitive_rows, minlength=len(specs)).astype(np.uint32)
    first_rows = np.cumsum(instance_counts) - instance_counts
    tables["batches"]["max_instance_count"] = instance_counts[tables["batches"]["primitive_id"]]
    tables["indirect_args"]["first_instance"] = first_rows[tables["batches"]["primitive_id"]]
    finest = tables["batches"]["lod_index"] == 0
    tables["indirect_args"]["instance_count"][finest] = tables["batches"]["max_instance_count"][finest]

    packed = columns.reshape(total, 16).view(layout.INSTANCE_TRANSFORM.dtype).reshape(total)
    tables |= {
        "instance_transforms": packed, "instance_data": data,
        "visibility": _visibility(packed["flags"]),
        "instance_index": np.arange(total, dtype=np.uint32),
        "instance_sources": np.ascontiguousarray(spread([p.sources for p in parts], np.uint32)),
    }
    findings = list(extraction.findings)
    sources = tuple(extraction.sources)
    findings += _transform_findings(report, packed, tables["instance_sources"], sources)
    if extraction.full_precision:
        tables["full_precision_transforms"] = _full_precision(extraction.full_precision, keys, packed, convention)
    return SceneData(tables, convention, tuple(s.name for s in specs), sources, tuple(extraction.materials),
                     tuple(channels), tuple(sorted(set(findings))), dict(metadata or {}))


def _check(what, count, limit, hint):
    if count > limit:
        raise LimitError(what, count, limit, hint)


def _world_columns(parts, total) -> np.ndarray:
    """(total, 4, 4) float32 column-stored; takes a single part's buffer over where it can."""
    if len(parts) == 1:
        only = parts[0]
        if only.outer is None:
            return np.ascontiguousarray(only.columns, np.float32)
        return transforms.compose(only.outer, only.columns)
    columns, start = np.empty((total, 4, 4), np.float32), 0
    for part in parts:
        rows = columns[start:start + len(part.columns)]
        if part.outer is None:
            rows[:] = part.columns
        else:
            transforms.compose(part.outer, part.columns, out=rows)
        start += len(part.columns)
    return columns


def _fill_custom(custom, parts, counts, channels):
    """`custom` (N, 2, 4) float32, zeroed: channel defaults, then each part's set values."""
    defaults = np.zeros(limits.CUSTOM_CHANNELS, np.float32)
    for channel in channels:
        defaults[channel.index] = channel.default
    if defaults.any():
        custom[:] = defaults.reshape(2, 4)
    start = 0
    for part, count in zip(parts, counts):
        if part.custom is not None:
            values = part.custom.reshape(-1, 2, 4)
            custom[start:start + count] = np.where(np.isfinite(values), values, defaults.reshape(2, 4))
        start += count


def _visibility(flags) -> np.ndarray:
    """(N,) flags -> (ceil(N / 32),) uint32 words; bit i % 32 of word i // 32 is row i."""
    both = np.uint32(layout.INSTANCE_VISIBLE | layout.INSTANCE_VALID)
    packed = np.packbits((flags & both) == both, bitorder="little")
    words = np.zeros(-(-len(flags) // limits.BITS_PER_WORD) * 4, np.uint8)
    words[:len(packed)] = packed
    return words.view("<u4")


def _primitive_tables(extraction, convention):
    """Primitive, LOD, batch and vertex tables, and (P,) float32 local sphere radii in target units."""
    specs, meshes = extraction.primitives.specs, extraction.geometries.meshes
    streams, bases, index_bases = [], [], []
    vertex_count = index_count = 0
    for mesh in meshes:
        stream = vertex_streams(mesh)
        streams.append(stream)
        bases.append(vertex_count)
        index_bases.append(index_count)
        vertex_count += len(stream.positions)
        index_count += stream.triangles.size
    _check("vertices", vertex_count, limits.MAX_VERTICES, "Reduce mesh resolution or export a collection at a time.")
    _check("indices", index_count, limits.MAX_INDICES, "Reduce mesh resolution or export a collection at a time.")

    def gather(name, width, dtype):
        return np.concatenate([getattr(s, name) for s in streams]) if streams else np.zeros((0, width), dtype)

    positions = convention.points(gather("positions", 3, np.float32))
    normals = convention.directions(gather("normals", 3, np.float32))
    triangles = gather("triangles", 3, np.uint32)
    if convention.is_mirrored:
        triangles = triangles[:, [0, 2, 1]]

    lod_rows, batch_rows, arg_rows = [], [], []
    primitives = layout.PRIMITIVE.empty(len(specs))
    spheres = np.zeros(len(specs), np.float32)
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
        spheres[index] = row["sphere_radius"]
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
    }, spheres


def _transform_findings(report, packed, source_rows, sources):
    """One finding a source object and kind, with its count."""
    findings = []

    def by_source(rows, make):
        counts = np.bincount(source_rows[rows], minlength=1)
        findings.extend(make(sources[n], counts[n]) for n in np.flatnonzero(counts).tolist())

    by_source(report.non_finite, lambda name, n: Finding(
        "non-finite", "error", name, f"{n} instance(s) with a NaN or infinite matrix; never drawn.", "Clear the object's transform or fix its driver."))
    by_source(report.zero_scale, lambda name, n: Finding(
        "zero-scale", "warning", name, f"{n} instance(s) with no volume (a scale of 0, or too small or large for float32); never drawn.",
        "Give each axis a scale, or hide the object instead."))
    if report.sheared.size:
        errors = decompose(packed[report.sheared])[3]
        for source in np.unique(source_rows[report.sheared]).tolist():
            of_source = errors[source_rows[report.sheared] == source]
            findings.append(Finding(
                "shear", "warning", sources[source],
                f"{len(of_source)} sheared instance(s): the tables are exact, glTF viewers show them up to {of_source.max():.1%} of their size off.",
                "Apply the parent's non-uniform scale (Ctrl+A) if viewers must match."))
    return findings


def _full_precision(matrices, keys, packed, convention):
    """(M, 16) float64 in row order; sets the rows' FULL_PRECISION flag."""
    wanted = np.fromiter(matrices.keys(), np.uint64, len(matrices))
    rows = np.flatnonzero(np.isin(keys, wanted))
    packed["flags"][rows] |= np.uint32(layout.INSTANCE_FULL_PRECISION)
    change = convention.target_from_blender()
    back = np.linalg.inv(change)
    out = np.zeros((len(rows), 16))
    for at, row in enumerate(rows.tolist()):
        matrix = matrices[int(keys[row])]
        out[at] = (change @ np.where(np.isfinite(matrix), matrix, 0) @ back).T.reshape(16)  # a NaN is a finding already
    return out
