"""``gpuscene bench tree``: builders against SciPy's cKDTree on the same points, binned splits against a full sweep, and edits
against a rebuild. Needs no Blender.

Every tree is checked before it is timed.
"""

from __future__ import annotations

import numpy as np

from ..core.cluster_tree import BUILDERS, DEFAULT_CLUSTER_SIZE, build, check, quality, refit
from ..core.culling.bounds import InstanceBounds
from ..core.errors import InputError
from .cull import field
from .full_sweep import build_full_sweep
from .measure import paired, seconds

RUNS = 7
#: the full sweep goes node by node and takes seconds beyond
SWEPT = 100_000
#: instances that move in the timed refit
MOVED_SHARE = 0.01


def crowds(count: int) -> InstanceBounds:
    """Boxes over two decades of size in crowds of three densities around 50 places. Seeded."""
    rng = np.random.default_rng(1)
    places = rng.normal(size=(50, 3)) * (500, 500, 20)
    spread = rng.normal(size=(count, 3)) * rng.choice([2.0, 10.0, 60.0], (count, 1))
    center = (places[rng.integers(0, 50, count)] + spread).astype(np.float32)
    half = (rng.lognormal(0, 1, (count, 3)) * 0.3).astype(np.float32)
    radius = (np.linalg.norm(half, axis=1) * 1.000001).astype(np.float32)
    return InstanceBounds(center, radius, center - half, center + half, np.zeros(count, np.float32), np.ones(count, bool))


SCENES = {"even": field, "crowds": crowds}


def run(instances: int, progress=None) -> dict:
    """Measure and return figures; times are medians of `RUNS`, ratios medians of pairs run in turns.

    Parameters
    ----------
    instances : int
        For the times; costs are compared at ``min(instances, SWEPT)``.
    progress : callable or None
        ``progress(fraction, text)``.

    Raises
    ------
    InputError
        SciPy is not installed.
    """
    try:
        from scipy.spatial import cKDTree
    except ImportError:
        raise InputError("SciPy is not installed; the builders are measured against its cKDTree.",
                         "Install it: uv sync --group bench, or pip install scipy.") from None
    report = progress or (lambda fraction, text: None)
    few = min(instances, SWEPT)
    result = {"instances": instances, "swept_instances": few, "cluster_size": DEFAULT_CLUSTER_SIZE, "runs": RUNS}
    bounds = field(instances)
    points = bounds.center.astype(np.float64)  # what cKDTree works on; converted beforehand, which favours it
    result |= {"builders": {}, "sweep": {}}
    for number, builder in enumerate(BUILDERS):
        report(0.2 * number, f"{builder}, {instances:,} instances")
        result["builders"][builder] = _builder(bounds, builder, lambda: cKDTree(points))
    report(0.6, "refit")
    result["refit"] = _refit(bounds)
    for number, (name, make) in enumerate(SCENES.items()):
        report(0.7 + 0.15 * number, f"full sweep, {few:,} instances, {name}")
        result["sweep"][name] = _sweep(make(few))
    report(1.0, "done")
    return result


def _builder(bounds, builder, peer) -> dict:
    """Seconds of a build and of the peer's, and the tree's figures."""
    tree = build(bounds, builder)
    check(tree, bounds)
    theirs, ours, ratio = paired(lambda: seconds(peer), lambda: seconds(lambda: build(bounds, builder)), RUNS)
    return {"seconds": ours, "ckdtree_seconds": theirs, "ratio": ratio, "quality": quality(tree).to_json()}


def _refit(bounds) -> dict:
    """Seconds to refit after `MOVED_SHARE` of the instances moved a little, and after all may have."""
    tree = build(bounds, "spatial")
    rows = np.random.default_rng(2).choice(len(bounds), max(int(len(bounds) * MOVED_SHARE), 1), replace=False)
    check(refit(tree, bounds, rows), bounds)
    some, everything, _ = paired(lambda: seconds(lambda: refit(tree, bounds, rows)),
                                 lambda: seconds(lambda: refit(tree, bounds)), RUNS)
    return {"moved": len(rows), "seconds": some, "all_seconds": everything}


def _sweep(bounds) -> dict:
    """Costs of the builders' trees over that of the full sweep's."""
    swept = []
    taken = seconds(lambda: swept.append(build_full_sweep(bounds, DEFAULT_CLUSTER_SIZE)))
    check(swept[0], bounds)
    cost = quality(swept[0]).sah_cost
    ratios = {builder: quality(build(bounds, builder)).sah_cost / cost for builder in BUILDERS}
    return {"seconds": taken, "cost": cost, "ratios": ratios}


def format_table(result: dict) -> str:
    """The figures as lines of text."""
    lines = [f"{result['instances']:,} instances, clusters of {result['cluster_size']}, medians of {result['runs']} runs"]
    for builder, row in result["builders"].items():
        figures = row["quality"]
        lines.append(f"  {builder:8} {row['seconds']:.3f} s   {row['ratio']:.2f} x cKDTree ({row['ckdtree_seconds']:.3f} s)   "
                     f"cost {figures['sah_cost']:.0f}   overlap {figures['overlap']:.2f}   "
                     f"depth {figures['depth']}   leaf fill {figures['leaf_fill']:.0%}")
    moved = result["refit"]
    lines.append(f"  refit    {moved['seconds']:.3f} s after {moved['moved']:,} moved, {moved['all_seconds']:.3f} s after all")
    for name, row in result["sweep"].items():
        ratios = ", ".join(f"{builder} {ratio:.3f}" for builder, ratio in row["ratios"].items())
        lines.append(f"cost over a full sweep's, {result['swept_instances']:,} instances, {name}: {ratios}   "
                     f"(the sweep took {row['seconds']:.1f} s)")
    return "\n".join(lines)
