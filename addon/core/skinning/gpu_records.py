"""What skinning passes read on the GPU, not part of the file; `blend.blend_packed` and `SurfacePoints.at` are their arithmetic.

Vertices, weights and points of a skin lie in tables that all characters share; a character's row says where, and a block says
which points of which
character a work group has, so that one dispatch moves them all.
"""

from __future__ import annotations

import numpy as np

from ..layout import Field as F
from ..layout import Record
from .pack import PackedSkin
from .surface import SurfacePoints

#: points, or vertices, to a block: the threads of a work group
BLOCK = 256
#: bones of one character in a uniform block, the object included: 16 KiB, which every driver has, hold 341
MAX_UNIFORM_BONES = 340

SKIN_CHARACTER = Record("SkinCharacter", "skin_characters", 64, (
    F("first_bone", "uint", "row of bones: the object's own matrix; its bones follow"),
    F("bone_count", "uint", "of its level, the object not counted: indices from here on are past its segment"),
    F("first_vertex", "uint", "row of its skin: three of skin_rest to a vertex"),
    F("vertex_count", "uint"),
    F("first_word", "uint", "of its level in skin_weights"),
    F("influence_count", "uint", "1 to 8"),
    F("first_skinned", "uint", "row of skinned_positions"),
    F("flags", "uint", "SKIN_WIDE_INDICES, SKIN_HAS_BEFORE, SKIN_IN_ORDER"),
    F("first_point", "uint", "row of skin_points"),
    F("point_count", "uint", "of its level"),
    F("first_particle", "uint", "row of particle_positions"),
    F("pose_count", "uint", "poses in the ring that are its own"),
    F("origin", "vec3", "near the character: half matrices are relative to it"),
    F("_pad0", "uint"),
), "A character of skinning passes.")
SKIN_POINT = Record("SkinPoint", "skin_points", 16, (
    F("first", "uint", "corners of its triangle: vertices of the skin"), F("second", "uint"), F("third", "uint"),
    F("shares", "uint", "2 x uint16: of the second corner and the third, times 65535; the first corner has the rest"),
), "Where a particle is on the skin.")
SKIN_BLOCK = Record("SkinBlock", "skin_blocks", 8, (
    F("character", "uint", "row of skin_characters"), F("first", "uint", "its first point, or vertex, of this block"),
), "What one work group works on.")
SKIN_RUN = Record("SkinRun", "skin_run", 64, (
    F("block_count", "uint", "of points"),
    F("vertex_block_count", "uint"),
    F("age_count", "uint", "poses to work on, from the newest back"),
    F("ring_length", "uint", "poses in bones"),
    F("newest", "uint", "slot of the newest pose"),
    F("bone_rows", "uint", "to a pose"),
    F("skinned_rows", "uint", "of skinned_positions to a pose"),
    F("particle_rows", "uint", "of particle_positions to a pose"),
    F("color_mode", "uint", "SKIN_COLOR_*"),
    F("per_second", "float", "1 / seconds between two poses"),
    F("first_block", "uint", "of this dispatch"),
    F("row_count", "uint", "bones that travelled"),
    F("_pad0", "vec4"),
), "Constants of one run. Uniform block.")
BONE_BLOCK = Record("BoneBlock", "bone_block", 48 * (MAX_UNIFORM_BONES + 1), (
    F("rows", "vec4", "three to a bone, the object's own first", 3 * (MAX_UNIFORM_BONES + 1)),
), "A character's pose as a uniform block.")
#: bits of SkinCharacter.flags: uint16 indices; the run before had the same particles; point i is vertex i
SKIN_WIDE_INDICES, SKIN_HAS_BEFORE, SKIN_IN_ORDER = 1, 2, 4
#: how particles are coloured, by number in the shader
COLOR_MODES = ("flat", "bone", "weight_error", "age", "speed")
#: a uint16 times this is its share of 1
PER_SHORT = np.float32(1 / 65535)


def weight_words(packed: PackedSkin) -> np.ndarray:
    """(V, W) uint32: indices, then weights, in columns of 4 or 8, lowest bits first; bytes, or uint16 indices where the skin
    is wide. W is 2, 3, 4 or 6.
    """
    columns = 4 if packed.influence_count <= 4 else 8
    indices = np.zeros((len(packed.bone_indices), columns), "<u2" if packed.is_wide else "u1")
    weights = np.zeros((len(indices), columns), np.uint8)
    indices[:, :packed.influence_count], weights[:, :packed.influence_count] = packed.bone_indices, packed.bone_weights
    return np.concatenate((indices.view("<u4"), weights.view("<u4")), axis=1)


def point_rows(points: SurfacePoints) -> np.ndarray:
    """(N,) SKIN_POINT: barycentrics to the nearest 1 / 65535."""
    out = SKIN_POINT.empty(len(points))
    for column, name in enumerate(("first", "second", "third")):
        out[name] = points.vertices[:, column]
    second, third = (np.round(points.barycentrics[:, c].astype(np.float64) * 65535).astype(np.uint32) for c in (1, 2))
    third = np.minimum(third, 65535 - second)  # both rounded up, they would leave the first corner less than nothing
    out["shares"] = second | third << np.uint32(16)
    return out


def snapped(points: SurfacePoints) -> SurfacePoints:
    """The points that `point_rows` says, with the barycentrics that the shader makes of them."""
    shares = point_rows(points)["shares"]
    second, third = ((shares >> np.uint32(shift) & np.uint32(0xFFFF)).astype(np.float32) * PER_SHORT for shift in (0, 16))
    return SurfacePoints(points.vertices, np.stack(((np.float32(1) - second) - third, second, third), axis=1))


def blocks(counts) -> np.ndarray:
    """(K,) SKIN_BLOCK for characters of so many points, or vertices."""
    per = -(-np.asarray(counts, np.int64) // BLOCK)
    out = SKIN_BLOCK.empty(int(per.sum()))
    out["character"] = np.repeat(np.arange(len(per)), per)
    out["first"] = (np.arange(len(out)) - np.repeat(np.cumsum(per) - per, per)) * BLOCK
    return out
