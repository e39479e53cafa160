"""From extraction's parts to `SceneData`: geometry into vertex streams, parts into rows grouped by primitive."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from . import ids, layout, limits, transforms
from .conventions import Convention
from .findings import Finding
from .primitive_tables import PrimitiveTables, check_limit
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


@dataclass(frozen=True)
class InstanceRows:
    """Rows of instances in the scene's axes and units, grouped by primitive.

    Attributes
    ----------
    transforms : (N,) INSTANCE_TRANSFORM
    data : (N,) INSTANCE_DATA
        `instance_id` is still 0: it takes all keys of a scene.
    keys : (N,) uint64
    owners : (N,) uint64
    sources : (N,) uint32
    report : transforms.PackReport
    """

    transforms: np.ndarray
    data: np.ndarray
    keys: np.ndarray
    owners: np.ndarray
    sources: np.ndarray
    report: transforms.PackReport


def instance_rows(parts, spheres, convention: Convention, channels=DEFAULT_CHANNELS) -> InstanceRows:
    """Parts as packed rows, in order of their primitives.

    Parameters
    ----------
    parts : list of Part
        A single part's matrices may be taken over and overwritten.
    spheres : (P,) float32
        Local sphere radius of each primitive, in the scene's units.
    convention : Convention
    channels : sequence of Channel
    """
    parts = sorted(parts, key=lambda part: part.primitive)
    counts = np.array([len(p.columns) for p in parts], np.int64)
    total = int(counts.sum())
    part_of_row = None if len(parts) == 1 else np.repeat(np.arange(len(parts)), counts)

    def spread(values, dtype):
        """One value a part, or an array a part, to one a row."""
        if all(np.ndim(v) == 0 for v in values):
            array = np.array(values, dtype)
            return array[part_of_row] if part_of_row is not None else np.broadcast_to(array, (total,))
        return np.concatenate([np.broadcast_to(np.asarray(v, dtype), (c,)) for v, c in zip(values, counts)])

    columns = convention.transforms(_world_columns(parts, total))
    primitive_rows = spread([p.primitive for p in parts], np.uint32)
    radii = spheres[primitive_rows] if len(spheres) != 1 else spheres[0]
    report = transforms.pack(columns, radii, spread([p.flags for p in parts], np.uint32))
    data = layout.INSTANCE_DATA.empty(total)
    data["primitive_id"] = primitive_rows
    data["lightmap_index"] = data["shadowmap_index"] = limits.NO_INDEX
    fill_custom(data["custom_data"], [p.custom for p in parts], counts, channels)
    return InstanceRows(columns.reshape(total, 16).view(layout.INSTANCE_TRANSFORM.dtype).reshape(total), data,
                        np.concatenate([p.keys for p in parts]) if parts else np.zeros(0, np.uint64),
                        spread([p.owners for p in parts], np.uint64), spread([p.sources for p in parts], np.uint32), report)


def assemble(extraction: Extraction, convention: Convention, channels=DEFAULT_CHANNELS, metadata=None) -> SceneData:
    """Build the tables. Raises `LimitError` when a count is past the format's limits."""
    specs = extraction.primitives.specs
    check_limit("primitives", len(specs), limits.MAX_PRIMITIVES, "Export a collection at a time.")
    primitives = PrimitiveTables.of(extraction, convention)
    total = sum(len(part.columns) for part in extraction.parts)
    check_limit("instances", total, limits.MAX_INSTANCES, "Export a collection at a time.")
    rows = instance_rows(extraction.parts, primitives.radii, convention, channels)
    rows.data["instance_id"] = ids.instance_ids(rows.keys)
    tables = with_counts(primitives.tables, np.bincount(rows.data["primitive_id"], minlength=len(specs)))
    packed = rows.transforms
    tables |= {
        "instance_transforms": packed, "instance_data": rows.data,
        "visibility": visibility_words(packed["flags"]),
        "instance_index": np.arange(total, dtype=np.uint32),
        "instance_sources": np.ascontiguousarray(rows.sources),
    }
    findings = list(extraction.findings)
    sources = tuple(extraction.sources)
    findings += _transform_findings(rows.report, packed, tables["instance_sources"], sources)
    if extraction.full_precision:
        tables["full_precision_transforms"] = _full_precision(extraction.full_precision, rows.keys, packed, convention)
    return SceneData(tables, convention, primitives.names, sources, primitives.materials,
                     tuple(channels), tuple(sorted(set(findings))), dict(metadata or {}))


def with_counts(tables, instance_counts, first_rows=None) -> dict:
    """`tables` of primitives with the numbers of their instances in copies of ``batches`` and ``indirect_args``.

    Parameters
    ----------
    instance_counts : (P,) integer
    first_rows : (P,) integer or None
        Where each primitive's rows begin; None: one behind the other.
    """
    instance_counts = instance_counts.astype(np.uint32)
    first_rows = np.cumsum(instance_counts) - instance_counts if first_rows is None else first_rows
    batches, arguments = tables["batches"].copy(), tables["indirect_args"].copy()
    batches["max_instance_count"] = instance_counts[batches["primitive_id"]]
    arguments["first_instance"] = first_rows[batches["primitive_id"]]
    finest = batches["lod_index"] == 0
    arguments["instance_count"] = np.where(finest, batches["max_instance_count"], 0)
    return tables | {"batches": batches, "indirect_args": arguments}


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


def fill_custom(custom, values, counts, channels):
    """`custom` (N, 2, 4) float32, zeroed: channel defaults, then what is set.

    `values` are (count, 8) arrays, NaN where not set, or None, one for each run of `counts` rows.
    """
    defaults = np.zeros(limits.CUSTOM_CHANNELS, np.float32)
    for channel in channels:
        defaults[channel.index] = channel.default
    if defaults.any():
        custom[:] = defaults.reshape(2, 4)
    start = 0
    for given, count in zip(values, counts):
        if given is not None:
            given = given.reshape(-1, 2, 4)
            custom[start:start + count] = np.where(np.isfinite(given), given, defaults.reshape(2, 4))
        start += count


def visibility_words(flags) -> np.ndarray:
    """(N,) flags -> (ceil(N / 32),) uint32 words; bit i % 32 of word i // 32 is row i."""
    both = np.uint32(layout.INSTANCE_VISIBLE | layout.INSTANCE_VALID)
    packed = np.packbits((flags & both) == both, bitorder="little")
    words = np.zeros(-(-len(flags) // limits.BITS_PER_WORD) * 4, np.uint8)
    words[:len(packed)] = packed
    return words.view("<u4")


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
