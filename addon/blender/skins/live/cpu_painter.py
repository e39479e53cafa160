"""Draws what `CpuSkins` computed, by Blender's own point shader: for a machine whose GPU draws but computes nothing."""

from __future__ import annotations

import numpy as np

from ....core.skinning.measures import at_points, dominant_bones, weight_errors


class CpuPainter:
    """`device.skinning.SkinPainter`'s interface. `skins`: CpuSkins."""

    def __init__(self, skins):
        self.skins = skins

    def draw(self, clip_from_world, size, scale=1.0, *, mode="bone", pixels=4.0, offset=(0, 0, 0), trails=False) -> None:
        """Draw to the framebuffer that is bound, whose matrices are the view's own."""
        import gpu
        from gpu_extras.batch import batch_for_shader

        shader = gpu.shader.from_builtin("POINT_FLAT_COLOR")
        before = gpu.state.depth_test_get(), gpu.state.blend_get()
        gpu.state.depth_test_set("LESS_EQUAL")
        gpu.state.blend_set("ALPHA")
        gpu.state.point_size_set(pixels * scale)
        try:
            for name in self.skins.names:
                for age in range(self.skins.trail_length - 1 if trails else 0, -1, -1):
                    points = self.skins.positions(name, age) + np.asarray(offset, np.float32)
                    batch_for_shader(shader, "POINTS", {"pos": points, "color": self._colors(name, age, mode)}).draw(shader)
        finally:
            gpu.state.point_size_set(1.0)
            gpu.state.depth_test_set(before[0])
            gpu.state.blend_set(before[1])

    def _colors(self, name, age, mode):
        raise NotImplementedError
