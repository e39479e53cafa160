"""Count, scan, scatter, arguments: from visibility masks to a list of rows and indirect draws. No atomics where order shows."""

from __future__ import annotations

from dataclasses import dataclass

from ...core.culling.gpu_records import CULL_COUNTS
from ...core.layout import INDIRECT_ARGS
from ..buffers import Table
from ..shader_library import ShaderKey, ShaderLibrary
from .base import Pass
from .mapping import Mapping
from .streams import Streams

_COUNTS = (("cull_counts", CULL_COUNTS),)
#: past this many blocks a scan of its own is cheaper than each group adding up those before it
MAX_UNSCANNED_BLOCKS = 8192
#: past this many draws a pass of their own is cheaper than a work group for each
MAX_DRAWS_WITH_SCATTER = 256


#: visible instances a word up to which 32 threads list a word each, not one word together
SPARSE = 6


@dataclass(frozen=True)
class Masks:
    """What is compacted: one mask of `stride` words for each of `levels`.

    Attributes
    ----------
    table : Table
        `visibility`, `row_visibility` or `lod_masks`.
    words, stride : int
        Words over all levels; words between levels.
    block_words : int
        Words that one of block_counts counts.
    """

    table: Table
    words: int
    stride: int
    block_words: int

    @property
    def block_count(self) -> int:
        return -(-self.words // self.block_words)

    @property
    def defines(self) -> tuple:
        return (("LOAD_MASK(w)", f"load_{self.table.name}(w)"),)


class Count(Pass):
    """lod_masks -> block_counts of GROUP_SIZE words."""

    def __init__(self, library: ShaderLibrary, masks: Masks, block_counts, counts, group_size: int):
        key = ShaderKey(
            "culling/count.glsl",
            (Streams.binding(masks.table), Streams.binding(block_counts, "write")),
            _COUNTS,
            group_size,
            masks.defines,
            "shared uint shared_total;\n",
        )
        super().__init__(library, key, (masks.table, block_counts, counts), masks.block_count * group_size)


class Scan(Pass):
    """block_counts -> block_offsets; one work group."""

    def __init__(self, library: ShaderLibrary, block_counts, block_offsets, counts, group_size: int):
        key = ShaderKey(
            "culling/scan.glsl",
            (Streams.binding(block_counts), Streams.binding(block_offsets, "write")),
            _COUNTS,
            group_size,
            (),
            f"shared uint shared_scan[{group_size}];\nshared uint shared_sum;\n",
        )
        super().__init__(library, key, (block_counts, block_offsets, counts), group_size)


class Scatter(Pass):
    """Masks and block counts (or offsets) -> draw_instances, word_offsets; with `draws` (draw_slots and indirect_args) ->
    indirect_args too.
    """

    def __init__(
        self, library: ShaderLibrary, masks: Masks, blocks, rows, draw_instances, word_offsets, counts, mapping: Mapping, draws=()
    ):
        read = [masks.table, blocks, *([rows] if rows is not None else []), *draws[:1]]
        write = [draw_instances, word_offsets, *draws[1:]]
        size = mapping.group_size
        shared = f"shared uint shared_scan[{size}];\nshared uint shared_sum;\n" + (
            "" if mapping.name == "word" else f"shared uvec2 shared_words[{size}];\nshared uint shared_positions[{SPARSE * size}];\n"
        )
        defines = (
            *masks.defines,
            *mapping.defines,
            ("HAS_ORDER", int(rows is not None)),
            ("SCANNED", int(blocks.name == "block_offsets")),
            ("BLOCK_WORDS", f"{masks.block_words}u"),
            ("WITH_ARGS", int(bool(draws))),
            ("SPARSE", f"{SPARSE}u"),
        )
        key = ShaderKey(
            "culling/scatter.glsl",
            (*map(Streams.binding, read), *(Streams.binding(table, "write") for table in write)),
            _COUNTS,
            size,
            defines,
            shared,
        )
        groups = masks.words // size + 1 + (draws[0].count if draws else 0)  # words + 1, then a group to a draw
        super().__init__(library, key, (*read, *write, counts), groups * size)


class Arguments(Pass):
    """Many draws: draw_slots, masks, word_offsets -> indirect_args."""

    def __init__(self, library: ShaderLibrary, masks: Masks, draw_slots, word_offsets, indirect_args, counts, group_size: int):
        read = (masks.table, draw_slots, word_offsets)
        key = ShaderKey(
            "culling/args.glsl",
            (*map(Streams.binding, read), Streams.binding(indirect_args, "write")),
            _COUNTS,
            group_size,
            masks.defines,
            structs=(INDIRECT_ARGS,),
        )
        super().__init__(library, key, (*read, indirect_args, counts), draw_slots.count)
