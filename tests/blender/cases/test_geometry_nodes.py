"""I1 to I4: Geometry Nodes instances of objects, collections and geometry, nested, with attributes."""

import bpy
import pytest
from mathutils import Matrix

import oracle
from builders import Nodes, add, collection, fan, hair, material, plane, points, scatter, trs

FIVE = [(0, 0, 0), (1, 0, 0), (0, 2, 0), (0, 0, 3), (4, 5, 6)]
VISIBLE = pytest.mark.parametrize("visible", ["viewport", "render"])


@VISIBLE
@pytest.mark.parametrize("as_instance", [True, False])
def test_i1_object_info_as_instance_on_and_off(check, visible, as_instance):
    leaf = add("leaf", fan("leaf", 4))
    leaf.hide_viewport = leaf.hide_render = True
    owner = add("owner", points("points", FIVE), location=(10, 0, 0))
    scatter(owner, leaf, as_instance)
    data, expected = check(visible)
    assert data.instance_count == len(expected) == 5 and data.primitive_count == 1
    oracle.assert_same_matrices(data.world_from_local(), [Matrix.Translation((10 + x, y, z)) for x, y, z in FIVE])


@pytest.mark.parametrize("as_instance", [True, False])
@pytest.mark.parametrize("space", ["ORIGINAL", "RELATIVE"])
def test_i1_moved_and_turned_sources(check, as_instance, space):
    leaf = add("leaf", fan("leaf", 4), location=(0, 7, 0), rotation=(0, 0, 90), scale=(1, 2, 1))
    owner = add("owner", points("points", FIVE), location=(10, 0, 0), rotation=(90, 0, 0))
    scatter(owner, leaf, as_instance, space)
    data, expected = check()
    assert data.instance_count == 6
    if as_instance and space == "RELATIVE":
        world = trs((10, 0, 0), (90, 0, 0))
        right = [world @ Matrix.Translation(p) @ world.inverted() @ leaf.matrix_world for p in FIVE]
        oracle.assert_same_matrices([one.matrix for one in expected if one.parent], right)


def test_i1_source_outside_the_scene(check):
    leaf = add("leaf", fan("leaf", 4), collection("elsewhere", linked=False), location=(3, 3, 3))
    scatter(add("owner", points("points", FIVE)), leaf)
    assert check()[0].instance_count == 5


@VISIBLE
def test_i2_pick_instance_over_three_meshes(check, visible):
    group = collection("species", linked=False)
    for index, name in enumerate("abc"):
        add(name, fan(name, 3 + index), group, location=(index, 0, 0))
    owner = add("owner", points("points", [(i, 0, 0) for i in range(10)]))
    scatter(owner, group, pick=True)
    # The default index is the point's own: point i picks child i % 3.
    data, expected = check(visible)
    assert data.primitive_count == 3
    triangles = data["primitives"]["index_count"] // 3
    assert dict(zip(triangles.tolist(), data.instances_per_primitive().tolist())) == {3: 4, 4: 3, 5: 3}
    # Reset Children: children stand on the points themselves.
    assert sorted(data.world_from_local()[:, 0, 3].tolist()) == list(range(10))


def test_i2_the_choice_of_the_node(check):
    """Instance Index from an attribute; past the last child and below 0 it wraps round."""
    group = collection("species", linked=False)
    for index, name in enumerate("abc"):
        add(name, fan(name, 3 + index), group)
    picks = [2, 2, 0, 1, 2, -1, 4]
    mesh = points("points", [(i, 0, 0) for i in range(len(picks))])
    mesh.attributes.new("pick", "INT", "POINT").data.foreach_set("value", picks)
    owner = add("owner", mesh)
    nodes = scatter(owner, group, pick=True)
    attribute = nodes.add("InputNamedAttribute", {"data_type": "INT"}, Name="pick").outputs[0]
    placed = next(n for n in nodes.tree.nodes if n.bl_idname == "GeometryNodeInstanceOnPoints")
    nodes.tree.links.new(attribute, placed.inputs["Instance Index"])
    data, _ = check()
    rows = data["instance_data"]["primitive_id"]
    triangles = data["primitives"]["index_count"][rows] // 3
    assert dict(zip(data.world_from_local()[:, 0, 3].astype(int).tolist(), triangles.tolist())) == \
        {0: 5, 1: 5, 2: 3, 3: 4, 4: 5, 5: 5, 6: 4}


