"""``gpuscene bench viewport``: what a running live session costs: a redraw of a view that turns, one in which nothing changed, and
moving one object among many that share a mesh. No window: redraws are asked for as the draw handler asks.
"""

from __future__ import annotations

import statistics
import time
from dataclasses import replace

import bpy
import numpy as np

from ..blender.live import session as live
from ..core.culling.projection import camera, perspective
from . import scenes
from .measure import seconds

#: separate objects are measured at this many, or fewer when fewer are asked for
MANY_OBJECTS = 100_000
RUNS = 40
_TURN = np.radians(0.5)
_KEY = 1


class Timed:
    """A function with a clock: ``seconds`` is the time spent in it so far."""

    def __init__(self, work):
        self._work, self.seconds = work, 0.0

    def __call__(self, *arguments, **options):
        start = time.perf_counter()
        try:
            return self._work(*arguments, **options)
        finally:
            self.seconds += time.perf_counter() - start


def run(instances: int, progress=None) -> dict:
    """Measure in scratch scenes (the loaded file is left behind) and return figures; times are medians of `RUNS`.

    Parameters
    ----------
    instances : int
        Geometry Nodes instances; separate objects are measured at ``min(instances, MANY_OBJECTS)``.
    progress : callable or None
        ``progress(fraction, text)``.

    Raises
    ------
    GpuSceneError
        The session could not start.
    """
    report = progress or (lambda fraction, text: None)
    few = min(instances, MANY_OBJECTS)
    result = {"blender": bpy.app.version_string, "instances": instances, "objects": few, "runs": RUNS}
    report(0.0, f"{instances:,} Geometry Nodes instances")
    scenes.empty()
    scenes.geometry_nodes(instances)
    with _Session(instances) as one:
        result |= one.device()
        result["redraw"], result["idle"] = one.turning(), one.idle()
    report(0.5, f"{few:,} separate objects")
    scenes.empty()
    scenes.linked_duplicates(few)
    with _Session(few) as one:
        result["move"] = one.moving(bpy.data.objects["duplicate 0"])
    scenes.empty()
    report(1.0, "done")
    return result


