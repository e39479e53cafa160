"""I7 and I9: collection instances, nested, and of excluded collections."""

import bpy
import numpy as np
import pytest
from mathutils import Matrix

import oracle
from builders import Nodes, add, collection, fan, hair, instance, layer_collection, plane, points, scatter, trs

VISIBLE = pytest.mark.parametrize("visible", ["viewport", "render"])


@VISIBLE
def test_i7_three_copies_under_other_names(check, visible):
    group = collection("group", linked=False)
    add("leaf", fan("leaf", 4), group, location=(1, 0, 0))
    add("stone", fan("stone", 5), group, scale=(2, 2, 2))
    places = {"left": (-10, 0, 0), "Ältere Kopie": (10, 0, 0), "group.001": (0, 10, 0)}
    for name, place in places.items():
        instance(name, group, location=place)
    data, expected = check(visible)
    assert oracle.counts_by_object(expected) == {"leaf": 3, "stone": 3} and data.primitive_count == 2
    right = [Matrix.Translation(p) @ m for p in places.values() for m in (Matrix.Translation((1, 0, 0)), Matrix.Diagonal((2, 2, 2, 1)))]
    oracle.assert_same_matrices(data.world_from_local(), right)
    assert len(np.unique(data["instance_data"]["instance_id"])) == 6
    # The name of what was instanced, not of the instancer, says where a row comes from.
    assert sorted({data.sources[i] for i in data["instance_sources"]}) == ["leaf", "stone"]


@VISIBLE
def test_i7_nested_two_deep_with_offsets(check, visible):
    inner = collection("inner", linked=False, offset=(1, 2, 3))
    add("leaf", fan("leaf", 4), inner, location=(5, 0, 0))
    middle = collection("middle", linked=False, offset=(0, 0, -4))
    instance("a", inner, middle, location=(10, 0, 0))
    instance("b", inner, middle, rotation=(0, 0, 90), scale=(2, 1, 1))
    outer = trs((100, 0, 0), (90, 0, 0), (1, 1, 3))
    instance("outer", middle, location=(100, 0, 0), rotation=(90, 0, 0), scale=(1, 1, 3))
    data, _ = check(visible)
    leaf = Matrix.Translation((-1, -2, -3)) @ Matrix.Translation((5, 0, 0))
    middle_offset = outer @ Matrix.Translation((0, 0, 4))
    oracle.assert_same_matrices(data.world_from_local(), [
        middle_offset @ Matrix.Translation((10, 0, 0)) @ leaf, middle_offset @ trs(rotation=(0, 0, 90), scale=(2, 1, 1)) @ leaf])


@VISIBLE
@pytest.mark.parametrize("depth", [3, 7, 8, 9, 12])
def test_i7_nested_as_deep_as_blender_goes(check, visible, depth):
    """Each level holds a leaf and an instance of the next."""
    mesh, inner = fan("leaf", 4), None
    for level in range(depth):
        group = collection(f"level {level}", linked=False, offset=(0, 0, 1))
        add(f"leaf {level}", mesh, group, location=(level, 0, 0))
        if inner:
            instance(f"to {level}", inner, group, location=(0, 1, 0), rotation=(0, 0, 10))
        inner = group
    instance("top", inner)
    check(visible)


def deeper(by, level, source, hidden):
    """An object that instances `source` once, in one of Blender's ways."""
    if by in ("collection", "scatter of collections"):
        group = collection(f"group {level}", linked=False)
        group.objects.link(source)
        if by == "collection":
            return instance(f"copy {level}", group, hidden, location=(1, 0, 0))
        made = add(f"scatter {level}", points("p", [(1, 0, 0)]), hidden)
        scatter(made, group)
        return made
    if by == "scatter on text":
        text = bpy.data.curves.new("text", "FONT")
        text.body = "."
        made = add(f"scatter {level}", text, hidden)
        scatter(made, source, keep=True)
        return made
    made = add(f"scatter {level}", points("p", [(1, 0, 0)]), hidden)
    if by == "scatter of objects":
        scatter(made, source)
        return made
    nodes = Nodes()
    info = nodes.add("ObjectInfo", Object=source, As_Instance=True).outputs["Geometry"]
    inner = nodes.add("InstanceOnPoints", Points=nodes.add("Points", Count=1).outputs[0], Instance=info).outputs[0]
    if by == "scatter of geometry and mesh":
        inner = nodes.add("JoinGeometry", Geometry=[inner, nodes.add("MeshGrid").outputs["Mesh"]]).outputs[0]
    placed = nodes.add("InstanceOnPoints", Points=nodes.input, Instance=inner).outputs[0]
    if by == "scatter beside curves":
        placed = nodes.add("JoinGeometry", Geometry=[placed, nodes.add("CurvePrimitiveCircle").outputs[0]]).outputs[0]
    nodes.on(made, placed)
    return made


WAYS = ["collection", "scatter of objects", "scatter of collections", "scatter of geometry", "scatter of geometry and mesh", "scatter on text",
        "scatter beside curves"]


