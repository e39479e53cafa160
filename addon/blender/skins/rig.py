"""An armature's bones: what they are, once, and their deformation, every frame."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core.skinning.envelopes import Envelopes
from ...core.skinning.skin import NO_PARENT


@dataclass(frozen=True)
class Rig:
    """The bones of one armature. A bendy bone of S segments takes S + 1 columns, one for each joint; any other bone takes one.

    Attributes
    ----------
    bones : tuple of str
        Pose bones in Blender's order.
    columns : (N,) int32
        First column of each bone.
    segments : (N,) int32
    deforms, multiplies : (N,) bool
        The bone deforms; its envelope multiplies its weights.
    curved : (N,) bool
        A bendy bone whose vertices are mapped along its curve.
    parents : (N,) int32
        Parent bone, or `NO_PARENT`.
    envelopes : Envelopes
    rest : (N, 4, 4) float64
        Armature from bone, in rest position.
    lengths : (N,) float32
    """

    bones: tuple
    columns: np.ndarray
    segments: np.ndarray
    deforms: np.ndarray
    multiplies: np.ndarray
    curved: np.ndarray
    parents: np.ndarray
    envelopes: Envelopes
    rest: np.ndarray
    lengths: np.ndarray

    @property
    def column_count(self) -> int:
        return int(self.columns[-1] + self.joints[-1]) if len(self.bones) else 0

    @property
    def joints(self) -> np.ndarray:
        """(N,) columns of each bone."""
        return np.where(self.segments > 1, self.segments + 1, 1)

    def column_names(self) -> list:
        """One a column: the bone's name, with the joint's number for a bendy bone."""
        return [
            name if count == 1 else f"{name}[{joint}]"
            for name, count in zip(self.bones, self.joints.tolist())
            for joint in range(count)
        ]

    def column_parents(self) -> np.ndarray:
        """(columns,) int32: first column of the parent bone."""
        parents = np.where(self.parents >= 0, self.columns[self.parents], NO_PARENT) if len(self.bones) else self.parents
        return np.repeat(parents, self.joints).astype(np.int32)


def _values(collection, name, width=(), dtype=np.float32) -> np.ndarray:
    array = np.empty((len(collection), *width), dtype)
    collection.foreach_get(name, array.reshape(-1))
    return array


def read_rig(armature) -> Rig:
    """Of an evaluated armature object."""
    pose = armature.pose.bones
    names = tuple(pose.keys())
    bones = armature.data.bones
    place = {name: i for i, name in enumerate(bones.keys())}
    order = np.fromiter((place[name] for name in names), np.intp, len(names))

    def of_bones(name, width=(), dtype=np.float32):
        return _values(bones, name, width, dtype)[order]

    at = {name: i for i, name in enumerate(names)}
    parents = np.fromiter((NO_PARENT if b.parent is None else at[b.parent.name] for b in pose), np.int32, len(names))
    segments = of_bones("bbone_segments", dtype=np.int32)
    joints = np.where(segments > 1, segments + 1, 1)
    curved = np.zeros(len(names), bool)
    for index in np.flatnonzero(segments > 1).tolist():
        curved[index] = bones[names[index]].bbone_mapping_mode != "STRAIGHT"
    envelopes = Envelopes(
        of_bones("head_local", (3,)),
        of_bones("tail_local", (3,)),
        of_bones("head_radius"),
        of_bones("tail_radius"),
        of_bones("envelope_distance"),
        of_bones("envelope_weight"),
    )
    return Rig(
        names,
        (np.cumsum(joints) - joints).astype(np.int32),
        segments,
        of_bones("use_deform", dtype=bool),
        of_bones("use_envelope_multiply", dtype=bool),
        curved,
        parents,
        envelopes,
        of_bones("matrix_local", (4, 4)).transpose(0, 2, 1).astype(np.float64),
        of_bones("length"),
    )


def read_deform(armature, rig: Rig) -> np.ndarray:
    """(columns, 4, 4) float64 armature-space deformation of this frame: each bone's pose times the inverse of its rest.

    One bulk read; bendy bones take two calls a joint.
    """
    pose = armature.pose.bones
    deform = _values(pose, "matrix_channel", (4, 4)).transpose(0, 2, 1).astype(np.float64)
    bendy = np.flatnonzero(rig.segments > 1)
    if not len(bendy):
        return deform
    out = np.empty((rig.column_count, 4, 4))
    plain = rig.segments <= 1
    out[rig.columns[plain]] = deform[plain]
    for bone in bendy.tolist():
        channel, into_bone = pose[rig.bones[bone]], np.linalg.inv(rig.rest[bone])
        for joint in range(rig.segments[bone] + 1):
            posed, resting = (np.array(channel.bbone_segment_matrix(joint, rest=rest), np.float64) for rest in (False, True))
            out[rig.columns[bone] + joint] = deform[bone] @ rig.rest[bone] @ posed @ np.linalg.inv(resting) @ into_bone
    return out
