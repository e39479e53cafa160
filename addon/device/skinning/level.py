"""What a character is at one level of detail."""

from __future__ import annotations

from dataclasses import dataclass

from ...core.skinning.pack import PackedSkin
from ...core.skinning.surface import SurfacePoints


@dataclass(frozen=True)
class Level:
    """Attributes
    ----------
    packed : PackedSkin
        Of any number of influences up to 8; levels of one character come from the same vertices.
    points : SurfacePoints
        Where its particles are.
    """

    packed: PackedSkin
    points: SurfacePoints
