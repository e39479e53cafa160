"""Skins in the file: read back and posed by plain arithmetic on the tables' bytes, they are where Blender puts them."""

import struct
from dataclasses import replace

import bpy
import numpy as np
import pytest
from gpuscene.blender.export import ExportSettings, export_file, export_scene, extract_scene
from gpuscene.blender.skins.export import scene_with_skins
from gpuscene.core import gltf, layout
from gpuscene.core.conventions import PRESETS
from gpuscene.core.errors import FormatError
from gpuscene.core.gltf.semantics import check
from gpuscene.core.skinning.tables import with_skins
from skin_builders import by_height, chain, column, deform, depsgraph, link, rig, shown, standing, weigh


def posed(data, skin, bones):
    """(N, 3): the vertices of a row of `skins` under its rows of `bones` (any table of 48-byte rows), one vertex and one byte
    at a time.
    """
    wide = bool(skin["flags"] & 1)
    table = data["skin_vertices_wide" if wide else "skin_vertices"]
    out = []
    for raw in table[skin["first_vertex"] : skin["first_vertex"] + skin["vertex_count"]]:
        x, y, z, *rest = struct.unpack("<3f4H4B" if wide else "<3f4B4B", raw.tobytes())
        indices, weights = rest[:4], rest[4:]
        assert sum(weights) == 255
        total = np.zeros(3)
        for index, weight in zip(indices, weights, strict=True):
            if weight:
                matrix = np.frombuffer(bones[skin["first_bone"] + index].tobytes(), "<f4").reshape(3, 4).astype(float)
                total += weight / 255 * (matrix @ [x, y, z, 1])
        out.append(total)
    return np.array(out)


def streamed(data, skin):
    """World positions of the exported posed mesh: the primitive's own vertices under the instance's matrix."""
    primitive = data["primitives"][skin["primitive_id"]]
    points = data["vertex_positions"][primitive["base_vertex"] : primitive["base_vertex"] + primitive["vertex_count"]].astype(
        float
    )
    matrix = data.world_from_local()[skin["instance"]].astype(float)
    return points @ matrix[:3, :3].T + matrix[:3, 3]


def farthest(a, b):
    """Hausdorff distance of two sets of points: a vertex of the mesh is several of the stream."""
    distances = np.linalg.norm(a[:, None] - b[None], axis=2)
    return max(distances.min(axis=0).max(), distances.min(axis=1).max())


def in_axes(points, axes):
    change = PRESETS[axes].target_from_blender()
    return points @ change[:3, :3].T


@pytest.mark.parametrize("axes", ["blender", "unreal", "unity", "gltf"])
def test_characters_and_instances(tmp_path, axes):
    """The object, two instances of its collection (one mirrored and twice as large), and an undeformed twin that shares the
    primitive.
    """
    obj, armature = standing(bend=0)
    link("still", column("still"))
    armature.pose.bones["b1"].keyframe_insert("rotation_euler", frame=1)
    armature.pose.bones["b1"].rotation_euler.x = 1
    armature.pose.bones["b1"].keyframe_insert("rotation_euler", frame=11)
    troupe = bpy.data.collections.new("troupe")
    for member in (obj, armature):
        troupe.objects.link(member)
    worlds = [np.eye(4)]
    for location, scale in (((5, 0, 0), (1, 1, 1)), ((0, 5, 0), (-2, 2, 2))):
        empty = link("place", None)
        empty.instance_type, empty.instance_collection, empty.location, empty.scale = "COLLECTION", troupe, location, scale
        worlds.append(np.diag([*scale, 1.0]))
        worlds[-1][:3, 3] = location
    bpy.context.scene.frame_set(1)
    export_scene(
        bpy.context, tmp_path / "out.glb", ExportSettings(axes=axes, skins=True, skin_frames=(1, 11, 5), clusters="none")
    )
    data = gltf.read(tmp_path / "out.glb")
    skins, unit = data["skins"], PRESETS[axes].units_per_metre
    assert len(skins) == 3 and data.instance_count == 4 and data.metadata["skin_frames"] == [1, 6, 11]
    assert len(set(skins["first_vertex"].tolist())) == len(set(skins["first_remap"].tolist())) == 1  # one object: shared
    flags = data["instance_transforms"]["flags"] & layout.INSTANCE_SKINNED
    assert np.flatnonzero(flags).tolist() == skins["instance"].tolist()
    assert [data.sources[data["instance_sources"][row]] for row in range(4) if not flags[row]] == ["still"]
    for skin in skins:
        assert np.abs(posed(data, skin, data["bones"]) - streamed(data, skin)).max() < 1e-4 * unit
        assert skin["box_min"] == pytest.approx(streamed(data, skin).min(axis=0), abs=1e-3 * unit)
    expected, bones = [], len(data["bones"])
    for number, frame in enumerate((1, 6, 11)):
        bpy.context.scene.frame_set(frame)
        truth = shown(obj)
        for index, skin in enumerate(skins):
            found = posed(data, skin, data["bone_frames"][number * bones : (number + 1) * bones])
            apart = [farthest(found, in_axes(truth @ w[:3, :3].T + w[:3, 3], axes)) for w in worlds]  # which of them it is
            assert min(apart) < 2 * 3 / 510 * unit
            expected.append(int(np.argmin(apart)))
            box = data["skin_boxes"][number * 3 + index]
            assert (found >= box["box_min"] - 1e-4 * unit).all() and (found <= box["box_max"] + 1e-4 * unit).all()
    assert sorted(expected[:3]) == [0, 1, 2] and expected[:3] * 3 == expected
    assert bpy.context.scene.frame_current == 11


