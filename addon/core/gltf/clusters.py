"""Cluster trees in a file: where they begin as JSON, and whether a traversal of what was read stays inside and ends."""

from __future__ import annotations

import numpy as np

from .. import layout
from ..limits import NO_INDEX
from ..scene import Clusters, SceneData
from .schema import Cursor

_NEEDED = ("cluster_nodes", "sorted_instances", "reorder")


def to_json(clusters: Clusters) -> dict:
    """The extension's ``clusters``."""
    return {"scene_cluster_root": clusters.scene_cluster_root, "cluster_size": clusters.cluster_size, "builder": clusters.builder,
            "bounds_scale": float(clusters.bounds_scale)}


def from_json(clusters: Cursor) -> Clusters:
    """The inverse."""
    return Clusters(clusters["scene_cluster_root"].integer(0, NO_INDEX - 1),
                    clusters["cluster_size"].integer(1, layout.CLUSTER_LEAF - 1),
                    clusters["builder"].text(), clusters["bounds_scale"].number())


def check(scene: SceneData, fail) -> None:
    """Call ``fail(message)`` for the first thing wrong with the trees; that tables have the right length and rows is known
    already.

    Afterwards every node is under exactly one root, children come after their parents, and every instance is in one leaf of the
    scene's tree and one of its primitive's.
    """
    missing = [name for name in _NEEDED if name not in scene.tables]
    if missing:
        fail(f"there are cluster trees but no table {', '.join(missing)}")
    nodes, own = scene["cluster_nodes"], scene["primitives"]["cluster_root"]
    scene_root = scene.clusters.scene_cluster_root
    if scene_root >= len(nodes):
        fail(f"scene_cluster_root {scene_root} is not below {len(nodes)}")
    used = np.flatnonzero(own != NO_INDEX)
    users = scene.instances_per_primitive()
    if (users[own == NO_INDEX] > 0).any():
        fail("a primitive with instances has no cluster_root")
    roots, starts = np.unique(np.append(own[used], np.uint32(scene_root)).astype(np.int64), return_index=True)
    if roots[0] != 0:
        fail("cluster_nodes row 0 is no root")
    ends = np.append(roots[1:], len(nodes))
    leaf = nodes["count"] >= layout.CLUSTER_LEAF
    counts, firsts = (nodes["count"] & np.uint32(layout.CLUSTER_LEAF - 1)).astype(np.int64), nodes["first"].astype(np.int64)
    tree = np.repeat(np.arange(len(roots)), ends - roots)
    _check_numbering(fail, roots, ends, tree, leaf, counts, firsts)
    _check_leaves(scene, fail, scene_root, roots, tree, leaf, counts, firsts, used)


def _check_numbering(fail, roots, ends, tree, leaf, counts, firsts):
    """Breadth-first: the children of a tree's inner nodes are its rows after the root, in order."""
    children = np.where(leaf, 0, counts)
    before = np.cumsum(children) - children
    expected = roots[tree] + 1 + before - before[roots][tree]
    wrong = ~leaf & ((firsts != expected) | (firsts <= np.arange(len(leaf))) | (counts < 2))
    if wrong.any():
        fail(f"cluster_nodes row {int(np.argmax(wrong))}: its children are not next in breadth-first order")
    if not np.array_equal(np.bincount(tree, children, len(roots)) + 1, ends - roots):
        fail("cluster_nodes hold a node that is under no root")


def _check_leaves(scene, fail, scene_root, roots, tree, leaf, counts, firsts, used):
    """The leaves of each tree cover its run of positions once."""
    primitive = scene["primitives"]["cluster_root"].astype(np.int64)
    ids = np.ascontiguousarray(scene["instance_data"]["primitive_id"])  # gathered below: a row a cache line would be slow
    begin, end = np.zeros(len(roots), np.int64), np.zeros(len(roots), np.int64)
    of_scene = int(np.searchsorted(roots, scene_root))
    end[of_scene] = scene.instance_count
    separate = used[primitive[used] != scene_root]
    if len(separate):
        if "primitive_sorted_instances" not in scene.tables or "primitive_reorder" not in scene.tables:
            fail("there are cluster trees of primitives but no tables primitive_sorted_instances and primitive_reorder")
        at = np.searchsorted(roots, primitive[separate])
        if len(np.unique(at)) != len(at):
            fail("two primitives have the same cluster_root")
        users = scene.instances_per_primitive()
        starts = np.flatnonzero(np.append(True, ids[1:] != ids[:-1])) if len(ids) else np.zeros(0, np.int64)
        first_row = np.zeros(scene.primitive_count, np.int64)
        first_row[ids[starts]] = starts
        begin[at], end[at] = first_row[separate], first_row[separate] + users[separate]
        if (ids[scene["primitive_sorted_instances"]] != ids).any():
            fail("primitive_sorted_instances move a row out of its primitive's run")
    elif len(used) > 1:
        fail("two primitives have the same cluster_root")
    rows = np.flatnonzero(leaf)
    rows = rows[np.lexsort((firsts[rows], tree[rows]))]
    of, first, last = tree[rows], firsts[rows], firsts[rows] + counts[rows]
    opens = np.append(True, of[1:] != of[:-1])
    expected = np.where(opens, begin[of], np.append(0, last[:-1]))
    closes = np.append(opens[1:], True)
    wrong = (first != expected) | (closes & (last != end[of]))
    if wrong.any():
        fail(f"cluster_nodes row {int(rows[np.argmax(wrong)])}: the leaves of its tree do not cover its instances once")
