"""Levels of detail by name and by list: one primitive with its levels, thresholds that meet, a finding for what is wrong."""

import bpy
import numpy as np
import pytest
from builders import add, collection, fan, hair, instance, layer_collection, material, plane, points, scatter
from gpuscene.blender import registration
from gpuscene.core import gltf, lod


@pytest.fixture(autouse=True)
def registered(empty_scene):
    registration.register()
    yield
    registration.unregister()


def tree(*sides, name="tree", levels=None, group=None, **placing):
    """Objects ``tree_LOD0``, ``tree_LOD1``, ... whose meshes have `sides` triangles."""
    return [
        add(f"{name}_LOD{level}", fan(f"{name} {count}", count), group, **placing)
        for level, count in zip(levels or range(len(sides)), sides)
    ]


def chain(data, primitive=0):
    """(triangles, screen_size_in, screen_size_out) of every level; asserts that each is left where the next is entered."""
    row = data["primitives"][primitive]
    lods = data["lods"][row["first_lod"] : row["first_lod"] + row["lod_count"]]
    assert (lods["screen_size_out"][:-1] == lods["screen_size_in"][1:]).all() and lods["screen_size_out"][-1] == 0
    assert lods["screen_size_in"][0] == np.float32(lod.NO_LIMIT)
    return [(int(r["index_count"]) // 3, float(r["screen_size_in"]), float(r["screen_size_out"])) for r in lods]


def codes(data):
    return sorted((f.code, f.subject) for f in data.findings)


def sizes_and_triangles(data, primitive=0):
    return [(triangles, round(size, 6) if size < 1e9 else None) for triangles, size, _ in chain(data, primitive)]


@pytest.mark.parametrize("visible", ["viewport", "render"])
def test_levels_by_name(extract, visible):
    tree(9, 5, 3)
    add("other", fan("other", 4))
    data = extract(visible)
    names = {data.sources[s] for s in data["instance_sources"]}
    assert names == {"tree_LOD0", "other"}
    which = data.primitive_names.index("tree_LOD0")
    assert sizes_and_triangles(data, which) == [(9, None), (5, 0.25), (3, 0.125)]
    assert not data.findings


def test_many_trees_share_their_levels(extract):
    first, *_ = tree(9, 5)
    for index in range(6):
        add("tree_LOD0", first.data, location=(index, 0, 0))
    data = extract()
    assert data.instances_per_primitive().tolist() == [7] and len(chain(data)) == 2
    lods = data["batches"]["lod_index"]
    assert data["indirect_args"]["instance_count"][lods == 0].tolist() == [7]
    assert data["indirect_args"]["instance_count"][lods == 1].tolist() == [0]
    assert data["batches"]["max_instance_count"].tolist() == [7, 7]


@pytest.mark.parametrize("way", ["collection", "object info", "geometry", "collection info", "hair"])
def test_levels_wherever_the_object_is_instanced(extract, way):
    group = collection("group", linked=way == "hair")
    first, *_ = tree(9, 5, 3, group=group)
    if way == "collection":
        instance("a", group)
        instance("b", group, location=(0, 9, 0))
    elif way == "hair":
        ground = add("ground", plane("ground", 4, 4))
        ground.show_instancer_for_viewport = False
        hair(ground, "hair", 12, group)
    else:
        owner = add("owner", points("points", [(0, 0, 0), (1, 0, 0)]))
        scatter(owner, group if way == "collection info" else first, as_instance=way != "geometry")
    data = extract()
    assert {len(chain(data, p)) for p in np.flatnonzero(data.instances_per_primitive()).tolist()} == {3}
    assert sizes_and_triangles(data, int(data["instance_data"]["primitive_id"][0])) == [(9, None), (5, 0.25), (3, 0.125)]
    if way != "hair":
        assert data.instance_count == 2


def test_a_coarse_level_without_its_finest_is_an_object_like_any(extract):
    add("tree_LOD1", fan("tree", 5))
    data = extract()
    assert data.instance_count == 1 and sizes_and_triangles(data) == [(5, None)]


def test_a_gap_in_the_numbers(extract):
    tree(9, 5, 3, levels=(0, 2, 3))
    data = extract()
    assert sizes_and_triangles(data) == [(9, None), (5, 0.125), (3, 0.0625)]
    assert codes(data) == [("lod-gap", "tree_LOD0")]


def listed(obj, *entries, hysteresis=None):
    for other, size in entries:
        item = obj.gpuscene.lods.add()
        item.object, item.screen_size = other, size
    if hysteresis is not None:
        obj.gpuscene.lod_hysteresis = hysteresis


@pytest.mark.parametrize("visible", ["viewport", "render"])
def test_levels_by_list(extract, visible):
    fine, mid, far = (add(name, fan(name, sides)) for name, sides in (("fine", 9), ("mid", 5), ("far", 3)))
    mid.hide_viewport = far.hide_viewport = mid.hide_render = far.hide_render = True
    listed(fine, (mid, 0.5), (far, 0.1), hysteresis=0.2)
    data = extract(visible)
    assert data.instance_count == 1
    assert sizes_and_triangles(data) == [(9, None), (5, 0.5), (3, 0.1)]
    assert data["lods"]["hysteresis"].tolist() == [np.float32(0.2)] * 3
    assert not data.findings


def test_a_list_wins_over_names(extract):
    first, *_ = tree(9, 5, 3)
    own = add("own", fan("own", 4))
    own.hide_viewport = True
    listed(first, (own, 0.3))
    assert sizes_and_triangles(extract()) == [(9, None), (4, 0.3)]


def test_a_list_in_the_wrong_order_is_sorted(extract):
    fine, mid, far = (add(name, fan(name, sides)) for name, sides in (("fine", 9), ("mid", 5), ("far", 3)))
    mid.hide_viewport = far.hide_viewport = True
    listed(fine, (far, 0.1), (mid, 0.5))
    data = extract()
    assert sizes_and_triangles(data) == [(9, None), (5, 0.5), (3, 0.1)]
    assert codes(data) == [("lod-order", "fine")]


def test_thresholds_that_are_equal_leave_no_gap(extract):
    fine, mid, far = (add(name, fan(name, sides)) for name, sides in (("fine", 9), ("mid", 5), ("far", 3)))
    mid.hide_viewport = far.hide_viewport = True
    listed(fine, (mid, 0.2), (far, 0.2))
    data = extract()
    assert [size for _, size in sizes_and_triangles(data)] == [None, 0.2, 0.2]
    assert codes(data) == [("lod-order", "fine")]


@pytest.mark.parametrize("kind", ["nothing", "a camera", "no face", "itself"])
def test_a_level_that_is_no_mesh(extract, kind):
    fine, mid = add("fine", fan("fine", 9)), add("mid", fan("mid", 5))
    mid.hide_viewport = True
    other = {
        "nothing": lambda: None,
        "a camera": lambda: add("camera", bpy.data.cameras.new("camera")),
        "no face": lambda: add("bare", points("bare", [(0, 0, 0)])),
        "itself": lambda: fine,
    }[kind]()
    listed(fine, (other, 0.5), (mid, 0.1))
    data = extract()
    fine_row = data.primitive_names.index("fine")
    assert sizes_and_triangles(data, fine_row) == [(9, None), (5, 0.1)]
    assert [code for code, _ in codes(data) if code.startswith("lod")] == ([] if kind == "itself" else ["lod-missing-mesh"])


def test_levels_keep_their_own_materials_and_modifiers(extract):
    first, second = tree(8, 4)
    for index in range(2):
        first.data.materials.append(material(f"fine {index}"))
    for polygon in first.data.polygons:
        polygon.material_index = polygon.index % 2
    second.data.materials.append(material("coarse"))
    second.modifiers.new("array", "ARRAY").count = 2
    data = extract()
    rows = [
        (int(b["lod_index"]), data.materials[b["material_index"]].name, int(a["index_count"]) // 3)
        for b, a in zip(data["batches"], data["indirect_args"])
    ]
    assert rows == [(0, "fine 0", 4), (0, "fine 1", 4), (1, "coarse", 8)]


def test_bounds_hold_the_widest_level(extract):
    tree(4, 3)[1].data.vertices[0].co.z = 50
    data = extract()
    row = data["primitives"][0]
    assert row["box_max"][2] == 50
    assert (np.linalg.norm(data["vertex_positions"] - row["sphere_center"], axis=1) <= row["sphere_radius"] * (1 + 1e-6)).all()
    assert data["instance_transforms"]["bounding_radius"][0] >= row["sphere_radius"]


def test_a_level_outside_the_view_layer(extract):
    """Its modifiers are not evaluated there: said, and the level used as it is."""
    group = collection("levels")
    first, second = tree(9, 5)
    for owner in second.users_collection:
        owner.objects.unlink(second)
    group.objects.link(second)
    second.modifiers.new("array", "ARRAY").count = 2
    layer_collection("levels").exclude = True
    data = extract()
    assert sizes_and_triangles(data) == [(9, None), (5, 0.25)]
    assert codes(data) == [("lod-not-evaluated", "tree_LOD1")]
    layer_collection("levels").exclude = False
    layer_collection("levels").hide_viewport = True
    assert [t for t, _ in sizes_and_triangles(extract())] == [9, 10]


@pytest.mark.parametrize("by_list", [False, True])
def test_more_levels_than_the_format_has(extract, tmp_path, by_list):
    if by_list:
        first = add("fine", fan("fine", 12))
        others = [add(f"level {n}", fan(f"level {n}", 12 - n)) for n in range(1, 10)]
        for other in others:
            other.hide_viewport = True
        listed(first, *((other, 0.9 - 0.05 * n) for n, other in enumerate(others)))
    else:
        tree(*range(12, 2, -1))
    data = extract()
    assert [t for t, _ in sizes_and_triangles(data)] == [12, 11, 10, 9, 8, 7, 6, 5]
    (finding,) = data.findings
    assert finding.code == "lod-limit" and "10 levels; the coarsest 2" in finding.message
    gltf.write(data, tmp_path / "out.glb")
    assert len(chain(gltf.read(tmp_path / "out.glb"))) == 8
