"""I3: attributes stored on the Instance domain reach the custom-data channels, in instance order."""

import bpy
import numpy as np
import pytest

from builders import Nodes, add, collection, fan, hair, instance, plane, points

COUNT = 6
INDEX = np.arange(COUNT)


@pytest.fixture(autouse=True)
def registered(empty_scene):
    """The add-on's properties, so that the scene has a channel registry."""
    from gpuscene.blender import registration
    registration.register()
    yield
    registration.unregister()


def channel(index, name, component=0, source="ATTRIBUTE", default=0.0):
    item = bpy.context.scene.gpuscene.channels.add()
    item.index, item.name, item.source, item.component, item.default = index, name, source, component, default


def leaf(name="leaf", sides=4):
    return add(name, fan(name, sides), bpy.data.collections.get("hidden") or collection("hidden", linked=False))


def scatter_with(owner, source, attributes, domain="INSTANCE"):
    """Instances of `source` on the points of `owner`; `attributes`: name -> (data type, function of (nodes, index socket) -> socket or value)."""
    nodes = Nodes()
    index = nodes.add("InputIndex").outputs[0]
    info = nodes.add("ObjectInfo", Object=source, As_Instance=True).outputs["Geometry"]
    placed = nodes.add("InstanceOnPoints", Points=nodes.input, Instance=info).outputs[0]
    for name, (kind, value) in attributes.items():
        placed = nodes.add("StoreNamedAttribute", {"data_type": kind, "domain": domain}, Geometry=placed, Name=name,
                           Value=value(nodes, index) if callable(value) else value).outputs[0]
    nodes.on(owner, placed)


def _product(nodes, index, factor):
    node = nodes.add("ShaderNodeMath", {"operation": "MULTIPLY"})
    nodes.tree.links.new(index, node.inputs[0])
    node.inputs[1].default_value = factor
    return node.outputs[0]


def times(factor):
    """Field: the point's index times `factor`."""
    return lambda nodes, index: _product(nodes, index, factor)


def vector(x, y, z):
    def value(nodes, index):
        return nodes.add("ShaderNodeCombineXYZ", X=_product(nodes, index, x), Y=_product(nodes, index, y), Z=_product(nodes, index, z)).outputs[0]
    return value


def color(r, g, b, a):
    def value(nodes, index):
        return nodes.add("FunctionNodeCombineColor", Red=_product(nodes, index, r), Green=_product(nodes, index, g),
                         Blue=_product(nodes, index, b), Alpha=_product(nodes, index, a)).outputs[0]
    return value


def over(threshold):
    def value(nodes, index):
        return nodes.add("FunctionNodeCompare", {"data_type": "INT", "operation": "GREATER_THAN"}, A=index, B=threshold).outputs[0]
    return value


def custom(data):
    """(N, 8), checked to be in the order of the points: instance i stands at x = i."""
    assert data.world_from_local()[:, 0, 3].tolist() == INDEX.tolist()
    return data["instance_data"]["custom_data"].reshape(-1, 8)


def line(name="owner", **placing):
    return add(name, points(name, [(i, 0, 0) for i in range(COUNT)]), **placing)


@pytest.mark.parametrize("visible", ["viewport", "render"])
def test_every_type(check, visible):
    scatter_with(line(), leaf(), {
        "float": ("FLOAT", times(0.5)), "vector": ("FLOAT_VECTOR", vector(1, 2, 3)), "color": ("FLOAT_COLOR", color(0.125, 0.25, 0.0625, 0.5)),
        "int": ("INT", times(3)), "boolean": ("BOOLEAN", over(2)), "byte": ("BYTE_COLOR", color(0, 0, 1, 1)), "small": ("INT8", times(-2)),
    })
    for index, (name, component) in enumerate([("float", 0), ("vector", 1), ("vector", 2), ("color", 2), ("color", 3), ("int", 0), ("boolean", 0),
                                               ("small", 0)]):
        channel(index, name, component)
    data, _ = check(visible)
    right = np.stack([INDEX * 0.5, INDEX * 2, INDEX * 3, INDEX * 0.0625, INDEX * 0.5, INDEX * 3, INDEX > 2, INDEX * -2], axis=1)
    assert custom(data).tolist() == right.tolist()


def test_bytes_are_linear_and_large_integers_rounded(check):
    def huge(nodes, _index):
        return nodes.add("FunctionNodeInputInt", {"integer": 2 ** 30 + 1}).outputs[0]
    scatter_with(line(), leaf(), {"byte": ("BYTE_COLOR", (0.5, 1.0, 0.0, 1.0)), "huge": ("INT", huge), "two": ("FLOAT2", vector(1, 2, 0))})
    channel(2, "byte", 0)
    channel(3, "byte", 1)
    channel(4, "huge")
    channel(5, "two", 1)
    values = custom(check()[0])
    assert np.abs(values[:, 2] - 0.5).max() < 0.005 and (values[:, 3] == 1).all()
    assert (values[:, 4] == 2 ** 30).all() and values[:, 5].tolist() == (INDEX * 2).tolist()


