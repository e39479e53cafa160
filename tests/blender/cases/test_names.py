"""I14 and I19: equal names from different places stay apart; strange names survive byte for byte."""

import json

import bpy
import numpy as np
import pytest
from builders import add, collection, fan, instance, material
from gpuscene.blender.export import ExportSettings, export_scene
from gpuscene.core import gltf

STRANGE = {
    "chinese": "树木·松树",
    "emoji": "🌲👩‍👩‍👧‍👦",
    "slash and quotes": "a/b\\c\"d'e",
    "spaces": "  two  spaces ",
    "json": '{"x": [1]}\\u0041',
    "combining": "e\u0301 é",
    "right to left": "עץ شجرة",
    "percent": "100%s {0} %20",
    "newline": "line\nbreak\ttab",
    "controls": "bell\x07 del\x7f",
    "long": "松" * 66 + "x",
}


def made_library(folder, triangles, color):
    """``folder/lib.blend`` with an object, a mesh, a collection and a material, each named ``leaf``."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    colored = material("leaf")
    next(n for n in colored.node_tree.nodes if n.type == "BSDF_PRINCIPLED").inputs["Base Color"].default_value = color
    add("leaf", fan("leaf", triangles, materials=[colored]), collection("leaf"))
    folder.mkdir()
    bpy.data.libraries.write(str(folder / "lib.blend"), {bpy.data.collections["leaf"]})
    return folder / "lib.blend"


def test_i14_equal_names_from_two_libraries(check, tmp_path):
    paths = made_library(tmp_path / "a", 3, (1, 0, 0, 1)), made_library(tmp_path / "b", 5, (0, 0, 1, 1))
    bpy.ops.wm.read_factory_settings(use_empty=True)
    for index, path in enumerate(paths):
        with bpy.data.libraries.load(str(path), link=True) as (_there, here):
            here.collections = ["leaf"]
        instance(f"use {index}", here.collections[0], location=(index, 0, 0))
    add("leaf", fan("leaf", 7, materials=[material("leaf")]))
    data, expected = check()
    assert data.primitive_count == 3
    assert dict(zip((data["primitives"]["index_count"] // 3).tolist(), data.instances_per_primitive().tolist())) == {
        3: 1,
        5: 1,
        7: 1,
    }
    names = {one.object for one in expected}
    assert len(names) == 3 and set(data.sources) == names
    assert len({m.name for m in data.materials}) == 3
    by_triangles = {}
    for batch, args in zip(data["batches"], data["indirect_args"]):
        by_triangles[int(args["index_count"]) // 3] = data.materials[batch["material_index"]].base_color[:3]
    assert by_triangles[3] == (1, 0, 0) and by_triangles[5] == (0, 0, 1)
    assert len(set(data["instance_data"]["instance_id"].tolist())) == 3


def test_i14_lod_levels_are_looked_for_in_their_own_library(extract, tmp_path):
    for folder, sizes in (("a", (8, 4)), ("b", (7, 3))):
        bpy.ops.wm.read_factory_settings(use_empty=True)
        group = collection("tree")
        for level, sides in enumerate(sizes):
            add(f"tree_LOD{level}", fan(f"tree_LOD{level}", sides), group)
        (tmp_path / folder).mkdir()
        bpy.data.libraries.write(str(tmp_path / folder / "lib.blend"), {group})
    bpy.ops.wm.read_factory_settings(use_empty=True)
    for folder in "ab":
        with bpy.data.libraries.load(str(tmp_path / folder / "lib.blend"), link=True) as (_there, here):
            here.collections = ["tree"]
        instance(f"use {folder}", here.collections[0])
    data = extract()
    assert data.instance_count == 2
    chains = sorted(
        tuple((data["lods"][p["first_lod"] : p["first_lod"] + p["lod_count"]]["index_count"] // 3).tolist())
        for p in data["primitives"]
    )
    assert chains == [(7, 3), (8, 4)]


def test_i14_a_curve_and_a_mesh_of_one_name(check):
    curve = bpy.data.curves.new("shape", "CURVE")
    curve.dimensions, curve.bevel_depth = "3D", 0.1
    spline = curve.splines.new("POLY")
    spline.points.add(1)
    spline.points[1].co = (0, 0, 2, 1)
    mesh = fan("shape", 4)
    group = collection("shape")
    add("shape", mesh, group)
    add("shape", curve, group, location=(3, 0, 0))
    instance("shape", group, location=(0, 9, 0))
    data, expected = check()
    assert data.primitive_count == 2 and data.instance_count == len(expected) == 4
    assert sorted(data.sources[s] for s in data["instance_sources"]) == ["shape", "shape", "shape.001", "shape.001"]


@pytest.mark.parametrize("name", STRANGE.values(), ids=STRANGE)
def test_i19_names_survive(tmp_path, name):
    """As names of an object, its mesh, its material, a collection and the scene."""
    obj = add(name, fan(name, 4, materials=[material(name)]), collection(name))
    instance(f"{name[:50]} 2", bpy.data.collections[0])
    bpy.context.scene.name = name
    stored = obj.name
    assert stored == name, "Blender itself altered the name: the test shows nothing"
    for suffix in ("glb", "gltf"):
        path = tmp_path / f"out.{suffix}"
        export_scene(bpy.context, path, ExportSettings())
        data = gltf.read(path)
        assert set(data.sources) == {name}
        assert data.primitive_names == (name,)
        assert [m.name for m in data.materials] == [name] and data.metadata["scene"] == bpy.context.scene.name
    text = path.read_bytes()
    assert name.encode() in text or json.dumps(name, ensure_ascii=False)[1:-1].encode() in text
    assert len(set(data["instance_data"]["instance_id"].tolist())) == 2


def test_i19_two_hundred_characters(tmp_path):
    """Blender keeps 255 bytes."""
    name = "x" * 200
    add(name, fan("leaf"))
    export_scene(bpy.context, tmp_path / "out.glb", ExportSettings())
    assert gltf.read(tmp_path / "out.glb").sources == (name,)


def test_i19_strange_names_in_findings_and_channels(extract, tmp_path):
    from gpuscene.core.scene import Channel

    name = STRANGE["slash and quotes"]
    add(name, fan("leaf"), scale=(0, 1, 1))
    data = extract()
    gltf.write(data, tmp_path / "out.glb")
    assert [f.subject for f in gltf.read(tmp_path / "out.glb").findings] == [name]
    channels = (Channel(0, "cull_radius"), Channel(1, "lod_bias"), Channel(2, name, "property", '木/"', 1, 0.5))
    changed = type(data)(dict(data.tables), data.convention, data.primitive_names, data.sources, data.materials, channels)
    gltf.write(changed, tmp_path / "out.glb")
    assert gltf.read(tmp_path / "out.glb").channels == channels


def test_ids_of_names_that_differ_by_one_byte(extract):
    mesh = fan("leaf")
    names = ["é", "e\u0301", "e", "E", "e ", " e", "树", "木"]
    for index, name in enumerate(names):
        add(name, mesh, location=(index, 0, 0))
    data = extract()
    assert sorted(data.sources) == sorted(names)
    assert len(np.unique(data["instance_data"]["instance_id"])) == len(names)
