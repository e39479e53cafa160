"""Cluster trees in a scene's tables: one over all instances, one over each primitive's.

`cluster_nodes` holds the tree of the whole scene first and then that of each primitive that has instances, each breadth-first.
`first` of an inner node is a row of this table. Leaves of the scene's tree point into `sorted_instances`, leaves of the
primitives' trees into `primitive_sorted_instances`, where each primitive keeps its own run of rows. A scene of one primitive
stores one tree: the primitive's root is the scene's.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .. import layout
from ..culling.bounds import InstanceBounds, instance_bounds
from ..limits import NO_INDEX
from ..scene import Clusters, SceneData
from .build import BUILDERS, DEFAULT_BUILDER, DEFAULT_CLUSTER_SIZE, build, build_forest
from .quality import measured
from .topology import inverse
from .tree import ClusterTree

#: what an export may be asked for
CHOICES = ("auto", *BUILDERS, "none")
#: instances up to which "auto" takes the better builder: below a tenth of a second
AUTOMATIC_SAH = 50_000
TABLES = ("cluster_nodes", "sorted_instances", "reorder", "primitive_sorted_instances", "primitive_reorder")


def to_tables(scene: SceneData, builder: str = DEFAULT_BUILDER, cluster_size: int = DEFAULT_CLUSTER_SIZE,
              bounds_scale: float = 1.0, bounds: InstanceBounds | None = None) -> SceneData:
    """`scene` with cluster trees in its tables (in place of any it had).

    Parameters
    ----------
    builder, cluster_size, bounds_scale
        As for `build`.
    bounds : InstanceBounds or None
        Of `scene`, where the caller has them.

    Raises
    ------
    ValueError
        An argument is out of its range.
    """
    bounds = instance_bounds(scene) if bounds is None else bounds
    tree = build(bounds, builder, cluster_size, bounds_scale)
    tables = {name: array for name, array in scene.tables.items() if name not in TABLES}
    tables |= {"cluster_nodes": tree.nodes, "sorted_instances": tree.sorted_instances, "reorder": tree.reorder}
    primitives = scene["primitives"].copy()
    users = scene.instances_per_primitive()
    primitives["cluster_root"] = np.where(users > 0, 0, NO_INDEX)
    if np.count_nonzero(users) > 1:
        used, starts = _runs(scene)
        nodes, roots, order = build_forest(bounds, starts, builder, cluster_size, bounds_scale)
        inner = nodes["count"] < layout.CLUSTER_LEAF
        nodes["first"][inner] += np.repeat(len(tree) + roots[:-1], np.diff(roots)).astype(np.uint32)[inner]
        primitives["cluster_root"][used] = len(tree) + roots[:-1]
        tables |= {"cluster_nodes": np.concatenate((tree.nodes, nodes)),
                   "primitive_sorted_instances": order, "primitive_reorder": inverse(order, len(order))}
    return replace(scene, tables=tables | {"primitives": primitives}, clusters=Clusters(0, cluster_size, builder, bounds_scale))


def with_trees(scene: SceneData, clusters: str = "auto", cluster_size: int = DEFAULT_CLUSTER_SIZE) -> SceneData:
    """`scene` with the cluster trees that an export is asked for: one of `CHOICES`.

    "auto" takes binned SAH up to `AUTOMATIC_SAH` instances and the spatial builder past it, which keeps this a small part of an
    export; "none" stores none.
    """
    if clusters == "none":
        return without(scene) if scene.clusters else scene
    if clusters == "auto":
        clusters = "sah" if scene.instance_count <= AUTOMATIC_SAH else "spatial"
    return to_tables(scene, clusters, cluster_size)


def without(scene: SceneData) -> SceneData:
    """`scene` with no cluster trees."""
    primitives = scene["primitives"].copy()
    primitives["cluster_root"] = NO_INDEX
    tables = {name: array for name, array in scene.tables.items() if name not in TABLES}
    return replace(scene, tables=tables | {"primitives": primitives}, clusters=None)


def from_tables(scene: SceneData, primitive: int | None = None) -> ClusterTree | None:
    """The tree over all instances, or over those of one primitive; None where the scene has none.

    A primitive's tree has `reorder` for all rows of the scene; rows of other primitives are in no leaf.
    """
    if scene.clusters is None:
        return None
    root, nodes = scene.clusters.scene_cluster_root, scene["cluster_nodes"]
    order, reorder, offset = scene["sorted_instances"], scene["reorder"], 0
    if primitive is not None:
        root = int(scene["primitives"]["cluster_root"][primitive])
        if root == NO_INDEX:
            return None
        if root != scene.clusters.scene_cluster_root:
            rows = np.flatnonzero(scene["instance_data"]["primitive_id"] == primitive)
            offset, order = int(rows[0]), scene["primitive_sorted_instances"][rows[0]:rows[-1] + 1]
            reorder = inverse(order, scene.instance_count)
    nodes = nodes[root:_end(scene, root)]
    if root or offset:
        nodes = nodes.copy()
        nodes["first"] -= np.where(nodes["count"] >= layout.CLUSTER_LEAF, np.uint32(offset), np.uint32(root))
    settings = scene.clusters
    return measured(ClusterTree(nodes, order, reorder, settings.cluster_size, settings.builder, settings.bounds_scale))


def _end(scene, root):
    """Row past the last node of the tree at `root`: every tree ends where the next one begins, or with the table."""
    own = scene["primitives"]["cluster_root"]
    later = own[(own != NO_INDEX) & (own > root)]
    return int(later.min()) if len(later) else len(scene["cluster_nodes"])


def _runs(scene):
    """Primitives that have instances in order of their rows, and (K + 1,) the row where the run of each begins."""
    ids = scene["instance_data"]["primitive_id"]
    starts = np.concatenate(([0], np.flatnonzero(ids[1:] != ids[:-1]) + 1))
    return ids[starts], np.append(starts, len(ids))
