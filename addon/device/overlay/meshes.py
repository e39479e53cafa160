"""What instances of a draw are made of: only numbers of vertices, since shaders find all positions in tables."""

from __future__ import annotations

import numpy as np


def batch(vertex_count: int, triangles=None):
    """A ``GPUBatch`` of triangles over `vertex_count` vertices without attributes that matter. `triangles`: (T, 3) integer, or
    None: vertices in order.
    """
    from gpu.types import GPUBatch, GPUIndexBuf, GPUVertBuf, GPUVertFormat

    layout = GPUVertFormat()
    layout.attr_add(id="unused", comp_type="F32", len=1, fetch_mode="FLOAT")
    vertices = GPUVertBuf(layout, vertex_count)
    vertices.attr_fill("unused", np.zeros((vertex_count, 1), np.float32))
    if triangles is None:
        return GPUBatch(type="TRIS", buf=vertices)
    return GPUBatch(type="TRIS", buf=vertices, elem=GPUIndexBuf(type="TRIS", seq=np.ascontiguousarray(triangles, np.int32)))


def quads(count: int):
    """`count` quads of four vertices each."""
    corners = np.array([(0, 1, 2), (2, 1, 3)])
    return batch(4 * count, (corners + 4 * np.arange(count)[:, None, None]).reshape(-1, 3))
