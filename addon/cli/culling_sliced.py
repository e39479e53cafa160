"""``gpuscene cull --slices``: the refresh spread over frames, held against a cull of every frame."""

from __future__ import annotations

import time

import numpy as np

from ..core.cluster_tree import refit
from ..core.culling.bounds import instance_bounds
from ..core.culling.camera import CullView
from ..core.culling.cull_tree import prepare
from ..core.culling.flat import cull_flat
from ..core.culling.lod_select import NO_LOD, LodInputs
from ..core.culling.oracle import exact_bounds, truth
from ..core.culling.stream import BoundsStream
from ..core.errors import InputError
from ..core.schedule import FrameSlices
from .culling import Choices, CullScene, lod_counts


class SlicedCuller:
    """As `culling.Culler`, on the CPU, with `FrameSlices`. When instances move, the tree is refitted and the schedule goes on."""

    gpu = None

    def __init__(self, device: str, choices: Choices, slices: int):
        if device != "cpu":
            raise InputError("Frame slices are scheduled on the CPU.", "Leave out --device, or --slices.")
        self.choices, self.slices = choices, slices
        self.scene: CullScene | None = None

    def frame(self, frame) -> dict:
        """Refresh what is due.

        ``mismatches``: rows whose answer is not that of a cull of this very frame; ``false_negatives``: those of them that the oracle sees; further
        ``oldest``: frames since the oldest answer in use.
        """
        self._load(frame.scene)
        scene, view = self.scene, CullView.of(frame.camera, self.scene.bounds.extent)
        started = time.perf_counter()
        result = self.schedule.step(view, scene.bounds, scene.lods, self.state)
        ms = 1000 * (time.perf_counter() - started)
        full, seen = cull_flat(view, scene.stream), truth(frame.camera, scene.exact).visible
        return {"frame": frame.number, "total": len(seen), "visible": int(result.visible.sum()),
                "lod_counts": lod_counts(self.state[result.visible], frame.scene), "nodes_tested": result.nodes_tested,
                "instances_tested": result.instances_tested, "mismatches": int((result.visible != full.visible).sum()),
                "false_negatives": int((seen & ~result.visible).sum()), "ms": round(ms, 4), "oldest": int(result.age.max(initial=0))}

    def _load(self, scene):
        if self.scene is not None and self.scene.is_of(scene):
            return
        before, now = (one and one["instance_data"]["instance_id"] for one in (self.scene and self.scene.scene, scene))
        if before is None or not np.array_equal(before, now):
            self.scene = CullScene(scene, self.choices)
            self.schedule = FrameSlices(self.scene.prepared, self.slices)
            self.state = np.full(scene.instance_count, NO_LOD, np.uint8)
            return
        moved = self.scene
        before, moved.bounds = moved.bounds, instance_bounds(scene)
        moved.scene, moved.exact = scene, exact_bounds(scene)
        moved.lods = LodInputs.of(scene, self.choices.lod_bias, self.choices.lod)
        moved.tree, moved.stream = refit(moved.tree, moved.bounds), BoundsStream.of(moved.bounds)
        moved.prepared = self.schedule.trees[0] = prepare(moved.tree, moved.bounds, moved.lods)
        self.schedule.touch(np.flatnonzero(_differ(before, moved.bounds)))


def _differ(before, after):
    """(N,) bool: instances whose box, or whether they can be drawn at all, is not what it was."""
    boxes = ((getattr(before, side) != getattr(after, side)).any(axis=1) for side in ("box_min", "box_max"))
    return np.logical_or.reduce([*boxes, before.drawable != after.drawable])
