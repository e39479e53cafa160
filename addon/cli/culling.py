"""Cull frames and hold each result against the others: tree against flat, GPU against CPU, all against the float64 oracle."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from ..core import limits
from ..core.cluster_tree import build
from ..core.culling.bounds import instance_bounds
from ..core.culling.camera import CullView
from ..core.culling.cull_tree import prepare
from ..core.culling.flat import cull_flat
from ..core.culling.lod_select import NO_LOD, LodInputs
from ..core.culling.oracle import exact_bounds, truth
from ..core.culling.stream import BoundsStream
from ..core.culling.traverse import cull_tree
from .views import Frame

#: tables whose change makes bounds, tree and LODs stale
_WATCHED = ("instance_transforms", "instance_data", "primitives", "lods")


@dataclass(frozen=True)
class Choices:
    """What ``gpuscene cull`` lets its user choose.

    Attributes
    ----------
    cluster_size : int
    lod_bias : float
        Added to each instance's own.
    lod : int or None
        Drawn everywhere, or the coarsest there is below it.
    rule : (text, name) or None
        A custom rule, for the GPU.
    group_size : {64, 128, 256} or None
        Of the GPU's work groups. None: what suits the device.
    """

    cluster_size: int = 64
    lod_bias: float = 0.0
    lod: int | None = None
    rule: tuple | None = None
    group_size: int | None = None


class CullScene:
    """What culling needs of one scene, made once and used for every frame in which nothing moved."""

    def __init__(self, scene, choices: Choices):
        self.scene = scene
        self.bounds = instance_bounds(scene)
        self.tree = build(self.bounds, cluster_size=choices.cluster_size)
        self.lods = LodInputs.of(scene, choices.lod_bias, choices.lod)
        self.stream = BoundsStream.of(self.bounds)
        self.prepared = prepare(self.tree, self.bounds, self.lods)
        self.exact = exact_bounds(scene)

    def is_of(self, scene) -> bool:
        """True when `scene`'s instances are where these are."""
        def same(name):
            return np.array_equal(scene[name].view(np.uint8), self.scene[name].view(np.uint8))

        return scene is self.scene or all(map(same, _WATCHED))


def lod_counts(lod, scene) -> list:
    """Visible instances at each LOD that the scene has."""
    levels = int(scene["primitives"]["lod_count"].max(initial=1))
    return np.bincount(lod[lod != NO_LOD], minlength=min(levels, limits.MAX_LODS)).tolist()


class Culler:
    """Culls frame after frame.

    Parameters
    ----------
    device : {"cpu", "gpu", "both"}
    choices : Choices
    """

    def __init__(self, device: str = "cpu", choices: Choices = Choices()):
        self.device, self.choices = device, choices
        self.scene: CullScene | None = None
        self.state = None
        self.gpu = None
        if device != "cpu":
            from ..device.custom_rule import CustomRule
            from .culling_gpu import GpuPaths
            self.gpu = GpuPaths(None if choices.rule is None else CustomRule(*choices.rule), choices.group_size)

    def frame(self, frame: Frame) -> dict:
        """Cull one frame.

        Returns
        -------
        dict
            ``frame, total, visible, lod_counts, nodes_tested, instances_tested``; ``mismatches``: rows on which two paths differ; ``false_negatives``:
            rows that the oracle sees and a path drops; ``ms``: of the tree culling, LODs included, the GPU's with --device gpu; with both, ``gpu_ms`` too.
            With a rule, ``visible`` and ``lod_counts`` are what it keeps, ``dropped_by_rule`` is what it does not.
        """
        if self.scene is None or not self.scene.is_of(frame.scene):
            self.scene = CullScene(frame.scene, self.choices)
            self.state = np.full(frame.scene.instance_count, NO_LOD, np.uint8)
            if self.gpu is not None:
                self.gpu.load(self.scene)
        scene = self.scene
        view = CullView.of(frame.camera, scene.bounds.extent)
        before = self.state.copy()
        started = time.perf_counter()
        result = cull_tree(view, scene.bounds, scene.prepared, lods=scene.lods, state=self.state)
        ms = {"cpu": 1000 * (time.perf_counter() - started)}
        flat = cull_flat(view, scene.stream, scene.lods, before.copy())
        seen = truth(frame.camera, scene.exact).visible
        tested = result.nodes_tested, result.instances_tested
        masks, lods = [result.visible, flat.visible], [result.lod, flat.lod]
        if self.gpu is not None:
            paths = self.gpu.cull(view)
            masks += [path.visible for path in paths]
            lods += [path.lod for path in paths]
            ms["gpu"] = paths[0].ms
            if self.device == "gpu":
                # Going by leaves it does not count instances; they are the same as by levels.
                tested = paths[0].tested[0], paths[1].tested[1]
        mismatches = np.zeros(len(seen), bool)
        for mask, lod in zip(masks[1:], lods[1:]):
            differ = mask != result.visible
            differ[mask & result.visible] = lod[result.visible[mask]] != result.lod[mask[result.visible]]
            mismatches |= differ
        kept_by_all = np.logical_and.reduce(masks)
        kept, further = result.visible, {}
        if self.choices.rule is not None:
            ruled = self.gpu.cull_by_rule(view)
            kept, ms["gpu"] = ruled[0].visible, ruled[0].ms
            further["dropped_by_rule"] = int((result.visible & ~kept).sum())
            for path in ruled:  # the rule takes away, on every path the same
                mismatches |= (path.visible != kept) | (path.visible & ~result.visible)
        counts = lod_counts(result.lod[kept[result.visible]], frame.scene)
        if self.device == "both":
            further["gpu_ms"] = round(ms["gpu"], 4)
        out = {"frame": frame.number, "total": len(seen), "visible": int(kept.sum()), "lod_counts": counts,
               "nodes_tested": tested[0], "instances_tested": tested[1], "mismatches": int(mismatches.sum()),
               "false_negatives": int((seen & ~kept_by_all).sum()), "ms": round(ms["gpu" if self.device == "gpu" else "cpu"], 4)}
        return out | further


def cpu_device() -> dict:
    """The `device` entry of a CPU run."""
    return {"backend": "CPU", "renderer": f"numpy {np.__version__}"}


def cull_frames(frames, count: int, device: str, slices: int = 1, choices: Choices = Choices(), progress=None) -> dict:
    """Cull every `Frame` of an iterable.

    Returns
    -------
    dict
        ``device`` (backend, renderer), ``camera``, ``note`` (why there is no frustum; empty otherwise), ``cluster_size``, ``slices``, ``frames``
        (list of what `Culler.frame` gives).
    """
    if slices > 1:
        from .culling_sliced import SlicedCuller
        culler = SlicedCuller(device, choices, slices)
    else:
        culler = Culler(device, choices)
    rows, camera = [], None
    for frame in frames:
        camera = frame.camera
        rows.append(culler.frame(frame))
        if progress is not None:
            progress(min(1.0, len(rows) / max(count, 1)), f"Frame {frame.number}")
    return {"device": culler.gpu.device if culler.gpu is not None else cpu_device(), "camera": camera.name, "note": camera.note,
            "cluster_size": choices.cluster_size, "slices": slices, "frames": rows}
