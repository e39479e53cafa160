"""Skins of an export: which instance each character is, and its poses over a range of frames."""

from __future__ import annotations

from dataclasses import replace

import bpy
import numpy as np

from ...core.errors import GpuSceneError
from ...core.findings import Finding
from ...core.geometry import vertex_streams
from ...core.skinning import pack
from ...core.skinning.tables import SkinEntry, with_skins
from ..extract.meshes import clean, read_mesh
from .character import dropped_findings, read_character
from .placing import placements

#: of its size: an instance whose matrix is this close to the character's is that character
_SAME = 1e-4


def scene_with_skins(data, context, frames=()):
    """`data` (core.scene.SceneData, fresh from extraction of this context's viewport graph) with the tables of its skins.

    Parameters
    ----------
    frames : sequence of int
        Frames whose poses are stored; the scene's own is put back.

    Notes
    -----
    A character that cannot be exported is a finding, and its instance stays the posed mesh that it is.
    """
    depsgraph = context.evaluated_depsgraph_get()
    characters, found, findings, taken = {}, [], [], set()
    for placement in placements(depsgraph):
        obj = bpy.data.objects[placement.key].evaluated_get(depsgraph)
        try:
            if placement.key not in characters:
                character = read_character(obj, depsgraph)
                packed = pack(character.skin)
                characters[placement.key] = character, packed, _stream_vertices(obj, character)
                findings += [*character.findings, *dropped_findings(character, packed, obj, depsgraph)]
            character, packed, vertices = characters[placement.key]
            row = _row(data, obj, placement, vertices, taken)
        except GpuSceneError as error:
            findings.append(Finding("skin-not-exported", "warning", placement.name, error.message, error.hint))
            continue
        if row is None:
            continue  # out of scope, hidden, or a coarser LOD: it has no instance
        if vertices is None:
            findings.append(
                Finding(
                    "skin-not-exported",
                    "warning",
                    placement.name,
                    "the mesh that is drawn has other vertices than the one the "
                    "armature deforms; the instance is its posed mesh.",
                    "Move modifiers that add or merge vertices above the armature.",
                )
            )
            continue
        taken.add(row)
        found.append((row, packed, vertices, placement, character))
    poses, moved = {row: [] for row, *_ in found}, {}
    scene, before = context.scene, (context.scene.frame_current, context.scene.frame_subframe)
    try:
        for frame in (None, *frames):
            if frame is not None:
                scene.frame_set(frame)
            depsgraph = context.evaluated_depsgraph_get()
            for row, _, _, placement, character in found:
                obj = character.object(depsgraph)
                poses[row].append(character.matrices(obj, depsgraph, placement.world))
                if frame is not None and character.moving_rest:
                    moved[character.skin.name] = max(moved.get(character.skin.name, 0.0), _rest_moves(character, obj, depsgraph))
    finally:
        if frames:
            scene.frame_set(before[0], subframe=before[1])
    lost = {row for row, packed, *_ in found if not _is_finite(packed, poses[row])}
    findings += [
        Finding(
            "skin-not-exported",
            "warning",
            placement.name,
            "vertices or bones are at places that are no finite number; the instance is its posed mesh.",
            "Look for a bone or a scale that is out of bounds.",
        )
        for row, _, _, placement, _ in found
        if row in lost
    ]
    found = [entry for entry in found if entry[0] not in lost]
    findings += [
        Finding(
            "skin-rest-moves",
            "warning",
            name,
            f"shape keys or other modifiers move the mesh by up to {share:.2%} of its size between the frames; "
            "the poses hold bones only.",
            "Key the bones instead, or export each frame.",
        )
        for name, share in moved.items()
        if share > _SAME
    ]
    entries = [SkinEntry(row, packed, vertices, np.array(poses[row])) for row, packed, vertices, _, _ in found]
    return with_skins(replace(data, findings=tuple(sorted({*data.findings, *findings}))), entries, frames if found else ())


def _is_finite(packed, poses) -> bool:
    """Whether float32 can hold the rest mesh and every pose of the bones that travel."""
    with np.errstate(over="ignore"):
        return bool(np.isfinite(packed.skin.rest).all() and all(np.isfinite(packed.matrices(pose)).all() for pose in poses))


def _rest_moves(character, obj, depsgraph) -> float:
    """How far the rest mesh of this frame is from the exported one, as a share of its size; infinite where it has other
    vertices.
    """
    try:
        rest = character.rest(obj, depsgraph)
    except GpuSceneError:
        return float("inf")
    return float(
        np.abs(rest - character.skin.rest).max(initial=0) / max(np.ptp(character.skin.rest, axis=0).max(initial=0), 1e-30)
    )


def _stream_vertices(obj, character):
    """(N,) int32: the skin's vertex of each vertex that an export draws; None when the drawn mesh is another."""
    mesh = read_mesh(obj.data)
    if mesh is None or len(mesh.positions) != character.skin.vertex_count or character.off_truth:
        return None
    return vertex_streams(clean(mesh)[0]).sources


def _row(data, obj, placement, vertices, taken):
    """The scene's row of a placed character, by its object's name and its matrix; None when it has none."""
    names = [i for i, name in enumerate(data.sources) if name == obj.name_full]
    rows = np.flatnonzero(np.isin(data["instance_sources"], names))
    if vertices is not None:
        rows = rows[data["primitives"]["vertex_count"][data["instance_data"]["primitive_id"][rows]] == len(vertices)]
    world = np.array(obj.matrix_world, np.float64) if placement.world is None else placement.world
    target = data.convention.transforms(np.ascontiguousarray(world.T[None], np.float32).copy())[0]
    transforms = data["instance_transforms"]
    best = None
    for row in rows.tolist():
        if row in taken:
            continue
        apart = max(
            np.abs(transforms[name][row] - target[column, :3]).max()
            for column, name in enumerate(("x_axis", "y_axis", "z_axis", "position"))
        )
        if apart <= _SAME * np.abs(target).max() and (best is None or apart < best[0]):
            best = apart, row
    return None if best is None else best[1]
