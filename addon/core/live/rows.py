"""Rows as extraction hands them to the live tables: of a whole scene, or of the objects that changed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


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
