"""Live tables of random scenes, edited at random, for comparing GPU tables with fresh ones."""

import dataclasses

import mesh_factory
import numpy as np
from gpuscene.core import layout
from gpuscene.core.assemble import Extraction, Part
from gpuscene.core.conventions import PRESETS
from gpuscene.core.live.clusters import LiveClusters
from gpuscene.core.live.options import LiveOptions
from gpuscene.core.live.rows import LiveRows
from gpuscene.core.live.tables import LiveTables
from gpuscene.core.primitive_tables import PrimitiveTables
from gpuscene.core.primitives import Level
from gpuscene.core.scene import Material

#: rows of an owner
PER_OWNER = 3


def random_columns(rng, count) -> np.ndarray:
    """(count, 4, 4) float32, column-stored: turned, scaled, within 10 of the origin."""
    columns = np.zeros((count, 4, 4), np.float32)
    turns, _ = np.linalg.qr(rng.normal(size=(count, 3, 3)))
    columns[:, :3, :3] = turns * rng.uniform(0.05, 0.4, (count, 1, 1))
    columns[:, 3, :3], columns[:, 3, 3] = rng.uniform(-10, 10, (count, 3)), 1
    return columns


class World:
    """`tables` and `clusters` of `count` instances, and edits of them. `limited`: some have a cull radius from the start."""

    def __init__(self, count=1500, primitives=5, seed=0, options=LiveOptions(), limited=True):
        self.rng, self.options, self.limited = np.random.default_rng(seed), options, limited
        found = Extraction(materials=[Material("a"), Material("b")], sources=["thing"])
        for number in range(primitives):
            levels = 1 + number % 4 if primitives > 1 else 3
            chain = [found.geometries.add(mesh_factory.grid(6 - k, 1 + number, slots=2)) for k in range(levels)]
            sizes = [float(np.finfo(np.float32).max), 0.25, 0.1, 0.05]
            found.primitives.add(f"grid {number}", tuple(Level(g, (0, 1), s) for g, s in zip(chain, sizes)), 0.2)
        which = np.sort(self.rng.integers(0, primitives, count))
        keys = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(7919)
        owners = np.arange(count, dtype=np.uint64) // np.uint64(PER_OWNER) + np.uint64(1)
        columns = random_columns(self.rng, count)
        custom = self._custom(count)
        flags = np.where(self.rng.random(count) < 0.9, layout.INSTANCE_VISIBLE, 0).astype(np.uint32)
        for primitive in range(primitives):
            mine = which == primitive
            found.parts.append(Part(primitive, columns[mine], keys[mine], 0, custom[mine], flags[mine], owners=owners[mine]))
        found.full_precision = {int(key): np.eye(4) for key in keys[::50]}
        convention = PRESETS["blender"]
        store = PrimitiveTables.of(found, convention)
        self.rows = LiveRows.of(found, store, convention)
        self.tables = LiveTables.build(self.rows, store, convention, options=options)
        self.clusters = LiveClusters(self.tables.bounds, options, self.tables.alive)
        self.owners = np.unique(owners)

    def _custom(self, count):
        """Cull radius, LOD bias, and what a rule may read; the rest is not set."""
        custom = np.full((count, 8), np.nan, np.float32)
        limited = (self.rng.random(count) < 0.3) & self.limited
        custom[:, 0] = np.where(limited, self.rng.uniform(1, 20, count), 0)
        custom[:, 1] = self.rng.uniform(-1, 1, count)
        return custom

    def rows_of(self, owners) -> LiveRows:
        """The rows that extraction first found for `owners`."""
        mine = np.isin(self.rows.owners, owners)
        arrays = ("keys", "owners", "sources", "transforms", "data")
        return dataclasses.replace(self.rows, **{name: getattr(self.rows, name)[mine].copy() for name in arrays})

    def edit(self, owners_touched: int) -> np.ndarray:
        """Move, hide, remove and bring back some owners; the dirty slots, which the tree then holds."""
        before = self.tables.layout_version
        chosen = self.rng.choice(self.owners, owners_touched, replace=False)
        cuts = [max(len(chosen) // 2, 1), 2 * len(chosen) // 3, 5 * len(chosen) // 6]
        moved, hidden, removed, back = np.array_split(chosen, cuts)
        slots = self.tables.slots_of(moved)
        self.tables.patch(slots, random_columns(self.rng, len(slots)), self._custom(len(slots)))
        self.tables.hide(hidden)
        self.tables.remove(removed)
        self.tables.apply(self.rows_of(back), back)
        assert self.tables.layout_version == before, "a test's edits stay within the slots there are"
        dirty, self.arrivals = self.tables.take_dirty(), self.tables.take_arrivals()
        self.clusters.refit(dirty)
        return dirty