@pytest.mark.parametrize("by", WAYS)
@pytest.mark.parametrize("depth", range(1, 10))
def test_i7_every_way_of_nesting_as_deep_as_blender_goes(check, by, depth):
    hidden = collection("hidden", linked=False)
    source = add("leaf", fan("leaf", 4), hidden)
    for level in range(depth):
        source = deeper(by, level, source, hidden)
    bpy.context.scene.collection.objects.link(source)
    add("always", fan("always", 6))
    data, expected = check()
    # A finding wherever something is left out, and nowhere else.
    told = any(f.code == "nested-too-deep" for f in data.findings)
    assert told or oracle.counts_by_object(expected)["leaf"] >= 1
    assert not (told and by == "collection" and depth < 7)


@VISIBLE
def test_i7_one_thing_nested_at_every_depth(check, visible):
    """The same chain hangs below the scene at each of its levels, so that parts of it are cut at different places."""
    hidden = collection("hidden", linked=False)
    source = add("leaf", fan("leaf", 4), hidden)
    for level, by in enumerate([*WAYS, "collection", "scatter of objects"]):
        source = deeper(by, level, source, hidden)
        if level % 2:
            bpy.context.scene.collection.objects.link(source)
    check(visible)


@VISIBLE
def test_i7_what_an_instanced_collection_holds(check, visible):
    """Children collections, hidden members, a parent elsewhere, objects in two of its collections, an empty collection, itself."""
    group = collection("group", linked=False, offset=(0, 1, 0))
    child = collection("child", group)
    child.instance_offset = (50, 50, 50)  # only the offset of the instanced collection itself counts
    parent = add("parent", None, location=(7, 0, 0), rotation=(0, 0, 45))
    add("leaf", fan("leaf", 4), group, location=(1, 0, 0), parent=parent)
    both = add("both", fan("both", 5), child)
    group.objects.link(both)
    add("hidden", fan("hidden", 6), child).hide_viewport = True
    add("unrendered", fan("unrendered", 7), child).hide_render = True
    dark = collection("dark", group)
    dark.hide_render = True
    add("dark", fan("dark", 8), dark)
    instance("empty", collection("empty", linked=False), group)
    instance("itself", group, group, location=(0, 0, 3))
    instance("top", group, location=(0, 0, 9))
    data, expected = check(visible)
    counts = oracle.counts_by_object(expected)
    assert counts["leaf"] == counts["both"] >= 1
    assert (counts["hidden"] > 0) == (visible == "render") and (counts["unrendered"] > 0) == (counts["dark"] > 0) == (visible == "viewport")


@VISIBLE
@pytest.mark.parametrize("by", ["collection instance", "scatter", "pick", "object", "hair", "outer collection"])
def test_i9_excluded_but_instanced(check, visible, by):
    outer = collection("outer")
    group = collection("group", outer)
    leaf = add("leaf", fan("leaf", 4), group, location=(1, 0, 0))
    inner = collection("inner", group)
    add("deeper", fan("deeper", 5), inner, rotation=(0, 0, 30))
    layer_collection("group").exclude = True
    owner = points("owner", [(0, 0, 1), (0, 0, 2)])
    if by == "collection instance":
        instance("copy", group, location=(0, 0, 3))
        right = {"leaf": 1, "deeper": 1}
    elif by == "outer collection":
        instance("copy", outer, location=(0, 0, 3))
        right = {"leaf": 1, "deeper": 1}
    elif by == "scatter":
        scatter(add("owner", owner), group)
        right = {"leaf": 2, "deeper": 2}
    elif by == "pick":
        scatter(add("owner", owner), group, pick=True)
        right = {"leaf": 1, "deeper": 1}
    elif by == "object":
        scatter(add("owner", owner), leaf)
        right = {"leaf": 2}
    else:
        hair(add("emitter", plane("emitter", 4, 4)), "hair", 6, group).settings.use_whole_collection = True
        right = {"emitter": 1, "leaf": 6, "deeper": 6}
    _, expected = check(visible)
    assert oracle.counts_by_object(expected) == right


@VISIBLE
def test_i9_excluded_with_instancers_inside(check, visible):
    """What is excluded instances, by collection, nodes, hair and vertices, inside a collection that is instanced."""
    group = collection("group")
    parts = collection("parts")
    leaf = add("leaf", fan("leaf", 4), parts, location=(1, 0, 0))
    instance("copy", parts, group)
    scatter(add("scatter", points("p", [(0, 0, 1), (0, 0, 2)]), group), leaf)
    hair(add("emitter", plane("emitter", 2, 2), group), "hair", 5, leaf)
    layer_collection("group").exclude = layer_collection("parts").exclude = True
    instance("shown", group, location=(0, 0, 3), rotation=(0, 90, 0))
    _, expected = check(visible)
    assert oracle.counts_by_object(expected) == {"leaf": 1 + 2 + 5, "emitter": 1}
