"""Instance ids: unique, and the same from export to export whatever else comes and goes."""

import bpy
import numpy as np
import pytest
from builders import Nodes, add, collection, fan, hair, instance, plane, points, scatter
from gpuscene.blender.export import ExportSettings, extract_scene
from gpuscene.core import gltf, ids


@pytest.fixture(autouse=True)
def empty_scene():
    bpy.ops.wm.read_factory_settings(use_empty=True)


def extract(visible="viewport", **settings):
    return extract_scene(bpy.context, ExportSettings(visible=visible, **settings))


def ids_by_place(data):
    """(source, position) -> its ids, for two hairs can grow in one place; asserts that ids are distinct."""
    numbers = data["instance_data"]["instance_id"].tolist()
    assert len(set(numbers)) == len(numbers) and 0xFFFFFFFF not in numbers
    places = {}
    position = np.round(data["instance_transforms"]["position"].astype(float), 4) + 0.0
    for source, place, number in zip(data["instance_sources"], position.tolist(), numbers):
        places.setdefault((data.sources[source], *place), set()).add(number)
    assert len(places) >= len(numbers) - 2
    return places


def assert_kept(before, after):
    """Every place in both has its id; something is in both."""
    both = before.keys() & after.keys()
    assert both and {p: before[p] for p in both} == {p: after[p] for p in both}
    return both


GRID = [(x, y, 0) for x in range(6) for y in range(5)]


def world():
    """Each way to make an instance."""
    leaf = add("leaf", fan("leaf", 4), location=(0, 0, 20))
    shared = fan("shared", 5)
    for index in range(4):
        add(f"copy {index}", shared, location=(index, 0, 30))
    scatter(add("scatter", points("points", GRID), location=(0.5, 0.5, 40)), leaf)
    inner = collection("inner", linked=False)
    add("inside", fan("inside", 6), inner, location=(0, 0, 0.25))
    add("inside 2", shared, inner, location=(0, 0, 0.75))
    outer = collection("outer", linked=False)
    for index in range(3):
        instance(f"middle {index}", inner, outer, location=(0, index, 0))
    for index in range(2):
        instance(f"outer {index}", outer, location=(20 * index, 0, 50))
    scatter(add("group scatter", points("points 2", [(10 * i, 0, 0) for i in range(7)]), location=(0, 0, 60)), outer)
    hair(add("ground", plane("ground", 4, 4), location=(0, 0, 70)), "hair", 15, leaf)
    faces = add("faces", plane("faces", 2, 2), location=(0, 0, 80))
    faces.instance_type = "FACES"
    add("on faces", fan("on faces", 7), parent=faces)
    text = bpy.data.curves.new("text", "FONT")
    text.body = "Ab"
    add("text", text, location=(0, 0, 90))


@pytest.mark.parametrize("visible", ["viewport", "render"])
def test_the_same_in_two_exports_and_in_both_visibilities(visible):
    world()
    first = ids_by_place(extract("viewport"))
    assert len(first) > 100
    second = ids_by_place(extract(visible))
    assert assert_kept(first, second) == second.keys()
    # A render hides the object that stands on the faces itself.
    assert {source for source, *_ in first.keys() - second.keys()} == ({"on faces"} if visible == "render" else set())


def test_the_same_after_saving_and_loading(tmp_path):
    world()
    before = ids_by_place(extract())
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "a.blend"))
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "a.blend"))
    assert ids_by_place(extract()) == before


def test_the_same_through_the_file(tmp_path):
    world()
    data = extract()
    gltf.write(data, tmp_path / "out.glb")
    assert (gltf.read(tmp_path / "out.glb")["instance_data"]["instance_id"] == data["instance_data"]["instance_id"]).all()


def test_others_come_and_go():
    world()
    before = ids_by_place(extract())
    for index in range(5):
        add(f"a new one {index}", fan("new", 3 + index), location=(index, 0, 100))
    add("copy 0.5", bpy.data.meshes["shared"], location=(0.5, 0, 30))
    instance("outer 9", bpy.data.collections["outer"], location=(90, 0, 50))
    assert assert_kept(before, ids_by_place(extract())) == before.keys()
    for name in ("copy 1", "outer 0", "ground", "text", "inside"):
        bpy.data.objects.remove(bpy.data.objects[name])
    after = ids_by_place(extract())
    kept = assert_kept(before, after)
    assert {source for source, *_ in kept} >= {"copy 0", "copy 2", "inside 2", "leaf", "on faces"}


def test_content_order_and_axes_do_not_matter():
    world()
    data = extract()
    before = dict(zip([data.sources[s] for s in data["instance_sources"]], data["instance_data"]["instance_id"].tolist()))
    bpy.data.objects["leaf"].data.vertices[0].co.z += 3
    bpy.data.objects["copy 2"].location.x += 0.5
    bpy.data.objects["copy 1"].modifiers.new("array", "ARRAY")
    data = extract(axes="unity")
    after = dict(zip([data.sources[s] for s in data["instance_sources"]], data["instance_data"]["instance_id"].tolist()))
    for name in ("copy 0", "copy 1", "copy 2", "leaf", "text"):
        assert after[name] == before[name], name


def test_a_scope_keeps_the_ids():
    world()
    before = ids_by_place(extract())
    part = collection("part")
    for name in ("copy 1", "scatter", "outer 1"):
        part.objects.link(bpy.data.objects[name])
    some = ids_by_place(extract(scope="collection", collection="part"))
    assert assert_kept(before, some) == some.keys() and len(some) == 1 + 30 + 6


