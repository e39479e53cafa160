"""The seal: the first 256 bytes of the binary buffer, and the checksums that make every byte of a file accountable.

The seal holds the checksum of the JSON text; the JSON holds the checksum of every other buffer view; what lies between the
views is zero; and the headers are compared with the lengths found. So one changed byte anywhere is noticed.
"""

from __future__ import annotations

import os
import struct
import zlib
from concurrent.futures import ThreadPoolExecutor

import numpy as np

MAGIC = b"GPUSCENE"
SEAL_BYTES = 256
#: magic, format version, CRC-32 of the JSON text, its length in bytes, length of the whole binary buffer in bytes
_SEAL = struct.Struct("<8sIIQQ")


def make(version: int, json_text: bytes, binary_length: int) -> bytes:
    """The 256 bytes of a seal."""
    return _SEAL.pack(MAGIC, version, zlib.crc32(json_text), len(json_text), binary_length).ljust(SEAL_BYTES, b"\0")


def version_of(seal: bytes) -> int | None:
    """The format version a seal claims, or None when it is no seal."""
    if len(seal) < SEAL_BYTES:
        return None
    magic, version, *_ = _SEAL.unpack_from(seal)
    return version if magic == MAGIC else None


def checksums(arrays: list, threads: int | None = None) -> list:
    """CRC-32 of each contiguous byte array, on several cores (zlib lets go of the interpreter lock); largest first."""
    order = sorted(range(len(arrays)), key=lambda i: -len(arrays[i]))
    with ThreadPoolExecutor(threads or min(4, os.cpu_count() or 1)) as pool:
        found = dict(zip(order, pool.map(lambda i: zlib.crc32(arrays[i]), order), strict=True))
    return [found[i] for i in range(len(arrays))]


def as_bytes(array: np.ndarray) -> np.ndarray:
    """(bytes,) uint8 view of an array; a copy only if it is not contiguous."""
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)
