"""Where each array lies in the binary buffer: one glTF buffer view each, aligned for a storage-buffer offset."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..limits import TABLE_ALIGNMENT
from . import seal

ARRAY_BUFFER, ELEMENT_ARRAY_BUFFER = 34962, 34963


def align(offset: int, alignment: int = TABLE_ALIGNMENT) -> int:
    """The next multiple of `alignment`."""
    return -(-offset // alignment) * alignment


@dataclass
class Views:
    """Buffer views in file order. View 0 is the seal, written last since it covers the JSON."""

    arrays: list = field(default_factory=lambda: [np.zeros(seal.SEAL_BYTES, np.uint8)])
    views: list = field(default_factory=lambda: [
        {"name": "seal", "buffer": 0, "byteOffset": 0, "byteLength": seal.SEAL_BYTES}])
    length: int = seal.SEAL_BYTES

    def add(self, name: str, array: np.ndarray, **properties) -> int | None:
        """Append an array; returns its view index, or None for an empty one (glTF has no empty views)."""
        data = seal.as_bytes(array)
        if not len(data):
            return None
        offset = align(self.length)
        self.arrays.append(data)
        self.views.append({"name": name, "buffer": 0, "byteOffset": offset, "byteLength": len(data)} | properties)
        self.length = offset + len(data)
        return len(self.views) - 1

    @property
    def byte_length(self) -> int:
        """Length of the whole buffer, a multiple of 4 as glb chunks are."""
        return align(self.length, 4)
