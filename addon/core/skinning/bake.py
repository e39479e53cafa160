"""Animations as textures: vertex positions, or bone matrices, of every frame. Nothing travels while they play.

A frame is `rows_per_frame` lines of the picture, frame 0 at the top; within it texel i is at line ``i // width``, column ``i %
width``. Of vertices texel i is vertex i of all characters one behind the other; of bones, texels 3 b to 3 b + 2 are the rows
of bone b's 3x4 matrix.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import LimitError
from .exr import MAX_SIDE, exr_bytes

#: widest picture; every GPU since 2010 takes it
MAX_WIDTH = 8192
KINDS = ("vertex", "bone")


@dataclass(frozen=True)
class Baked:
    """`pixels` (height, width, 4) float32, alpha 1 for vertices; and what describes them, as JSON."""

    pixels: np.ndarray
    description: dict

    def exr(self) -> bytes:
        return exr_bytes(self.pixels)

    def texels(self, frame: int) -> np.ndarray:
        """(N, 4) float32: the texels of one frame, as a shader finds them."""
        rows, count = self.description["rows_per_frame"], self.description["texels_per_frame"]
        return self.pixels[frame * rows : (frame + 1) * rows].reshape(-1, 4)[:count]


def bake(kind: str, frames, numbers, characters) -> Baked:
    """Lay out an animation.

    Parameters
    ----------
    kind : {"vertex", "bone"}
    frames : (F, N, 3) or (F, B, 3, 4) float
        World positions of all vertices, or matrices of all used bones, at each frame.
    numbers : sequence of int
        The frames' numbers.
    characters : sequence of (str, int)
        Name, and how many vertices or bones, of each in order.

    Raises
    ------
    LimitError
        The picture would be higher than 65,536 lines.
    """
    frames = np.asarray(frames, np.float32)
    count = len(numbers)
    texels = np.ones((count, frames.shape[1], 4), np.float32) if kind == "vertex" else frames.reshape(count, -1, 4)
    if kind == "vertex":
        texels[:, :, :3] = frames
    per_frame = texels.shape[1]
    width = max(1, min(per_frame, MAX_WIDTH))
    rows = max(1, -(-per_frame // width))
    if rows * count > MAX_SIDE:
        raise LimitError("lines of the texture", rows * count, MAX_SIDE, "Bake fewer frames or characters.")
    pixels = np.zeros((count, rows * width, 4), np.float32)
    pixels[:, :per_frame] = texels
    each = 1 if kind == "vertex" else 3
    firsts = np.cumsum([0, *(number for _, number in characters)])
    return Baked(
        pixels.reshape(count * rows, width, 4),
        {
            "kind": kind,
            "width": width,
            "height": rows * count,
            "rows_per_frame": rows,
            "texels_per_frame": per_frame,
            "frames": [int(n) for n in numbers],
            "space": "world, metres, Z up",
            "characters": [
                {"name": name, "first_texel": int(first) * each, "count": number}
                for (name, number), first in zip(characters, firsts)
            ],
        },
    )
