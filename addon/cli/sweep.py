"""Compare cluster sizes on a scene: what a traversal would test, what it would submit, how long building takes.

The cost model is that of a renderer which culls clusters and draws every instance of a cluster it keeps, as HISM does. In units of one box test:

- CPU-bound target: ``nodes tested + submitted / 16``. The CPU walks the tree; handing an instance on is a copy.
- GPU-bound target: ``submitted + nodes tested / 16``. The GPU pays for every instance handed to it; the walk hides behind it.
"""

from __future__ import annotations

import time

import numpy as np

from ..core.cluster_tree import build, quality
from ..core.culling.bounds import instance_bounds
from ..core.culling.camera import Camera, CullView
from ..core.culling.decide import box_inside, box_outside
from ..core.culling.oracle import exact_bounds, truth

#: how much cheaper the work is that does not limit a target
SHARE = 16
#: directions each camera looks in, about the up axis
DIRECTIONS = 8
#: cameras of the scene that take part
MAX_CAMERAS = 8
COST_MODEL = (f"CPU-bound: nodes tested + submitted / {SHARE}. GPU-bound: submitted + nodes tested / {SHARE}. "
              "Submitted: the instances of every cluster that is not wholly outside.")


def look_around(cameras, up: np.ndarray, bounds) -> list:
    """Each camera turned about the vertical through it, in `DIRECTIONS` steps; without cameras one of 60 degrees at the middle of the scene.

    Parameters
    ----------
    cameras : sequence of Camera
    up : (3,) float64
    bounds : InstanceBounds
    """
    cameras = [c for c in cameras if c.clip_from_world is not None][:MAX_CAMERAS] or [_in_the_middle(up, bounds)]
    cross = np.array([[0, -up[2], up[1]], [up[2], 0, -up[0]], [-up[1], up[0], 0]])
    out = []
    for camera in cameras:
        for step in range(DIRECTIONS):
            angle = 2 * np.pi * step / DIRECTIONS
            turn = np.eye(4)
            turn[:3, :3] += np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross
            turn[:3, 3] = camera.position - turn[:3, :3] @ camera.position
            out.append(Camera(camera.name, camera.clip_from_world @ turn, camera.position, camera.is_perspective, camera.screen_factor))
    return out


def _in_the_middle(up, bounds):
    """A camera at the middle of the instances, level, 60 degrees high and wide."""
    low, high = bounds.box_min.min(axis=0, initial=0).astype(np.float64), bounds.box_max.max(axis=0, initial=0).astype(np.float64)
    middle, size = (low + high) / 2, float(np.linalg.norm(high - low)) or 1.0
    forward = np.roll(up, 1)
    rows = np.stack([np.cross(forward, up), up, -forward])
    near, far, slope = size * 1e-4, size * 2, 1 / np.tan(np.radians(30))
    project = np.diag([slope, slope, (far + near) / (near - far), 0.0])
    project[2, 3], project[3, 2] = 2 * far * near / (near - far), -1
    view = np.eye(4)
    view[:3, :3], view[:3, 3] = rows, -rows @ middle
    return Camera("middle of the scene", project @ view, middle, True, slope / 2)


def walk(view: CullView, tree) -> tuple:
    """(nodes tested, instances submitted) of one traversal: children are tested where their parent is neither outside nor wholly inside."""
    outside = box_outside(view, tree.nodes["box_min"], tree.nodes["box_max"])
    inside = box_inside(view, tree.nodes["box_min"], tree.nodes["box_max"])
    tested = np.zeros(len(tree.nodes), bool)
    tested[0] = True
    opened = ~outside & ~inside & ~tree.is_leaf
    for start, stop in zip(tree.level_starts[1:-1], tree.level_starts[2:]):
        parent = tree.parent[start:stop]
        tested[start:stop] = tested[parent] & opened[parent]
    drawn = tested & ~outside & (inside | tree.is_leaf)
    return int(tested.sum()), int((tree.node_end - tree.node_begin)[drawn].sum())


def sweep(scene, sizes, builder: str = "sah", progress=None) -> dict:
    """Build a tree of each cluster size and walk it from every view.

    Returns
    -------
    dict
        ``instances``, ``views``, ``builder``, ``cost_model``, ``visible`` (mean over the views), ``sizes``: for each a dict of ``cluster_size, nodes,
        depth, build_ms, nodes_tested, submitted`` (means), ``cpu_cost, gpu_cost``; ``recommended``: ``cpu_bound`` and ``gpu_bound`` cluster size.
    """
    bounds = instance_bounds(scene)
    up = scene.convention.directions(np.array([[0.0, 0.0, 1.0]]))[0]
    cameras = look_around(scene.cameras, up, bounds)
    views = [CullView.of(camera, bounds.extent) for camera in cameras]
    exact = exact_bounds(scene)
    visible = float(np.mean([truth(camera, exact).visible.sum() for camera in cameras]))
    build(bounds, builder, sizes[0])  # the first build of a run pays for loading code
    rows = []
    for number, size in enumerate(sizes):
        if progress is not None:
            progress(number / len(sizes), f"Clusters of {size}")
        started = time.perf_counter()
        tree = build(bounds, builder, size)
        seconds = time.perf_counter() - started
        tested, submitted = (float(value) for value in np.mean([walk(view, tree) for view in views], axis=0))
        rows.append({"cluster_size": size, "nodes": len(tree), "depth": tree.depth_count, "build_ms": round(1000 * seconds, 3),
                     "nodes_tested": round(tested, 2), "submitted": round(submitted, 2),
                     "cpu_cost": round(tested + submitted / SHARE, 2), "gpu_cost": round(submitted + tested / SHARE, 2)})
    best = {target: min(rows, key=lambda row: row[f"{target[:3]}_cost"])["cluster_size"] for target in ("cpu_bound", "gpu_bound")}
    return {"instances": len(bounds), "views": len(views), "builder": builder, "visible": round(visible, 2), "cost_model": COST_MODEL,
            "sizes": rows, "recommended": best}


def builders(scene, cluster_size: int) -> dict:
    """Quality and build time of each builder's tree: ``{"instances", "cluster_size", "builders": {name: {"build_ms", ...quality}}}``."""
    bounds = instance_bounds(scene)
    out = {}
    for name in ("spatial", "sah", "grid"):
        build(bounds, name, cluster_size)
        started = time.perf_counter()
        tree = build(bounds, name, cluster_size)
        seconds = time.perf_counter() - started
        out[name] = {"build_ms": round(1000 * seconds, 3)} | quality(tree).to_json()
    return {"instances": len(bounds), "cluster_size": cluster_size, "builders": out}
