"""What skinning passes read on the GPU, not part of the file, and the same arithmetic in numpy float32.

Characters lie one behind the other in one table of vertices and one of bones, so that one dispatch moves all of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..layout import Field as F
from ..layout import Record
from .blend import PER_BYTE
from .surface import SurfacePoints

GPU_SKIN_VERTEX = Record(
    "GpuSkinVertex",
    "gpu_skin_vertices",
    32,
    (
        F("rest", "vec3", "local to the object, before the armature"),
        F("bone_weights", "uint", "4 x uint8, sum 255"),
        F("bone_indices_low", "uint", "2 x uint16, low half first: influences 0 and 1, counted from the character's first bone"),
        F("bone_indices_high", "uint", "influences 2 and 3"),
        F("character", "uint", "row of skin_characters"),
        F("_pad0", "uint"),
    ),
    "A vertex of some character.",
)
SKIN_CHARACTER = Record(
    "SkinCharacter",
    "skin_characters",
    16,
    (
        F("first_bone", "uint", "row of bones"),
        F("bone_count", "uint", "indices from here on are past its segment"),
        F("_pad0", "uint"),
        F("_pad1", "uint"),
    ),
    "Where a character's matrices lie.",
)
SKIN_PARTICLE = Record(
    "SkinParticle",
    "skin_particles",
    16,
    (
        F("first", "uint", "corners of its triangle: rows of skinned_positions"),
        F("second", "uint"),
        F("third", "uint"),
        F("shares", "uint", "2 x uint16: of the second corner and the third, times 65535; the first corner has the rest"),
    ),
    "A particle on the skin.",
)
SKIN_COUNTS = Record(
    "SkinCounts",
    "skin_counts",
    32,
    (
        F("vertex_count", "uint"),
        F("particle_count", "uint"),
        F("_pad0", "uint"),
        F("_pad1", "uint"),
        F("debug_offset", "vec4", "added to every particle, xyz: what is attached moves as one"),
    ),
    "Constants of one dispatch. Uniform block.",
)
#: a uint16 times this is its share of 1
PER_SHORT = np.float32(1 / 65535)


@dataclass(frozen=True)
class SkinBatch:
    """Tables of several characters: `vertices` (N,) GPU_SKIN_VERTEX, `characters` (C,) SKIN_CHARACTER, `first_vertices` (C,)
    int64.
    """

    vertices: np.ndarray
    characters: np.ndarray
    first_vertices: np.ndarray

    @classmethod
    def of(cls, packed, segments) -> "SkinBatch":
        """`packed`: PackedSkin of at most 4 influences, `segments`: their rows of the bone buffer, in the same order."""
        counts = np.array([p.skin.vertex_count for p in packed], np.int64)
        firsts = np.cumsum(counts) - counts
        vertices, characters = GPU_SKIN_VERTEX.empty(int(counts.sum())), SKIN_CHARACTER.empty(len(counts))
        for number, (skin, segment, first) in enumerate(zip(packed, segments, firsts.tolist())):
            rows = vertices[first : first + skin.skin.vertex_count]
            indices, weights = np.zeros((len(rows), 4), "<u2"), np.zeros((len(rows), 4), np.uint8)
            indices[:, : skin.influence_count], weights[:, : skin.influence_count] = skin.bone_indices, skin.bone_weights
            words = indices.view("<u4")
            rows["rest"], rows["bone_weights"] = skin.skin.rest, weights.view("<u4")[:, 0]
            rows["bone_indices_low"], rows["bone_indices_high"], rows["character"] = words[:, 0], words[:, 1], number
            characters[number]["first_bone"], characters[number]["bone_count"] = segment.start, segment.count
        return cls(vertices, characters, firsts)


def skin_particles(points: SurfacePoints, first_vertex: int) -> np.ndarray:
    """(N,) SKIN_PARTICLE of points on one character, whose vertices begin at `first_vertex`."""
    out = SKIN_PARTICLE.empty(len(points))
    for column, name in enumerate(("first", "second", "third")):
        out[name] = points.vertices[:, column] + first_vertex
    second, third = (np.round(points.barycentrics[:, c].astype(np.float64) * 65535).astype(np.uint32) for c in (1, 2))
    third = np.minimum(third, 65535 - second)  # both rounded up, they would leave the first corner less than nothing
    out["shares"] = second | third << np.uint32(16)
    return out


def skinned_positions(batch: SkinBatch, bones) -> np.ndarray:
    """(N, 4) float32: what shaders/skinning/vertices.glsl computes, operation by operation; w is the number of indices past
    the segment.
    """
    bones = np.asarray(bones, np.float32).reshape(-1, 12)
    rows = batch.vertices
    character = batch.characters[rows["character"]]
    words = np.stack((rows["bone_indices_low"], rows["bone_indices_high"]), axis=1)
    indices = np.ascontiguousarray(words).view("<u2").reshape(len(rows), 4).astype(np.int64)
    weights = np.ascontiguousarray(rows["bone_weights"]).view(np.uint8).reshape(len(rows), 4).astype(np.float32) * PER_BYTE
    past = indices >= character["bone_count"][:, None]
    at = character["first_bone"][:, None].astype(np.int64) + np.where(past, 0, indices)
    total = weights[:, 0, None] * bones[at[:, 0]]
    for column in range(1, 4):
        total += weights[:, column, None] * bones[at[:, column]]
    out = np.empty((len(rows), 4), np.float32)
    x, y, z = rows["rest"].T
    for axis in range(3):
        a, b, c, d = total[:, 4 * axis : 4 * axis + 4].T
        out[:, axis] = ((a * x + b * y) + c * z) + d
    out[:, 3] = past.sum(axis=1)
    return out


def particle_positions(particles, positions, debug_offset=(0.0, 0.0, 0.0)) -> np.ndarray:
    """(N, 4) float32: what shaders/skinning/particles.glsl computes from `positions` (V, 4); w is 1."""
    second, third = (
        (particles["shares"] >> np.uint32(shift) & np.uint32(0xFFFF)).astype(np.float32) * PER_SHORT for shift in (0, 16)
    )
    first = (np.float32(1) - second) - third
    out = np.ones((len(particles), 4), np.float32)
    corners = [np.asarray(positions, np.float32)[particles[name], :3] for name in ("first", "second", "third")]
    for axis in range(3):
        out[:, axis] = ((first * corners[0][:, axis] + second * corners[1][:, axis]) + third * corners[2][:, axis]) + np.float32(
            debug_offset[axis]
        )
    return out
