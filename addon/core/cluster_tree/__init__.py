"""The cluster tree: a wide bounding-volume hierarchy over instances, in the manner of Unreal's hierarchical instanced meshes
(HISM).

Leaves hold up to `cluster_size` instances; nodes are 32-byte records in breadth-first order, so that a level is one dispatch and
one slice.
Three builders give the same kind of tree: ``spatial`` (Morton order, fastest), ``sah`` (binned surface-area heuristic, best),
``grid`` (world-aligned cells).
"""

from .build import BUILDERS, DEFAULT_BUILDER, DEFAULT_CLUSTER_SIZE, MAX_CLUSTER_SIZE, build, build_forest
from .change import REBUILD_AT, Degradation, degradation, insert, refit, remove
from .edit import BatchEdit, EditableTree
from .quality import Quality, quality
from .tables import CHOICES, from_tables, to_tables, with_trees, without
from .tree import ClusterTree, check

__all__ = ["BUILDERS", "CHOICES", "DEFAULT_BUILDER", "DEFAULT_CLUSTER_SIZE", "MAX_CLUSTER_SIZE", "REBUILD_AT", "BatchEdit",
           "ClusterTree", "Degradation", "EditableTree", "Quality", "build", "build_forest", "check", "degradation",
           "from_tables", "insert", "quality", "refit", "remove", "to_tables", "with_trees", "without"]
