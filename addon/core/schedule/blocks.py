"""Frame slices over blocks of visibility words: which blocks a frame refreshes, the others keep their words.

As `FrameSlices`, for what a GPU refreshes as one: urgency is age times priority, each frame spends a Nth of what refreshing
everything would cost in it, and what waited `max_age` frames goes whatever the budget. A block's cost is known beforehand: its
instances where its box crosses the frustum's border, 1 where it is settled as a whole. What a frame spends over its share, by
one block or by what had to go, the next ones save.
Cost of `due`: some 50 numpy calls on arrays of B.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..culling.camera import CullView
from ..culling.decide import box_inside, box_outside, box_squared_distance

NEVER = -1  #: age of a block without an answer
_OUTSIDE, _PARTIAL, _INSIDE = range(3)


@dataclass(frozen=True)
class BlockWeights:
    """What raises a block's priority: each is the most that it adds.

    Nearness and area count for blocks on the border, or whose place against it is another than at their last turn: the others
    have nothing new to say. `change`: the whole block has come in or gone out since, so one box mends all its instances.
    """

    distance: float = 1.0
    area: float = 2.0
    change: float = 4.0


class BlockSlices:
    """Chooses blocks frame by frame, for one view.

    Parameters
    ----------
    box_min, box_max : (B, 3) float32
        Around the instances of each block.
    counts : (B,) integer
        Instances of each block.
    slices : int
        1: everything, every frame.
    loose : (B,) bool, optional
        Blocks with instances outside their box (unbuilt rows): they count as crossing the border wherever that is.
    weights : BlockWeights
    max_age : int or None
        Oldest answer; None: twice `slices` less one.

    Attributes
    ----------
    age : (B,) int64
        Frames since each block's answer; 0: the last frame; `NEVER`.
    pending : (B,) bool
        Blocks whose answer is of another view than the last frame's. Where none is, a frame of the same view has nothing to do.
    cost : (B,) int64
        Of refreshing each block in the last frame, due or not. Not measured with a single slice.
    """

    def __init__(self, box_min, box_max, counts, slices: int = 1, *, loose=None, weights: BlockWeights = BlockWeights(),
                 max_age: int | None = None):
        if slices < 1:
            raise ValueError(f"{slices} slices: give 1 or more")
        self.slices, self.weights = slices, weights
        self.max_age = 2 * slices - 1 if max_age is None else max_age
        self.counts = np.asarray(counts, np.int64)
        self.loose = np.zeros(len(self.counts), bool) if loose is None else np.asarray(loose, bool)
        self.cost = np.ones(len(self.counts), np.int64)
        self.age = np.full(len(self.counts), NEVER, np.int64)
        self.pending = np.ones(len(self.counts), bool)
        self._touched = np.zeros(len(self.counts), bool)
        self._state = np.full(len(self.counts), NEVER, np.int64)
        self._last_view, self._debt = b"", 0.0
        self.set_boxes(box_min, box_max)

    @classmethod
    def of(cls, boxes, count: int, built_count: int, block_instances: int, slices: int = 1, **options) -> "BlockSlices":
        """From ``GpuTree.block_boxes``: `boxes` (B,) CLUSTER_NODE over `count` positions, of which the first `built_count` lie in
        leaves, `block_instances` to a block.
        """
        starts = np.arange(len(boxes)) * block_instances
        ends = np.minimum(starts + block_instances, count)
        return cls(boxes["box_min"], boxes["box_max"], ends - starts, slices, loose=ends > built_count, **options)

    def __len__(self):
        return len(self.counts)

    def set_boxes(self, box_min, box_max) -> None:
        """The boxes after a refit, as many as before. The blocks that moved are to be touched."""
        self.box_min, self.box_max = np.ascontiguousarray(box_min, np.float32), np.ascontiguousarray(box_max, np.float32)
        self._radius2 = np.square((self.box_max.astype(np.float64) - self.box_min) / 2).sum(axis=1)
        self._typical2 = max(float(np.median(self._radius2)), 1e-60) if len(self) else 1.0

    def touch(self, blocks) -> None:
        """These blocks' instances changed (indices or (B,) bool): they are due in the next frame."""
        self._touched[blocks] = True

    def invalidate(self) -> None:
        """Everything is due in the next frame: nothing that is known holds any more."""
        self.age[:] = NEVER

    @property
    def is_settled(self) -> bool:
        """Every answer is of the last frame's view, and nothing was touched since."""
        return not (self.pending.any() or self._touched.any() or (self.age == NEVER).any())

    def due(self, view: CullView) -> np.ndarray:
        """(B,) bool: the blocks that this frame refreshes. Call it once a frame that is culled; ages go on."""
        if self.slices == 1 or not len(self):
            due = np.ones(len(self), bool)
        else:
            due = self._choose(view)
        key = view.outer.tobytes() + view.position.tobytes()
        if key != self._last_view:
            self._last_view, self.pending[:] = key, True
        self.age[self.age != NEVER] += 1
        self.age[due] = 0
        self._touched[due] = self.pending[due] = False
        return due

    def _choose(self, view) -> np.ndarray:
        state = np.where(box_outside(view, self.box_min, self.box_max), _OUTSIDE,
                         np.where(box_inside(view, self.box_min, self.box_max), _INSIDE, _PARTIAL))
        state[self.loose] = _PARTIAL
        self.cost = np.where(state == _PARTIAL, np.maximum(self.counts, 1), 1)
        must = self._touched | (self.age == NEVER) | (self.age >= self.max_age)
        urgency = np.where(must, np.inf, (self.age + 1) * self._priority(view, state == _PARTIAL, state != self._state))
        order = np.argsort(-urgency, kind="stable")
        share = self.cost.sum() / self.slices
        budget = share - self._debt
        spent = np.cumsum(self.cost[order])
        # All that begin within the budget: the last may reach over it, so that even one dearer than a share gets its turn.
        due = must.copy()
        due[order[spent - self.cost[order] < budget]] = True
        # Not more than a share: a first frame must not starve the ones after it.
        self._debt = min(max(float(self.cost[due].sum()) - budget, 0.0), share)
        self._state[due] = state[due]
        return due

    def _priority(self, view, partial, changed) -> np.ndarray:
        """(B,) float64, 1 and more."""
        near2 = box_squared_distance(view, self.box_min, self.box_max)[0].astype(np.float64)
        size2 = self._radius2 * float(view.lod_factor)
        area = np.minimum(size2 / np.maximum(near2 + self._radius2, 1e-60) if view.is_perspective else size2, 1)
        weights = self.weights
        seen = 1 + weights.distance / (1 + np.sqrt(near2 / self._typical2)) + weights.area * area
        return 1 + seen * (partial | changed) + weights.change * (changed & ~partial)
