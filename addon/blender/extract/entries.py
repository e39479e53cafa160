"""Template entries: instances of one primitive in some local space, and placing and merging them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core import ids, layout, transforms
from ...core.assemble import Part
from . import channels as channel_values

IDENTITY = np.eye(4, dtype=np.float32)
IDENTITY.flags.writeable = False


@dataclass(frozen=True)
class Entry:
    """Instances of one primitive in a template.

    Attributes
    ----------
    primitive : int
    columns : (K, 4, 4) float32, column-stored, local to the template
    keys : (K,) uint64, within the template
    sources : (K,) uint32
    flags : (K,) uint32
    attributes, properties : (K, 8) float32 or None
        Channel values from instance attributes, and from custom properties (the fallback); NaN where not set.
    """

    primitive: int
    columns: np.ndarray
    keys: np.ndarray
    sources: np.ndarray
    flags: np.ndarray
    attributes: np.ndarray | None = None
    properties: np.ndarray | None = None

    @classmethod
    def single(cls, primitive: int, source: int, properties=None) -> "Entry":
        """One instance at the template's origin; `properties` (8,) or None."""
        return cls(primitive, IDENTITY[None], np.zeros(1, np.uint64), np.array([source], np.uint32),
                   np.array([layout.INSTANCE_VISIBLE], np.uint32), None, None if properties is None else properties[None])

    @property
    def is_whole(self) -> bool:
        """One instance at the template's origin: it lies where the object lies."""
        return len(self.keys) == 1 and np.array_equal(self.columns[0], IDENTITY)

    def part(self, name_key, columns, outer=None) -> Part:
        """As a `Part` of the object with that key: `columns` world matrices, or local ones below `outer`."""
        return Part(self.primitive, columns, ids.combine(name_key, self.keys), self.sources,
                    channel_values.inherit(self.attributes, self.properties), self.flags, outer, name_key)


def instanced(entries, columns, keys, attributes=None, properties=None, flags=0) -> list:
    """Entries of a template placed N times.

    `columns` (N, 4, 4), `keys` (N,), `attributes` (N, 8) or None, `properties` (8,) or None: the instancer's own, for where the entry has none.
    """
    return [_placed(entry, columns, keys, attributes, properties, flags) for entry in entries]


def _placed(entry, columns, keys, attributes, properties, flags) -> Entry:
    count, inner = len(keys), len(entry.keys)

    def outer_major(values):
        """(K, ...) of the entry -> (N * K, ...), repeated for each placement."""
        return values if count == 1 else np.broadcast_to(values[None], (count, *values.shape)).reshape(count * inner, *values.shape[1:])

    def values_of(inner_values, outer_values):
        if inner_values is None and outer_values is None:
            return None
        merged = channel_values.inherit(None if inner_values is None else inner_values[None], outer_values)
        return np.broadcast_to(merged, (count, inner, merged.shape[-1])).reshape(count * inner, -1)

    if inner == 1 and np.array_equal(entry.columns[0], IDENTITY):
        product = columns
    elif count == 1:
        product = transforms.compose(columns[0].T, entry.columns)
    else:
        product = transforms.compose_pairs(columns, entry.columns).reshape(count * inner, 4, 4)
    return Entry(entry.primitive, product, ids.combine(keys[:, None], entry.keys[None]).reshape(-1), outer_major(entry.sources),
                 outer_major(entry.flags | np.uint32(flags)),
                 values_of(entry.attributes, None if attributes is None else attributes[:, None]), values_of(entry.properties, properties))


def merged(entries, flags=0) -> list:
    """The same instances with one entry a primitive, in order of first appearance; `flags` set on all.

    Keeps nested templates small: a street of a thousand windows stays one array at every level.
    """
    groups: dict = {}
    for entry in entries:
        groups.setdefault(entry.primitive, []).append(entry)
    return [_joined(group, np.uint32(flags)) for group in groups.values()]


def _joined(group, flags) -> Entry:
    def join(name):
        values = [getattr(e, name) for e in group]
        if all(v is None for v in values):
            return None
        return np.concatenate([channel_values.unset(len(e.keys)) if v is None else v for e, v in zip(group, values)])

    first = group[0]
    if len(group) == 1:
        return first if not flags else Entry(first.primitive, first.columns, first.keys, first.sources, first.flags | flags,
                                             first.attributes, first.properties)
    return Entry(first.primitive, join("columns"), join("keys"), join("sources"), join("flags") | flags, join("attributes"), join("properties"))
