"""A skin as a GPU reads it: few influences, bytes for weights, and matrices of used bones only."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .. import layout, limits
from ..errors import LimitError
from .influences import Influences
from .quantise import dequantise, quantise
from .skin import Skin

#: bones past this need uint16 indices
MAX_UINT8_BONES = 256
MAX_UINT16_BONES = 65536


@dataclass(frozen=True)
class PackedSkin:
    """Attributes
    ----------
    skin : Skin
    bone_indices : (V, K) uint8 or uint16
        Compact, the strongest first.
    bone_weights : (V, K) uint8
        Each row sums to 255.
    remap : (B,) uint32
        Original bone -> compact; `limits.NO_INDEX` when unused.
    used : (U,) int32
        Compact bone -> original.
    """

    skin: Skin
    bone_indices: np.ndarray
    bone_weights: np.ndarray
    remap: np.ndarray
    used: np.ndarray

    @property
    def bone_count(self) -> int:
        """Bones whose matrices travel."""
        return len(self.used)

    @property
    def influence_count(self) -> int:
        return self.bone_indices.shape[1]

    @cached_property
    def influences(self) -> Influences:
        """What the bytes say, on original bones: what is left of the skin's influences after dropping and rounding."""
        rows = np.repeat(np.arange(len(self.bone_indices)), self.influence_count)
        return Influences.of(
            len(self.bone_indices), rows, self.used[self.bone_indices.reshape(-1)], dequantise(self.bone_weights.reshape(-1))
        )

    def matrices(self, of_all_bones) -> np.ndarray:
        """(B, 3, 4) matrices of every bone -> (U, 3, 4) float32 of the used ones, as they travel."""
        return np.ascontiguousarray(np.asarray(of_all_bones)[self.used], np.float32)

    @property
    def is_wide(self) -> bool:
        """More used bones than a byte can count."""
        return self.bone_indices.dtype != np.uint8

    def table(self, rest=None, vertices=slice(None)) -> np.ndarray:
        """``layout.SKIN_VERTEX`` records, or ``layout.SKIN_VERTEX_WIDE`` when `is_wide`.

        Parameters
        ----------
        rest : (V, 3) float32, optional
            Instead of the skin's own: in other axes, say.
        vertices : (N,) int, optional
            Which vertices, in this order; all by default.

        Raises
        ------
        LimitError
            There are more than 4 influences a vertex.
        """
        if self.influence_count > 4:
            raise LimitError(f"influences a vertex of {self.skin.name!r}", self.influence_count, 4, "Pack it with 4.")
        rest = (self.skin.rest if rest is None else rest)[vertices]
        out = (layout.SKIN_VERTEX_WIDE if self.is_wide else layout.SKIN_VERTEX).empty(len(rest))
        for axis, name in enumerate("xyz"):
            out[name] = rest[:, axis]
        indices = np.zeros((len(out), 4), self.bone_indices.dtype.newbyteorder("<"))
        weights = np.zeros((len(out), 4), np.uint8)
        indices[:, : self.influence_count], weights[:, : self.influence_count] = (
            self.bone_indices[vertices],
            self.bone_weights[vertices],
        )
        words = indices.view("<u4")
        for column, name in enumerate(("bone_indices_low", "bone_indices_high") if self.is_wide else ("bone_indices",)):
            out[name] = words[:, column]
        out["bone_weights"] = weights.view("<u4")[:, 0]
        return out


def pack(skin: Skin, influence_count: int = 4) -> PackedSkin:
    """Keep the strongest `influence_count` influences of each vertex and quantise them.

    A bone is used when a byte above zero points to it. Raises `LimitError` past 65,536 used bones.
    """
    bones, weights = skin.influences.strongest(influence_count).padded(influence_count)
    quantised = quantise(weights)
    used = np.flatnonzero(np.bincount(bones[quantised > 0], minlength=skin.bone_count)).astype(np.int32)
    if len(used) > MAX_UINT16_BONES:
        raise LimitError(f"used bones of {skin.name!r}", len(used), MAX_UINT16_BONES, "Split the mesh.")
    remap = np.full(skin.bone_count, limits.NO_INDEX, np.uint32)
    remap[used] = np.arange(len(used), dtype=np.uint32)
    compact = np.where(quantised > 0, remap[bones], 0)
    return PackedSkin(skin, compact.astype(np.uint8 if len(used) <= MAX_UINT8_BONES else np.uint16), quantised, remap, used)
