"""How good a tree is: the surface-area heuristic's cost, overlap of siblings, depth, leaf fill."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace

import numpy as np

from .tree import ClusterTree


@dataclass(frozen=True)
class Quality:
    """A tree's figures.

    Attributes
    ----------
    sah_cost : float
        Expected box tests, of nodes and instances alike, for a query that hits boxes in proportion to their area and always hits
        the root.
    node_cost, instance_cost : float
        Its two parts.
    overlap : float
        Mean over inner nodes of the area that pairs of their children share, as a share of the node's own area.
    depth : int
        Levels.
    nodes, leaves : int
    leaf_fill : float
        Mean instances of a leaf over the cluster size.
    leaf_min, leaf_max : int
        Instances of the emptiest and of the fullest leaf.
    """

    sah_cost: float
    node_cost: float
    instance_cost: float
    overlap: float
    depth: int
    nodes: int
    leaves: int
    leaf_fill: float
    leaf_min: int
    leaf_max: int

    def to_json(self) -> dict:
        return asdict(self)


def areas(nodes) -> np.ndarray:
    """(M,) float64 half the surface of each node's box."""
    x, y, z = (nodes["box_max"].astype(np.float64) - nodes["box_min"]).T
    return x * y + y * z + z * x


def expected_tests(tree: ClusterTree, root_area: float | None = None) -> tuple:
    """(node tests, instance tests) expected of one query: children of an inner node, or instances of a leaf, times the chance of
    hitting it.

    The chance is the node's area over `root_area` (default: the root's), at most 1. The root itself is always tested; unbuilt
    rows are not counted.
    """
    area = areas(tree.nodes)
    root_area = area[0] if root_area is None else root_area
    chance = np.minimum(area / root_area, 1.0) if root_area > 0 else np.ones(len(area))
    tests = chance * tree.counts
    return 1.0 + float(tests[~tree.is_leaf].sum()), float(tests[tree.is_leaf].sum())


def overlap(tree: ClusterTree) -> float:
    """Mean over inner nodes of the area of its children's pairwise intersections over its own; 0 for a tree of one leaf."""
    low, high, parent = tree.nodes["box_min"].astype(np.float64), tree.nodes["box_max"].astype(np.float64), tree.parent
    area, shared = areas(tree.nodes), np.zeros(len(tree))
    for step in range(1, int(tree.counts[~tree.is_leaf].max(initial=1))):
        pair = np.flatnonzero(parent[step:] == parent[:-step])
        x, y, z = (np.minimum(high[pair], high[pair + step]) - np.maximum(low[pair], low[pair + step])).T
        meet = (x >= 0) & (y >= 0) & (z >= 0)
        shared += np.bincount(parent[pair][meet], (x * y + y * z + z * x)[meet], len(tree))
    inner = np.flatnonzero(~tree.is_leaf & (area > 0))
    return float((shared[inner] / area[inner]).mean()) if len(inner) else 0.0


def measured(tree: ClusterTree) -> ClusterTree:
    """The tree with its present state as the one that degradation is measured against."""
    return replace(tree, built_cost=sum(expected_tests(tree)), built_area=float(areas(tree.nodes[:1])[0]),
                   built_count=len(tree.sorted_instances))


def quality(tree: ClusterTree) -> Quality:
    """Measure `tree`; unbuilt rows count as tested always."""
    node_cost, instance_cost = expected_tests(tree)
    instance_cost += len(tree.unbuilt)
    leaf = tree.counts[tree.is_leaf]
    return Quality(node_cost + instance_cost, node_cost, instance_cost, overlap(tree), tree.depth_count, len(tree), len(leaf),
                   float(leaf.mean()) / tree.cluster_size, int(leaf.min()), int(leaf.max()))
