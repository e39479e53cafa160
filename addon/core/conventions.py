"""Axis and unit presets, and the exact change of basis between them.

Blender is right-handed, Z up, metres. A `Convention` is a signed axis permutation with a unit factor: target = scale * (signs * blender[permutation]).
Permuting and negating floats is exact, so only the unit factor rounds. A matrix is conjugated, M' = C M C^-1, so
local space, world space and vertices all move to the new axes together. When the permutation mirrors (left-handed
targets), triangle winding is reversed so that front faces stay front faces in the target's own handedness.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Convention:
    """One target convention.

    Attributes
    ----------
    name : str
    permutation : tuple of int
        Target axis i is Blender axis ``permutation[i]``.
    signs : tuple of int
        times ``signs[i]``.
    units_per_metre : float
    up, forward : str
        Documentation: the target's up axis and where Blender's -Y (a character's front) goes.
    """

    name: str
    permutation: tuple
    signs: tuple
    units_per_metre: float
    up: str
    forward: str

    @property
    def handedness(self) -> str:
        return "left" if self.is_mirrored else "right"

    @property
    def is_mirrored(self) -> bool:
        """True when the axes change handedness."""
        return np.linalg.det(self.axes()) < 0

    def axes(self) -> np.ndarray:
        """(3, 3) float64 signed permutation, target_from_blender without the unit factor."""
        matrix = np.zeros((3, 3))
        matrix[range(3), self.permutation] = self.signs
        return matrix

    def target_from_blender(self) -> np.ndarray:
        """(4, 4) float64, for column vectors."""
        matrix = np.eye(4)
        matrix[:3, :3] = self.axes() * self.units_per_metre
        return matrix

    def gltf_from_target(self) -> np.ndarray:
        """(4, 4) float64: what a glTF root node needs so that viewers (Y up, metres) show the target's data upright."""
        return PRESETS["gltf"].target_from_blender() @ np.linalg.inv(self.target_from_blender())

    def points(self, points: np.ndarray) -> np.ndarray:
        """(N, 3) Blender points, metres -> (N, 3) target points, target units, same dtype."""
        factors = np.asarray(self.signs, points.dtype) * points.dtype.type(self.units_per_metre)
        return np.ascontiguousarray(points[:, self.permutation] * factors)

    def directions(self, directions: np.ndarray) -> np.ndarray:
        """(N, 3) Blender directions -> target directions; no unit factor."""
        return np.ascontiguousarray(directions[:, self.permutation] * np.asarray(self.signs, directions.dtype))

    def transforms(self, columns: np.ndarray) -> np.ndarray:
        """(N, 4, 4) matrices of Blender space stored column after column (``[n, c]`` is column c) -> target space, same layout."""
        if self.name == "blender":
            return columns
        out = np.zeros_like(columns)
        for column in range(3):
            for row in range(3):
                out[:, column, row] = columns[:, self.permutation[column], self.permutation[row]]
                if self.signs[column] * self.signs[row] < 0:
                    np.negative(out[:, column, row], out=out[:, column, row])
        for row in range(3):
            out[:, 3, row] = columns[:, 3, self.permutation[row]] * columns.dtype.type(self.signs[row] * self.units_per_metre)
        out[:, 3, 3] = 1
        return out


PRESETS = {c.name: c for c in (
    Convention("blender", (0, 1, 2), (1, 1, 1), 1.0, "+Z", "-Y"),
    Convention("unreal", (0, 1, 2), (1, -1, 1), 100.0, "+Z", "+Y"),
    Convention("unity", (0, 2, 1), (-1, 1, -1), 1.0, "+Y", "+Z"),
    Convention("gltf", (0, 2, 1), (1, 1, -1), 1.0, "+Y", "+Z"),
)}
