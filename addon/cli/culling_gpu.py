"""The GPU's side of ``gpuscene cull``: flat and tree culling over every transport there is."""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np

from ..core.culling.gpu_tree import GpuTree
from ..device import capabilities
from ..device.frame import GpuCuller


class GpuPath(NamedTuple):
    """One way's answer: `visible` (N,) bool, `lod` (V,) uint8 of visible rows, `tested` nodes and instances, `ms` until it was done."""

    name: str
    visible: np.ndarray
    lod: np.ndarray
    tested: tuple
    ms: float


class GpuPaths:
    """Every way the GPU can cull: flat, by leaves, by levels; each over storage buffers (where Blender has them) and over textures.

    Attributes
    ----------
    device : dict
        ``backend, renderer, transports``.
    """

    def __init__(self):
        self.capabilities = capabilities.start()  # the one clear line when there is no GPU
        can = self.capabilities
        self.device = {"backend": can.backend, "renderer": can.renderer, "transports": list(can.transports)}
        self.cullers: dict = {}
        self.is_warm = False

    def load(self, scene) -> None:
        """Upload a `CullScene`."""
        self.cullers, tree = {}, GpuTree.of(scene.tree)
        for transport in self.capabilities.transports:
            for name, options in (("tree by leaves", {"tree": tree}), ("tree by levels", {"tree": tree, "descent": "levels"}), ("flat", {})):
                self.cullers[f"{name}, {transport}"] = GpuCuller(scene.bounds, scene.scene, lods=scene.lods, transport=transport, **options)
        self.is_warm = False

    def cull(self, view) -> list:
        """The `GpuPath` of every way, the one to time first. Each keeps its own LODs of the frame before, as the CPU does."""
        if not self.is_warm:
            # Drivers finish compiling at the first dispatch. To cull a view twice changes nothing.
            for culler in self.cullers.values():
                culler.set_view(view)
                culler.run()
                culler.wait()
            self.is_warm = True
        paths = []
        for name, culler in self.cullers.items():
            started = time.perf_counter()
            result = culler.cull(view)
            culler.wait()
            ms = 1000 * (time.perf_counter() - started)
            paths.append(GpuPath(name, result.visible, result.lod_state[result.visible], result.tested, ms))
        return paths
