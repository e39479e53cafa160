"""``gpuscene bench viewport``: what a running live session costs: a redraw of a view that turns, one in which nothing changed, and
moving one object among many that share a mesh. No window: redraws are asked for as the draw handler asks.
"""

from __future__ import annotations

import statistics
import time

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
        """Redraws that cull: in all, and without waiting for the GPU's counts."""
        state = self.redraw(self.camera(0.0))
        whole, waits, before = [], [], self.session.dispatches
        for number in range(1, RUNS + 1):
            state.live.stats = wait = Timed(type(state.live).stats.__get__(state.live))
            seen = self.camera(number * _TURN)
            whole.append(seconds(lambda: self.redraw(seen)))
            waits.append(wait.seconds)
        del state.live.stats
        ours = [a - b for a, b in zip(whole, waits)]
        return {
            "seconds": statistics.median(whole), "python_seconds": statistics.median(ours), "visible": state.stats.visible,
            "dispatches": (self.session.dispatches - before) / RUNS,
        }

    def idle(self) -> dict:
        """Redraws of the same view of the same scene."""
        seen = self.camera(0.0)
        self.redraw(seen)
        before = self.session.dispatches
        return {"seconds": statistics.median(seconds(lambda: self.redraw(seen)) for _ in range(RUNS)),
                "dispatches": self.session.dispatches - before}

    def moving(self, obj) -> dict:
        """One object moved at a time: Blender's update with our handler in it, then the redraw that follows."""
        seen = self.camera(0.0)
        self.redraw(seen)
        blender, ours, waits = [], [], []
        for number in range(RUNS):
            obj.location.x = 0.01 * (number + 1)
            self.session.mark = mark = Timed(type(self.session).mark.__get__(self.session))
            updated = seconds(bpy.context.view_layer.update)
            live_view = self.session.views[_KEY].live
            live_view.stats = wait = Timed(type(live_view).stats.__get__(live_view))
            redrawn = seconds(lambda: self.redraw(seen))
            del live_view.stats, self.session.mark
            blender.append(updated - mark.seconds)
            ours.append(mark.seconds + redrawn - wait.seconds)
            waits.append(wait.seconds)
        upload = self.session.upload
        if upload is None or upload.whole:
            raise AssertionError("the move was not uploaded by itself")
        return {"blender_seconds": statistics.median(blender), "seconds": statistics.median(ours),
                "gpu_seconds": statistics.median(waits), "bytes": upload.bytes}


def format_table(result: dict) -> str:
    """The figures as lines of text."""
    redraw, idle, move = result["redraw"], result["idle"], result["move"]
    where = f"CPU. {result['note']}"
    if result["device"] == "gpu":
        where = f"{result['renderer']} ({result['backend']}, {result['transport']})"
    return "\n".join([
        f"live session, {where}, medians of {result['runs']} runs",
        f"  redraw of a turning view, {result['instances']:,} instances, {redraw['visible']:,} visible: "
        f"{redraw['python_seconds'] * 1e3:.3f} ms of Python, {redraw['seconds'] * 1e3:.2f} ms with the GPU's answer, "
        f"{redraw['dispatches']:.0f} dispatches",
        f"  idle redraw: {idle['seconds'] * 1e3:.3f} ms, {idle['dispatches']} dispatches",
        f"  one of {result['objects']:,} linked duplicates moved: {move['seconds'] * 1e3:.3f} ms of ours, "
        f"{move['bytes']:,} bytes uploaded, {move['gpu_seconds'] * 1e3:.2f} ms until the GPU's answer; "
        f"Blender's own update {move['blender_seconds'] * 1e3:.2f} ms",
    ])