def test_the_crowd_file(root, tmp_path):
    export_file(root / "sample_scenes" / "crowd.blend", tmp_path / "crowd.glb", ExportSettings(skins=True, skin_frames=(5, 5, 1)))
    data = gltf.read(tmp_path / "crowd.glb")
    assert len(data["skins"]) == 3 and len(data["bones"]) == 234 and len(data["bone_remap"]) == 3 * 79
    for skin in data["skins"]:
        height = np.ptp(streamed(data, skin), axis=0).max()
        assert np.linalg.norm(posed(data, skin, data["bones"]) - streamed(data, skin), axis=1).max() < 1e-4 * height
        remap = data["bone_remap"][skin["first_remap"] : skin["first_remap"] + skin["remap_count"]]
        assert sorted(remap[remap != 0xFFFFFFFF].tolist()) == list(range(skin["bone_count"]))
        assert data["primitives"]["skin_index"][skin["primitive_id"]] != 0xFFFFFFFF


def test_more_than_256_bones(tmp_path):
    armature = rig({f"b{i}": ((i, 0, 0), (i, 0, 1), None) for i in range(300)})
    obj = link("skin", column(rings=300, sides=3))
    weigh(obj, {f"b{i}": {3 * i + s: 1.0 for s in range(3)} for i in range(300)})
    deform(obj, armature)
    armature.pose.bones["b299"].location.y = 2
    export_scene(bpy.context, tmp_path / "out.glb", ExportSettings(skins=True))
    data = gltf.read(tmp_path / "out.glb")
    (skin,) = data["skins"]
    assert skin["flags"] == layout.SKIN_WIDE and "skin_vertices" not in data.tables and len(data["bones"]) == 300
    assert np.abs(posed(data, skin, data["bones"]) - streamed(data, skin)).max() < 1e-4


def test_what_cannot_be_posed_is_said(tmp_path):
    """A weld after the armature: the instance stays the mesh that is drawn. Keys that move the mesh between frames."""
    obj, armature = standing(bend=0)
    armature.pose.bones["b2"].scale = (0.001, 1, 0.001)
    obj.modifiers.new("weld", "WELD").merge_threshold = 0.01
    other = link("other", column("other"))
    weigh(other, by_height(other.data, 3))
    deform(other, armature)
    other.shape_key_add(name="Basis")
    key = other.shape_key_add(name="wide")
    for point in key.data:
        point.co.y *= 3
    key.value = 0
    key.keyframe_insert("value", frame=1)
    key.value = 1
    key.keyframe_insert("value", frame=11)
    bpy.context.scene.frame_set(1)
    export_scene(bpy.context, tmp_path / "out.glb", ExportSettings(skins=True, skin_frames=(1, 11, 10)))
    data = gltf.read(tmp_path / "out.glb")
    codes = {(f.code, f.subject) for f in data.findings}
    assert (
        len(data["skins"]) == 1
        and {("skin-not-exported", "skin"), ("skin-modifiers-after", "skin"), ("skin-rest-moves", "other")} <= codes
    )


def test_nothing_skinned_and_not_asked_for(tmp_path):
    obj, _ = standing()
    export_scene(bpy.context, tmp_path / "plain.glb", ExportSettings())
    assert "skins" not in gltf.read(tmp_path / "plain.glb").tables
    obj.modifiers.clear()
    export_scene(bpy.context, tmp_path / "none.glb", ExportSettings(skins=True, skin_frames=(1, 3, 1)))
    data = gltf.read(tmp_path / "none.glb")
    assert "skins" not in data.tables and "skin_frames" not in data.metadata and with_skins(data, []) is data


@pytest.mark.parametrize(
    ("table", "field", "value", "said"),
    [
        ("skins", "instance", 9, "skins row 0: instance 9"),
        ("skins", "bone_count", 4, "end of bones 4"),
        ("skins", "first_vertex", 1, "end of vertices"),
        ("skins", "vertex_count", 27, "vertex_count is 27, not"),
        ("skins", "flags", 1, "end of vertices"),
        ("skins", "first_remap", 2**32 - 1, "end of bone_remap"),
        ("skin_vertices", "bone_weights", 0, "sum of bone_weights is 0"),
        ("skin_vertices", "bone_indices", 0xFFFFFFFF, "largest bone index 255"),
        ("bones", "row1", np.nan, "bones row 0 holds"),
        ("skin_boxes", "box_max", np.inf, "skin_boxes row 0 holds"),
    ],
)
def test_what_does_not_fit_together_is_refused(tmp_path, table, field, value, said):
    standing()
    depsgraph()
    data = scene_with_skins(extract_scene(bpy.context, ExportSettings()), bpy.context, range(1, 3))
    check(data)
    damaged = data[table].copy()
    damaged[field][0] = value
    with pytest.raises(FormatError, match=said):
        check(replace(data, tables=dict(data.tables) | {table: damaged}))


def test_influences_that_are_dropped_are_said(tmp_path):
    """Six equal influences of which four stay; only the one at vertex 7 moves, by 3 m: it had a sixth of it, and keeps nothing."""
    armature = rig({f"b{i}": ((i, 0, 0), (i, 0, 1), None) for i in range(6)})
    obj = link("many", column())
    weigh(obj, {f"b{i}": {v: 1.0 for v in range(28) if i == 0 or v == 7} for i in range(6)})
    deform(obj, armature)
    armature.pose.bones["b5"].location.y = 3
    export_scene(bpy.context, tmp_path / "out.glb", ExportSettings(skins=True))
    (found,) = (f for f in gltf.read(tmp_path / "out.glb").findings if f.code == "skin-influences-dropped")
    assert found.subject == "many" and "vertex 7: up to 6 influences, of which the strongest 4 stay" in found.message
    assert "(0.5 m) off at this frame, most at vertex 7" in found.message
