"""Culling through cluster trees."""

from __future__ import annotations

import numpy as np

from ...core.culling.gpu_records import CULL_COUNTS, CULL_LEVEL, CULL_VIEW
from ...core.culling.gpu_tree import GpuTree
from ...core.layout import CLUSTER_NODE
from ...glsl.accessors import Binding
from ..buffers import Uniform, make_table
from ..shader_library import ShaderKey, ShaderLibrary
from .base import Pass
from .mapping import Mapping
from .streams import Streams

#: "leaves": all leaves at once in the instance pass; "levels": from the roots down, a dispatch a level
DESCENTS = ("leaves", "levels")


class TreeTables:
    """What the passes read of a `GpuTree`."""

    def __init__(self, capabilities, transport: str, tree: GpuTree, descent: str):
        def table(name, element, rows):
            return make_table(capabilities, transport, name, element, rows=rows)

        self.tree, self._make = tree, table
        self.word_leaves = table("word_leaves", "uint", tree.word_leaves)
        self.leaf_clusters = table("leaf_clusters", CLUSTER_NODE, tree.nodes[tree.leaf_nodes])
        self.node_states = None
        self.block_boxes: dict = {}
        self.region_boxes: dict = {}
        if descent == "levels":
            self.cluster_nodes = table("cluster_nodes", CLUSTER_NODE, tree.nodes)
            self.node_parents, self.level_nodes = (
                table("node_parents", "uint", tree.parents),
                table("level_nodes", "uint", tree.level_nodes),
            )
            self.leaf_nodes = table("leaf_nodes", "uint", tree.leaf_nodes)
            self.node_states = make_table(capabilities, transport, "node_states", "uint", len(tree.nodes), on_device=True)

    def boxes_of_blocks(self, block_words: int):
        """The table of ``GpuTree.block_boxes``, made once for each size."""
        if block_words not in self.block_boxes:
            self.block_boxes[block_words] = self._make("block_boxes", CLUSTER_NODE, self.tree.block_boxes(block_words))
        return self.block_boxes[block_words]

    def boxes_of_regions(self, block_words: int):
        """The table of ``GpuTree.region_boxes``, made once for each size."""
        if block_words not in self.region_boxes:
            self.region_boxes[block_words] = self._make("region_boxes", CLUSTER_NODE, self.tree.region_boxes(block_words))
        return self.region_boxes[block_words]

    def refit(self, tree: GpuTree) -> int:
        """Upload the boxes of the same tree after a refit; bytes. Raises ``ValueError`` if it is another tree."""
        if not np.array_equal(tree.order, self.tree.order) or not np.array_equal(tree.leaf_nodes, self.tree.leaf_nodes):
            raise ValueError("this is not the culler's tree refitted: make a new culler")
        self.tree = tree
        changed = [(self.leaf_clusters, tree.nodes[tree.leaf_nodes])] + (
            [(self.cluster_nodes, tree.nodes)] if self.node_states is not None else []
        )
        changed += [(table, tree.block_boxes(block_words)) for block_words, table in self.block_boxes.items()]
        changed += [(table, tree.region_boxes(block_words)) for block_words, table in self.region_boxes.items()]
        for table, rows in changed:
            table.upload(rows)
        return sum(rows.nbytes for _, rows in changed)


class CullNodes(Pass):
    """One level: cluster_nodes, node_states of the level above -> node_states."""

    def __init__(self, library: ShaderLibrary, tables: TreeTables, level: int, view, group_size: int, defines=()):
        first, last = tables.tree.level_starts[level : level + 2]
        row = CULL_LEVEL.empty(1)
        row["first"], row["count"] = first, last - first
        read = (tables.cluster_nodes, tables.node_parents, tables.level_nodes)
        key = ShaderKey(
            "culling/cull_nodes.glsl",
            (*map(Streams.binding, read), Streams.binding(tables.node_states, "update")),
            (("cull_view", CULL_VIEW), ("cull_level", CULL_LEVEL)),
            group_size,
            defines,
        )
        super().__init__(
            library, key, (*read, tables.node_states, view, Uniform("cull_level", CULL_LEVEL, row)), int(last - first)
        )


class CullTree(Pass):
    """Leaves, then instances -> visibility in cluster order, block_counts."""

    def __init__(
        self,
        library: ShaderLibrary,
        streams: Streams,
        tables: TreeTables,
        view,
        counts,
        visibility,
        block_counts,
        mapping: Mapping,
        defines=(),
    ):
        from_levels = tables.node_states is not None
        read = [*streams.tables, tables.word_leaves, tables.leaf_clusters] + (
            [tables.leaf_nodes, tables.node_states] if from_levels else [tables.boxes_of_blocks(mapping.block_words)]
        )
        shared = mapping.shared
        if mapping.name != "word":
            shared += f"shared uvec2 shared_classes[{mapping.block_words}];\n"
        key = ShaderKey(
            "culling/cull_tree.glsl",
            (*map(Streams.binding, read), Streams.binding(visibility, "write"), Streams.binding(block_counts, "write")),
            (("cull_view", CULL_VIEW), ("cull_counts", CULL_COUNTS)),
            mapping.group_size,
            (*streams.defines, *mapping.culling_defines, ("LEAF_TEST", int(not from_levels)), *defines),
            shared,
            user=streams.user,
        )
        super().__init__(library, key, (*read, visibility, block_counts, view, counts), mapping.threads(streams.word_count))


class Unsort(Pass):
    """visibility in cluster order -> row_visibility."""

    def __init__(self, library: ShaderLibrary, positions, visibility, row_visibility, counts, group_size: int):
        key = ShaderKey(
            "culling/unsort.glsl",
            (*map(Streams.binding, (positions, visibility)), Binding("row_visibility", "uint", "write", True)),
            (("cull_counts", CULL_COUNTS),),
            group_size,
        )
        super().__init__(library, key, (positions, visibility, row_visibility, counts), row_visibility.count)


def tested(tree: GpuTree, states: np.ndarray) -> tuple:
    """Nodes tested and instances tested of a descent by levels, from its `node_states`: what a parent settled was not."""
    parents = tree.parents.astype(np.int64)
    partial = states == 1
    root = tree.parents == 0xFFFFFFFF
    nodes = int(np.count_nonzero(root | partial[np.where(root, 0, parents)]))
    leaves = tree.leaf_nodes[partial[tree.leaf_nodes]]
    instances = int((tree.nodes["count"][leaves] & np.uint32(0x7FFFFFFF)).sum()) + len(tree.order) - tree.built_count
    return nodes, instances
