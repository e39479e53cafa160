"""How far a skin is from the truth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class SkinError:
    """Distances between computed and true vertices.

    Attributes
    ----------
    distances : (V,) float64
        In world units.
    height : float
        Of the character: `character_height`.
    """

    distances: np.ndarray
    height: float

    @classmethod
    def of(cls, positions, truth, height: float) -> "SkinError":
        """`positions`, `truth`: (V, 3), of the same vertices. A position that is not finite where the truth is counts as
        infinitely far; where the truth is not finite itself, nothing is off.
        """
        truth = np.asarray(truth, np.float64)
        with np.errstate(invalid="ignore", over="ignore"):
            distances = np.sqrt(((np.asarray(positions, np.float64) - truth) ** 2).sum(axis=1))
        distances = np.where(np.isfinite(distances), distances, np.inf)
        return cls(np.where(np.isfinite(truth).all(axis=1), distances, 0.0), float(height))

    @property
    def largest(self) -> float:
        return float(self.distances.max(initial=0.0))

    @property
    def mean(self) -> float:
        return float(self.distances.mean()) if len(self.distances) else 0.0

    @property
    def share(self) -> float:
        """The largest distance as a share of the character's height; 0 for a character without one."""
        return self.largest / self.height if self.height > 0 else 0.0

    def worst(self, count: int = 5) -> list:
        """Ids of the vertices that are farthest off, the farthest first, of equals the lower; none that is exact."""
        order = np.argsort(-self.distances, kind="stable")[:count]
        return [int(v) for v in order if self.distances[v] > 0]


def character_height(positions) -> float:
    """The longest side of the box around (V, 3) world positions: a standing figure's height, and a lying one's too."""
    positions = np.asarray(positions, np.float64)
    positions = positions[np.isfinite(positions).all(axis=1)]
    return float(np.ptp(positions, axis=0).max()) if len(positions) else 0.0
