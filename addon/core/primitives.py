"""Primitives shared by content and materials.

`GeometryStore` keeps each distinct mesh once; `PrimitiveStore` keeps each distinct chain of (geometry, materials) levels
once. Finding a twin costs one pass over the mesh: candidates must agree on topology exactly, then on a float
signature within tolerance, then on every value within tolerance.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .geometry import MeshData

#: relative; two meshes within POSITION_TOLERANCE have signatures closer than this
_SIGNATURE_TOLERANCE = 1e-5


@dataclass
class _Bucket:
    signatures: list = field(default_factory=list)
    indices: list = field(default_factory=list)


class GeometryStore:
    """Distinct meshes by content."""

    def __init__(self):
        self.meshes: list[MeshData] = []
        self._buckets: dict[tuple, _Bucket] = {}

    def add(self, mesh: MeshData) -> int:
        """Index of `mesh`'s content in `meshes`, adding it if it is new."""
        bucket = self._buckets.setdefault(mesh.topology(), _Bucket())
        # RMS extent: one number that every vertex moves a little, so it tells most different meshes apart at once.
        signature = float(np.sqrt(np.mean(mesh.positions.astype(np.float64) ** 2)))
        if bucket.signatures:
            near = np.abs(np.array(bucket.signatures) - signature) <= _SIGNATURE_TOLERANCE * max(signature, 1e-30)
            for at in np.flatnonzero(near).tolist():
                if self.meshes[bucket.indices[at]].same_content(mesh):
                    return bucket.indices[at]
        self.meshes.append(mesh)
        bucket.signatures.append(signature)
        bucket.indices.append(len(self.meshes) - 1)
        return len(self.meshes) - 1


@dataclass(frozen=True)
class Level:
    """One LOD: `geometry` index, `materials` as indices for each used slot in slot order, `screen_size` below which it is entered."""

    geometry: int
    materials: tuple
    screen_size: float


@dataclass(frozen=True)
class PrimitiveSpec:
    """A primitive before packing: its name and `levels`, finest first, and the hysteresis of its thresholds."""

    name: str
    levels: tuple
    hysteresis: float


class PrimitiveStore:
    """Distinct primitives: same levels (geometry and materials) means same primitive."""

    def __init__(self):
        self.specs: list[PrimitiveSpec] = []
        self._by_key: dict[tuple, int] = {}

    def add(self, name: str, levels: tuple, hysteresis: float) -> int:
        """Index in `specs`; the first user's name is kept."""
        key = (levels, hysteresis)
        index = self._by_key.get(key)
        if index is None:
            index = self._by_key[key] = len(self.specs)
            self.specs.append(PrimitiveSpec(name, levels, hysteresis))
        return index