def test_i2_the_whole_collection_on_each_point(check):
    group = collection("species", linked=False, offset=(0, 0, 1))
    for index, name in enumerate("abc"):
        add(name, fan(name, 3 + index), group, location=(index, 0, 0))
    owner = add("owner", points("points", [(0, 0, 0), (0, 10, 0)]))
    scatter(owner, group)
    data, _ = check()
    assert data.primitive_count == 3 and data.instance_count == 6
    oracle.assert_same_matrices(data.world_from_local(),
                                [Matrix.Translation((x, y, -1)) for x in (0, 1, 2) for y in (0, 10)])


@VISIBLE
def test_i4_instancer_with_geometry_of_its_own(check, visible):
    leaf = add("leaf", fan("leaf", 5))
    owner = add("owner", plane("ground"), location=(0, 0, 2), scale=(3, 3, 3))
    scatter(owner, leaf, keep=True)
    data, expected = check(visible)
    assert oracle.counts_by_object(one for one in expected if not one.parent) == {"leaf": 1, "owner": 1}
    assert dict(zip((data["primitives"]["index_count"] // 3).tolist(), data.instances_per_primitive().tolist())) == {5: 5, 2: 1}


@VISIBLE
def test_i4_instances_of_instances(check, visible):
    """Object in object in object: world matrices are the product down the chain."""
    leaf = add("leaf", fan("leaf", 4), collection("hidden", linked=False))
    branch = add("branch", points("branch", [(1, 0, 0), (0, 1, 0)]), leaf.users_collection[0])
    scatter(branch, leaf, Scale=(0.5, 0.5, 0.5))
    tree = add("tree", points("tree", [(0, 0, 1), (0, 0, 2), (0, 0, 3)]), leaf.users_collection[0])
    scatter(tree, branch, Scale=(1, 1, 2))
    owner = add("owner", points("owner", [(10, 0, 0), (20, 0, 0)]), rotation=(0, 0, 90), location=(0, 0, 100))
    scatter(owner, tree)
    data, expected = check(visible)
    assert data.instance_count == 2 * 3 * 2
    world = trs((0, 0, 100), (0, 0, 90))
    right = [world @ Matrix.Translation((x, 0, 0)) @ Matrix.Translation((0, 0, z)) @ Matrix.Diagonal((1, 1, 2, 1))
             @ Matrix.Translation(p) @ Matrix.Diagonal((0.5, 0.5, 0.5, 1)) for x in (10, 20) for z in (1, 2, 3) for p in ((1, 0, 0), (0, 1, 0))]
    oracle.assert_same_matrices(data.world_from_local(), right)


@VISIBLE
def test_i4_nested_inside_one_tree_with_mesh_beside_instances(check, visible):
    """One geometry-set reference that holds a mesh and further instances."""
    leaf = add("leaf", fan("leaf", 4), collection("hidden", linked=False))
    owner = add("owner", points("owner", FIVE), scale=(2, 1, 1))
    nodes = Nodes()
    source = nodes.add("ObjectInfo", Object=leaf, As_Instance=True).outputs["Geometry"]
    grid = nodes.add("MeshGrid", Size_X=1.0, Size_Y=1.0, Vertices_X=2, Vertices_Y=2).outputs[0]
    inner = nodes.add("InstanceOnPoints", Points=grid, Instance=source, Scale=(0.25, 0.5, 1)).outputs[0]
    both = nodes.add("JoinGeometry", Geometry=[grid, inner]).outputs[0]
    nodes.on(owner, nodes.add("InstanceOnPoints", Points=nodes.input, Instance=both, Scale=(1, 1, 3)).outputs[0])
    data, _ = check(visible)
    assert dict(zip((data["primitives"]["index_count"] // 3).tolist(), data.instances_per_primitive().tolist())) == {2: 5, 4: 20}


def test_i4_realized_instances_are_one_mesh(check):
    leaf = add("leaf", fan("leaf", 4), collection("hidden", linked=False))
    owner = add("owner", points("owner", FIVE))
    nodes = scatter(owner, leaf)
    nodes.finish(nodes.add("RealizeInstances", Geometry=nodes.output.links[0].from_socket).outputs[0])
    data, _ = check()
    assert data.instance_count == 1 and data.triangle_count() == 20


def test_i4_materials_of_instances(check):
    """Each source's own materials; Set Material on the instances' geometry."""
    red, blue = material("red"), material("blue")
    hidden = collection("hidden", linked=False)
    leaf = add("leaf", fan("leaf", 4, materials=[red, blue]), hidden)
    overridden = add("overridden", leaf.data, hidden)
    overridden.material_slots[1].link = "OBJECT"
    overridden.material_slots[1].material = red
    for index, source in enumerate([leaf, overridden]):
        scatter(add(f"owner {index}", points("owner", FIVE)), source)
    owner = add("repainted", points("owner", FIVE))
    nodes = Nodes()
    grid = nodes.add("MeshGrid").outputs["Mesh"]
    painted = nodes.add("SetMaterial", Geometry=grid, Material=blue).outputs[0]
    nodes.on(owner, nodes.add("InstanceOnPoints", Points=nodes.input, Instance=painted).outputs[0])
    data, _ = check()
    assert data.instance_count == 15 and data.primitive_count == 3
    assert sorted(m.name for m in data.materials) == ["blue", "red"]


@pytest.mark.parametrize("kind", ["curve", "text", "particles", "vertices", "collection of scatters"])
@VISIBLE
def test_i4_instances_of_instancers_of_other_kinds(check, kind, visible):
    """What a point instances may itself instance by particles, vertices or collections, or be no mesh at all."""
    hidden = collection("hidden", linked=kind == "vertices")
    leaf = add("leaf", fan("leaf", 4), hidden)
    if kind == "curve":
        data = bpy.data.curves.new("curve", "CURVE")
        data.bevel_depth, data.dimensions = 0.1, "3D"
        data.splines.new("POLY").points.add(2)
        for point, co in zip(data.splines[0].points, [(0, 0, 0, 1), (1, 0, 0, 1), (1, 1, 0, 1)]):
            point.co = co
        source = add("curve", data, hidden)
    elif kind == "text":
        data = bpy.data.curves.new("text", "FONT")
        data.body = "Ab"
        source = add("text", data, hidden)
    elif kind == "particles":
        source = add("emitter", plane("emitter"), hidden)
        hair(source, "hair", 6, leaf)
    elif kind == "vertices":
        source = add("vertices", points("vertices", FIVE), hidden)
        leaf.parent, source.instance_type = source, "VERTS"
    else:
        inner = collection("inner", linked=False)
        scatter(add("scatter", points("scatter", FIVE), inner, location=(1, 0, 0)), leaf)
        source = inner
    owner = add("owner", points("owner", [(0, 0, 0), (0, 0, 5)]), location=(3, 0, 0))
    scatter(owner, source)
    data, expected = check(visible)
    counts = oracle.counts_by_object(expected)
    assert counts == {"curve": {"curve": 2}, "text": {"text": 2}, "particles": {"leaf": 12, "emitter": 2}, "collection of scatters": {"leaf": 10},
                      "vertices": {"leaf": 10 + 5 + (visible == "viewport")}}[kind]
    if kind == "collection of scatters":
        assert data.instance_count == 10
        oracle.assert_same_matrices(data.world_from_local(), [Matrix.Translation((4 + x, y, z + up)) for x, y, z in FIVE for up in (0, 5)])


@VISIBLE
@pytest.mark.parametrize("kind", ["CURVES", "POINTCLOUD", "CURVE", "VOLUME"])
def test_i4_meshes_and_instances_made_by_nodes_on_other_types(check, visible, kind):
    """Hair curves, point clouds, curves and volumes show the mesh that nodes make of them, themselves and wherever they are instanced."""
    data = {"CURVES": bpy.data.hair_curves, "POINTCLOUD": bpy.data.pointclouds, "VOLUME": bpy.data.volumes}.get(kind)
    data = data.new("data") if data else bpy.data.curves.new("data", "CURVE")
    owner = add("owner", data, location=(0, 0, 4), rotation=(0, 0, 90))
    leaf = add("leaf", fan("leaf", 5), collection("hidden", linked=False))
    nodes = Nodes()
    grid = nodes.add("MeshGrid", Vertices_X=2, Vertices_Y=2).outputs["Mesh"]
    info = nodes.add("ObjectInfo", Object=leaf, As_Instance=True).outputs["Geometry"]
    placed = nodes.add("InstanceOnPoints", Points=grid, Instance=info).outputs[0]
    nodes.on(owner, nodes.add("JoinGeometry", Geometry=[nodes.input, grid, placed]).outputs[0])
    scatter(add("scatter", points("p", [(7, 0, 0)])), owner)
    _, expected = check(visible)
    assert oracle.counts_by_object(expected) == {"owner": 2, "leaf": 8}
