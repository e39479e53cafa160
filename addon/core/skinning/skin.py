"""What a character is, apart from its pose."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .influences import Influences

NO_PARENT = -1


@dataclass(frozen=True)
class Skin:
    """A mesh and the bones that move it.

    The last bone is the object itself: vertices without weights follow it, and a modifier's mask blends towards it.

    Attributes
    ----------
    name : str
        Of the object, by its full name.
    rest : (V, 3) float32
        Vertices before the armature, shape keys applied, local to the object.
    triangles : (T, 3) int32
        Vertices of each triangle.
    influences : Influences
        Normalised: each vertex has at least one, and its weights sum to 1.
    bones : tuple of str
        One name a bone; the object's is empty.
    parents : (B,) int32
        Nearest ancestor among these bones; `NO_PARENT` for roots and the object.
    """

    name: str
    rest: np.ndarray
    triangles: np.ndarray
    influences: Influences
    bones: tuple
    parents: np.ndarray

    @property
    def vertex_count(self) -> int:
        return len(self.rest)

    @property
    def bone_count(self) -> int:
        """Bones and the object."""
        return len(self.bones)

    @property
    def object_bone(self) -> int:
        return len(self.bones) - 1
