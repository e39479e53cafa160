"""Skins as tables of a scene: what is uploaded once, and the poses of a range of frames."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .. import layout, limits
from ..conventions import Convention
from ..scene import SceneData
from .bounds import BoneBoxes
from .pack import PackedSkin


@dataclass(frozen=True)
class SkinEntry:
    """One deformed instance, in Blender's axes.

    Attributes
    ----------
    instance : int
        Row of the scene.
    packed : PackedSkin
        Shared by entries of one object.
    vertices : (N,) int32
        The skin's vertex of each vertex of the primitive's LOD 0.
    poses : (1 + F, B, 3, 4) float64
        World-from-rest of all bones: of the exported frame, then of each frame of the range.
    """

    instance: int
    packed: PackedSkin
    vertices: np.ndarray
    poses: np.ndarray


def convert(matrices, convention: Convention) -> np.ndarray:
    """(..., 3, 4) float64 Blender world-from-rest matrices -> the same in target axes and units, for rest positions in them
    too.
    """
    change = convention.target_from_blender()
    whole = np.zeros((*np.shape(matrices)[:-2], 4, 4))
    whole[..., :3, :], whole[..., 3, 3] = matrices, 1
    return (change @ whole @ np.linalg.inv(change))[..., :3, :]


def with_skins(scene: SceneData, entries, frames=()) -> SceneData:
    """`scene` with tables of its skins, and the flags of their instances and primitives set.

    Parameters
    ----------
    scene : SceneData
    entries : sequence of SkinEntry
        None: the scene stays as it is.
    frames : sequence of int
        The range that the entries' poses go through after the first.
    """
    if not entries:
        return scene
    entries = sorted(entries, key=lambda entry: entry.instance)
    skins, narrow, wide, bones, remaps, boxes = layout.SKIN.empty(len(entries)), [], [], [], [], []
    known: dict = {}
    bone_count = remap_count = 0
    lengths = {False: 0, True: 0}
    transforms, primitives = scene["instance_transforms"].copy(), scene["primitives"].copy()
    for number, (row, entry) in enumerate(zip(skins, entries)):
        packed = entry.packed
        if id(packed) not in known:
            rest = scene.convention.points(packed.skin.rest)
            known[id(packed)] = lengths[packed.is_wide], remap_count, BoneBoxes.of(packed, rest)
            (wide if packed.is_wide else narrow).append(packed.table(rest, entry.vertices))
            remaps.append(packed.remap)
            lengths[packed.is_wide] += len(entry.vertices)
            remap_count += len(packed.remap)
        first_vertex, first_remap, bone_boxes = known[id(packed)]
        poses = convert(entry.poses[:, packed.used], scene.convention).astype(np.float32)
        bones.append(poses)
        boxes.append(np.array([bone_boxes.posed(pose) for pose in poses]))
        primitive = int(scene["instance_data"]["primitive_id"][entry.instance])
        row["instance"], row["primitive_id"] = entry.instance, primitive
        row["first_vertex"], row["vertex_count"] = first_vertex, len(entry.vertices)
        row["first_bone"], row["bone_count"] = bone_count, packed.bone_count
        row["first_remap"], row["remap_count"] = first_remap, len(packed.remap)
        row["box_min"], row["box_max"] = boxes[-1][0]
        row["flags"] = layout.SKIN_WIDE if packed.is_wide else 0
        bone_count += packed.bone_count
        transforms["flags"][entry.instance] |= np.uint32(layout.INSTANCE_SKINNED)
        primitives["flags"][primitive] |= np.uint32(layout.PRIMITIVE_SKINNED)
        if primitives["skin_index"][primitive] == limits.NO_INDEX:
            primitives["skin_index"][primitive] = number
    poses, boxes = np.concatenate(bones, axis=1), np.stack(boxes, axis=1)
    tables = dict(scene.tables) | {
        "instance_transforms": transforms,
        "primitives": primitives,
        "skins": skins,
        "bones": _bones(poses[:1], layout.BONE),
        "bone_remap": np.concatenate(remaps),
    }
    for name, parts in (("skin_vertices", narrow), ("skin_vertices_wide", wide)):
        if parts:
            tables[name] = np.concatenate(parts)
    metadata = dict(scene.metadata)
    if len(frames):
        tables["bone_frames"] = _bones(poses[1:], layout.BONE_FRAME)
        tables["skin_boxes"] = layout.SKIN_BOX.empty(len(frames) * len(entries))
        tables["skin_boxes"]["box_min"], tables["skin_boxes"]["box_max"] = (boxes[1:, :, side].reshape(-1, 3) for side in (0, 1))
        metadata["skin_frames"] = [int(frame) for frame in frames]
    return replace(scene, tables=tables, metadata=metadata)


def _bones(poses, record) -> np.ndarray:
    """(F, U, 3, 4) float32 -> (F * U,) records."""
    flat = poses.reshape(-1, 3, 4)
    out = record.empty(len(flat))
    for row in range(3):
        out[f"row{row}"] = flat[:, row]
    return out
