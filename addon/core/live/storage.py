"""The arrays under `LiveTables`: laid out in segments, written, freed and bounded slot by slot."""

from __future__ import annotations

import numpy as np

from .. import layout
from ..culling.bounds import InstanceBounds, local_shapes, row_bounds
from .content import Content
from .index import SlotIndex
from .primitives import select
from .slots import Dirty, Segments

VISIBLE = np.uint32(layout.INSTANCE_VISIBLE)


class Storage:
    """Capacity arrays and what is known of them; attributes are those of `LiveTables`."""

    def _lay_out(self, store_ids, counts, filled, content: Content) -> np.ndarray:
        """Fresh arrays in place of all.

        Parameters
        ----------
        store_ids : (P,) int64
            Primitives of the store, in the order they are to have.
        counts : (P,) int64
            Rows to make room for.
        filled : (P,) int64
            How many of these `content` has.
        content : Content
            Grouped by primitive; its ``data["primitive_id"]`` counts in `store_ids`.

        Returns
        -------
        (K,) int64
            Slots of the content, ascending.
        """
        self._store_ids, self.primitives = store_ids, select(self._store, store_ids)
        self._shapes = local_shapes(self.primitives.tables["primitives"])
        self.segments = Segments(counts)
        size = self.segments.total
        self.transforms, self.data = layout.INSTANCE_TRANSFORM.empty(size), layout.INSTANCE_DATA.empty(size)
        self.keys, self.owners, self.sources = np.zeros(size, np.uint64), np.zeros(size, np.uint64), np.zeros(size, np.uint32)
        self.alive = np.zeros(size, bool)
        self.data["primitive_id"] = self.segments.primitive_ids()
        slots = self.segments.fill(filled)
        for name in ("transforms", "data", "keys", "owners", "sources"):
            getattr(self, name)[slots] = getattr(content, name)
        self.alive[slots] = True
        self._by_key, self._by_owner = SlotIndex(self.keys, self.alive), SlotIndex(self.owners, self.alive)
        self._dirty, self._scene, self._last_match = Dirty(size), None, None
        self._came = Dirty(size)
        self._alive_count, self.hidden_count = len(slots), self._count_hidden(slots)
        self._bound_all(slots)
        self.layout_version += 1
        self.version += 1
        return slots

    def _content(self, slots) -> Content:
        """What `slots` hold, as copies."""
        transforms, data, keys, owners, sources = (
            column.take(slots) for column in (self.transforms, self.data, self.keys, self.owners, self.sources))
        return Content(transforms, data, keys, owners, sources, self._store_ids[data["primitive_id"]], None)

    def _allocate(self, stored) -> tuple:
        """Slots for new rows of `stored` (K,) primitives of the store.

        Returns
        -------
        slots : (K,) int64
        moved : (C,) int64 or None
            Where each former slot is now, if all had to be laid out anew.
        """
        new = np.setdiff1d(stored, self._store_ids)
        store_ids = np.concatenate([self._store_ids, new])
        own_id = np.zeros(len(self._store), np.int64)
        own_id[store_ids] = np.arange(len(store_ids))
        primitives = own_id[stored]
        needed = np.bincount(primitives, minlength=len(store_ids))
        if not len(new) and (needed <= self.segments.free_counts()).all():
            return self.segments.take(primitives), None
        before = np.flatnonzero(self.alive)
        moved = np.full(len(self.alive), -1, np.int64)
        content = self._content(before)
        filled = np.bincount(content.data["primitive_id"], minlength=len(store_ids))
        kept = filled + needed > 0
        rank = np.cumsum(kept) - 1
        content.data["primitive_id"] = rank[content.data["primitive_id"]]
        moved[before] = self._lay_out(store_ids[kept], (filled + needed)[kept], filled[kept], content)
        return self.segments.take(rank[primitives]), moved

    def _write(self, slots, rows, which, sources) -> None:
        """Copy rows `which` into their ``slots[which]``, which have their `instance_id`; `sources` are those of all rows."""
        if not len(which):
            return
        slots = slots[which]
        fresh = ~self.alive[slots]
        other_owner = slots[fresh | (self.owners[slots] != rows.owners[which])]
        self.hidden_count -= self._count_hidden(slots[~fresh])
        data = rows.data[which]
        for name in ("instance_id", "primitive_id"):
            data[name] = self.data[name][slots]
        self.transforms[slots], self.data[slots] = rows.transforms[which], data
        self.keys[slots], self.owners[slots], self.sources[slots] = rows.keys[which], rows.owners[which], sources[which]
        self.alive[slots] = True
        self.hidden_count += self._count_hidden(slots)
        if fresh.any():
            self._alive_count += int(np.count_nonzero(fresh))
            self._by_key.add(slots[fresh])
            self._came.add(slots[fresh])
            self._last_match = None
        self._by_owner.add(other_owner)
        self._bound(slots)
        self._changed(slots)

    def _free(self, slots) -> None:
        """Give `slots` back to their segments."""
        if not len(slots):
            return
        self.hidden_count -= self._count_hidden(slots)
        self._alive_count -= len(slots)
        self.transforms["flags"][slots] = 0
        self.keys[slots] = self.owners[slots] = 0
        self.alive[slots] = self.bounds.drawable[slots] = False
        self.segments.release(slots, self.data["primitive_id"][slots])
        self._by_key.remove(slots)
        self._by_owner.remove(slots)
        self._last_match = None
        self._changed(slots)

    def _changed(self, slots) -> None:
        self._dirty.add(slots)
        self.version += 1

    def _count_hidden(self, slots) -> int:
        """Of alive `slots`."""
        return int(np.count_nonzero((self.transforms["flags"][slots] & VISIBLE) == 0))

    def _bound_all(self, slots) -> None:
        """Fresh bounds: of alive `slots`; all others are points where the first of these is."""
        size = len(self.alive)
        self._anchor = np.zeros(3, np.float32)
        found = self._row_bounds(slots)
        if found[4].any():
            self._anchor = found[0][np.argmax(found[4])].copy()
        points = [np.tile(self._anchor, (size, 1)) for _ in range(3)]
        self.bounds = InstanceBounds(points[0], np.zeros(size, np.float32), points[1], points[2], np.zeros(size, np.float32),
                                     np.zeros(size, bool), True)
        self._set_bounds(slots, found)

    def _bound(self, slots) -> None:
        self._set_bounds(slots, self._row_bounds(slots))

    def _row_bounds(self, slots) -> tuple:
        return row_bounds(self.transforms.take(slots), self.data["primitive_id"][slots], self._shapes, self.options.bounds_scale)

    def _set_bounds(self, slots, found) -> None:
        """Write the result of `row_bounds`. Rows that are not valid become points."""
        bounds, (center, radius, box_min, box_max, valid) = self.bounds, found
        if not valid.all():
            for points in (center, box_min, box_max):
                points[~valid] = self._anchor
            radius[~valid] = 0
        bounds.center[slots], bounds.radius[slots] = center, radius
        bounds.box_min[slots], bounds.box_max[slots] = box_min, box_max
        own = self.data["custom_data"][slots, 0, 0]
        limit = np.float32(self.options.cull_distance)
        bounds.cull_radius[slots] = np.where(own > 0, own, limit) if limit > 0 else own
        bounds.drawable[slots] = valid & ((self.transforms["flags"][slots] & VISIBLE) != 0)
