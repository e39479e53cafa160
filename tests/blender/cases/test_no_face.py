"""I17: meshes of no vertices, of loose edges, of loose points: no primitive, a finding, and the rest unharmed."""

import bpy
import pytest
from builders import add, collection, fan, instance, points, scatter
from gpuscene.core import gltf

VISIBLE = pytest.mark.parametrize("visible", ["viewport", "render"])


def triangles_of(data):
    """Sorted (triangles, instances) of each primitive."""
    return sorted(zip((data["primitives"]["index_count"] // 3).tolist(), data.instances_per_primitive().tolist()))


def findings(data, code):
    return [f for f in data.findings if f.code == code]


def nothing_at_all():
    return bpy.data.meshes.new("nothing")


def loose_edges():
    mesh = bpy.data.meshes.new("edges")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (1, 1, 0)], [(0, 1), (1, 2)], [])
    return mesh


def loose_points():
    return points("dots", [(0, 0, 0), (1, 1, 1)])


@VISIBLE
@pytest.mark.parametrize("make", [nothing_at_all, loose_edges, loose_points])
def test_i17_no_face_no_primitive(check, tmp_path, visible, make):
    mesh = make()
    add("bare", mesh)
    add("leaf", fan("leaf", 4))
    data, _ = check(visible)
    assert triangles_of(data) == [(4, 1)]
    (finding,) = data.findings
    assert (finding.code, finding.severity, finding.subject) == ("empty-mesh", "warning", "bare")
    assert f"{len(mesh.vertices)} vertices, {len(mesh.edges)} edges" in finding.message
    gltf.write(data, tmp_path / "out.glb")


def test_i17_a_collection_that_holds_one(check):
    group = collection("group", linked=False)
    add("bare", nothing_at_all(), group)
    add("inside", fan("leaf", 4), group)
    for index in range(3):
        instance(f"copy {index}", group, location=(index, 0, 0))
    data, _ = check()
    assert triangles_of(data) == [(4, 3)]
    assert [(f.code, f.subject) for f in data.findings] == [("empty-mesh", "bare")]


def test_i17_linked_duplicates_and_scattered_copies_of_one(check):
    mesh = loose_edges()
    for index in range(3):
        add(f"bare {index}", mesh)
    scatter(add("owner", points("points", [(0, 0, 0), (1, 0, 0)])), bpy.data.objects["bare 0"])
    add("leaf", fan("leaf", 4))
    data, _ = check()
    assert triangles_of(data) == [(4, 1)]
    assert {f.code for f in data.findings} == {"empty-mesh"} and "bare 0" in {f.subject for f in data.findings}


def test_i17_nothing_else_in_the_scene(extract, tmp_path):
    add("bare", nothing_at_all())
    data = extract()
    assert (data.instance_count, data.primitive_count) == (0, 0)
    assert {f.code for f in data.findings} == {"empty-mesh", "nothing-to-draw"}
    gltf.write(data, tmp_path / "out.glb")
    assert gltf.read(tmp_path / "out.glb").instance_count == 0


def test_i17_a_modifier_that_takes_every_face(check):
    obj = add("masked", fan("leaf", 4))
    mask = obj.modifiers.new("mask", "MASK")
    mask.vertex_group = obj.vertex_groups.new(name="none").name
    add("leaf", fan("leaf 2", 5))
    data, _ = check()
    assert triangles_of(data) == [(5, 1)] and [f.subject for f in findings(data, "empty-mesh")] == ["masked"]
