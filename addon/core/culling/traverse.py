"""Culling through a cluster tree: whole nodes are dropped or kept, leaves on the border are tested instance by instance.

A node behind an `outer` plane is dropped and one before every `inner` plane is kept without another frustum test; by
`decide`'s monotonicity both give, bit for bit, what `decide.instance_visible` gives for each instance. After Assarsson and
Moller, "Optimized View Frustum Culling Algorithms for Bounding Boxes", 2000.

Three traversals test nodes in another order and give one result: level by level over arrays; depth-first, one family of
children at a time from an explicit stack; and hybrid, from a level with some hundred nodes down, in blocks that stay in the
cache. A numpy call costs what a thousand nodes cost, so the hybrid is the fastest.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .bounds import InstanceBounds
from .camera import CullView
from .cull_tree import CullTree, expand, prepare
from .decide import box_squared_distance, plane_distance
from .lod_select import NO_LOD, LodInputs, node_choice, select, select_from
from .result import CullResult
from .stream import BLOCK

TRAVERSALS = ("breadth", "depth", "hybrid")
#: nodes to a block of the hybrid traversal
_BLOCK_NODES = 1 << 12
#: leaves that are worth a pass of their own
_SMALL_GROUP = 64
_DROP, _OPEN, _KEEP = 0, 1, 2


def cull_tree(view: CullView, bounds: InstanceBounds, tree, traversal: str = "hybrid", conservative_distance: float = np.inf,
              lods: LodInputs | None = None, state=None) -> CullResult:
    """The visible set, through a tree.

    Parameters
    ----------
    view : CullView
    bounds : InstanceBounds
    tree : ClusterTree or CullTree
        Prepare it once (`cull_tree.prepare`) when there is more than one frame.
    traversal : {"breadth", "depth", "hybrid"}
    conservative_distance : float
        Leaves whose box is farther than this from the camera are kept without testing their instances' spheres and boxes. The
        result is then a superset of the
        exact one; infinite (the default): exact.
    lods : LodInputs or None
        Also choose LODs; `prepare` must have had it, with the same bias.
    state : (N,) uint8 or None
        LODs before; updated in place for visible rows.

    Returns
    -------
    CullResult

    Raises
    ------
    ValueError
        For another `traversal`, and for LODs with a tree prepared without.
    """
    if traversal not in TRAVERSALS:
        raise ValueError(f"traversal {traversal!r}: choose {', '.join(TRAVERSALS)}")
    tree = tree if isinstance(tree, CullTree) else prepare(tree, bounds, lods)
    walk = Walk(view, tree, conservative_distance)
    with np.errstate(over="ignore", invalid="ignore"):
        if len(tree.order):
            {"breadth": walk.breadth, "depth": walk.depth, "hybrid": walk.hybrid}[traversal]([0])
        return walk.result(bounds, lods, state)


class Walk:
    """One traversal: which nodes were kept whole, which leaves are to be tested, how much was looked at.

    Attributes
    ----------
    tested : list of (K,) int64
        Nodes whose boxes were tested.
    """

    def __init__(self, view: CullView, tree: CullTree, conservative_distance: float = np.inf):
        self.view, self.tree = view, tree
        with np.errstate(over="ignore"):
            self.conservative2 = np.float32(float(conservative_distance) ** 2)
        self.tested = []
        self._kept, self._leaves, self._crossed = [], [], []
        self._bits = 1 << np.arange(len(view.outer))
        # (P, 3) rows of `boxes` that hold each plane's farthest and nearest corner.
        axis = np.arange(3)
        self._far = np.where(view.outer[:, :3] >= 0, 3 + axis, axis)
        self._near = np.where(view.inner[:, :3] >= 0, axis, 3 + axis)

    def classify(self, nodes) -> np.ndarray:
        """(K,) drop, open or keep; and (P, K) bool, the planes that a node is not wholly before."""
        view, tree = self.view, self.tree
        self.tested.append(nodes)
        boxes = tree.boxes[:, nodes]
        state = np.full(len(nodes), _OPEN)
        crossed = ~(_distances(view.inner, boxes, self._near) >= 0)  # not "< 0": where it overflows, nothing is known
        state[~crossed.any(axis=0)] = _KEEP
        if tree.reach is not None or self.conservative2 < np.inf:
            near = box_squared_distance(view, boxes[:3].T, boxes[3:].T)[0]
            state[tree.leaf[nodes] & (near > self.conservative2)] = _KEEP
            if tree.reach is not None:
                reach = tree.reach[1, nodes]
                state[near > (reach * reach) * np.float32(1 + 2.0 ** -20)] = _DROP
        state[(_distances(view.outer, boxes, self._far) < 0).any(axis=0)] = _DROP
        return state, crossed

    def step(self, nodes) -> np.ndarray:
        """Test `nodes`; note what is settled, and return the inner nodes to look into."""
        state, crossed = self.classify(nodes)
        open_ = state == _OPEN
        leaf = self.tree.leaf[nodes] & open_
        self._kept.append(nodes[state == _KEEP])
        self._leaves.append(nodes[leaf])
        self._crossed.append(self._bits @ crossed[:, leaf])
        return nodes[open_ & ~leaf]

    @property
    def open_leaves(self) -> np.ndarray:
        """(L,) int64 leaves whose instances are to be tested."""
        return np.concatenate(self._leaves) if self._leaves else np.zeros(0, np.int64)

    def children(self, nodes) -> np.ndarray:
        return expand(self.tree.first[nodes], self.tree.count[nodes])

    def breadth(self, roots):
        """Level by level."""
        nodes = np.asarray(roots, np.int64)
        while len(nodes):
            nodes = self.children(self.step(nodes))

    def depth(self, roots):
        """Family by family from a stack, the first child first."""
        stack = [np.asarray(roots, np.int64)]
        while stack:
            inner = self.step(stack.pop())
            stack.extend(self.children(inner[i:i + 1]) for i in range(len(inner) - 1, -1, -1))

    def hybrid(self, roots):
        """The root; then the tree's cut; below it, blocks of nodes from a stack."""
        inner = self.step(np.asarray(roots, np.int64))
        stack = _blocks(self.tree.cut) if len(inner) and len(self.tree.cut) > 1 else _blocks(self.children(inner))
        while stack:
            stack.extend(_blocks(self.children(self.step(stack.pop()))))

    def result(self, bounds, lods: LodInputs | None = None, state=None) -> CullResult:
        """Test the leaves' instances and the unbuilt ones, and put everything in row order."""
        tree = self.tree
        if lods is not None and tree.lods is None:
            raise ValueError("the tree was prepared without LODs: give them to prepare() too")
        kept, leaves = np.concatenate(self._kept) if self._kept else np.zeros(0, np.int64), self.open_leaves
        accepted, tested = (int((tree.end[nodes] - tree.begin[nodes]).sum()) for nodes in (kept, leaves))
        unbuilt = tree.unbuilt
        if len(unbuilt):
            unbuilt = unbuilt[tree.unbuilt_stream.visible(self.view, np.arange(len(unbuilt)))]
        visible = np.zeros(tree.total, bool)
        simple = tree.stream.all_drawable and not tree.stream.has_cull_radius
        if lods is None and simple and accepted == tree.total:
            visible[:] = True
        else:
            positions = np.concatenate([self._accept(kept, simple), *self._test(leaves)])
            rows = tree.order[positions]
            visible[rows] = visible[unbuilt] = True
        counts = {"nodes_tested": sum(map(len, self.tested)), "instances_tested": tested + len(tree.unbuilt),
                  "instances_accepted": accepted}
        if lods is None:
            return CullResult(visible, None, **counts)
        chosen = np.empty(tree.total, np.uint8)
        chosen[rows] = self._lods(lods, np.concatenate([kept, leaves]), positions, None if state is None else state[rows])
        chosen[unbuilt] = select(self.view, bounds, lods, unbuilt, None if state is None else state.copy())
        result = CullResult(visible, None, **counts)
        out = chosen[result.rows]
        if state is not None:
            state[result.rows] = out
        return CullResult(visible, out, **counts)

    def _accept(self, kept, simple) -> np.ndarray:
        """Positions of the drawable and near enough in nodes kept whole."""
        tree = self.tree
        positions = expand(tree.begin[kept], tree.end[kept] - tree.begin[kept])
        if simple:
            return positions
        if tree.reach is not None:
            # Where the farthest corner is within the smallest reach, so is everything.
            boxes, reach = tree.boxes[:, kept], tree.reach[0, kept]
            far = box_squared_distance(self.view, boxes[:3].T, boxes[3:].T)[1]
            within = far <= (reach * reach) * np.float32(1 + 2.0 ** -20)
            if within.all():
                return positions if tree.stream.all_drawable else positions[tree.stream.drawable[positions]]
        return positions[tree.stream.keep_without_frustum(self.view, positions)]

    def _test(self, leaves) -> list:
        """Positions of the visible instances of `leaves`, which are tested together where they cross the same planes and only
        against those.
        """
        tree, found = self.tree, []
        crossed = np.concatenate(self._crossed) if self._crossed else np.zeros(0, np.int64)
        # A group costs some dozen numpy calls: small ones go together, against every plane that any of them crosses.
        if len(crossed):
            small = np.bincount(crossed)[crossed] < _SMALL_GROUP
            crossed[small] = np.bitwise_or.reduce(crossed[small], initial=0)
        order = np.argsort(crossed, kind="stable")
        masks, starts = np.unique(crossed[order], return_index=True)
        for mask, group in zip(masks, np.split(leaves[order], starts[1:])):
            planes = self.view.outer[(self._bits & mask) != 0]
            positions = expand(tree.begin[group], tree.end[group] - tree.begin[group])
            found += [tree.stream.visible(self.view, positions[start:start + BLOCK], planes)
                      for start in range(0, len(positions), BLOCK)]
        return found

    def _lods(self, lods, nodes, positions, before) -> np.ndarray:
        """LODs at `positions`: for whole nodes where their range settles it, else one by one."""
        tree, known = self.tree, None
        if lods.forced is None:
            boxes = tree.boxes[:, nodes]
            near, far = box_squared_distance(self.view, boxes[:3].T, boxes[3:].T)
            choice = node_choice(self.view, lods, (near, far, tree.radius[:, nodes], tree.scale[:, nodes],
                                                   tree.primitive[:, nodes]))
            settled = choice != NO_LOD
            nodes, choice = nodes[settled], choice[settled]
            count = tree.end[nodes] - tree.begin[nodes]
            known = np.full(len(tree.order), NO_LOD, np.uint8)
            known[expand(tree.begin[nodes], count)] = np.repeat(choice, count)
            known = known[positions]
        return select_from(self.view, tree.stream, replace(tree.lods, forced=lods.forced), positions, before, known)


def _distances(planes, boxes, corner):
    """(P, K) float32: each plane's distance to the corner rows chosen of boxes (6, K)."""
    x, y, z = (boxes[corner[:, i]] for i in range(3))
    return plane_distance(planes.T[:, :, None], x, y, z)


def _blocks(nodes) -> list:
    return [nodes[start:start + _BLOCK_NODES] for start in range(0, len(nodes), _BLOCK_NODES)]
