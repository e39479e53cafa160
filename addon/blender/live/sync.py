"""Brings the live tables in step with a scene by reading no more of it than what changed.

A moved object with one row is patched: its matrix came with the mark. Whatever else was named is read again, object by object, and
the tables find the records that differ. Where the scene itself was named, the objects that are listed are compared with those before,
and every object that instances others is read again, since Blender does not always name it. Past `WHOLE_SHARE`, all are read.
"""

from __future__ import annotations

import numpy as np

from ...core import ids, layout
from ...core.live.tables import LiveTables
from ..extract.levels import may_be_level
from .marks import Marks
from .source import SceneSource, listed_names

#: share of the shown objects past which reading all of them is no slower
WHOLE_SHARE = 0.3
#: geometries that nothing shows any more, past which the stores are made anew: so many, and this share of those that are shown
GARBAGE_SHARE, GARBAGE_COUNT = 1.0, 64


class SceneSync:
    """Tables of one scene and what is needed to follow it.

    Parameters
    ----------
    convention, channels
        As in `SceneSource`.
    options : core.live.options.LiveOptions

    Attributes
    ----------
    tables : LiveTables or None
        None until the first `update`.
    marks : Marks
    shown : frozenset of str
        Full names of the top-level objects that were shown at the last reading.
    generation : int
        + 1 whenever `tables` is another object.
    readings : int
        + 1 whenever rows were read: anything but moving.
    """

    def __init__(self, convention, channels, options):
        self.convention, self.channels, self.options = convention, channels, options
        self.tables: LiveTables | None = None
        self.marks = Marks("the session has begun")
        self.shown: frozenset = frozenset()
        self.generation = self.readings = 0
        self.source: SceneSource | None = None
        self._expanded: set = set()
        self._instanced: set = set()
        self._index = self._listed = None

    def mark(self, depsgraph, frame_changed: bool = False) -> None:
        """Note ``depsgraph.updates``."""
        self.marks.note(depsgraph, self._knows_material, self.shown, frame_changed)

    def _knows_material(self, name: str) -> bool:
        return self.source is not None and self.source.knows_material(name)

    def update(self, depsgraph, data) -> bool:
        """Bring `tables` up to date; True when anything in them changed. Costs nothing when nothing is marked."""
        if not self.marks:
            return False
        marks, self.marks = self.marks, Marks()
        renamed = (marks.materials or marks.whole) and self.source is not None and self.source.lacks_materials(data)
        if self.tables is None or marks.anew or renamed:
            self._begin(depsgraph, data)
            return True
        before = self.tables.version
        if marks.whole:
            self._read(depsgraph, data, None)
            return self.tables.version != before
        rest = self._move(marks)
        if rest or marks.changed or marks.instances:
            self._read(depsgraph, data, _Choice(self, marks, rest))
        elif marks.scene:
            # Selecting marks the scene as much as hiding does: only another list is worth a reading.
            listed = listed_names(depsgraph)
            if listed != self._listed:
                self._read(depsgraph, data, _Choice(self, marks, rest))
                self._listed = listed
        return self.tables.version != before

    def _begin(self, depsgraph, data):
        """Everything anew, stores too."""
        self.source = SceneSource(self.convention, self.channels)
        reading = self.source.read(depsgraph, data)
        self.tables = LiveTables.build(reading.rows, reading.primitives, self.convention, self.channels, self.options)
        self.generation += 1
        self.readings += 1
        self._expanded, self._instanced = set(reading.expanded), set(reading.instanced)
        self.shown, self._index, self._listed = reading.shown, None, None

    def _move(self, marks) -> set:
        """Patch what only moved; the names of marked objects that have to be read."""
        moved = marks.moved
        rest = set()
        if marks.animated:
            if self.source.carried:  # custom properties may be animated, too
                rest.update(marks.animated)
            else:
                rest.update(name for name in marks.animated if name not in self.shown)
                moved = {**{name: m for name, m in marks.animated.items() if name in self.shown}, **moved}
        if not moved:
            return rest
        names = list(moved)
        slots, has_rows = self.index.direct_slots(ids.name_keys(names))
        direct = slots >= 0
        if self.source.moves and direct.any():
            rows = np.flatnonzero(direct)
            flagged = (self.tables.transforms["flags"][slots[rows]] & layout.INSTANCE_MOVABLE) != 0
            now = np.fromiter((names[row] in marks.movable for row in rows.tolist()), bool, len(rows))
            direct[rows[flagged != now]] = False  # read again: that, or a setting that forces it
        if direct.any():
            self.tables.patch(slots[direct], np.stack([m for m, is_direct in zip(moved.values(), direct.tolist()) if is_direct]))
        rest.update(name for name, is_direct, rows in zip(names, direct.tolist(), has_rows.tolist()) if rows and not is_direct)
        if not self._instanced.isdisjoint(names):
            rest |= self._expanded
        return rest | self._expanded.intersection(names)

    @property
    def index(self) -> "OwnerIndex":
        """Of the rows as they are."""
        if self._index is None or self._index.layout_version != self.tables.layout_version:
            self._index = OwnerIndex(self.tables)
        return self._index

    def _read(self, depsgraph, data, choice):
        """Read again what is marked, and what may depend on it; None: everything."""
        reading = self.source.read(depsgraph, data, choice)
        self._index = self._listed = None
        self.readings += 1
        if reading.owners is None:
            self.tables.apply(reading.rows, None, reading.primitives)
            self._expanded, self._instanced = set(reading.expanded), set(reading.instanced)
        else:
            self._drop(self.shown - reading.shown, data)
            self.tables.apply(reading.rows, reading.owners, reading.primitives)
            self._expanded = (self._expanded - choice.names) | reading.expanded
            self._instanced |= reading.instanced
        self.shown = reading.shown
        if reading.primitives is not None and self._is_full():
            self._begin(depsgraph, data)

    def _drop(self, gone, data):
        """Hide the rows of objects that are still in the file; remove those of the others."""
        if not gone:
            return
        gone = sorted(gone)
        there = {obj.name_full for obj in data.objects}
        keys = ids.name_keys(gone)
        hidden = np.fromiter((name in there for name in gone), bool, len(gone))
        if hidden.any():
            self.tables.hide(keys[hidden])
        if not hidden.all():
            self.tables.remove(keys[~hidden])

    def _is_full(self) -> bool:
        """Whether the stores hold mostly meshes that nothing shows any more."""
        used = len(self.source.geometries_of(self.tables._store_ids.tolist()))
        return self.source.geometry_count > used * (1 + GARBAGE_SHARE) + GARBAGE_COUNT


