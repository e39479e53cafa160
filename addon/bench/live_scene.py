"""Live tables to measure on, without Blender: a field of four kinds of things, two levels of detail each."""

from __future__ import annotations

import numpy as np

from ..core.assemble import Extraction, Part
from ..core.conventions import PRESETS
from ..core.geometry import MeshData
from ..core.live.clusters import LiveClusters
from ..core.live.options import LiveOptions
from ..core.live.rows import LiveRows
from ..core.live.tables import LiveTables
from ..core.primitive_tables import PrimitiveTables
from ..core.primitives import Level
from ..core.scene import Material

_KINDS = 4


def fan(corners: int, radius: float) -> MeshData:
    """A flat polygon, one face."""
    angle = np.arange(corners) * (2 * np.pi / corners)
    positions = np.stack([np.cos(angle), np.sin(angle), np.zeros(corners)], axis=1).astype(np.float32) * np.float32(radius)
    triangles = np.stack([np.zeros(corners - 2), np.arange(1, corners - 1), np.arange(2, corners)], axis=1).astype(np.int32)
    normals = np.tile(np.array([0, 0, 1], np.float32), (corners, 1))
    zero = np.zeros(1, np.int32)
    corner = np.arange(corners, dtype=np.int32)
    return MeshData(positions, corner, zero, zero, normals, None, triangles, np.zeros(corners - 2, np.int32))


def extraction(count: int) -> Extraction:
    """`count` instances, each of an object of its own, four square units of ground for each. Seeded."""
    out, rng = Extraction(materials=[Material("plain")], sources=["thing"]), np.random.default_rng(0)
    for kind in range(_KINDS):
        fine, coarse = (out.geometries.add(fan(corners, 0.5 + 0.1 * kind)) for corners in (12, 5))
        out.primitives.add(f"thing {kind}", (Level(fine, (0,), float(np.finfo(np.float32).max)), Level(coarse, (0,), 0.05)), 0.1)
    side = max(count, 1) ** 0.5
    columns = np.zeros((count, 4, 4), np.float32)
    columns[:, [0, 1, 2, 3], [0, 1, 2, 3]] = 1
    columns[:, 3, :3] = rng.random((count, 3)) * (2 * side, 2 * side, 10) - (side, side, 0)
    keys = np.arange(1, count + 1, dtype=np.uint64)
    starts = np.linspace(0, count, _KINDS + 1).astype(int)
    for kind, (first, last) in enumerate(zip(starts, starts[1:])):
        if last > first:
            out.parts.append(Part(kind, columns[first:last].copy(), keys[first:last], 0, owners=keys[first:last]))
    return out


def live_scene(count: int, options: LiveOptions = LiveOptions()) -> tuple:
    """(LiveTables, LiveClusters)."""
    found, convention = extraction(count), PRESETS["blender"]
    primitives = PrimitiveTables.of(found, convention)
    tables = LiveTables.build(LiveRows.of(found, primitives, convention), primitives, convention, options=options)
    return tables, LiveClusters(tables.bounds, options, tables.alive)


def move(tables: LiveTables, slots: np.ndarray, seed: int = 0) -> None:
    """Move `slots` by up to 2 in each direction."""
    columns = np.zeros((len(slots), 4, 4), np.float32)
    for column, name in enumerate(("x_axis", "y_axis", "z_axis", "position")):
        columns[:, column, :3] = tables.transforms[name][slots]
    columns[:, 3, 3] = 1
    columns[:, 3, :3] += np.random.default_rng(seed).uniform(-2, 2, (len(slots), 3)).astype(np.float32)
    tables.patch(slots, columns)
