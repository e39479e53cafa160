"""Frame-sliced culling: with N slices, each frame may spend a Nth of what refreshing everything costs.

What is most urgent goes first: urgency is age times priority, and priority grows with nearness, screen area and interaction.
What fails to get its turn for `max_age` frames is refreshed whatever the budget, so no answer is older. Measured costs (boxes
and instances tested at the last refresh) fill the budget: units wholly inside or outside cost one box, so nearly all of the
budget goes to those on the border, whose instances are what may change.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..culling.bounds import InstanceBounds
from ..culling.camera import CullView
from ..culling.cull_tree import CullTree
from ..culling.decide import box_squared_distance
from ..culling.lod_select import LodInputs
from ..culling.traverse import Walk
from .units import Units

_NEVER = 1 << 20  #: age of what was never refreshed


@dataclass(frozen=True)
class Weights:
    """What raises a unit's priority above 1: each is the most that it adds."""

    distance: float = 1.0
    area: float = 2.0
    interaction: float = 4.0


@dataclass(frozen=True)
class ScheduledResult:
    """One frame.

    Attributes
    ----------
    visible : (N,) bool
        The last known answer for each row.
    age : (N,) int64
        Frames since that answer; 0: this frame.
    refreshed : (R,) int64
        Units refreshed.
    nodes_tested, instances_tested : int
    """

    visible: np.ndarray
    age: np.ndarray
    refreshed: np.ndarray
    nodes_tested: int
    instances_tested: int


class FrameSlices:
    """Culls trees over several frames.

    Parameters
    ----------
    trees : CullTree or sequence of them
        No two with an instance in common: one for the scene, or one for each primitive.
    slices : int
        1: everything, every frame.
    by : {"cluster", "tree"}
        Refresh parts of trees, or trees as a whole.
    weights : Weights
    max_age : int or None
        Oldest answer; None: twice `slices` less one.
    """

    def __init__(self, trees, slices: int = 3, by: str = "cluster", weights: Weights = Weights(), max_age: int | None = None):
        if slices < 1:
            raise ValueError(f"{slices} slices: give 1 or more")
        self.trees = [trees] if isinstance(trees, CullTree) else list(trees)
        self.total = max((tree.total for tree in self.trees), default=0)
        self.slices, self.weights = slices, weights
        self.max_age = 2 * slices - 1 if max_age is None else max_age
        self.units = Units(self.trees, self.total, by)
        self.age = np.full(len(self.units), _NEVER)
        self.cost = np.ones(len(self.units), np.int64)
        self.touched = np.zeros(len(self.units), bool)
        self.visible = np.zeros(self.total, bool)
        self.saved = 0.0

    def touch(self, rows) -> None:
        """The user works on these instances: their units go first at the next frame."""
        units = self.units.of_row[np.asarray(rows)]
        self.touched[units[units >= 0]] = True

    def priority(self, view: CullView) -> np.ndarray:
        """(U,) float64, 1 and more."""
        units, weights = self.units, self.weights
        near = np.sqrt(box_squared_distance(view, units.box_min, units.box_max)[0].astype(np.float64))
        middle = np.linalg.norm(units.center - view.position, axis=1)
        size2 = units.radius ** 2 * float(view.lod_factor)
        area = size2 / np.maximum(middle, np.maximum(units.radius, 1e-30)) ** 2 if view.is_perspective else size2
        typical = max(float(np.median(units.radius)), 1e-30) if len(units) else 1.0
        area = np.minimum(area, 1)
        return 1 + weights.distance / (1 + near / typical) + weights.area * area + weights.interaction * self.touched

    def due(self, view: CullView) -> np.ndarray:
        """(R,) int64 units to refresh in this frame, ascending."""
        if self.slices == 1:
            return np.arange(len(self.units))
        age = np.minimum(self.age + 1, _NEVER)
        must = (age > self.max_age) | (age >= _NEVER)
        order = np.lexsort((np.arange(len(age)), -age * self.priority(view), ~must))
        spent = np.cumsum(self.cost[order])
        budget = self.saved + self.cost.sum() / self.slices
        taken = (spent <= budget * (1 + 1e-9)) | must[order]
        # Where the most urgent unit is dearer than a frame's share, shares are saved up for it.
        self.saved = 0.0 if taken.any() else budget
        return np.sort(order[taken])

    def step(self, view: CullView, bounds: InstanceBounds, lods: LodInputs | None = None, state=None,
             conservative_distance: float = np.inf) -> ScheduledResult:
        """Refresh what is due. `lods` and `state` as in `cull_tree`: LODs are chosen anew for what is refreshed and visible."""
        due = self.due(view)
        self.visible[self.units.rows(due)] = False
        nodes = instances = 0
        cost = np.zeros(len(self.units), np.int64)
        for number, tree in enumerate(self.trees):
            some = due[self.units.tree[due] == number]
            if not len(some) and not len(tree.unbuilt):
                continue
            walk = Walk(view, tree, conservative_distance)
            with np.errstate(over="ignore", invalid="ignore"):
                walk.breadth(self.units.node[some])
                result = walk.result(bounds, lods, state)
            self.visible[tree.unbuilt] = False
            self.visible |= result.visible
            nodes, instances = nodes + result.nodes_tested, instances + result.instances_tested
            if len(some):
                np.add.at(cost, self.units.unit_of_node(number, np.concatenate(walk.tested)), 1)
                leaves = walk.open_leaves
                np.add.at(cost, self.units.unit_of_node(number, leaves), tree.end[leaves] - tree.begin[leaves])
        self.age = np.minimum(self.age + 1, _NEVER)
        self.age[due], self.touched[due] = 0, False
        self.cost[due] = cost[due]
        age = np.append(self.age, 0)[self.units.of_row]  # the last is that of rows in no unit
        return ScheduledResult(self.visible.copy(), age, due, nodes, instances)