class _Session:
    """A session over the loaded scene, and one view of it."""

    def __init__(self, count):
        self._side = max(count, 1) ** 0.5

    def __enter__(self):
        self.session = live.start(bpy.context)
        overlay = replace(self.session.settings.overlay, dashboard=False)  # its figures would be waited for
        self.session.configure(settings=replace(self.session.settings, overlay=overlay))
        self.redraw(self.camera(0.0))
        return self

    def __exit__(self, *error):
        live.stop()

    def camera(self, angle):
        """From the middle, turned so far."""
        eye = np.array([0.0, 0.0, 5.0])
        ahead = eye + (np.cos(angle), np.sin(angle), 0)
        return camera("view", perspective(0.8, 16 / 9, 0.1, 4 * self._side), eye, ahead)

    def redraw(self, seen):
        """As the draw handler asks for it."""
        return self.session.redraw_view(_KEY, seen, bpy.context.evaluated_depsgraph_get())

    def device(self) -> dict:
        """What culls."""
        device = self.session.device
        names = ("renderer", "backend", "transport", "note")
        return {"device": device.kind, **{name: getattr(device, name) for name in names}}

    def turning(self) -> dict:
        """Redraws that cull, and then how long the GPU takes."""
        self.redraw(self.camera(0.0))
        queued, waits, before = [], [], self.session.dispatches
        for number in range(1, RUNS + 1):
            seen = self.camera(number * _TURN)
            queued.append(seconds(lambda: self.redraw(seen)))
            waits.append(seconds(self.session.views[_KEY].live.wait))
        return {
            "python_seconds": statistics.median(queued), "gpu_seconds": statistics.median(waits),
            "visible": self.session.stats().visible, "dispatches": (self.session.dispatches - before) / RUNS,
        }

    def idle(self) -> dict:
        """Redraws of the same view of the same scene."""
        seen = self.camera(0.0)
        self.redraw(seen)
        before = self.session.dispatches
        return {"seconds": statistics.median(seconds(lambda: self.redraw(seen)) for _ in range(RUNS)),
                "dispatches": self.session.dispatches - before}

    def moving(self, obj) -> dict:
        """One object moved at a time: Blender's update with our handler in it, then the redraw that follows.

        Blender's share is its update, and what reading ``depsgraph.updates`` costs: it looks at every ID of the scene for those few.
        That is measured by handlers beside ours, which read them and do nothing: the one before, as ours would find it alone, and
        the one after, which like ours here has most of it in the processor's cache.
        """
        handlers, scans = bpy.app.handlers.depsgraph_update_post, (Timed(_read_updates), Timed(_read_updates))
        handlers.insert(0, scans[0])
        handlers.append(scans[1])
        try:
            rows = [self._move(obj, 0.01 * (number + 1), *scans) for number in range(RUNS)]
        finally:
            for scan in scans:
                handlers.remove(scan)
        upload = self.session.upload
        if upload is None or upload.whole:
            raise AssertionError("the move was not uploaded by itself")
        names = "update", "scan", "mark", "sync", "upload", "cull", "ours", "gpu"
        return {f"{name}_seconds": statistics.median(column) for name, column in zip(names, zip(*rows))} | {"bytes": upload.bytes}

    def _move(self, obj, x, scan, again) -> tuple:
        session, seen = self.session, self.camera(0.0)
        parts = {"mark": Timed(session.mark), "sync": Timed(session.sync), "upload": Timed(session.device.upload)}
        obj.location.x = x
        scan.seconds = again.seconds = 0.0
        session.mark, session.sync, session.device.upload = parts.values()
        try:
            updated = seconds(bpy.context.view_layer.update)
            redrawn = seconds(lambda: self.redraw(seen))
        finally:
            del session.mark, session.sync, session.device.upload
        mark, sync, upload = (part.seconds for part in parts.values())
        own_mark = max(mark - again.seconds, 0.0)
        waited = seconds(session.views[_KEY].live.wait)
        blenders = updated - mark - scan.seconds - again.seconds
        return blenders, scan.seconds, own_mark, sync, upload, redrawn - sync - upload, own_mark + redrawn, waited


def _read_updates(_scene, depsgraph) -> None:
    for _update in depsgraph.updates:
        pass


def format_table(result: dict) -> str:
    """The figures as lines of text."""
    redraw, idle, move = result["redraw"], result["idle"], result["move"]
    where = f"CPU. {result['note']}"
    if result["device"] == "gpu":
        where = f"{result['renderer']} ({result['backend']}, {result['transport']})"
    ms = {name: value * 1e3 for name, value in move.items() if name.endswith("seconds")}
    return "\n".join([
        f"live session, {where}, medians of {result['runs']} runs",
        f"  redraw of a turning view, {result['instances']:,} instances, {redraw['visible']:,} visible: "
        f"{redraw['python_seconds'] * 1e3:.3f} ms of Python, {redraw['gpu_seconds'] * 1e3:.2f} ms more until the GPU is done, "
        f"{redraw['dispatches']:.0f} dispatches",
        f"  idle redraw: {idle['seconds'] * 1e3:.3f} ms, {idle['dispatches']} dispatches",
        f"  one of {result['objects']:,} linked duplicates moved: {ms['ours_seconds']:.3f} ms of ours (mark {ms['mark_seconds']:.3f}, "
        f"sync {ms['sync_seconds']:.3f}, upload {ms['upload_seconds']:.3f}, cull {ms['cull_seconds']:.3f}), "
        f"{move['bytes']:,} bytes uploaded, {ms['gpu_seconds']:.2f} ms more until the GPU is done",
        f"    Blender's: its update {ms['update_seconds']:.2f} ms, its search for what changed (depsgraph.updates) "
        f"{ms['scan_seconds']:.2f} ms",
    ])
