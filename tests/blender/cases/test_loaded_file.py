"""What a file lacks once it is open, and numbers that no float32 table can carry: findings, and the rest unharmed."""

import warnings

import bpy
import numpy as np

from builders import add, collection, fan


def found(data, code):
    return {finding.subject: finding for finding in data.findings if finding.code == code}


def reopen(path):
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.open_mainfile(filepath=str(path), load_ui=False, use_scripts=False)


def test_missing_library_and_missing_data(extract, tmp_path):
    for name in ("kept", "gone"):
        group = collection(name, linked=False)
        add(f"{name} cube", fan(name, 4), group)
        bpy.data.libraries.write(str(tmp_path / f"{name}.blend"), {group}, fake_user=True)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True, load_ui=False)
    for name in ("kept", "gone"):
        with bpy.data.libraries.load(str(tmp_path / f"{name}.blend"), link=True) as (_, target):
            target.collections = [name]
        bpy.context.scene.collection.children.link(target.collections[0])
    add("local", fan("local", 5))
    reopen(tmp_path / "scene.blend")
    data = extract()
    assert data.instance_count == 3 and not found(data, "missing-library") and not found(data, "missing-linked-data")
    (tmp_path / "gone.blend").unlink()
    bpy.data.libraries.write(str(tmp_path / "kept.blend"), {bpy.data.meshes["local"]}, fake_user=True)  # without the collection
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "scene.blend"), load_ui=False)
    data = extract()
    assert data.sources == ("local",)
    assert [f.severity for f in found(data, "missing-library").values()] == ["error"] and "//gone.blend" in found(data, "missing-library")
    assert "kept" in found(data, "missing-linked-data")


def test_a_driver_that_may_not_run(extract, tmp_path):
    """Blender refuses Python in drivers of files it does not trust; simple expressions run all the same."""
    free, bound = add("free", fan("free", 4)), add("bound", fan("bound", 5))
    free.driver_add("location", 0).driver.expression = "frame * 2"
    bound.driver_add("location", 0).driver.expression = "__import__('math').floor(4.5)"
    reopen(tmp_path / "driven.blend")
    data = extract()
    assert set(found(data, "driver-not-run")) == {"bound"}
    at = dict(zip([data.sources[i] for i in data["instance_sources"]], data["instance_transforms"]["position"][:, 0].tolist()))
    assert at["free"] == 2 * bpy.context.scene.frame_current


def test_vertices_past_float32(extract):
    """Blender's own limit is 3.4e38; the box from -3e38 to 3e38 has a diagonal past it, in centimetres each side already."""
    mesh = fan("far", 4)
    mesh.vertices[0].co, mesh.vertices[1].co = (3e38, 3e38, 3e38), (-3e38, -3e38, -3e38)
    add("far", mesh)
    add("near", fan("near", 5))
    data = extract(axes="unreal")
    assert data.instance_count == 2 and "2 vertices" in found(data, "non-finite-mesh")["far"].message
    for table in ("primitives", "instance_transforms"):
        assert all(np.isfinite(data[table][name]).all() for name in ("sphere_radius", "bounding_radius") if name in data[table].dtype.names)


def test_a_property_past_float32_falls_back_to_the_default(extract):
    add("loud", fan("loud", 4))["gpuscene_lod_bias"] = 1e300
    add("quiet", fan("quiet", 5))["gpuscene_lod_bias"] = 0.25
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        data = extract()
    bias = dict(zip([data.sources[i] for i in data["instance_sources"]], data["instance_data"]["custom_data"][:, 0, 1].tolist()))
    assert bias == {"loud": 0.0, "quiet": 0.25}
