"""An offscreen picture with depth, to draw particles on."""

from __future__ import annotations

import numpy as np


class Picture:
    """`size` is (width, height), pixels. Draw within ``with picture:``, which clears it first."""

    def __init__(self, size):
        from gpu.types import GPUFrameBuffer, GPUTexture

        self.size = size
        self._color, self._depth = GPUTexture(size, format="RGBA8"), GPUTexture(size, format="DEPTH_COMPONENT32F")
        self._target = GPUFrameBuffer(depth_slot=self._depth, color_slots=self._color)

    def __enter__(self):
        self._bound = self._target.bind()
        self._bound.__enter__()
        self._target.clear(color=(0, 0, 0, 1), depth=1.0)
        return self

    def __exit__(self, *exc):
        self._bound.__exit__(*exc)

    def read(self) -> np.ndarray:
        """(height, width, 4) uint8, the bottom row first. Waits for the GPU."""
        pixels = self._color.read()
        pixels.dimensions = self.size[0] * self.size[1] * 4
        return np.array(pixels, np.uint8).reshape(self.size[1], self.size[0], 4)
