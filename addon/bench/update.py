"""``gpuscene bench update``: what it costs to follow a change of 1 % of the instances, scattered: refit against rebuild; on the GPU
the changed bounds against all of them; and the live scene's whole records, over each transport. What is then culled is checked first.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..core.cluster_tree import build, check, insert, refit, remove
from ..core.culling.bounds import InstanceBounds
from ..core.culling.decide import instance_visible
from ..core.errors import GpuSceneError
from . import live_uploads
from .cull import field, views
from .measure import paired, seconds

CHANGED = 0.01
RUNS = 5


def moved(bounds: InstanceBounds, rows) -> InstanceBounds:
    """`bounds` with `rows` moved by up to 2 in each direction."""
    shift = np.random.default_rng(1).uniform(-2, 2, (len(rows), 3)).astype(np.float32)
    arrays = {name: getattr(bounds, name).copy() for name in ("center", "box_min", "box_max")}
    for array in arrays.values():
        array[rows] += shift
    return replace(bounds, **arrays)


def run(instances: int, gpu: bool, progress=None) -> dict:
    """Measure and return figures; seconds are medians of `RUNS`, ratios medians of pairs run in turns.

    Parameters
    ----------
    instances : int
    gpu : bool
        Measure uploads too; without a GPU the result says why there is none.
    progress : callable or None
        ``progress(fraction, text)``.
    """
    report = progress or (lambda fraction, text: None)
    report(0.0, f"{instances:,} instances")
    before = field(instances)
    rows = np.sort(np.random.default_rng(0).choice(instances, max(int(instances * CHANGED), 1), replace=False))
    after, tree = moved(before, rows), build(before, "spatial")
    refitted = refit(tree, after, rows)
    check(refitted, after)
    result = {"instances": instances, "changed": len(rows), "runs": RUNS}
    report(0.2, "refit against rebuild")
    for name, work in (("refit", lambda: refit(tree, after, rows)), ("remove", lambda: remove(tree, rows)),
                       ("insert", lambda: insert(remove(tree, rows), rows))):
        ours, rebuild, ratio = paired(lambda: seconds(work), lambda: seconds(lambda: build(after, "spatial")), RUNS)
        result[name] = {"seconds": ours, "rebuild_seconds": rebuild, "times_faster": ratio}
    if gpu:
        report(0.7, "uploads")
        try:
            result["upload"] = _uploads(before, after, rows, tree, refitted)
        except GpuSceneError as error:
            result["upload"] = {"missing": str(error)}
        else:
            result["live"] = live_uploads.run(instances, CHANGED, RUNS, lambda text: report(0.8, text))
    report(1.0, "done")
    return result


def _uploads(before, after, rows, tree, refitted) -> dict:
    """Bytes and seconds of uploading the changed rows and the tree's boxes, against those of everything."""
    from ..core.culling.gpu_tree import GpuTree
    from ..device.frame import GpuCuller

    gpu_tree = GpuTree.of(refitted)
    culler = GpuCuller(before, tree=GpuTree.of(tree), movable=True)
    uploaded = culler.update(after, rows, gpu_tree)
    view = views(after)["5 %"]
    if not np.array_equal(culler.cull(view).visible, instance_visible(view, after)):
        raise AssertionError("what was uploaded is not what changed")

    def partly():
        culler.update(after, rows, gpu_tree)
        culler.wait()

    def wholly():
        culler.update(after, np.arange(len(after)), gpu_tree)
        culler.wait()

    whole = culler.update(after, np.arange(len(after)), gpu_tree)
    some, everything, ratio = paired(lambda: seconds(partly), lambda: seconds(wholly), RUNS)
    return {"renderer": culler.capabilities.renderer, "backend": culler.capabilities.backend, "transport": culler.transport, "bytes": uploaded,
            "all_bytes": whole, "seconds": some, "all_seconds": everything, "times_faster": ratio}


def format_table(result: dict) -> str:
    """The figures as lines of text."""
    lines = [f"{result['changed']:,} of {result['instances']:,} instances changed, medians of {result['runs']} runs"]
    for name in ("refit", "remove", "insert"):
        row = result[name]
        lines.append(f"  {name:<8}{row['seconds'] * 1e3:9.2f} ms, rebuild {row['rebuild_seconds'] * 1e3:.2f} ms: {row['times_faster']:.1f} x")
    if upload := result.get("upload"):
        lines.append(f"  upload  {upload['missing']}" if "missing" in upload else
                     f"  upload  {upload['seconds'] * 1e3:9.2f} ms for {upload['bytes']:,} bytes, all {upload['all_bytes']:,} bytes "
                     f"{upload['all_seconds'] * 1e3:.2f} ms: {upload['times_faster']:.1f} x ({upload['renderer']}, {upload['backend']}, "
                     f"{upload['transport']})")
    return "\n".join([*lines, *(live_uploads.line(row) for row in result.get("live", ()))])
