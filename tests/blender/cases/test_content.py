"""I15 and I16: what counts as one primitive, and materials by slot."""

import bpy
import numpy as np
import pytest
from builders import add, collection, fan, hair, instance, material, plane, points, scatter
from gpuscene.core.limits import NO_INDEX

VISIBLE = pytest.mark.parametrize("visible", ["viewport", "render"])


def triangles_of(data):
    """Sorted (triangles, instances) of each primitive."""
    return sorted(zip((data["primitives"]["index_count"] // 3).tolist(), data.instances_per_primitive().tolist()))


def batches_of(data, primitive):
    """(material name or None, triangles, instances) of a primitive's LOD 0 batches."""
    rows = np.flatnonzero((data["batches"]["primitive_id"] == primitive) & (data["batches"]["lod_index"] == 0))
    return [
        (None if m == NO_INDEX else data.materials[m].name, int(args["index_count"]) // 3, int(args["instance_count"]))
        for m, args in zip(data["batches"]["material_index"][rows].tolist(), data["indirect_args"][rows])
    ]


def primitive_of(data, source):
    row = [data.sources[s] for s in data["instance_sources"]].index(source)
    return int(data["instance_data"]["primitive_id"][row])


def findings(data, code):
    return [f for f in data.findings if f.code == code]


def cube(name):
    corners = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(corners, [], [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)])
    return mesh


# I15


@VISIBLE
def test_i15_array_counts_on_a_linked_mesh(check, visible):
    mesh = fan("leaf", 5)
    for count in (2, 3, 4):
        add(f"array {count}", mesh, location=(0, 5 * count, 0)).modifiers.new("array", "ARRAY").count = count
    data, _ = check(visible)
    assert triangles_of(data) == [(10, 1), (15, 1), (20, 1)]
    assert data.batch_count == 3


def test_i15_the_plain_mesh_is_a_fourth(check):
    mesh = fan("leaf", 5)
    for count in (2, 2, 3):
        add("array", mesh).modifiers.new("array", "ARRAY").count = count
    for index in range(3):
        add("plain", mesh, location=(index, 0, 0))
    assert triangles_of(check()[0]) == [(5, 3), (10, 2), (15, 1)]


@VISIBLE
def test_i15_identical_bevels_are_one(check, visible):
    mesh = cube("cube")
    for index in range(6):
        obj = add(f"cube {index}", mesh, location=(4 * index, 0, 0), rotation=(0, 0, 10 * index))
        bevel = obj.modifiers.new("bevel", "BEVEL")
        bevel.width, bevel.segments, bevel.limit_method = 0.1, 2, "NONE"
    data, expected = check(visible)
    assert data.primitive_count == 1 and data.instance_count == 6
    assert len({id(one.look) for one in expected}) == 6, "Blender evaluated each on its own"


def test_i15_another_bevel_width_and_another_shading_are_not(check):
    mesh = cube("cube")
    for width in (0.1, 0.1, 0.11):
        bevel = add("bevelled", mesh).modifiers.new("bevel", "BEVEL")
        bevel.width = width
    data, _ = check()
    assert sorted(data.instances_per_primitive().tolist()) == [1, 2]
    smooth = cube("cube")
    smooth.shade_smooth()
    add("smooth", smooth, location=(9, 0, 0))
    add("flat", cube("cube"), location=(19, 0, 0))
    data, _ = check()
    assert primitive_of(data, "smooth") != primitive_of(data, "flat")
    vertices = data["primitives"]["vertex_count"]
    assert (vertices[primitive_of(data, "smooth")], vertices[primitive_of(data, "flat")]) == (8, 24)


def test_i15_one_sharp_edge_in_a_large_smooth_mesh_is_another_mesh(check):
    """Two corners in 40,000: far less than the share of normals that may differ by rounding."""
    for index in range(2):
        mesh = bpy.data.meshes.new(f"hill {index}")
        side = 101
        heights = [(x, y, 0.1 * ((x * 7 + y * 13) % 5)) for y in range(side) for x in range(side)]
        mesh.from_pydata(heights, [], [(i, i + 1, i + side + 1, i + side) for y in range(side - 1) for i in range(y * side, y * side + side - 1)])
        mesh.shade_smooth()
        if index:
            mesh.edges[5000].use_edge_sharp = True
            mesh.edges[5003].use_edge_sharp = True
        add(f"hill {index}", mesh, location=(200 * index, 0, 0))
    data, _ = check()
    assert data.instances_per_primitive().tolist() == [1, 1]


def test_i15_separate_copies_of_a_mesh_are_one(check):
    for index in range(3):
        add(f"copy {index}", fan(f"mesh {index}", 6), location=(index, 0, 0))
    assert triangles_of(check()[0]) == [(6, 3)]


def test_i15_uvs_keep_apart(check):
    for name, corner in (("a", (0, 0)), ("b", (0, 0)), ("c", (0.5, 0)), ("none", None)):
        mesh = plane(name)
        if corner:
            mesh.uv_layers.new(name="UVMap").uv[0].vector = corner
        add(name, mesh)
    data, _ = check()
    kinds = [primitive_of(data, name) for name in ("a", "b", "c", "none")]
    assert kinds[0] == kinds[1] and len(set(kinds)) == 3


def test_i15_primitives_come_in_the_order_of_their_first_object(extract):
    """Not in that of addresses in memory, which change from export to export."""
    for index in range(40):
        for copy in range(2):
            add(f"object {index} {copy}", bpy.data.meshes.get(f"mesh {index}") or fan(f"mesh {index}", 3 + index))
    graph = bpy.context.evaluated_depsgraph_get()
    first = {}
    for obj in graph.objects:
        first.setdefault(len(obj.data.polygons), obj.name)
    assert list(extract().primitive_names) == list(first.values())


# I16


def two_slots(red="red", blue="blue"):
    return fan("leaf", 5, materials=[material(red), material(blue)])  # 3 triangles red, 2 blue


def override(obj, index, value):
    obj.material_slots[index].link = "OBJECT"
    obj.material_slots[index].material = value


@VISIBLE
def test_i16_one_slot_overridden(check, visible):
    mesh = two_slots()
    override(add("own", mesh, location=(3, 0, 0)), 1, material("green"))
    data, _ = check(visible)
    assert batches_of(data, 0) == [("red", 3, 1), ("green", 2, 1)] and data.batch_count == 2


def test_i16_one_of_three_linked_duplicates(check):
    mesh = two_slots()
    for index in range(3):
        add(f"copy {index}", mesh, location=(index, 0, 0))
    override(bpy.data.objects["copy 1"], 1, material("green"))
    data, _ = check()
    assert data.primitive_count == 2
    assert batches_of(data, primitive_of(data, "copy 0")) == [("red", 3, 2), ("blue", 2, 2)]
    assert batches_of(data, primitive_of(data, "copy 1")) == [("red", 3, 1), ("green", 2, 1)]
    # Materials differ, geometry does not: vertices are in the file once.
    assert len(set(data["primitives"]["base_vertex"].tolist())) == 1
    assert len(data["vertex_positions"]) == data["primitives"]["vertex_count"][0]


def test_i16_one_slot_of_one_and_an_override_that_changes_nothing(check):
    red, green = material("red"), material("green")
    mesh = fan("leaf", 4, materials=[red])
    for index in range(4):
        add(f"copy {index}", mesh, location=(index, 0, 0))
    override(bpy.data.objects["copy 1"], 0, green)
    override(bpy.data.objects["copy 2"], 0, red)
    data, _ = check()
    assert sorted(tuple(batches_of(data, p)) for p in range(data.primitive_count)) == [(("green", 4, 1),), (("red", 4, 3),)]


@pytest.mark.parametrize("slots", [1, 2])
def test_i16_an_override_with_an_empty_slot(check, slots):
    """Blender's evaluated object then shows the mesh's own material: the oracle reads that from Blender."""
    mesh = two_slots() if slots == 2 else fan("leaf", 4, materials=[material("red")])
    for index in range(3):
        add(f"copy {index}", mesh, location=(index, 0, 0))
    override(bpy.data.objects["copy 2"], 0, None)
    data, _ = check()
    assert batches_of(data, primitive_of(data, "copy 2")) == ([("red", 3, 3), ("blue", 2, 3)] if slots == 2 else [("red", 4, 3)])


@pytest.mark.parametrize(
    ("slots", "right"),
    [
        (0, [(None, 6)]),
        (1, [("m0", 6)]),
        (2, [("m0", 2), ("m1", 4)]),
    ],
)
def test_i16_more_material_indices_than_slots(check, slots, right):
    """Faces 0 to 5 ask for slots 0, 1, 2 in turn; Blender shows the last slot's material where the slot does not exist."""
    mesh = fan("leaf", 6)
    for index in range(slots):
        mesh.materials.append(material(f"m{index}"))
    for polygon in mesh.polygons:
        polygon.material_index = polygon.index % 3
    add("leaf", mesh)
    data, _ = check()
    shown = {}
    for name, count, _instances in batches_of(data, 0):
        shown[name] = shown.get(name, 0) + count
    assert sorted(shown.items(), key=str) == right


def test_i16_a_slot_without_faces_makes_no_batch(check):
    mesh = two_slots()
    mesh.materials.append(material("unused"))
    add("leaf", mesh)
    data, _ = check()
    assert data.batch_count == 2 and [m.name for m in data.materials] == ["red", "blue"]


def test_i16_overrides_inside_what_is_instanced(check):
    mesh = two_slots()
    group = collection("group", linked=False)
    add("plain", mesh, group)
    override(add("own", mesh, group, location=(3, 0, 0)), 0, material("green"))
    instance("first", group)
    instance("second", group, location=(0, 9, 0))
    owner = add("owner", points("points", [(0, 0, 5), (1, 0, 5), (2, 0, 5)]))
    scatter(owner, bpy.data.objects["own"])
    data, _ = check()
    kinds = sorted(tuple(batches_of(data, p)) for p in range(data.primitive_count))
    assert kinds == [(("green", 3, 5), ("blue", 2, 5)), (("red", 3, 2), ("blue", 2, 2))]


def test_i16_two_users_of_one_hair_with_different_materials(check):
    mesh = two_slots()
    leaf = add("leaf", mesh, location=(0, 0, -50))
    override(leaf, 1, material("green"))
    hair(add("ground", plane("ground", 4, 4)), "hair", 20, leaf)
    add("other", mesh, location=(0, 9, 0))
    data, _ = check()
    assert sorted(tuple(batches_of(data, p)) for p in range(data.primitive_count) if len(batches_of(data, p)) == 2) == [
        (("red", 3, 1), ("blue", 2, 1)),
        (("red", 3, 21), ("green", 2, 21)),
    ]
