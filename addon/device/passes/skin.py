"""Skinning on the GPU: all characters' vertices in one dispatch, all particles in another; every frame only the bones are
uploaded.
"""

from __future__ import annotations

import numpy as np

from ...core import layout
from ...core.skinning.gpu_tables import GPU_SKIN_VERTEX, SKIN_CHARACTER, SKIN_COUNTS, SKIN_PARTICLE, SkinBatch
from ..buffers import Uniform, make_table
from ..capabilities import start
from ..shader_library import ShaderKey, ShaderLibrary
from .base import Pass
from .streams import Streams


class GpuSkins:
    """Characters and particles on the GPU.

    Parameters
    ----------
    batch : SkinBatch
    particles : (N,) SKIN_PARTICLE
        Of all characters; may be empty.
    bone_rows : int
        Rows of the bone buffer.
    transport : {"storage", "texture"}, optional
    group_size : int
    """

    def __init__(
        self, batch: SkinBatch, particles: np.ndarray, bone_rows: int, transport: str | None = None, group_size: int = 64
    ):
        capabilities = start()
        self.library = ShaderLibrary(capabilities, capabilities.transport(transport))
        self._row = SKIN_COUNTS.empty(1)
        self._row["vertex_count"], self._row["particle_count"] = len(batch.vertices), len(particles)
        self.counts = Uniform("skin_counts", SKIN_COUNTS, self._row)
        self.bones = self._table("bones", layout.BONE, rows=layout.BONE.empty(bone_rows))
        self.positions = self._table("skinned_positions", "vec4", count=len(batch.vertices), on_device=True)
        self.particles = self._table("particle_positions", "vec4", count=len(particles), on_device=True)
        uniforms = (("skin_counts", SKIN_COUNTS),)
        self.vertices = self._table("gpu_skin_vertices", GPU_SKIN_VERTEX, rows=batch.vertices)
        read = (self.vertices, self._table("skin_characters", SKIN_CHARACTER, rows=batch.characters), self.bones)
        key = ShaderKey(
            "skinning/vertices.glsl",
            (*map(Streams.binding, read), Streams.binding(self.positions, "write")),
            uniforms,
            group_size,
        )
        passes = [Pass(self.library, key, (*read, self.positions, self.counts), len(batch.vertices))]
        if len(particles):
            spawned = self._table("skin_particles", SKIN_PARTICLE, rows=particles)
            key = ShaderKey(
                "skinning/particles.glsl",
                (Streams.binding(spawned), Streams.binding(self.positions), Streams.binding(self.particles, "write")),
                uniforms,
                group_size,
            )
            passes.append(Pass(self.library, key, (spawned, self.positions, self.particles, self.counts), len(particles)))
        self.passes = tuple(passes)

    def _table(self, name, element, **how):
        return make_table(self.library.capabilities, self.library.transport, name, element, **how)

    def upload(self, bone_rows: np.ndarray) -> int:
        """The pose of this frame: (rows, 3, 4) float32, the whole bone buffer. Returns the bytes that travelled."""
        self.bones.upload(np.ascontiguousarray(bone_rows, np.float32))
        return bone_rows.nbytes

    def upload_vertices(self, vertices: np.ndarray) -> None:
        """Other rest positions: as many GPU_SKIN_VERTEX as before, for meshes whose shape keys move."""
        self.vertices.upload(vertices)

    def set_debug_offset(self, offset) -> None:
        """Move every particle by (3,) from the next run on."""
        self._row["debug_offset"][0, :3] = offset
        self.counts.update(self._row)

    def run(self) -> None:
        """Queue both passes."""
        for each in self.passes:
            each.run()
        Pass.finish()

    def past_segment(self) -> int:
        """How many bone indices pointed past their character's segment in the last run. Waits for the GPU."""
        return int(self.positions.read()[..., 3].sum())
