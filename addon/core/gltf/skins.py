"""Skins in a file: does every range lie inside its table, and every vertex point to a bone of its skin?"""

from __future__ import annotations

import numpy as np

from .. import layout


def check(checker) -> None:
    """Call the checker's ``fail`` for the first thing wrong with the skins of its scene."""
    scene, tables = checker.scene, checker.scene.tables
    skins = scene["skins"]
    checker.below("skins", "instance", skins["instance"], scene.instance_count, what="instances")
    checker.equal(
        "skins",
        "instance past the row before",
        np.diff(skins["instance"].astype(np.int64)) > 0,
        np.ones(max(len(skins) - 1, 0), bool),
    )
    checker.equal("skins", "primitive_id", skins["primitive_id"], scene["instance_data"]["primitive_id"][skins["instance"]])
    checker.equal("skins", "vertex_count", skins["vertex_count"], scene["primitives"]["vertex_count"][skins["primitive_id"]])
    checker.below("skins", "flags", skins["flags"], 2)
    for first, count, name in (("first_bone", "bone_count", "bones"), ("first_remap", "remap_count", "bone_remap")):
        checker.inside("skins", f"end of {name}", skins[first], skins[count], len(tables.get(name, ())), f"rows of {name}")
    wide = (skins["flags"] & layout.SKIN_WIDE) != 0
    sizes = np.where(wide, len(tables.get("skin_vertices_wide", ())), len(tables.get("skin_vertices", ())))
    checker.inside("skins", "end of vertices", skins["first_vertex"], skins["vertex_count"], sizes, "skin vertices")
    checker.finite("skins", [8, 9, 10, 12, 13, 14])
    for name in ("bones", "bone_frames"):
        if name in tables:
            checker.finite(name)
    for name in ("skin_vertices", "skin_vertices_wide"):
        if name in tables:
            checker.finite(name, slice(0, 3))
    # Skins of one object share their vertices: each run is looked at once.
    runs = np.unique(
        np.stack((wide, skins["first_vertex"], skins["vertex_count"], skins["bone_count"]), axis=1).astype(np.int64), axis=0
    )
    for is_wide, first, count, bones in runs.tolist():
        _check_vertices(checker, "skin_vertices_wide" if is_wide else "skin_vertices", first, count, bones)
    _check_frames(checker, len(skins))


def _check_vertices(checker, table, first, count, bones) -> None:
    """Bytes sum to 255, and a weight above zero points to one of the skin's bones."""
    rows = checker.scene[table][first : first + count]
    words = [rows[name] for name in rows.dtype.names if name.startswith("bone_indices")]
    indices = np.ascontiguousarray(np.stack(words, axis=1)).view("<u2" if len(words) == 2 else "u1").reshape(len(rows), 4)
    weights = np.ascontiguousarray(rows["bone_weights"]).view("u1").reshape(len(rows), 4)
    checker.equal(table, "sum of bone_weights", weights.sum(axis=1, dtype=np.int64), np.full(len(rows), 255))
    checker.below(
        table, "largest bone index", np.where(weights > 0, indices, 0).max(axis=1, initial=0), bones, what="bones of its skin"
    )


def _check_frames(checker, skin_count) -> None:
    """All bones and all skins, once a frame."""
    tables = checker.scene.tables
    frames = checker.scene.metadata.get("skin_frames")
    if frames is None:
        if "bone_frames" in tables or "skin_boxes" in tables:
            checker.fail("there are poses of frames but no metadata skin_frames")
        return
    if not isinstance(frames, list) or any(type(frame) is not int for frame in frames):
        checker.fail("metadata skin_frames is no list of frames")
    for name, each in (("bone_frames", len(tables.get("bones", ()))), ("skin_boxes", skin_count)):
        if name not in tables:
            checker.fail(f"metadata names skin_frames but there is no table {name}")
        checker.length(name, each * len(frames), f"{each} for each of {len(frames)} frames")
    checker.finite("skin_boxes", [0, 1, 2, 4, 5, 6])
