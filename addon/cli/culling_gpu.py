"""The GPU's side of ``gpuscene cull``: flat and tree culling over every transport there is."""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np

from ..core.culling.gpu_tree import GpuTree
from ..device import capabilities
from ..device.frame import GpuCuller


class GpuPath(NamedTuple):
    """One way's answer: `visible` (N,) bool, `lod` (V,) uint8 of visible rows (None: not chosen), `tested` nodes and instances, `ms` until it was done."""

    name: str
    visible: np.ndarray
    lod: np.ndarray | None
    tested: tuple
    ms: float


class GpuPaths:
    """Every way the GPU can cull: flat, by leaves, by levels; each over storage buffers (where Blender has them) and over textures.

    Parameters
    ----------
    rule : CustomRule, optional
    group_size : {64, 128, 256}, optional
        None: what suits the device.

    Attributes
    ----------
    device : dict
        ``backend, renderer, transports``.
    """

    def __init__(self, rule=None, group_size: int | None = None):
        self.rule, self.group_size = rule, group_size
        self.capabilities = capabilities.start()  # the one clear line when there is no GPU
        can = self.capabilities
        self.device = {"backend": can.backend, "renderer": can.renderer, "transports": list(can.transports)}
        self.cullers: dict = {}
        self.ruled: dict = {}
        self.is_warm = False

    def load(self, scene) -> None:
        """Upload a `CullScene`."""
        self.cullers, self.ruled, tree = {}, {}, GpuTree.of(scene.tree)
        for transport in self.capabilities.transports:
            for name, options in (("tree by leaves", {"tree": tree}), ("tree by levels", {"tree": tree, "descent": "levels"}), ("flat", {})):
                options |= {"transport": transport, "group_size": self.group_size}
                self.cullers[f"{name}, {transport}"] = GpuCuller(scene.bounds, scene.scene, lods=scene.lods, **options)
                if self.rule is not None:
                    self.ruled[f"{name}, {transport}"] = GpuCuller(scene.bounds, scene.scene, rule=self.rule, **options)
        self.is_warm = False

    def cull(self, view) -> list:
        """The `GpuPath` of every way, the one to time first. Each keeps its own LODs of the frame before, as the CPU does."""
        if not self.is_warm:
            # Drivers finish compiling at the first dispatch. To cull a view twice changes nothing.
            for culler in (*self.cullers.values(), *self.ruled.values()):
                culler.set_view(view)
                culler.run()
                culler.wait()
            self.is_warm = True
        return [self._path(name, culler, view) for name, culler in self.cullers.items()]

    def cull_by_rule(self, view) -> list:
        """As `cull`, with the rule and without LODs; no path where there is no rule."""
        return [self._path(name, culler, view) for name, culler in self.ruled.items()]

    @staticmethod
    def _path(name, culler, view):
        started = time.perf_counter()
        result = culler.cull(view)
        culler.wait()
        ms = 1000 * (time.perf_counter() - started)
        lod = None if culler.lod_state is None else result.lod_state[result.visible]
        return GpuPath(name, result.visible, lod, result.tested, ms)
