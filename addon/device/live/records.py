"""Records of the live passes alone."""

from __future__ import annotations

from ...core.layout import Field as F
from ...core.layout import Record

STATUS_COUNTS = Record(
    "StatusCounts",
    "status_counts",
    32,
    (
        F("instance_count", "uint", "positions in culling order"),
        F("block_instances", "uint", "positions to one of block_ages"),
        F("coarse_from", "float", "|coordinate| from which float32 steps are adequate only, scene units"),
        F("coarser_from", "float", "from which they are coarse"),
        F("copy_words", "uint", "words that copy_words.glsl copies"),
        F("_pad0", "uint"),
        F("_pad1", "uint"),
        F("_pad2", "uint"),
    ),
    "What a live pass is told once.",
)

FORGOTTEN_LODS = Record(
    "ForgottenLods",
    "forgotten_lods",
    8,
    (
        F("word", "uint", "of lod_state, four instances each; 0xFFFFFFFF for none"),
        F("bits", "uint", "to set: eight for each instance that has no LOD any more"),
    ),
    "Rows that came into slots which others had.",
)
