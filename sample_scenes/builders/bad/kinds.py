"""Objects that are not meshes: some become meshes, some have nothing to draw; each once by itself and once in an instance."""

from __future__ import annotations

import bpy

from .. import stage


def _text(material):
    text = bpy.data.curves.new("Text", "FONT")
    text.body, text.extrude, text.size, text.align_x = "Aa", 0.08, 1.1, "CENTER"
    text.materials.append(material)
    return text


def _bevelled_curve(material, depth=0.1):
    curve = bpy.data.curves.new("Curve", "CURVE")
    curve.dimensions, curve.bevel_depth, curve.resolution_u = "3D", depth, 6
    spline = curve.splines.new("BEZIER")
    spline.bezier_points.add(1)
    for point, x in zip(spline.bezier_points, (-0.5, 0.5)):
        point.co, point.handle_left, point.handle_right = (x, 0, 0), (x - 0.3, 0, -0.8), (x + 0.3, 0, 0.8)
    curve.materials.append(material)
    return curve


def _surface(material):
    # Blender's API makes rows of points only; its operator makes the 4 x 4 patch.
    bpy.ops.surface.primitive_nurbs_surface_surface_add()
    made = bpy.context.object
    surface = made.data
    bpy.data.objects.remove(made)
    surface.name = "Surface"
    surface.resolution_u = surface.resolution_v = 4
    surface.materials.append(material)
    return surface


def _metaball(name, material):
    ball = bpy.data.metaballs.new(name)
    ball.resolution, ball.render_resolution = 0.25, 0.25
    for x in (-0.28, 0.28):
        element = ball.elements.new()
        element.co, element.radius = (x, 0, 0), 0.75
    ball.materials.append(material)
    return ball


def add_cases(board) -> None:
    board.row("Kinds", "Sun")
    made = [
        board.add("Text", _text(board.color), rotation=(1.3, 0, 0)),
        board.add("Curve with a bevel", _bevelled_curve(board.color)),
        board.add("Surface", _surface(board.color), scale=(0.7,) * 3),
        board.add("Metaball", _metaball("Metaball", board.color)),
    ]
    board.expect(4)
    board.add("Curve with no bevel", _bevelled_curve(board.color, 0.0))
    board.add("Light", bpy.data.lights.new("Light", "POINT"))
    board.add("Second camera", bpy.data.cameras.new("Second camera"))
    board.empty("Empty")
    board.add("Lattice", bpy.data.lattices.new("Lattice"))
    board.add("Armature", bpy.data.armatures.new("Armature"))
    board.add("Speaker", bpy.data.speakers.new("Speaker"))
    group = board.source("One of each kind")
    for thing in (*made, *board.row_collection.objects[4:]):
        if thing.type != "META":  # a metaball family spans the scene, so a copy would melt into the first
            stage.add(f"{thing.name} to instance", thing.data, group)
    board.instance("Instance of one of each kind", group)
    board.expect(3)
