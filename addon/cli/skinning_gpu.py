"""The GPU's part of ``gpuscene skin``: the same frames by the passes, held against the CPU bit by bit, and timed."""

from __future__ import annotations

import numpy as np

from ..core.errors import InputError
from ..core.skinning.gpu_tables import SKIN_PARTICLE, SkinBatch, particle_positions, skin_particles, skinned_positions
from ..device import capabilities
from ..device.passes.skin import GpuSkins
from ..device.timing import measure


class GpuActors:
    """All characters on the GPU, over each transport there is.

    Parameters
    ----------
    actors : list of skinning.Actor
    buffer : core.skinning.segments.BoneBuffer
        Each actor's segment is in it.
    """

    def __init__(self, actors, buffer):
        packed = [actor.packed for actor in actors]
        if any(p.influence_count > 4 for p in packed):
            raise InputError("The GPU takes at most 4 influences a vertex.", "Leave --influences 8 out, or use --device cpu.")
        self.device = capabilities.start()
        self.batch = SkinBatch.of(packed, [buffer[actor.placement.name] for actor in actors])
        parts = [
            skin_particles(actor.points, first)
            for actor, first in zip(actors, self.batch.first_vertices.tolist())
            if actor.points is not None and len(actor.points)
        ]
        self.particles = np.concatenate(parts) if parts else SKIN_PARTICLE.empty(0)
        self.skins = {name: GpuSkins(self.batch, self.particles, buffer.capacity, name) for name in self.device.transports}
        self.vertex_mismatches = self.particle_mismatches = self.past_segment = 0

    def frame(self, actors, buffer) -> None:
        """Pose by each transport and count what differs from numpy's float32."""
        moving = [number for number, actor in enumerate(actors) if actor.character.moving_rest]
        for number in moving:
            first = self.batch.first_vertices[number]
            self.batch.vertices["rest"][first : first + len(actors[number].rest)] = actors[number].rest
        expected = skinned_positions(self.batch, buffer.rows)
        spots = particle_positions(self.particles, expected)
        for skins in self.skins.values():
            if moving:
                skins.upload_vertices(self.batch.vertices)
            skins.upload(buffer.rows)
            skins.run()
            self.vertex_mismatches += _differing(skins.positions, expected)
            self.particle_mismatches += _differing(skins.particles, spots)
            self.past_segment += skins.past_segment()

    def to_json(self) -> dict:
        """The device, what differed over all frames and transports, and milliseconds a frame (both passes, without the upload)
        by transport.
        """
        times = {
            name: measure(skins.run, lambda skins=skins: skins.positions.read(), budget=0.2, repeats=3)
            for name, skins in self.skins.items()
        }
        return {
            "backend": self.device.backend,
            "renderer": self.device.renderer,
            "vertex_mismatches": self.vertex_mismatches,
            "particle_mismatches": self.particle_mismatches,
            "past_segment": self.past_segment,
            "ms": {name: round(1000 * timing.seconds, 4) for name, timing in times.items()},
        }


def _differing(table, expected) -> int:
    """Rows whose bits are not the expected ones."""
    if not len(expected):
        return 0
    found = table.read().reshape(expected.shape)
    return int((np.ascontiguousarray(found).view(np.uint32) != np.ascontiguousarray(expected).view(np.uint32)).any(axis=1).sum())
