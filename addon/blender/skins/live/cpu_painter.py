"""Draws what `CpuSkins` computed, by Blender's own point shader: for a machine whose GPU draws but computes nothing.

The colours are those of shaders/skinning/draw.glsl.
"""

from __future__ import annotations

import numpy as np

_HEAT = np.array([(0.16, 0.35, 0.95), (0.2, 0.8, 0.45), (0.98, 0.85, 0.2), (0.93, 0.2, 0.15)])
#: how much of its colour the oldest pose loses
_FADE = 0.85


class CpuPainter:
    """`device.skinning.SkinPainter`'s interface. `skins`: CpuSkins."""

    def __init__(self, skins):
        self.skins = skins

    def draw(self, clip_from_world, size, scale=1.0, *, mode="bone", pixels=4.0, color=(1.0, 1.0, 1.0, 1.0), offset=(0, 0, 0),
             trails=False, value_range=None) -> None:
        """Draw to the framebuffer that is bound; depth is tested and written."""
        import gpu
        from gpu_extras.batch import batch_for_shader
        from mathutils import Matrix

        shader, state = gpu.shader.from_builtin("POINT_FLAT_COLOR"), gpu.state
        before = state.depth_test_get(), state.depth_mask_get(), state.blend_get()
        state.depth_test_set("LESS_EQUAL")
        state.depth_mask_set(True)
        state.blend_set("ALPHA")
        state.point_size_set(pixels * scale)
        try:
            with gpu.matrix.push_pop(), gpu.matrix.push_pop_projection():
                gpu.matrix.load_matrix(Matrix.Identity(4))
                gpu.matrix.load_projection_matrix(Matrix(np.asarray(clip_from_world, np.float64).tolist()))
                ages = self.skins.trail_length if trails else 1
                for age in range(ages):
                    for name in self.skins.names:
                        if age < self.skins.pose_count(name):
                            points = self.skins.positions(name, age) + np.asarray(offset, np.float32)
                            colors = particle_colors(self.skins.values(name, age), mode, age, ages, color, value_range)
                            batch_for_shader(shader, "POINTS", {"pos": points, "color": colors}).draw(shader)
        finally:
            gpu.shader.unbind()
            state.point_size_set(1.0)
            state.depth_test_set(before[0])
            state.depth_mask_set(before[1])
            state.blend_set(before[2])


def particle_colors(values, mode: str, age: int, age_count: int, flat, value_range) -> np.ndarray:
    """(N, 4) float32 sRGB and alpha."""
    old = age / (age_count - 1) if age_count > 1 else 0.0
    out = np.ones((len(values), 4), np.float32)
    if mode == "flat":
        out[:] = flat
    elif mode == "bone":
        out[:, :3] = bone_tints(values)
    elif mode == "age":
        out[:, :3] = heat(np.array([1 - old]))
    else:
        low, high = value_range
        out[:, :3] = heat((values - low) / max(high - low, 1e-6))
    out[:, 3] *= 1 - _FADE * old
    return out


def heat(shares) -> np.ndarray:
    """(N, 3): blue, green, yellow, red."""
    at = np.clip(shares, 0, 1) * 3
    low = np.minimum(at.astype(int), 2)
    return _HEAT[low] + (_HEAT[low + 1] - _HEAT[low]) * (at - low)[:, None]


def bone_tints(bones) -> np.ndarray:
    """(N, 3): numbers of neighbouring bones get hues far apart."""
    hue = np.asarray(bones, np.float64) * 0.61803399 % 1 * 6
    rgb = np.clip(np.stack((np.abs(hue - 3) - 1, 2 - np.abs(hue - 2), 2 - np.abs(hue - 4)), axis=1), 0, 1)
    return 0.25 + 0.75 * rgb
