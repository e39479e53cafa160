"""The rows of a scene without slots: what a layout is made of, in an order that depends on nothing but the rows themselves."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .. import ids
from ..assemble import visibility_words, with_counts
from ..primitive_tables import PrimitiveTables
from ..scene import SceneData
from .primitives import select, trimmed


@dataclass(frozen=True)
class Content:
    """K rows.

    Attributes
    ----------
    transforms, data, keys, owners, sources
        As `LiveRows` has them.
    primitives : (K,) int64
        In the session's store.
    store_ids : (P,) int64
        Primitives of the store in use, in their order; `data` counts in these once the content is `canonical`.
    """

    transforms: np.ndarray
    data: np.ndarray
    keys: np.ndarray
    owners: np.ndarray
    sources: np.ndarray
    primitives: np.ndarray
    store_ids: np.ndarray

    def __len__(self):
        return len(self.keys)

    @property
    def counts(self) -> np.ndarray:
        """(P,) int64 rows of each primitive; of canonical content."""
        return np.bincount(self.data["primitive_id"], minlength=len(self.store_ids))


def canonical(content: Content) -> Content:
    """Copies in canonical order: primitives by their smallest key, rows by primitive, then key; `instance_id` as an
    export gives it.

    Raises ``ValueError`` if two rows have the same key.
    """
    order = np.argsort(content.keys)
    ordered = content.keys[order]
    if (ordered[1:] == ordered[:-1]).any():
        raise ValueError("Two rows have the same key.")
    primitives = content.primitives[order]
    count = int(primitives.max(initial=-1)) + 1
    first = np.full(count, len(order), np.int64)
    first[primitives[::-1]] = np.arange(len(order))[::-1]  # of several that are written, the last stays
    store_ids = np.argsort(first, kind="stable")[:np.count_nonzero(first < len(order))]
    rank = np.zeros(count, np.uint32)
    rank[store_ids] = np.arange(len(store_ids))
    if len(store_ids) > 1:
        # 16-bit numbers are sorted by radix.
        small = np.uint16 if len(store_ids) <= 1 << 16 else np.uint32
        order = order[np.argsort(rank[primitives].astype(small), kind="stable")]
    keys, data, primitives = (column.take(order) for column in (content.keys, content.data, content.primitives))
    data["primitive_id"] = rank[primitives]
    data["instance_id"] = ids.instance_ids(keys)
    transforms, owners, sources = (column.take(order) for column in (content.transforms, content.owners, content.sources))
    return Content(transforms, data, keys, owners, sources, primitives, store_ids)


def with_sorted_names(content: Content, names) -> tuple:
    """`content` with sources that count in the names in use, sorted, and those names."""
    used = np.unique(content.sources)
    ordered = sorted(used.tolist(), key=names.__getitem__)
    new_of = np.zeros(len(names), np.uint32)
    new_of[ordered] = np.arange(len(ordered))
    return replace(content, sources=new_of[content.sources]), [names[i] for i in ordered]


def dense_scene(content: Content, names, store: PrimitiveTables, convention, channels) -> SceneData:
    """Canonical content as `SceneData`. A primitive goes by the name of its first row's source, since which of its users
    named it in the store is a matter of history.
    """
    primitives = trimmed(select(store, content.store_ids))
    counts = content.counts
    first_rows = np.cumsum(counts) - counts
    tables = with_counts(primitives.tables, counts) | {
        "instance_transforms": content.transforms, "instance_data": content.data,
        "visibility": visibility_words(content.transforms["flags"]),
        "instance_index": np.arange(len(content), dtype=np.uint32),
        "instance_sources": content.sources,
    }
    return SceneData(tables, convention, tuple(names[i] for i in content.sources[first_rows].tolist()), tuple(names),
                     primitives.materials, tuple(channels))
