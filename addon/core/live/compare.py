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
    own = _words(tables.transforms, 8), _words(tables.data, 6)
    new = _words(rows.transforms, 8), _words(rows.data, 6)

    def work(start, stop):
        at, found = slots[start:stop], out[start:stop]
        equal = np.ones((stop - start, 16), bool)
        # `take` copies whole rows, a third of the time of indexing; a negative slot is clipped to any.
        np.equal(own[0].take(at, axis=0, mode="clip"), new[0][start:stop], out=equal[:, :8])
        data = own[1].take(at, axis=0, mode="clip")
        np.equal(data[:, 1:], new[1][start:stop, 1:], out=equal[:, 8:13])
        np.equal(tables.sources.take(at, mode="clip"), sources[start:stop], out=equal[:, 13])
        np.equal(tables.owners.take(at, mode="clip"), owners[start:stop], out=equal[:, 14])
        both = equal.view(np.uint64)  # eight bools at a time
        found[(both[:, 0] != _ALL) | (both[:, 1] != _ALL)] = DIFFERENT
        found[data[:, 0] >> np.uint64(32) != primitives[start:stop]] = OTHER_PRIMITIVE
        found[at < 0] = SAME

    if len(tables.data):
        for_chunks(len(slots), work)
    return out


def same_bytes(one, other) -> np.ndarray:
    """(K,) bool of two (K,) arrays of records."""
    size = one.dtype.itemsize // 4
    return (one.view(np.uint32).reshape(len(one), size) == other.view(np.uint32).reshape(len(one), size)).all(axis=1)


def _words(records, count):
    """(K, count) uint64 view of contiguous records."""
    return np.ascontiguousarray(records).view(np.uint64).reshape(len(records), count)
