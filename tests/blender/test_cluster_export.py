"""Cluster trees reach the exported file, by the builder that was asked for."""

import bpy
import pytest

from gpuscene.blender.export import ExportSettings, export_scene
from gpuscene.core import gltf
from gpuscene.core.cluster_tree import check, from_tables
from gpuscene.core.culling.bounds import instance_bounds


@pytest.fixture
def two_rows():
    """100 cubes along x, and 40 pyramids along y, 3 apart."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    shapes = (("cube", 100, 0, [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], [(0, 1, 3, 2), (4, 6, 7, 5)]),
              ("pyramid", 40, 1, [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [(0, 2, 1), (0, 1, 3)]))
    for name, count, axis, points, faces in shapes:
        mesh = bpy.data.meshes.new(name)
        mesh.from_pydata(points, [], faces)
        for number in range(count):
            obj = bpy.data.objects.new(f"{name} {number}", mesh)
            obj.location[axis] = 3 * number
            bpy.context.scene.collection.objects.link(obj)


def test_trees_of_scene_and_primitives(two_rows, tmp_path):
    result = export_scene(bpy.context, tmp_path / "rows.glb", ExportSettings(cluster_size=16))
    assert "cluster" in result["seconds"]
    scene = gltf.read(tmp_path / "rows.glb")
    bounds = instance_bounds(scene)
    tree = from_tables(scene)
    check(tree, bounds)
    assert (scene.clusters.builder, scene.clusters.cluster_size, tree.instance_count) == ("sah", 16, 140)
    # the cubes reach from -1 to 298 on x, the pyramids to 118 on y
    assert tree.nodes["box_min"][0] == pytest.approx([-1, -1, -1], abs=1e-3)
    assert tree.nodes["box_max"][0] == pytest.approx([298, 118, 1], abs=1e-3)
    users = scene.instances_per_primitive().tolist()
    assert sorted(users) == [40, 100]
    for primitive, count in enumerate(users):
        own = from_tables(scene, primitive)
        check(own, bounds)
        assert own.instance_count == count
        assert own.nodes["box_max"][0] == pytest.approx([298, 1, 1] if count == 100 else [1, 118, 1], abs=1e-3)


@pytest.mark.parametrize("clusters", ["none", "grid"])
def test_other_choices(two_rows, tmp_path, clusters):
    export_scene(bpy.context, tmp_path / "rows.glb", ExportSettings(clusters=clusters))
    found = gltf.read(tmp_path / "rows.glb").clusters
    assert (found.builder if found else "none") == clusters