class OwnerIndex:
    """Which rows each top-level object has, looked up in bulk."""

    def __init__(self, tables):
        self.layout_version = tables.layout_version
        slots = np.flatnonzero(tables.alive)
        owners = tables.owners[slots]
        order = np.argsort(owners, kind="stable")
        owners, slots = owners[order], slots[order]
        starts = np.flatnonzero(np.r_[True, owners[1:] != owners[:-1]][:len(owners)])
        #: one entry an owner, ascending
        self.owners, first = owners[starts], slots[starts]
        count = np.diff(np.r_[starts, len(owners)])
        # Rows of an object's own mesh have the plainest key; those in double precision are composed anew, never patched.
        direct = (count == 1) & (tables.keys[first] == ids.combine(self.owners, np.uint64(0)))
        direct &= (tables.transforms["flags"][first] & layout.INSTANCE_FULL_PRECISION) == 0
        self._slots = np.where(direct, first, -1)

    def direct_slots(self, keys) -> tuple:
        """((K,) int64 slot of each owner's one own row or -1, (K,) bool whether it has rows at all)."""
        if not len(self.owners):
            return np.full(len(keys), -1), np.zeros(len(keys), bool)
        at = np.minimum(np.searchsorted(self.owners, keys), len(self.owners) - 1)
        known = self.owners[at] == keys
        return np.where(known, self._slots[at], -1), known


class _Choice:
    """Which of the listed objects are read again. Called with the `Listing`; (N,) bool, or None for all."""

    def __init__(self, sync, marks, rest):
        self.sync, self.marks, self.rest = sync, marks, rest
        self.names: set = set()

    def __call__(self, listing):
        sync, marks = self.sync, self.marks
        known = sync.shown
        shown = {name for name, is_shown in zip(listing.names, listing.shown.tolist()) if is_shown}
        new, gone = shown - known, known - shown
        touched = marks.changed | new | gone
        redo = marks.changed | self.rest | new
        structural = marks.instances or new or gone or (marks.scene and marks.changed)
        if may_be_level("\n".join(touched)) or not listing.level_names.isdisjoint(touched):
            return None  # levels of detail are part of other objects
        if listing.movable.any != sync.source.moves:
            return None  # extraction asks what may move only where something is animated
        if sync.source.has_unseen_levels:
            return None  # Blender does not evaluate them, so it names no change of theirs
        if redo:
            redo |= sync._expanded
        mask = np.fromiter((name in redo for name in listing.names), bool, len(listing.names))
        if structural:
            mask |= sync.index.direct_slots(ids.name_keys(listing.names))[0] < 0
            mask |= _below(listing, touched)
        mask &= listing.shown
        if np.count_nonzero(mask) > WHOLE_SHARE * max(1, len(shown)) and len(shown) > 64:
            return None
        self.names = {listing.names[row] for row in np.flatnonzero(mask).tolist()}
        return mask


def _below(listing, names) -> np.ndarray:
    """(N,) bool: listed objects with one of `names` among their parents: whether they may move depends on it."""
    parents = [obj.parent for obj in listing.objects]
    memo: dict = {}

    def is_below(parent) -> bool:
        if parent is None:
            return False
        name = parent.name_full
        if name not in memo:
            memo[name] = False  # cuts cycles
            memo[name] = name in names or is_below(parent.parent)
        return memo[name]

    return np.fromiter(map(is_below, parents), bool, len(parents))
