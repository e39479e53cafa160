"""A tree that follows its instances: moves refit it, inserted rows wait unbuilt, and past a stated degradation it is rebuilt by
itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..culling.bounds import InstanceBounds
from ..limits import NO_INDEX
from . import change
from .build import DEFAULT_BUILDER, DEFAULT_CLUSTER_SIZE, build
from .tree import ClusterTree

#: the arrays of `InstanceBounds`, a row an instance
_FIELDS = ("center", "radius", "box_min", "box_max", "cull_radius", "drawable")


class EditableTree:
    """Bounds and the tree over them, kept together.

    Parameters
    ----------
    bounds : InstanceBounds
        Copied; edits write to the copy.
    builder, cluster_size, bounds_scale
        As for `build`.

    Attributes
    ----------
    bounds : InstanceBounds
        Of every row, removed ones included (these are not drawable).
    rebuilds : int
        How often the tree was rebuilt since it was made.
    """

    def __init__(self, bounds: InstanceBounds, builder: str = DEFAULT_BUILDER, cluster_size: int = DEFAULT_CLUSTER_SIZE,
                 bounds_scale: float = 1.0):
        self.bounds = replace(bounds, **{name: np.array(getattr(bounds, name)) for name in _FIELDS})
        self._arguments = builder, cluster_size, bounds_scale
        self._tree = build(self.bounds, *self._arguments)
        self._moved: list = []
        self._batches = 0
        self.rebuilds = 0

    @property
    def tree(self) -> ClusterTree:
        """The tree, covering every edit so far (within a batch: with its boxes refitted, not rebuilt)."""
        self._refit()
        return self._tree

    def move(self, rows, bounds: InstanceBounds) -> None:
        """New bounds for `rows`, in their order."""
        rows = np.asarray(rows, np.int64)
        self._write(rows, bounds)
        self._moved.append(rows)
        self._settle()

    def insert(self, bounds: InstanceBounds, rows=None) -> np.ndarray:
        """Take instances in: as new rows at the end, or as `rows` that were removed before. Returns their rows."""
        if rows is None:
            count = len(self.bounds)
            rows = np.arange(count, count + len(bounds))
            self._tree = change.insert(self._tree, rows)
            old = self.bounds
            self.bounds = replace(old, **{name: np.concatenate((getattr(old, name), getattr(bounds, name))) for name in _FIELDS})
            self._carry(bounds, count)
        else:
            rows = np.asarray(rows, np.int64)
            if len(rows) and rows.max() >= len(self.bounds):
                raise ValueError(f"Row {rows.max()} was never in the cluster tree.")
            self._tree = change.insert(self._tree, rows)
            self._write(rows, bounds)
        self._settle()
        return rows

    def remove(self, rows) -> None:
        """Take rows out: they are in no leaf and not drawable any more."""
        rows = np.asarray(rows, np.int64)
        before = self._tree
        self._tree = change.remove(before, rows)
        self.bounds.drawable[rows] = False
        # The boxes they were in may shrink: what shared a leaf with them counts as moved.
        places = before.reorder[rows]
        self._moved.append(before.rows_of(before.leaves_at(places[places != NO_INDEX])))
        self._settle()

    def batch(self) -> BatchEdit:
        """``with tree.batch(): ...`` settles once at its end."""
        return BatchEdit(self)

    def rebuild(self) -> None:
        """Build anew over all rows that are in."""
        rows = np.sort(np.concatenate((self._tree.sorted_instances, self._tree.unbuilt)))
        self._tree = build(self.bounds, *self._arguments, rows=None if len(rows) == len(self.bounds) else rows)
        self._moved = []
        self.rebuilds += 1

    def _write(self, rows, bounds):
        if len(rows) != len(bounds):
            raise ValueError(f"{len(bounds)} bounds given for {len(rows)} rows.")
        for name in _FIELDS:
            getattr(self.bounds, name)[rows] = getattr(bounds, name)
        self._carry(bounds, len(self.bounds))

    def _carry(self, bounds, rows_before):
        """Bounds that carry the rounding of their test do so only together; the first rows of an empty tree decide."""
        if len(bounds):
            carries = bounds.carries_rounding and (self.bounds.carries_rounding or not rows_before)
            self.bounds = replace(self.bounds, carries_rounding=carries)

    def _refit(self):
        if self._moved:
            self._tree = change.refit(self._tree, self.bounds, np.concatenate(self._moved))
            self._moved = []

    def _settle(self):
        """Outside of batches: refit, and rebuild if that pays."""
        if self._batches:
            return
        self._refit()
        if change.degradation(self._tree).needs_rebuild:
            self.rebuild()


class BatchEdit:
    """Many edits of an `EditableTree`, settled once: one refit, at most one rebuild. Batches nest; the outermost settles, also
    after an exception."""

    def __init__(self, tree: EditableTree):
        self._tree = tree

    def __enter__(self) -> EditableTree:
        self._tree._batches += 1
        return self._tree

    def __exit__(self, *exc):
        self._tree._batches -= 1
        self._tree._settle()
