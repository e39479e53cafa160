"""Scenes to measure on."""

from __future__ import annotations

import bpy


def empty() -> None:
    """An empty file, preferences as shipped."""
    bpy.ops.wm.read_factory_settings(use_empty=True)


def _object(name: str, points: list, faces: list):
    """A new object in the scene with one material."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(points, [], faces)
    mesh.materials.append(bpy.data.materials.new(name))
    obj = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(obj)
    return obj


def _cube():
    points = [(x, y, z) for x in (-0.25, 0.25) for y in (-0.25, 0.25) for z in (-0.25, 0.25)]
    return _object("cube", points, [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)])


def geometry_nodes(count: int):
    """One object whose Geometry Nodes modifier makes exactly `count` randomly turned instances of a cube object, which is in the scene too.

    The cube is instanced as an object ("As Instance"), since Blender's USD exporter writes a valid point instancer only then.
    """
    tree = bpy.data.node_groups.new("scatter", "GeometryNodeTree")
    tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    new, link = tree.nodes.new, tree.links.new
    line, source, place = new("GeometryNodeMeshLine"), new("GeometryNodeObjectInfo"), new("GeometryNodeInstanceOnPoints")
    position, turn, move, out = new("FunctionNodeRandomValue"), new("FunctionNodeRandomValue"), new("GeometryNodeSetPosition"), new("NodeGroupOutput")
    line.inputs["Count"].default_value = count
    source.inputs["Object"].default_value, source.inputs["As Instance"].default_value = _cube(), True
    side = max(count, 1) ** 0.5
    for node, seed, low, high in ((position, 1, (-side, -side, 0), (side, side, 10)), (turn, 2, (0, 0, 0), (6.2, 6.2, 6.2))):
        node.data_type = "FLOAT_VECTOR"
        node.inputs["Min"].default_value, node.inputs["Max"].default_value = low, high
        node.inputs["Seed"].default_value = seed
    link(line.outputs["Mesh"], move.inputs["Geometry"])
    link(position.outputs["Value"], move.inputs["Position"])
    link(move.outputs["Geometry"], place.inputs["Points"])
    link(source.outputs["Geometry"], place.inputs["Instance"])
    link(turn.outputs["Value"], place.inputs["Rotation"])
    link(place.outputs["Instances"], out.inputs[0])
    obj = bpy.data.objects.new("scatter", bpy.data.meshes.new("scatter"))
    obj.modifiers.new("scatter", "NODES").node_group = tree
    bpy.context.scene.collection.objects.link(obj)
    bpy.context.view_layer.update()
    return obj


def linked_duplicates(count: int) -> None:
    """`count` separate objects that share one mesh with one material."""
    mesh = _object("duplicate 0", [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], [(0, 1, 2, 3)]).data
    collection = bpy.context.scene.collection
    for index in range(1, count):
        obj = bpy.data.objects.new(f"duplicate {index}", mesh)
        obj.location = (index % 300 * 2, index // 300 * 2, 0)
        collection.objects.link(obj)
    bpy.context.view_layer.update()
