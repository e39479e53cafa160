"""I5 and I6: instances on vertices and faces, and by particles."""

import bpy
import numpy as np
import pytest
from mathutils import Matrix

import oracle
from builders import Nodes, add, collection, fan, hair, instance, plane, points, scatter, trs

VISIBLE = pytest.mark.parametrize("visible", ["viewport", "render"])
CORNERS = [(1, 0, 0), (0, 2, 0), (0, 0, 3)]


def per_triangles(data):
    """Triangles of a primitive -> instances."""
    return dict(zip((data["primitives"]["index_count"] // 3).tolist(), data.instances_per_primitive().tolist()))


def with_child(counts, visible, **more):
    """Expected `per_triangles`: in the viewport the children of an instancer are also shown where they stand, in a render they are not."""
    for triangles, count in more.items():
        counts[int(triangles.lstrip("n"))] = counts.get(int(triangles.lstrip("n")), 0) + (count if visible == "viewport" else 0)
    return counts


@VISIBLE
@pytest.mark.parametrize("shown", [True, False])
def test_i5_vertices(check, visible, shown):
    owner = add("owner", plane("owner"), location=(10, 0, 0))
    owner.instance_type = "VERTS"
    owner.show_instancer_for_viewport = owner.show_instancer_for_render = shown
    add("leaf", fan("leaf", 5), parent=owner, rotation=(0, 0, 90), scale=(2, 2, 2))
    data, expected = check(visible)
    assert per_triangles(data) == with_child({5: 4, 2: 1} if shown else {5: 4}, visible, n5=1)
    turned = Matrix.Rotation(np.pi / 2, 4, "Z") @ Matrix.Scale(2, 4)
    oracle.assert_same_matrices([one.matrix for one in expected if one.parent],
                                [Matrix.Translation((10 + x, y, 0)) @ turned for x in (-1, 1) for y in (-1, 1)])


@VISIBLE
def test_i5_vertices_aligned_to_their_normals(check, visible):
    owner = add("owner", plane("owner", 2, 3), rotation=(30, 0, 0), scale=(1, 2, 1))
    owner.instance_type, owner.use_instance_vertices_rotation = "VERTS", True
    add("leaf", fan("leaf", 5), parent=owner, location=(0, 0, 0.5))
    assert per_triangles(check(visible)[0]) == with_child({5: 12, 2 * 6: 1}, visible, n5=1)


@VISIBLE
@pytest.mark.parametrize("scaled, factor", [(False, 1.0), (True, 1.0), (True, 2.5)])
def test_i5_faces(check, visible, scaled, factor):
    owner = add("owner", plane("owner", 1, 2, size=4.0), location=(0, 0, 7))
    owner.instance_type, owner.use_instance_faces_scale, owner.instance_faces_scale = "FACES", scaled, factor
    owner.show_instancer_for_viewport = owner.show_instancer_for_render = False
    add("leaf", fan("leaf", 5), parent=owner, location=(0, 0, 1))
    data, expected = check(visible)
    assert per_triangles(data) == with_child({5: 2}, visible, n5=1)
    # Two faces of 2 x 4 metres: scaled by the square root of the area, times the factor.
    size = np.sqrt(8.0) * factor if scaled else 1.0
    for one in expected:
        if one.parent:
            assert np.linalg.norm(one.matrix[:3, :3], axis=0) == pytest.approx([size] * 3, rel=1e-5)


@VISIBLE
def test_i5_several_children_and_nested_instancers(check, visible):
    outer = add("outer", points("outer", CORNERS), location=(0, 10, 0))
    outer.instance_type = "VERTS"
    inner = add("inner", plane("inner", 1, 3), parent=outer)
    inner.instance_type, inner.use_instance_faces_scale = "FACES", True
    add("leaf", fan("leaf", 5), parent=inner)
    add("second", fan("second", 7), parent=outer, location=(1, 1, 1))
    data, _ = check(visible)
    # Grandchildren are instanced twice: on the 3 vertices, and on the 3 faces of each of 3 copies of the inner instancer.
    assert per_triangles(data) == with_child({5: 3 + 9, 6: 3, 7: 3}, visible, n5=1 + 3, n6=1, n7=1)
    ids = data["instance_data"]["instance_id"]
    assert len(np.unique(ids)) == len(ids)


@VISIBLE
def test_i5_inside_a_collection_instance(check, visible):
    group = collection("group", linked=False, offset=(1, 0, 0))
    owner = add("owner", points("owner", CORNERS), group, location=(0, 10, 0))
    owner.instance_type = "VERTS"
    add("leaf", fan("leaf", 5), group, parent=owner)
    instance("one", group)
    instance("two", group, location=(0, 0, 100), scale=(1, -1, 1))
    data, _ = check(visible)
    assert data.instance_count == 6
    oracle.assert_same_matrices(data.world_from_local(),
                                [outer @ Matrix.Translation((x - 1, y + 10, z)) for x, y, z in CORNERS
                                 for outer in (Matrix(), trs((0, 0, 100), scale=(1, -1, 1)))])


@VISIBLE
def test_i5_collection_instance_and_text_on_vertices(check, visible):
    """What is instanced may be a collection instance, or no mesh. In the viewport a text is hidden where it stands, unlike the other children."""
    group = collection("group", linked=False)
    add("leaf", fan("leaf", 5), group, location=(0, 0, 1))
    owner = add("owner", points("owner", CORNERS))
    owner.instance_type = "VERTS"
    instance("copies", group, parent=owner, rotation=(0, 0, 45))
    curve = bpy.data.curves.new("text", "FONT")
    curve.body = "l"
    add("text", curve, parent=owner)
    _, expected = check(visible)
    assert oracle.counts_by_object(expected) == {"leaf": 3 + (visible == "viewport"), "text": 3}


@VISIBLE
@pytest.mark.parametrize("by", ["object", "collection", "collection instance", "hair", "itself"])
def test_i5_the_child_is_hidden_where_anything_else_instances_it(check, visible, by):
    group = collection("group")
    owner = add("owner", points("owner", CORNERS), group)
    owner.instance_type = "VERTS"
    leaves = collection("leaves", group)
    leaf = add("leaf", fan("leaf", 5), leaves, parent=owner)
    add("free", fan("free", 6), leaves)
    if by == "object":
        scatter(add("scatter", points("scatter", CORNERS)), leaf)
    elif by == "collection":
        scatter(add("scatter", points("scatter", CORNERS)), leaves)
    elif by == "collection instance":
        instance("copy", leaves)
    elif by == "hair":
        hair(add("emitter", plane("emitter", 4, 4)), "hair", 3, leaf)
    else:
        nodes = Nodes()
        grid = nodes.add("MeshGrid", Vertices_X=2, Vertices_Y=2).outputs[0]
        placed = nodes.add("InstanceOnPoints", Points=nodes.input, Instance=grid).outputs[0]
        nodes.on(leaf, nodes.add("JoinGeometry", Geometry=[nodes.input, placed]).outputs[0])
    data, _ = check(visible)
    free = 1 + {"collection": 3, "collection instance": 1}.get(by, 0)
    right = with_child({5: 3, 6: free}, visible, n5=1)
    if by == "hair":
        right[32] = 1
    if by == "itself":
        right[2] = 3 * 7
    assert per_triangles(data) == right


def emitter(name="emitter", **placing):
    """A grid of 4 x 4 faces whose hairs have somewhere to grow."""
    return add(name, plane(name, 4, 4), **placing)


@VISIBLE
@pytest.mark.parametrize("rotation", [False, True])
@pytest.mark.parametrize("moved", [False, True])
@pytest.mark.parametrize("off_origin", [False, True])
def test_i6_two_hair_systems(check, visible, rotation, moved, off_origin):
    hidden = collection("hidden", linked=False)
    placing = {"location": (3, 4, 5), "rotation": (0, 90, 0), "scale": (1, 1, 2)} if off_origin else {}
    leaf = add("leaf", fan("leaf", 5), hidden, **placing)
    group = collection("group", linked=False)
    add("first", fan("first", 6), group, location=(1, 0, 0))
    add("second", fan("second", 7), group, location=(0, 1, 0), rotation=(0, 0, 30))
    owner = emitter(**({"location": (100, 0, -3), "rotation": (40, 50, 60), "scale": (2, 2, 2)} if moved else {}))
    hair(owner, "object", 17, leaf, rotation)
    second = hair(owner, "collection", 30, group, rotation, seed=2)
    second.settings.use_rotations = True
    second.settings.rotation_factor_random = 0.5
    data, expected = check(visible)
    counts = oracle.counts_by_object(expected)
    assert counts["leaf"] == 17 and counts["first"] + counts["second"] == 30 and counts["emitter"] == 1
    assert per_triangles(data) == {5: 17, 6: counts["first"], 7: counts["second"], 32: 1}
    ids = data["instance_data"]["instance_id"]
    assert len(np.unique(ids)) == len(ids)


@VISIBLE
@pytest.mark.parametrize("whole", [False, True])
def test_i6_whole_collection_and_counts(check, visible, whole):
    group = collection("group", linked=False, offset=(0, 0, 1))
    add("first", fan("first", 6), group, location=(1, 0, 0))
    add("second", fan("second", 7), group, location=(0, 1, 0))
    owner = emitter()
    settings = hair(owner, "hair", 9, group).settings
    settings.use_whole_collection = whole
    if not whole:
        settings.use_collection_count = True
        bpy.context.view_layer.update()
        for weight, count in zip(settings.instance_weights, (1, 2)):
            weight.count = count
    data, expected = check(visible)
    counts = oracle.counts_by_object(expected)
    assert (counts["first"], counts["second"]) == ((9, 9) if whole else (3, 6))


@VISIBLE
def test_i6_the_emitter_hidden_the_hair_shown(check, visible):
    owner = emitter()
    owner.show_instancer_for_viewport = owner.show_instancer_for_render = False
    hair(owner, "hair", 8, add("leaf", fan("leaf", 5), collection("hidden", linked=False)))
    assert per_triangles(check(visible)[0]) == {5: 8}


def test_i6_viewport_and_render_amounts(check):
    leaf = add("leaf", fan("leaf", 5), collection("hidden", linked=False))
    settings = hair(emitter(), "hair", 20, leaf).settings
    settings.display_percentage = 50
    settings.child_type, settings.child_percent, settings.rendered_child_count = "SIMPLE", 2, 5
    viewport, render = check("viewport")[0], check("render")[0]
    assert per_triangles(render)[5] == 100
    assert per_triangles(viewport)[5] < 100


@VISIBLE
@pytest.mark.parametrize("child", ["SIMPLE", "INTERPOLATED"])
def test_i6_children(check, visible, child):
    leaf = add("leaf", fan("leaf", 5), collection("hidden", linked=False), location=(1, 2, 3))
    settings = hair(emitter(location=(3, 0, 0)), "hair", 10, leaf, rotation=True).settings
    settings.child_type, settings.child_percent, settings.rendered_child_count = child, 3, 3
    assert per_triangles(check(visible)[0])[5] >= 10


@VISIBLE
@pytest.mark.parametrize("frame, alive", [(1, (0, 12)), (12, (4, 20)), (25, (1, 20))])
def test_i6_emitted_particles_at_a_frame(check, visible, frame, alive):
    """Particles born over frames 1 to 20 that live 15 frames, moved by their normal velocity and gravity."""
    leaf = add("leaf", fan("leaf", 5), collection("hidden", linked=False), location=(1, 0, 0))
    owner = emitter(location=(0, 0, 5))
    settings = hair(owner, "emit", 20, leaf, rotation=True, kind="EMITTER").settings
    settings.frame_start, settings.frame_end, settings.lifetime = 1, 20, 15
    settings.use_rotations, settings.angular_velocity_mode = True, "VELOCITY"
    for step in range(1, frame + 1):
        bpy.context.scene.frame_set(step)
    data, expected = check(visible)
    count = oracle.counts_by_object(expected)["leaf"]
    assert alive[0] <= count <= alive[1]
    assert data.instance_count == count + 1


@VISIBLE
def test_i6_emitter_inside_a_collection_instance(check, visible):
    group = collection("group", linked=False)
    leaf = add("leaf", fan("leaf", 5), collection("hidden", linked=False), location=(1, 0, 0))
    owner = add("emitter", plane("emitter", 2, 2), group, location=(0, 5, 0))
    hair(owner, "hair", 7, leaf)
    instance("one", group, rotation=(0, 0, 90))
    instance("two", group, location=(50, 0, 0), scale=(-1, 1, 1))
    data, expected = check(visible)
    counts = oracle.counts_by_object(expected)
    assert counts == {"emitter": 2, "leaf": 14}
    mirrored = (data["instance_transforms"]["flags"] & (1 << 3)) != 0
    assert mirrored.sum() == 8


@VISIBLE
def test_i6_hair_with_shown_and_hidden_instanced_object(check, visible):
    """The instanced object stands in the scene; hiding it does not hide its instances."""
    leaf = add("leaf", fan("leaf", 5), location=(1, 0, 0))
    hair(emitter(), "hair", 7, leaf)
    assert per_triangles(check(visible)[0])[5] == 8
    leaf.hide_viewport = leaf.hide_render = True
    assert per_triangles(check(visible)[0])[5] == 7
