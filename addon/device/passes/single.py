"""Culling through cluster trees, the list of visible rows and the indirect arguments in a single pass, without LODs
(shaders/include/chain.glsl): where a tree leaves little to do, passes cost more by themselves than by their work. Flat culling is
faster in two passes.
"""

from __future__ import annotations

from ...core.culling import gpu_streams
from ...core.culling.gpu_records import CULL_COUNTS, CULL_VIEW
from ...core.culling.gpu_tree import REGION_BLOCKS
from ..buffers import make_table
from ..shader_library import ShaderKey, ShaderLibrary
from .base import Pass
from .mapping import Mapping
from .streams import Streams

#: links to a run, as in the shader; both sums of a run must fit their bits
_RUN_LINKS = 64
#: bits of active blocks kept in shared memory, as words of 32
_MAX_REGIONS = 1024
#: one work group to so many blocks of a tree (few of them are active), but at least so many groups
_BLOCKS_PER_GROUP, _MIN_GROUPS = 12, 256


def is_possible(mapping: Mapping, transport: str, streams: Streams, lists_visibility: bool, tree_tables) -> bool:
    """Whether a single pass can do it: `lists_visibility` says that what culling writes is what is listed (no LODs, no
    unsorting); `tree_tables` is None for flat culling.
    """
    blocks = -(-streams.word_count // mapping.block_words)
    return (
        mapping.single_pass
        and mapping.name != "word"
        and transport == "storage"
        and lists_visibility
        and tree_tables is not None
        and tree_tables.node_states is None
        and 0 < blocks <= REGION_BLOCKS * min(_MAX_REGIONS, mapping.list_length)
    )


class SingleTables:
    """What listing needs besides the streams: tables of a `GpuCuller` with draws, where draws begin and end, and the chain of
    work groups.
    """

    def __init__(self, culler, slots):
        mapping, streams = culler.mapping, culler.streams
        blocks = -(-streams.word_count // mapping.block_words)
        edges = gpu_streams.draw_edges(slots, streams.count, mapping.block_words * 32)
        self.blocks = blocks
        self.draw_edges = make_table(culler.capabilities, culler.transport, "draw_edges", "uint", rows=edges)
        links = 1 + 2 * (blocks + blocks // _RUN_LINKS + 1) + len(slots)
        self.chain = make_table(culler.capabilities, culler.transport, "chain", "uint", links, on_device=True)
        self.read = (self.draw_edges, culler.draw_slots)
        self.write = (culler.visibility, culler.draw_instances, culler.word_offsets, culler.indirect_args)


class SingleTree(Pass):
    """Streams, leaves and boxes around them, draw_slots -> visibility in cluster order, draw_instances, indirect_args."""

    def __init__(
        self, library: ShaderLibrary, streams: Streams, tree_tables, tables: SingleTables, view, counts, mapping: Mapping, defines=()
    ):
        words = mapping.block_words
        boxes = tree_tables.leaf_clusters, tree_tables.boxes_of_blocks(words), tree_tables.boxes_of_regions(words)
        read = (*streams.tables, *tables.read, *boxes)
        regions = 1 << max(-(-tables.blocks // REGION_BLOCKS) - 1, 0).bit_length()  # a power of two: few different shaders
        sums = mapping.group_size // 32 if mapping.name == "ballot" else mapping.group_size
        arrays = {"scan": sums, "prefix": words, "active": regions, "partial": words, "inside": words}
        key = ShaderKey(
            "culling/single_tree.glsl",
            (
                *map(Streams.binding, read),
                *(Streams.binding(table, "write") for table in tables.write),
                Streams.binding(tables.chain, "update"),
            ),
            (("cull_view", CULL_VIEW), ("cull_counts", CULL_COUNTS)),
            mapping.group_size,
            (*streams.defines, *mapping.culling_defines, *defines),
            mapping.shared
            + "shared uint shared_sum;\nshared uint shared_ticket;\nshared uvec2 shared_current;\n"
            + "".join(f"shared uint shared_{name}[{size}];\n" for name, size in arrays.items()),
            user=streams.user,
        )
        groups = min(tables.blocks, max(tables.blocks // _BLOCKS_PER_GROUP, _MIN_GROUPS))
        super().__init__(library, key, (*read, *tables.write, tables.chain, view, counts), groups * mapping.group_size)