def test_missing_attribute_component_and_constant_take_the_default(check):
    scatter_with(line(), leaf(), {"float": ("FLOAT", times(1)), "vector": ("FLOAT_VECTOR", vector(1, 2, 3))})
    channel(2, "no such", default=7.0)
    channel(3, "vector", component=3, default=8.0)
    channel(4, "float", component=1, default=9.0)
    channel(5, "", source="CONSTANT", default=-1.5)
    channel(6, "float", default=100.0)
    values = custom(check()[0])
    assert values[:, 2:7].tolist() == [[7.0, 8.0, 9.0, -1.5, float(i)] for i in INDEX]


def test_attributes_of_points_travel_to_their_instances(check):
    owner = line()
    owner.data.attributes.new("phase", "FLOAT", "POINT").data.foreach_set("value", [0.5 * i for i in INDEX])
    scatter_with(owner, leaf(), {})
    channel(4, "phase")
    assert custom(check()[0])[:, 4].tolist() == (INDEX * 0.5).tolist()


def nested(outer, inner):
    """COUNT instances of a branch that instances a leaf once: two levels."""
    branch = add("branch", points("branch", [(0, 0, 1)]), leaf().users_collection[0])
    scatter_with(branch, bpy.data.objects["leaf"], inner)
    scatter_with(line(), branch, outer)


def test_the_outer_attribute_is_inherited(check):
    nested({"phase": ("FLOAT", times(2))}, {"other": ("FLOAT", 5.0)})
    channel(4, "phase")
    channel(5, "other")
    values = custom(check()[0])
    assert values[:, 4].tolist() == (INDEX * 2).tolist() and (values[:, 5] == 5).all()


def test_the_inner_attribute_wins(check):
    nested({"phase": ("FLOAT", times(2))}, {"phase": ("FLOAT", 5.0)})
    channel(4, "phase")
    assert (custom(check()[0])[:, 4] == 5).all()


def test_levels_inside_one_tree_and_through_a_collection(check):
    """Attributes of the outer points reach geometry nested in the same tree, and what a picked collection holds."""
    group = collection("group", linked=False)
    instance("inside", leaf().users_collection[0], group)
    owner = line()
    nodes = Nodes()
    index = nodes.add("InputIndex").outputs[0]
    info = nodes.add("CollectionInfo", Collection=group).outputs[0]
    inner = nodes.add("InstanceOnPoints", Points=nodes.add("Points", Count=1).outputs[0], Instance=info).outputs[0]
    inner = nodes.add("StoreNamedAttribute", {"data_type": "FLOAT", "domain": "INSTANCE"}, Geometry=inner, Name="inner", Value=3.0).outputs[0]
    outer = nodes.add("InstanceOnPoints", Points=nodes.input, Instance=inner).outputs[0]
    outer = nodes.add("StoreNamedAttribute", {"data_type": "FLOAT", "domain": "INSTANCE"}, Geometry=outer, Name="outer",
                      Value=_product(nodes, index, 4)).outputs[0]
    nodes.on(owner, outer)
    channel(2, "inner")
    channel(3, "outer")
    values = custom(check()[0])
    assert (values[:, 2] == 3).all() and values[:, 3].tolist() == (INDEX * 4).tolist()


def test_a_custom_property_stands_in_for_the_attribute(check):
    owner, source = line(), leaf()
    scatter_with(owner, source, {"stored": ("FLOAT", times(1))})
    owner["stored"], owner["of_instancer"] = 50.0, 60
    source.data["of_data"], source["of_object"] = [1.0, 2.0, 3.0], True
    channel(2, "stored")
    channel(3, "of_instancer")
    channel(4, "of_data", component=2)
    channel(5, "of_object")
    channel(6, "of_object", source="PROPERTY")
    values = custom(check()[0])
    assert values[:, 2:7].tolist() == [[float(i), 60.0, 3.0, 1.0, 1.0] for i in INDEX]


def test_properties_through_particles_and_collection_instances(check):
    source = leaf()
    emitter = add("emitter", plane("emitter"))
    hair(emitter, "hair", 5, source)
    emitter["phase"], emitter["both"], source["both"] = 2.5, 1.0, 9.0
    copies = instance("copies", source.users_collection[0], location=(5, 0, 0))
    copies["phase"], copies["both"] = 4.5, 1.0
    channel(4, "phase", source="PROPERTY")
    channel(5, "both", source="PROPERTY")
    data, _ = check()
    triangles = data["primitives"]["index_count"][data["instance_data"]["primitive_id"]] // 3
    values = data["instance_data"]["custom_data"].reshape(-1, 8)[triangles == 4]
    assert sorted(values[:, 4].tolist()) == [2.5] * 5 + [4.5] and (values[:, 5] == 9).all()


def test_unmapped_attributes_are_a_finding(check):
    scatter_with(line(), leaf(), {"mapped": ("FLOAT", 1.0), "forgotten": ("FLOAT", 1.0)})
    channel(2, "mapped")
    data, _ = check()
    found = [f for f in data.findings if f.code == "unmapped-property"]
    assert len(found) == 1 and found[0].subject == "owner" and "forgotten" in found[0].message and "mapped," not in found[0].message
