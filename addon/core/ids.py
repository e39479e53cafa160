"""Stable ids: 64-bit keys hashed from names and indices, folded to the 32-bit `instance_id`.

A key depends only on where an instance comes from (object name and library, the path of instancers, the Geometry Nodes ``id`` or index),
never on content, order or other instances, so ids survive re-export and the coming and going of neighbours. Two keys
that fold to one 32-bit id are separated in key order; adding an instance can therefore change another's id with a
chance of about count / 2**32 (2 in 10,000 at a million).

Mixing is splitmix64 (Steele, Lea, Flood 2014); names use FNV-1a over their UTF-8 bytes, then the same mix.
"""

from __future__ import annotations

import numpy as np

from .limits import NO_INDEX

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FNV_PRIME = np.uint64(0x100000001B3)
_FNV_BASIS = np.uint64(0xCBF29CE484222325)
_CHUNK = 1 << 15
_FEW = 4  # names that cost less one by one


def mix64(values) -> np.ndarray:
    """splitmix64 finaliser, a bijection on uint64. Shape kept; processed in cache-sized chunks."""
    source = np.atleast_1d(np.asarray(values, np.uint64))
    out = np.empty(source.shape, np.uint64)
    flat_in, flat_out = source.reshape(-1), out.reshape(-1)
    for start in range(0, flat_in.size, _CHUNK):
        x = flat_in[start:start + _CHUNK] + _GOLDEN
        x ^= x >> np.uint64(30)
        x *= np.uint64(0xBF58476D1CE4E5B9)
        x ^= x >> np.uint64(27)
        x *= np.uint64(0x94D049BB133111EB)
        x ^= x >> np.uint64(31)
        flat_out[start:start + _CHUNK] = x
    return out


def combine(parent, child) -> np.ndarray:
    """Key of `child` within `parent`; broadcasts, order matters."""
    with np.errstate(over="ignore"):
        return mix64(np.asarray(parent, np.uint64) * _FNV_PRIME ^ np.asarray(child, np.uint64))


def name_keys(names) -> np.ndarray:
    """(len(names),) uint64 keys of strings, by their UTF-8 bytes."""
    if len(names) <= _FEW and not any("\0" in name for name in names):
        return np.array([name_key(name) for name in names], np.uint64)
    # One buffer, names apart by NUL (which no Blender name holds); then one step a byte position for all names at once.
    encoded = np.frombuffer("\0".join([*names, ""]).encode("utf-8", "surrogateescape"), np.uint8)
    ends = np.flatnonzero(encoded == 0)
    if len(ends) != len(names):
        raise ValueError("a name holds a NUL character")
    starts = np.r_[0, ends[:-1] + 1]
    lengths = ends - starts
    order = np.argsort(-lengths, kind="stable")  # longest first, so that those still running are a prefix
    starts, running = starts[order], np.cumsum(np.bincount(lengths)[::-1])[::-1]
    key = np.full(len(names), _FNV_BASIS, np.uint64)
    with np.errstate(over="ignore"):
        for position in range(int(lengths.max())):
            count = running[position + 1]
            key[:count] = (key[:count] ^ encoded[starts[:count] + position]) * _FNV_PRIME
    out = np.empty_like(key)
    out[order] = key
    return mix64(out)


def name_key(name: str) -> np.uint64:
    """The key of one string; equals ``name_keys([name])[0]``, in plain integers because arrays cost more than one name."""
    mask, key = (1 << 64) - 1, int(_FNV_BASIS)
    for byte in name.encode("utf-8", "surrogateescape"):
        key = (key ^ byte) * int(_FNV_PRIME) & mask
    key = key + int(_GOLDEN) & mask  # mix64
    key = (key ^ key >> 30) * 0xBF58476D1CE4E5B9 & mask
    key = (key ^ key >> 27) * 0x94D049BB133111EB & mask
    return np.uint64(key ^ key >> 31)


def unique_within(values: np.ndarray) -> np.ndarray:
    """Make repeated values distinct: (N,) integers -> (N,) uint64 where the k-th repeat of a value gets its own key.

    First occurrences keep ``value`` itself, so a scene whose ids are unique is left as it is.
    """
    keys = np.asarray(values).astype(np.int64).view(np.uint64)
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    starts = np.r_[True, ordered[1:] != ordered[:-1]]
    if starts.all():
        return keys
    first = np.maximum.accumulate(np.where(starts, np.arange(len(keys)), 0))
    occurrence = np.empty(len(keys), np.uint64)
    occurrence[order] = (np.arange(len(keys)) - first).astype(np.uint64)
    out = keys.copy()
    repeats = occurrence > 0
    out[repeats] = combine(keys[repeats], occurrence[repeats])
    return out


def instance_ids(keys: np.ndarray) -> np.ndarray:
    """(N,) uint64 keys -> (N,) uint32 distinct ids, none of them `NO_INDEX`."""
    ids = (keys ^ (keys >> np.uint64(32))).astype(np.uint32)
    ordered = np.sort(ids)
    repeated = ordered[1:][ordered[1:] == ordered[:-1]]
    clashing = repeated[np.r_[True, repeated[1:] != repeated[:-1]][:len(repeated)]]
    if ordered.size and ordered[-1] == NO_INDEX:
        clashing = np.append(clashing, np.uint32(NO_INDEX)) if NO_INDEX not in clashing else clashing
    if not clashing.size:
        return ids
    at = np.minimum(np.searchsorted(clashing, ids), clashing.size - 1)
    rows = np.flatnonzero(clashing[at] == ids)
    rows = rows[np.argsort(keys[rows], kind="stable")]
    taken = {int(NO_INDEX)}
    for row in rows.tolist():
        candidate, attempt = int(ids[row]), 0
        while candidate in taken or (attempt and _contains(ordered, candidate)):
            attempt += 1
            key = mix64((int(keys[row]) + attempt) & 0xFFFFFFFFFFFFFFFF)[0]
            candidate = int(key ^ (key >> np.uint64(32))) & 0xFFFFFFFF
        taken.add(candidate)
        ids[row] = candidate
    return ids


def _contains(ordered: np.ndarray, value: int) -> bool:
    at = int(np.searchsorted(ordered, np.uint32(value)))
    return at < ordered.size and int(ordered[at]) == value
