"""``gpuscene bench cull``, the CPU half: tree culling against the test of every instance, and what frame slices save.

Every figure is checked before it is timed: all paths must give the same set. Needs no Blender.
"""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np

from ..core.cluster_tree import build
from ..core.culling.bounds import InstanceBounds
from ..core.culling.camera import Camera, CullView
from ..core.culling.cull_tree import prepare
from ..core.culling.decide import instance_visible
from ..core.culling.flat import WORKERS, cull_flat
from ..core.culling.projection import camera, perspective
from ..core.culling.stream import BoundsStream
from ..core.culling.traverse import TRAVERSALS, cull_tree
from ..core.schedule import FrameSlices, simulate
from .measure import paired, seconds

RUNS = 9
SLICES = 3
#: frames of the scheduled path, and radians that the camera turns in each: 9 degrees a second at 60 frames a second
PATH_FRAMES, PATH_TURN = 60, np.radians(0.15)
_HEIGHT, _ASPECT = 0.8, 16 / 9


def field(count: int) -> InstanceBounds:
    """Boxes with sides of 0.2 to 1, four square units of ground for each, up to ten high. Seeded."""
    rng = np.random.default_rng(0)
    side = max(count, 1) ** 0.5
    center = (rng.random((count, 3)) * (2 * side, 2 * side, 10) - (side, side, 0)).astype(np.float32)
    half = rng.uniform(0.1, 0.5, (count, 3)).astype(np.float32)
    radius = (np.linalg.norm(half, axis=1) * 1.000001).astype(np.float32)
    return InstanceBounds(center, radius, center - half, center + half, np.zeros(count, np.float32), np.ones(count, bool))


def views(bounds: InstanceBounds) -> dict:
    """Name -> `CullView`: 5 % visible, half, and all; the clip end is found by bisection."""
    side = max(len(bounds), 1) ** 0.5

    def at(share):
        near, far = 1.0, 4 * side
        for _ in range(24):
            middle = (near + far) / 2
            view = CullView.of(_camera((-0.9 * side * (share > 0.2), 0, 5), far=middle, height=_HEIGHT if share < 0.2 else 3),
                               bounds.extent)
            near, far = (near, middle) if instance_visible(view, bounds).mean() > share else (middle, far)
        return view

    above = camera("above", perspective(3, 1, 1, 100 * side), (0, 0, 3 * side), (0, 0, 0), (0, 1, 0))
    return {"5 %": at(0.05), "half": at(0.5), "all": CullView.of(above, bounds.extent)}


def _camera(eye, angle=0.0, far=1000.0, height=_HEIGHT) -> Camera:
    return camera("eye", perspective(height, _ASPECT, 0.1, far), eye, np.array(eye) + (np.cos(angle), np.sin(angle), 0))


def run(instances: int, progress=None) -> dict:
    """Measure and return figures; times are medians of `RUNS`, ratios medians of pairs run in turns.

    Parameters
    ----------
    instances : int
        At least 1.
    progress : callable or None
        ``progress(fraction, text)``.
    """
    report = progress or (lambda fraction, text: None)
    report(0.0, f"{instances:,} instances")
    bounds = field(instances)
    trees = []
    result = {"instances": instances, "runs": RUNS, "threads": WORKERS, "processors": os.cpu_count(),
              "build": seconds(lambda: trees.append(build(bounds)))}
    result["prepare"] = seconds(lambda: trees.append(prepare(trees[0], bounds)))
    tree, stream = trees[1], BoundsStream.of(bounds)
    result["views"] = {}
    for number, (name, view) in enumerate(views(bounds).items()):
        report(0.2 + 0.2 * number, f"{name} visible")
        result["views"][name] = _measure(view, bounds, stream, tree)
    report(0.75, "all visible, with cull radii and a hidden instance")
    drawable = bounds.drawable.copy()
    drawable[0] = False
    limited = replace(bounds, cull_radius=np.full(instances, 1e6, np.float32), drawable=drawable)
    result["views"]["all, limited"] = _measure(view, limited, BoundsStream.of(limited), prepare(trees[0], limited))
    report(0.8, f"{SLICES} slices")
    side = max(instances, 1) ** 0.5
    path = [CullView.of(_camera((0, 0, 5), PATH_TURN * frame, side), bounds.extent) for frame in range(PATH_FRAMES)]
    result["schedule"] = simulate(FrameSlices(tree, SLICES), path, bounds).summary()
    result["schedule"]["degrees_a_frame"] = float(np.degrees(PATH_TURN))
    report(1.0, "done")
    return result


def _measure(view, bounds, stream, tree) -> dict:
    expected = instance_visible(view, bounds)
    results = {name: cull_tree(view, bounds, tree, name) for name in TRAVERSALS}
    for name, got in {"flat": cull_flat(view, stream), **results}.items():
        if not np.array_equal(got.visible, expected):
            raise AssertionError(f"{name} culling differs from the test of every instance")
    best = results["hybrid"]

    def timed(work):
        return lambda: seconds(work)

    ours = timed(lambda: cull_tree(view, bounds, tree))
    tree_seconds, every, ratio = paired(ours, timed(lambda: instance_visible(view, bounds)), RUNS)
    _, blocks, blocks_ratio = paired(ours, timed(lambda: cull_flat(view, stream)), RUNS)
    others = {name: float(np.median([seconds(lambda: cull_tree(view, bounds, tree, name)) for _ in range(3)]))
              for name in TRAVERSALS if name != "hybrid"}
    return {"visible": len(best), "all_instances": every, "blocks_on_threads": blocks, "tree": tree_seconds, "ratio": ratio,
            "ratio_to_blocks": blocks_ratio,
            "traversals": {**others, "hybrid": tree_seconds}, "nodes_tested": best.nodes_tested,
            "instances_tested": best.instances_tested,
            "instances_accepted": best.instances_accepted}


def format_table(result: dict) -> str:
    """The figures as lines of text."""
    blocks = f"blocks, {result['threads']} threads"
    heads = f"{'visible':<23}{'every instance':>16}{blocks:>20}{'tree':>11}{'ratio':>9}{'to blocks':>11}"
    lines = [f"CPU, {result['instances']:,} instances, medians of {result['runs']} runs on {result['processors']} processors; "
             f"build {result['build']:.2f} s, prepare {result['prepare']:.2f} s", f"{heads}   nodes, instances tested"]
    for name, view in result["views"].items():
        every, blocks, tree = (f"{view[key] * 1e3:.2f} ms" for key in ("all_instances", "blocks_on_threads", "tree"))
        lines.append(f"{name:<12}{view['visible']:>11,}{every:>16}{blocks:>20}{tree:>11}{view['ratio']:>7.1f} x"
                     f"{view['ratio_to_blocks']:>9.1f} x   {view['nodes_tested']:,}, {view['instances_tested']:,}")
    plan = result["schedule"]
    lines.append(f"{plan['slices']} slices, {plan['frames']} frames of a camera turning {plan['degrees_a_frame']:g} degrees each: "
                 f"{plan['work_saved']:.1%} of the work saved; missed {plan['missed']:,} ({plan['missed_share']:.2%} of the visible), "
                 f"extra {plan['extra']:,} ({plan['extra_share']:.2%}), {plan['late']:,} instances late by up to "
                 f"{plan['worst_latency']} frames")
    return "\n".join(lines)