def identified(owner, leaf, identity, keep=None):
    """Geometry Nodes: instances on points, `id` from the named point attribute, and only points whose `keep` is set."""
    nodes = Nodes()
    geometry = nodes.input
    if identity:
        value = nodes.add("InputNamedAttribute", {"data_type": "INT"}, Name=identity)
        geometry = nodes.add("SetID", Geometry=geometry, ID=next(s for s in value.outputs if s.enabled)).outputs[0]
    if keep:
        chosen = nodes.add("InputNamedAttribute", {"data_type": "BOOLEAN"}, Name=keep)
        geometry = nodes.add(
            "SeparateGeometry", {"domain": "POINT"}, Geometry=geometry, Selection=next(s for s in chosen.outputs if s.enabled)
        ).outputs["Selection"]
    source = nodes.add("ObjectInfo", Object=leaf, As_Instance=True)
    placed = nodes.add("InstanceOnPoints", Points=geometry, Instance=next(s for s in source.outputs if s.type == "GEOMETRY"))
    owner.modifiers.clear()
    nodes.on(owner, placed.outputs[0])


def scattered(values, kept):
    mesh = points("points", GRID)
    mesh.attributes.new("number", "INT", "POINT").data.foreach_set("value", values)
    mesh.attributes.new("kept", "BOOLEAN", "POINT").data.foreach_set("value", kept)
    leaf = add("leaf", fan("leaf", 4))
    leaf.hide_viewport = True
    return add("owner", mesh), leaf


@pytest.mark.parametrize("values", [list(range(100, 130)), [-5 + 7 * i for i in range(30)]], ids=["positive", "negative"])
def test_points_taken_away_leave_the_others_ids(values):
    owner, leaf = scattered(np.array(values, np.int32), np.arange(30) % 3 != 0)
    identified(owner, leaf, "number")
    before = ids_by_place(extract())
    identified(owner, leaf, "number", "kept")
    after = ids_by_place(extract())
    assert (len(before), len(after)) == (30, 20)
    assert assert_kept(before, after) == after.keys()


def test_repeated_id_values_still_give_unique_ids():
    owner, leaf = scattered(np.arange(30, dtype=np.int32) % 4, np.ones(30, bool))
    identified(owner, leaf, "number")
    first = ids_by_place(extract())
    assert len(first) == 30 and ids_by_place(extract()) == first


def test_an_id_follows_its_point_to_another_place_in_the_order():
    """The same numbers in reverse order of points."""
    owner, leaf = scattered(np.arange(30, dtype=np.int32), np.ones(30, bool))
    identified(owner, leaf, "number")
    before = extract()
    owner.data.attributes["number"].data.foreach_set("value", np.arange(30, dtype=np.int32)[::-1].copy())
    owner.data.update_tag()
    after = extract()
    assert after["instance_data"]["instance_id"].tolist() == before["instance_data"]["instance_id"].tolist()[::-1]


def test_sheared_instances_have_ids_of_their_own():
    parent = add("parent", None, scale=(1, 3, 1))
    mesh = fan("leaf", 4)
    for index in range(5):
        add(f"child {index}", mesh, parent=parent, rotation=(0, 0, 45), location=(index, 0, 0))
    first = ids_by_place(extract())
    parent.scale = (2, 5, 1)
    second = extract()
    assert set(second["instance_data"]["instance_id"].tolist()) == set().union(*first.values())
    assert all(f.code == "shear" for f in second.findings) and len(second.findings) == 5


def test_one_mesh_on_an_object_alone_or_shared():
    """Shared meshes are read in bulk, a single one is not: the id must not tell."""
    mesh = fan("leaf", 4)
    add("one", mesh)
    alone = ids_by_place(extract())
    add("two", mesh, location=(1, 0, 0))
    assert assert_kept(alone, ids_by_place(extract())) == alone.keys()


def test_hidden_instancers_change_nothing():
    """An instancer of another kind in the file makes Blender expand it, which must not show in the ids of the rest."""
    world()
    bpy.data.objects.remove(bpy.data.objects["ground"])
    bpy.data.objects.remove(bpy.data.objects["faces"])
    before = ids_by_place(extract())
    hair(add("new ground", plane("new ground", 2, 2), location=(0, 0, 99)), "hair", 5, bpy.data.objects["leaf"])
    assert_kept({k: v for k, v in before.items() if k[0] != "on faces"}, ids_by_place(extract()))


@pytest.mark.parametrize("low", [7, 0xFFFFFFFF])
def test_keys_that_fold_to_one_id_are_told_apart(monkeypatch, low):
    """64-bit keys made to have the same fold, or the fold that is reserved for none."""
    mesh = fan("leaf", 4)
    for index in range(40):
        add(f"leaf {index}", mesh, location=(index, 0, 0))

    def combine(parent, child):
        mixed = original(parent, child)
        return (mixed & np.uint64(0xFFFFFFFF)) << np.uint64(32) | ((mixed & np.uint64(0xFFFFFFFF)) ^ np.uint64(low))

    original = ids.combine
    monkeypatch.setattr(ids, "combine", combine)
    data = extract()
    found = ids_by_place(data)
    assert len(found) == 40
    assert ids_by_place(extract()) == found
    bpy.data.objects.remove(bpy.data.objects["leaf 39"])
    assert len(ids_by_place(extract())) == 39


def test_equal_keys_are_told_apart_too(monkeypatch):
    mesh = fan("leaf", 4)
    for index in range(9):
        add(f"leaf {index}", mesh, location=(index, 0, 0))
    original = ids.combine
    monkeypatch.setattr(ids, "combine", lambda parent, child: original(parent, child) * np.uint64(0) + np.uint64(5))
    assert len(ids_by_place(extract())) == 9
