"""The GPU's part of ``gpuscene skin``: the same frames by the passes, held against the CPU, and timed."""

from __future__ import annotations

import numpy as np

from ..core.skinning.gpu_records import snapped
from ..core.skinning.surface import on_vertices
from ..device import capabilities
from ..device.skinning import Level, SkinDevice
from ..device.timing import measure


class GpuActors:
    """All characters on the GPU, over each transport there is.

    Parameters
    ----------
    actors : list of skinning.Actor
    """

    def __init__(self, actors):
        self.device = capabilities.start()
        self.skins = {name: SkinDevice(name, method="vertices") for name in self.device.transports}
        levels = {}
        for actor in actors:
            key = id(actor.packed)
            if key not in levels:
                levels[key] = Level(actor.packed, on_vertices(0) if actor.points is None else actor.points)
            for skins in self.skins.values():
                skins.add(actor.placement.name, [levels[key]])
        self.vertex_mismatches = self.particle_mismatches = self.past_segment = 0

    def frame(self, actors) -> None:
        """Pose by each transport and count what differs from numpy's float32."""
        for skins in self.skins.values():
            pose(skins, actors)
            for actor in actors:
                name = actor.placement.name
                self.vertex_mismatches += _differing(skins.vertices(name), actor.positions)
                if actor.points is not None:
                    self.particle_mismatches += _differing(skins.positions(name), snapped(actor.points).at(actor.positions))
            self.past_segment += skins.guarded_count()

    def to_json(self) -> dict:
        """The device, what differed over all frames and transports, and milliseconds a frame (all passes, without the upload)
        by transport.
        """
        times = {name: measure(skins.run, skins.wait, budget=0.2, repeats=3) for name, skins in self.skins.items()}
        return {
            "backend": self.device.backend,
            "renderer": self.device.renderer,
            "vertex_mismatches": self.vertex_mismatches,
            "particle_mismatches": self.particle_mismatches,
            "past_segment": self.past_segment,
            "ms": {name: round(1000 * timing.seconds, 4) for name, timing in times.items()},
        }


def pose(skins: SkinDevice, actors) -> int:
    """This frame's poses to the GPU, and the passes; bytes that travelled."""
    for actor in actors:
        skins.pose(actor.placement.name, actor.every)
        if actor.character.moving_rest:
            skins.set_rest(actor.placement.name, actor.rest)
    sent = skins.upload()
    skins.run()
    return sent


def _differing(found, expected) -> int:
    """Rows that are not the expected ones; what is no number in both is the same."""
    found, expected = np.asarray(found), np.asarray(expected)
    return int(((found != expected) & ~(np.isnan(found) & np.isnan(expected))).any(axis=1).sum())
