"""Rows as extraction hands them to the live tables: of a whole scene, or of the objects that changed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import layout
from ..assemble import instance_rows
from ..scene import DEFAULT_CHANNELS


@dataclass(frozen=True)
class LiveRows:
    """K instances in the scene's axes and units.

    Attributes
    ----------
    keys : (K,) uint64
        Stable and distinct (`core.ids`).
    owners : (K,) uint64
        `ids.name_key` of the top-level object that each comes from.
    sources : (K,) uint32
        Into `names`: the object whose mesh is shown.
    names : tuple of str
    transforms : (K,) INSTANCE_TRANSFORM
        Packed: radius and flags set.
    data : (K,) INSTANCE_DATA
        `primitive_id` counts in the session's own store of primitives, which only grows; `instance_id` is set by the tables.
    """

    keys: np.ndarray
    owners: np.ndarray
    sources: np.ndarray
    names: tuple
    transforms: np.ndarray
    data: np.ndarray

    def __len__(self):
        return len(self.keys)

    @classmethod
    def of(cls, extraction, primitives, convention, channels=DEFAULT_CHANNELS) -> "LiveRows":
        """Rows of an `assemble.Extraction`, by the code that exports go through.

        Parameters
        ----------
        extraction : assemble.Extraction
            Its `primitives` may be a store that other extractions share. Parts' matrices may be taken over and overwritten.
        primitives : primitive_tables.PrimitiveTables
            Of that store.
        convention : Convention
        channels : sequence of Channel
        """
        rows = instance_rows(extraction.parts, primitives.radii, convention, channels)
        if extraction.full_precision:
            wanted = np.fromiter(extraction.full_precision.keys(), np.uint64, len(extraction.full_precision))
            rows.transforms["flags"][np.isin(rows.keys, wanted)] |= np.uint32(layout.INSTANCE_FULL_PRECISION)
        return cls(rows.keys, rows.owners, rows.sources, tuple(extraction.sources), rows.transforms, rows.data)
