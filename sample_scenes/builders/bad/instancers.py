"""Instancers: nested with offsets, by vertices and faces, by particles, and by nodes that collapse or give nothing."""

from __future__ import annotations

from .. import stage
from ..nodes import Tree
from ..shapes import ball, grid


def add_cases(board) -> None:
    board.row("Instancers", "Clay")
    _nested(board)
    _by_vertices_and_faces(board)
    _hair(board)
    _nodes(board)


def _nested(board):
    """Six deep, each level with an instance offset; the innermost also mirrored."""
    inner = board.source("Nest 0")
    inner.instance_offset = (0, 0, 0.5)
    stage.add("Nest part", board.mesh("Nest part"), inner, location=(0, 0, 0.5), scale=(0.8,) * 3)
    for depth in range(1, 6):
        outer = board.source(f"Nest {depth}")
        outer.instance_offset = (0.1 * depth, 0, 0)
        stage.add_instance(
            f"Nest {depth} holds {depth - 1}",
            inner,
            into=outer,
            location=(0.1 * depth, 0, 0.05),
            scale=(-1 if depth == 1 else 1, 1, 1),
        )
        inner = outer
    board.instance("Nested six deep", inner)
    board.expect(negative_det=1)


def _by_vertices_and_faces(board):
    """The instanced child shows at its own place in the viewport only; the carrier is hidden, or has no face."""
    small = board.mesh("Small", ball(1).moved(scale=(0.15,) * 3))
    for kind, turn in (("VERTS", 0.0), ("FACES", 0.3)):
        carrier = board.add(f"Instances on {kind.lower()}", board.mesh(f"Carrier {kind.lower()}", grid(1.4, 2)))
        carrier.instance_type, carrier.use_instance_faces_scale, carrier.instance_faces_scale = kind, True, 1.2
        carrier.show_instancer_for_viewport = carrier.show_instancer_for_render = False
        child = stage.add(f"Child on {kind.lower()}", small, board.row_collection, rotation=(0, 0, turn))
        child.parent = carrier
        places = 9 if kind == "VERTS" else 4
        board.expect(places + 1, render=places)


def _hair(board):
    """Ten hairs that instance an object which is itself hidden in an excluded collection."""
    source = board.source("Hair sources")
    leaf = stage.add("Hair instance", board.mesh("Hair instance", ball(1).moved(scale=(0.2, 0.2, 0.6))), source)
    emitter = board.add("Hair emitter", board.mesh("Hair emitter", grid(1.6, 4)))
    emitter.modifiers.new("Hair", "PARTICLE_SYSTEM")
    settings = emitter.particle_systems[0].settings
    settings.type, settings.count, settings.hair_length = "HAIR", 10, 1.0
    settings.render_type, settings.instance_object, settings.particle_size = "OBJECT", leaf, 0.5
    emitter.particle_systems[0].seed = 5
    board.expect(11)


def _nodes(board):
    """Four points: one scaled to 0 along X, and the points' own mesh kept beside; then a group that gives nothing."""
    source = board.source("Node sources")
    part = stage.add("Node part", board.mesh("Node part", ball(2).moved(scale=(0.3,) * 3)), source)
    tree = Tree("Zero Scale Among Four")
    points = tree.input["Geometry"]
    first = tree.value(
        "FunctionNodeCompare", {"data_type": "INT", "operation": "EQUAL"}, A=tree.value("GeometryNodeInputIndex"), B=0
    )
    size = tree.value("ShaderNodeCombineXYZ", X=tree.math("SUBTRACT", 1.0, first), Y=1.0, Z=1.0)
    info = tree.node("GeometryNodeObjectInfo", As_Instance=True, Object=part)
    made = tree.value("GeometryNodeInstanceOnPoints", Points=points, Instance=info.outputs["Geometry"], Scale=size)
    joined = tree.node("GeometryNodeJoinGeometry")
    tree.group.links.new(made, joined.inputs[0])
    tree.group.links.new(points, joined.inputs[0])
    carrier = board.add("Nodes with one zero scale", board.mesh("Nodes with one zero scale", grid(1.4, 1)))
    carrier.modifiers.new("Nodes", "NODES").node_group = tree.finish(joined.outputs[0])
    board.expect(5, zero_scale=1)
    nothing = Tree("Nothing")
    carrier = board.add("Nodes that give nothing")
    carrier.modifiers.new("Nodes", "NODES").node_group = nothing.finish(nothing.node("GeometryNodeJoinGeometry").outputs[0])
