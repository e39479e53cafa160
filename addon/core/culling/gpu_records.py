"""Records that culling passes use on the GPU only: not part of the file. Declared like the file's, so that both sides share one
layout.
"""

from __future__ import annotations

from ..layout import Field as F
from ..layout import Record

CULL_VIEW = Record(
    "CullView",
    "cull_view",
    240,
    (
        F("outer", "vec4", "planes a sphere or box must not lie wholly behind: inside where n.p + d >= 0", 6),
        F("inner", "vec4", "planes before which a node is kept without looking at its instances", 6),
        F("position", "vec3", "of the camera, world space"),
        F("lod_factor", "float", "(2 * screen_factor) ** 2"),
        F("up", "vec3", "the scene's up axis"),
        F("units_per_metre", "float", "of the scene's unit"),
        F("is_perspective", "uint", "0: orthographic, distance does not change the screen size"),
        F("forced_lod", "uint", "0xFFFFFFFF for none"),
        F("conservative2", "float", "squared distance past which leaves are kept whole; read only where that was asked for"),
        F("_pad0", "uint"),
    ),
    "A camera's constants for one frame. Uniform block: arrays are of vec4, so std140 and std430 agree.",
)

CULL_COUNTS = Record(
    "CullCounts",
    "cull_counts",
    64,
    (
        F("instance_count", "uint", "positions in culling order"),
        F("word_count", "uint", "visibility words: ceil(instance_count / 32)"),
        F("word_stride", "uint", "words from one LOD level's mask to the next; at least draw_word_count + 1"),
        F("level_count", "uint", "LOD levels of the deepest primitive"),
        F("block_count", "uint", "blocks that visible instances are counted by"),
        F("built_count", "uint", "positions that lie in leaves; what follows is always tested"),
        F("leaf_count", "uint", "leaves of all trees"),
        F("draw_count", "uint", "rows of indirect_args"),
        F("max_instances_per_draw", "uint"),
        F("row_count", "uint", "instance rows"),
        F("row_word_count", "uint", "ceil(row_count / 32)"),
        F("draw_word_count", "uint", "words of the visibility that is drawn from: in culling order, or in row order"),
        F("mask_words", "uint", "words that compaction goes through: of the one mask, or of all levels' masks"),
        F("_pad0", "uint"),
        F("_pad1", "uint"),
        F("_pad2", "uint"),
    ),
    "What stays the same from frame to frame.",
)

CULL_LEVEL = Record(
    "CullLevel",
    "cull_level",
    16,
    (
        F("first", "uint", "in level_nodes"),
        F("count", "uint"),
        F("_pad0", "uint"),
        F("_pad1", "uint"),
    ),
    "A level of the cluster trees.",
)

INSTANCE_BOX = Record(
    "InstanceBox",
    "boxes",
    32,
    (
        F("box_min", "vec3"),
        F("_pad0", "float"),
        F("box_max", "vec3"),
        F("_pad1", "float"),
    ),
    "Read only for what passes the sphere test.",
)

LOD_SWITCHES = Record(
    "LodSwitches",
    "lod_switches",
    96,
    (
        F("enter", "vec4", "squared thresholds between LOD k and k + 1; the eighth value is unused", 2),
        F("coarser", "vec4", "lower ends of their bands, squared", 2),
        F("finer", "vec4", "upper ends, squared", 2),
    ),
    "One row a primitive: core.culling.lod_select.LodTable.",
)

LOD_INPUT = Record(
    "LodInput",
    "lod_inputs",
    8,
    (
        F("primitive", "uint", "row of lod_switches in the low 24 bits, LOD count above"),
        F("scale", "float", "exp2(-bias) ** 2"),
    ),
    "One row an instance, in culling order.",
)

DRAW_SLOT = Record(
    "DrawSlot",
    "draw_slots",
    32,
    (
        F("first_row", "uint", "of the primitive's instances"),
        F("row_count", "uint"),
        F("level", "uint", "LOD"),
        F("part", "uint", "0, 1, ...: which run of max_instances_per_draw"),
        F("index_count", "uint"),
        F("first_index", "uint"),
        F("base_vertex", "int"),
        F("batch", "uint", "row of batches"),
    ),
    "One row an indirect draw; a batch has as many as its instances may need.",
)

BOUNDS_UPDATE = Record(
    "BoundsUpdate",
    "bounds_updates",
    48,
    (
        F("sphere", "vec4"),
        F("box_min", "vec3"),
        F("position", "uint", "in culling order; 0xFFFFFFFF for none"),
        F("box_max", "vec3"),
        F("_pad0", "float"),
    ),
    "One changed instance: an incremental upload is a small table of these and a pass that scatters it.",
)
