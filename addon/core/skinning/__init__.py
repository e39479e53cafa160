"""Skins: linear blend skinning from bone matrices, the oracle of the GPU and the CPU path.

A `Skin` holds what never changes while a character plays: rest positions, influences, triangles, bones. `pack` makes of it
what a GPU reads: the strongest few influences as bytes, used bones only. Every frame only the bones' 3x4 matrices are new.
"""

from .influences import Influences
from .pack import PackedSkin, pack
from .skin import Skin

__all__ = ["Influences", "PackedSkin", "Skin", "pack"]
