"""Numpy twins of the custom rules in shaders/culling/rules: what a rule keeps among all rows."""

from __future__ import annotations

import numpy as np

from ..scene import SceneData
from .camera import CullView


def below_camera(scene: SceneData, view: CullView) -> np.ndarray:
    """(N,) bool: False for rows whose height channel [1].y is more than 10 m below the camera, in the scene's axes and unit."""
    up = (scene.convention.axes() @ (0, 0, 1)).astype(np.float32)
    position = view.position
    lowest = ((position[0] * up[0] + position[1] * up[1]) + position[2] * up[2]) - np.float32(10) * np.float32(scene.convention.units_per_metre)
    return scene["instance_data"]["custom_data"][:, 1, 1] >= lowest
