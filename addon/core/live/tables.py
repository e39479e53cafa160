"""The live scene's tables: rows in slots, brought up to date record by record.

Cost: what changes, and nothing else. Exceptions are `apply` to the whole scene (one pass over its rows), and new layouts: when a
segment has no free slot left, when an instance shows a primitive that is not in use yet, and after `compact`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .. import ids, layout, transforms
from ..assemble import fill_custom, visibility_words, with_counts
from ..conventions import Convention
from ..primitive_tables import PrimitiveTables
from ..scene import DEFAULT_CHANNELS, SceneData
from .compare import DIFFERENT, OTHER_PRIMITIVE, compare, same_bytes
from .content import Content, canonical, dense_scene, with_sorted_names
from .match import match
from .options import LiveOptions
from .rows import LiveRows
from .storage import VISIBLE, Storage


class Changes(NamedTuple):
    """How many rows `LiveTables.apply` added, removed, changed and found unchanged."""

    added: int
    removed: int
    changed: int
    unchanged: int


class LiveTables(Storage):
    """Capacity tables: a row a slot, used or free. Slots of one primitive lie together. Make them with `build`.

    Attributes
    ----------
    convention : Convention
    channels : tuple of Channel
    options : LiveOptions
        `bounds_scale` and `cull_distance` are in `bounds`.
    transforms : (C,) INSTANCE_TRANSFORM
        Free slots: flags 0.
    data : (C,) INSTANCE_DATA
        `primitive_id` counts in `primitives`, in free slots too. `instance_id` of rows that came after the layout is the folded
        key, which is told apart from others at the next `compact`.
    keys, owners : (C,) uint64
        0 in free slots.
    sources : (C,) uint32
        Into `names`.
    alive : (C,) bool
        False in free slots. A hidden row is alive; its VISIBLE flag is not set.
    names : list of str
        Distinct.
    bounds : InstanceBounds
        In place; hidden and free slots are not drawable. What has no cull radius of its own has the options' distance.
    primitives : PrimitiveTables
        Those in use, geometry and materials shared with the store.
    segments : Segments
    layout_version : int
        Goes up when slots moved, or the arrays and primitives were replaced. Nothing is dirty then: take everything anew.
    version : int
        Goes up with every change.
    hidden_count : int
        Alive rows that are not shown.
    """

    @classmethod
    def build(cls, rows: LiveRows, primitives: PrimitiveTables, convention: Convention, channels=DEFAULT_CHANNELS,
              options: LiveOptions = LiveOptions()) -> "LiveTables":
        """Lay `rows` out in canonical order.

        Parameters
        ----------
        rows : LiveRows
        primitives : PrimitiveTables
            What ``rows.data["primitive_id"]`` counts in.
        """
        self = cls()
        self.convention, self.channels, self.options = convention, tuple(channels), options
        self.layout_version = self.version = 0
        self.names, self._name_rows, self._last_names = [], {}, ((), None)
        self._store = primitives
        self._lay_out_canonical(canonical(Content(rows.transforms, rows.data, rows.keys, rows.owners, self._source_rows(rows),
                                        rows.data["primitive_id"].astype(np.int64), None)))
        return self

    @property
    def capacity(self) -> int:
        """Slots."""
        return len(self.alive)

    @property
    def count(self) -> int:
        """Rows shown: alive and not hidden."""
        return self._alive_count - self.hidden_count

    @property
    def fragmentation(self) -> float:
        """Holes over alive rows and holes, 0 to 1. A hole is a slot that was freed; headroom that was never used is none."""
        holes = self.segments.hole_count
        return holes / max(self._alive_count + holes, 1)

    def slots_of(self, owners) -> np.ndarray:
        """(K,) int64 ascending: slots of an owner, or of any of several."""
        return self._by_owner.find(np.atleast_1d(np.asarray(owners, np.uint64)))

    def slot_of_key(self, keys):
        """Slot of a key, -1 for none; of several keys (K,) int64 in their order."""
        wanted = np.atleast_1d(np.asarray(keys, np.uint64))
        found = self._by_key.find(wanted)
        found = found[np.argsort(self.keys[found])]
        unique, place = np.unique(wanted, return_inverse=True)
        slots = match(unique, self.keys[found], found)[0][place]
        return slots if np.ndim(keys) else int(slots[0])

    def apply(self, rows: LiveRows, owners=None, primitives: PrimitiveTables | None = None) -> Changes:
        """Bring the rows of some owners, or of the whole scene, to what `rows` says.

        Parameters
        ----------
        rows : LiveRows
            All rows of `owners`. A key belongs to one owner.
        owners : (K,) uint64 or None
            Whose; None: everybody's.
        primitives : PrimitiveTables or None
            The store, where it has grown since.

        Returns
        -------
        Changes
            A row that shows another primitive is one removed and one added.

        Notes
        -----
        Only rows whose bytes differ are written and become dirty. A hidden row that is among `rows` is shown again in its slot.
        One that is not stays hidden, unless its owner has other rows: then it is removed.
        """
        if primitives is not None:
            self._store = primitives
        sources = self._source_rows(rows)
        slots, gone = self._match(rows, owners)
        own_id = np.full(len(self._store), len(self.primitives), np.uint32)  # past the last: not in use
        own_id[self._store_ids] = np.arange(len(self.primitives))
        stored = rows.data["primitive_id"]
        state = compare(slots, self, rows, own_id[stored], sources, rows.owners)
        changed, swapped = np.flatnonzero(state == DIFFERENT), np.flatnonzero(state == OTHER_PRIMITIVE)
        added = np.flatnonzero((slots < 0) | (state == OTHER_PRIMITIVE))
        gone = np.concatenate([gone, slots[swapped]])
        changes = Changes(len(added), len(gone), len(changed), len(rows) - len(added) - len(changed))
        layout_before = self.layout_version
        self._free(gone)
        if len(added):
            slots[swapped] = -1
            slots[added], moved = self._allocate(stored[added].astype(np.int64))
            if moved is not None:
                slots[changed] = moved[slots[changed]]
            self.data["instance_id"][slots[added]] = ids.instance_ids(rows.keys[added])
        self._write(slots, rows, np.concatenate([changed, added]), sources)
        if self.layout_version != layout_before:
            self._dirty.forget(self.capacity), self._came.forget(self.capacity)
        elif owners is None:
            self._last_match = rows.keys.copy(), slots
        return changes

    def patch(self, slots, columns, custom=None) -> int:
        """The fast path of instances that only moved.

        Parameters
        ----------
        slots : (K,) int64
            Distinct, alive.
        columns : (K, 4, 4) float32, column-stored
            World matrices in Blender's space. Not written to.
        custom : (K, 8) float32 or None
            Channel values, NaN where not set; None: as they are.

        Returns
        -------
        int
            How many differ from what was there; only these become dirty.
        """
        slots = np.asarray(slots, np.int64)
        before, old_data = self.transforms[slots], self.data[slots]
        moved = np.array(self.convention.transforms(np.asarray(columns, np.float32)), np.float32, order="C")
        computed = np.uint32(layout.INSTANCE_VALID | layout.INSTANCE_MIRRORED)
        transforms.pack(moved, self.primitives.radii[old_data["primitive_id"]], before["flags"] & ~computed)
        after = moved.reshape(len(slots), 16).view(layout.INSTANCE_TRANSFORM.dtype).reshape(len(slots))
        new_data = old_data.copy()
        if custom is not None:
            new_data["custom_data"] = 0
            fill_custom(new_data["custom_data"], [np.asarray(custom, np.float32)], [len(slots)], self.channels)
        differ = ~(same_bytes(after, before) & same_bytes(new_data, old_data))
        slots = slots[differ]
        if len(slots):
            self.transforms[slots], self.data[slots] = after[differ], new_data[differ]
            self._bound(slots)
            self._changed(slots)
        return len(slots)

    def hide(self, owners) -> int:
        """Clear the VISIBLE flag of all rows of `owners`, and nothing else. Returns how many were shown."""
        slots = self.slots_of(owners)
        flags = self.transforms["flags"]
        slots = slots[(flags[slots] & VISIBLE) != 0]
        if len(slots):
            flags[slots] &= ~VISIBLE
            self.bounds.drawable[slots] = False
            self.hidden_count += len(slots)
            self._changed(slots)
        return len(slots)

    def remove(self, owners) -> int:
        """Free the slots of all rows of `owners`. Returns how many."""
        slots = self.slots_of(owners)
        self._free(slots)
        return len(slots)

    def set_options(self, options: LiveOptions) -> None:
        """Other settings. A change of `bounds_scale` or `cull_distance` makes new bounds of everything."""
        before, self.options = self.options, options
        if (options.bounds_scale, options.cull_distance) != (before.bounds_scale, before.cull_distance):
            slots = np.flatnonzero(self.alive)
            self._bound(slots)
            self._changed(slots)

    def take_dirty(self) -> np.ndarray:
        """(K,) int64 ascending: slots changed since the last time, or since the layout."""
        return self._dirty.take()

    def take_arrivals(self) -> np.ndarray:
        """(K,) int64 ascending: slots that another row has since the last time, or since the layout. Hidden rows keep theirs."""
        return self._came.take()

    def compact(self) -> None:
        """A canonical layout: hidden rows and holes gone, primitives, rows and names in an order that is the same whatever came
        before.
        """
        content, self.names = with_sorted_names(canonical(self._shown()), self.names)
        self._name_rows, self._last_names = dict(zip(self.names, range(len(self.names)))), ((), None)
        self._lay_out_canonical(content)

    def capacity_scene(self) -> SceneData:
        """The capacity tables as a scene whose rows are the slots: views, so it follows every change until the next layout, save
        for ``visibility``. `max_instance_count` is the room of a segment.
        """
        if self._scene is None:
            tables = with_counts(self.primitives.tables, self.segments.capacity, self.segments.first) | {
                "instance_transforms": self.transforms, "instance_data": self.data, "instance_sources": self.sources,
                "instance_index": np.arange(self.capacity, dtype=np.uint32),
                "visibility": visibility_words(self.transforms["flags"]),
            }
            self._scene = SceneData(tables, self.convention, self.primitives.names, tuple(self.names), self.primitives.materials,
                                    self.channels)
        return self._scene

    def scene(self) -> SceneData:
        """What is shown, as an export would have it, in canonical order: the same bytes whatever came before. Flagged rows have no
        ``full_precision_transforms``, which are not kept.
        """
        content, names = with_sorted_names(canonical(self._shown()), self.names)
        return dense_scene(content, names, self._store, self.convention, self.channels)

    def _lay_out_canonical(self, content) -> None:
        self._lay_out(content.store_ids, content.counts, content.counts, content)

    def _shown(self) -> Content:
        slots = np.flatnonzero(self.alive & ((self.transforms["flags"] & VISIBLE) != 0))
        return self._content(slots)

    def _match(self, rows, owners) -> tuple:
        """(K,) slots of `rows`, -1 for new ones; and slots to free."""
        if owners is not None:
            found = self.slots_of(owners)
            order = np.argsort(self.keys[found])
            keys, found = self.keys[found[order]], found[order]
        elif self._last_match is not None and np.array_equal(rows.keys, self._last_match[0]):
            return self._last_match[1].copy(), np.zeros(0, np.int64)
        else:
            keys, found = self._by_key.sorted()
        slots, present = match(rows.keys, keys, found)
        gone = found[~present]
        hidden = (self.transforms["flags"][gone] & VISIBLE) == 0
        if hidden.any():
            gone = gone[~hidden | np.isin(self.owners[gone], rows.owners)]
        return slots, gone

    def _source_rows(self, rows) -> np.ndarray:
        """(K,) uint32 sources counted in `names`, which grows."""
        known, place = self._last_names
        if place is None or rows.names != known:
            new = dict.fromkeys(name for name in rows.names if name not in self._name_rows)
            self._name_rows.update(zip(new, range(len(self.names), len(self.names) + len(new))))
            self.names.extend(new)
            place = np.fromiter(map(self._name_rows.__getitem__, rows.names), np.uint32, len(rows.names))
            self._last_names = rows.names, place
        return place[rows.sources]
