"""What one armature does to each vertex, as shares of its bones and of the object: Blender's rules for weights, as arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core.skinning.influences import Influences
from .shape_keys import group_weights

#: a vertex whose weights add up to no more than this is not deformed (armature_deform.cc)
LEAST = np.float32(0.0001)


@dataclass(frozen=True)
class Shares:
    """Attributes
    ----------
    influences : Influences
        Normalised, on columns `first` and on of the character, and on the object; not masked.
    sums : (V,) float64
        Weights of each vertex before, envelopes not counted.
    ungrouped, boneless, undeforming : (V,) bool
        In no vertex group; in groups, but of no bone; in groups of bones that do not deform, and of none that does.
    """

    influences: Influences
    sums: np.ndarray
    ungrouped: np.ndarray
    boneless: np.ndarray
    undeforming: np.ndarray


def armature_shares(deformer, rig, first: int, object_bone: int, group_names, weights, positions, into_armature) -> Shares:
    """Shares of one armature's bones.

    Parameters
    ----------
    deformer : Deformer
    rig : Rig
    first : int
        The rig's first column among the character's.
    object_bone : int
    group_names : list of str
        Vertex groups in order.
    weights : tuple
        `read_weights`' result.
    positions : (V, 3) float32
        Rest, local to the object.
    into_armature : (4, 4) float64
        Armature from object.
    """
    count = len(positions)
    points = positions.astype(np.float64) @ into_armature[:3, :3].T + into_armature[:3, 3]
    vertices, groups, values = weights
    at = {name: bone for bone, name in enumerate(rig.bones)}
    bone_of_group = np.fromiter((at.get(name, -1) for name in group_names), np.int64, len(group_names))
    # A group index past the object's list, which a damaged file can hold, names no bone.
    known = groups < len(group_names)
    bones = np.full(len(groups), -1)
    bones[known] = bone_of_group[groups[known]]
    has_bone = bones >= 0
    deforming = has_bone & rig.deforms[bones] if len(rig.bones) else has_bone
    grouped = np.bincount(vertices, minlength=count) > 0
    with_bone = np.bincount(vertices[has_bone], minlength=count) > 0
    deformed = np.bincount(vertices[deforming], minlength=count) > 0
    if deformer.groups:
        taken = vertices[deforming], bones[deforming], values[deforming].astype(np.float64)
        multiply = rig.multiplies[taken[1]]
        if multiply.any():
            taken[2][multiply] *= rig.envelopes.factors(points[taken[0][multiply]], taken[1][multiply])
        by_envelope = ~deformed
    else:
        taken = np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0)
        by_envelope = np.ones(count, bool)
    painted = np.bincount(taken[0], taken[2], minlength=count)
    if deformer.envelopes and by_envelope.any():
        rows = np.flatnonzero(by_envelope)
        near, near_bones, near_weights = rig.envelopes.of_vertices(points[rows], np.flatnonzero(rig.deforms))
        taken = tuple(np.concatenate(pair) for pair in zip(taken, (rows[near], near_bones, near_weights)))
    columned = _columns(rig, *taken, points)
    influences = Influences.of(count, columned[0], columned[1] + first, columned[2]).normalised(object_bone, float(LEAST))
    return Shares(influences, painted, ~grouped, grouped & ~with_bone, with_bone & ~deformed)


def _columns(rig, vertices, bones, weights, points) -> tuple:
    """Entries on bones -> entries on columns: a bendy bone's are split between the two joints around the vertex."""
    columns = rig.columns[bones] if len(bones) else np.zeros(0, np.int64)
    bendy = rig.segments[bones] > 1 if len(bones) else np.zeros(0, bool)
    if not bendy.any():
        return vertices, columns, weights
    rows = np.flatnonzero(bendy)
    joint, blend = _straight(rig, bones[rows], points[vertices[rows]])
    return (
        np.r_[vertices[~bendy], vertices[rows], vertices[rows]],
        np.r_[columns[~bendy], columns[rows] + joint, columns[rows] + joint + 1],
        np.r_[weights[~bendy], weights[rows] * (1 - blend), weights[rows] * blend],
    )


def _straight(rig, bones, points) -> tuple:
    """(joint, blend towards the next) of points along their bones, by their height over the bone's head in rest position."""
    into_bone = np.linalg.inv(rig.rest)[bones]
    height = np.einsum("ij,ij->i", into_bone[:, 1, :3], points) + into_bone[:, 1, 3]
    segments = rig.segments[bones]
    at = np.clip(height / rig.lengths[bones], 0, 1) * segments
    joint = np.clip(np.floor(at), 0, segments - 1).astype(np.int64)
    return joint, np.clip(at - joint, 0, 1)


def mask_of(deformer, group_names, weights, vertex_count: int):
    """(V,) float64 share of the armature's work that shows; None for all of it."""
    if not deformer.mask or deformer.mask not in group_names:
        return None
    mask = group_weights(weights, group_names.index(deformer.mask), vertex_count)
    return 1 - mask if deformer.invert else mask
