"""Runs a camera path through a schedule and through a cull of every frame, and counts what the schedule costs and saves."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from ..culling.bounds import InstanceBounds
from ..culling.traverse import cull_tree
from .slices import FrameSlices


@dataclass(frozen=True)
class FrameReport:
    """One frame of the path.

    Attributes
    ----------
    visible : int
        What a cull of this very frame keeps.
    missed, extra : int
        Of that, not yet in the schedule's answer; and in its answer, but no longer in that.
    work, full_work : int
        Boxes and instances tested by the schedule, and by the full cull.
    oldest : int
        Frames: the oldest answer in use.
    """

    frame: int
    visible: int
    missed: int
    extra: int
    work: int
    full_work: int
    oldest: int


@dataclass(frozen=True)
class Report:
    """A whole path; see `FrameReport`.

    Attributes
    ----------
    late : int
        Instances that came into view and were shown late, each time counted once.
    latency : int
        Frames: the longest that one was missed.
    """

    slices: int
    frames: tuple
    late: int
    latency: int

    def total(self, name: str) -> int:
        return sum(getattr(frame, name) for frame in self.frames)

    @property
    def saved(self) -> float:
        """Share of the work, first frame included."""
        return 1 - self.total("work") / max(self.total("full_work"), 1)

    def summary(self) -> dict:
        """JSON values."""
        visible = max(self.total("visible"), 1)
        return {"slices": self.slices, "frames": len(self.frames), "work_saved": self.saved,
                "work_per_frame": self.total("work") / max(len(self.frames), 1),
                "full_work_per_frame": self.total("full_work") / max(len(self.frames), 1),
                "most_work": max((f.work for f in self.frames), default=0),
                "missed": self.total("missed"), "missed_share": self.total("missed") / visible, "extra": self.total("extra"),
                "extra_share": self.total("extra") / visible, "late": self.late, "worst_latency": self.latency,
                "oldest": max((f.oldest for f in self.frames), default=0)}

    def to_json(self) -> dict:
        return self.summary() | {"per_frame": [asdict(frame) for frame in self.frames]}


def simulate(schedule: FrameSlices, views, bounds: InstanceBounds) -> Report:
    """Run `views` (`CullView`, one a frame) through a fresh `schedule`. The reference is `cull_tree` in each frame, from the
    root, over the same trees.
    """
    frames, streak = [], np.zeros(schedule.total, np.int64)
    late = latency = 0
    for number, view in enumerate(views):
        result = schedule.step(view, bounds)
        full = [cull_tree(view, bounds, tree, "breadth") for tree in schedule.trees]
        truth = np.zeros(schedule.total, bool)
        for one in full:
            truth |= one.visible
        missed = truth & ~result.visible
        late += int(np.count_nonzero(missed & (streak == 0)))
        streak = np.where(missed, streak + 1, 0)
        latency = max(latency, int(streak.max(initial=0)))
        frames.append(FrameReport(number, int(np.count_nonzero(truth)), int(np.count_nonzero(missed)),
                                  int(np.count_nonzero(result.visible & ~truth)),
                                  result.nodes_tested + result.instances_tested,
                                  sum(one.nodes_tested + one.instances_tested for one in full),
                                  int(result.age.max(initial=0))))
    return Report(schedule.slices, tuple(frames), late, latency)
