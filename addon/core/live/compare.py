"""Which rows differ from what the tables hold, byte by byte: -0.0 is not 0.0, and a NaN is itself."""

from __future__ import annotations

import numpy as np

from ..transforms import for_chunks

SAME, DIFFERENT, OTHER_PRIMITIVE = range(3)
_ALL = np.uint64(0x0101010101010101)  # eight bools that are true


def compare(slots, tables, rows, primitives, sources, owners) -> np.ndarray:
    """(K,) uint8: whether each row is what its slot holds.

    Parameters
    ----------
    slots : (K,) int64
        Negative: none, which counts as the same.
    tables : object
        With ``transforms``, ``data``, ``sources`` and ``owners``, by slot.
    rows : LiveRows
    primitives, sources : (K,) uint32
        Of the rows, numbered as in the tables. `instance_id` is not looked at: tables give it.
    owners : (K,) uint64
    """
    out = np.zeros(len(slots), np.uint8)
    own_words, own_halves = _words(tables.transforms, 8), _words(tables.data, 6)
    words, halves = _words(rows.transforms, 8), _words(rows.data, 6)
    own_primitives = tables.data["primitive_id"]

    def work(start, stop):
        at = slots[start:stop]
        equal = np.ones((stop - start, 16), bool)
        np.equal(own_words[at], words[start:stop], out=equal[:, :8])
        np.equal(own_halves[at, 1:], halves[start:stop, 1:], out=equal[:, 8:13])
        np.equal(tables.sources[at], sources[start:stop], out=equal[:, 13])
        np.equal(tables.owners[at], owners[start:stop], out=equal[:, 14])
        both = equal.view(np.uint64)
        found = out[start:stop]
        found[(both[:, 0] != _ALL) | (both[:, 1] != _ALL)] = DIFFERENT
        found[own_primitives[at] != primitives[start:stop]] = OTHER_PRIMITIVE
        found[at < 0] = SAME

    for_chunks(len(slots), work)
    return out


def same_bytes(one, other) -> np.ndarray:
    """(K,) bool of two (K,) arrays of records."""
    size = one.dtype.itemsize // 4
    return (one.view(np.uint32).reshape(len(one), size) == other.view(np.uint32).reshape(len(one), size)).all(axis=1)


def _words(records, count):
    """(K, count) uint64 view of contiguous records."""
    return np.ascontiguousarray(records).view(np.uint64).reshape(len(records), count)
