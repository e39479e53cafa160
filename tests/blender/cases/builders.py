"""Small scenes for the cases: meshes that cannot be taken for one another, objects, collections, node trees, particles."""

from __future__ import annotations

import math

import bpy
from mathutils import Euler, Matrix


def fan(name, sides=3, height=1.0, materials=()):
    """A mesh of `sides` triangles without any symmetry: mirrored, turned or exchanged copies show. Off-centre about its origin.

    Parameters
    ----------
    name : str
    sides : int
        Triangles; at least 1.
    height : float
        Of the apex.
    materials : sequence of bpy.types.Material
        Face i takes slot ``i % len(materials)``.
    """
    points = [(0.1, 0.2, height)]
    points += [(math.cos(0.9 * i) * (1 + 0.13 * i), math.sin(0.9 * i) * (0.7 + 0.05 * i), 0.05 * i) for i in range(sides + 1)]
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(points, [], [(0, i + 1, i + 2) for i in range(sides)])
    for material in materials:
        mesh.materials.append(material)
    for polygon in mesh.polygons:
        polygon.material_index = polygon.index % max(len(materials), 1)
    mesh.update()
    return mesh


def plane(name, rows=1, columns=1, size=2.0):
    """A grid mesh of rows * columns quads, `size` metres wide, normals up."""
    mesh = bpy.data.meshes.new(name)
    xs = [-size / 2 + size * i / columns for i in range(columns + 1)]
    ys = [-size / 2 + size * j / rows for j in range(rows + 1)]
    width = columns + 1
    mesh.from_pydata([(x, y, 0) for y in ys for x in xs], [],
                     [(j * width + i, j * width + i + 1, (j + 1) * width + i + 1, (j + 1) * width + i) for j in range(rows) for i in range(columns)])
    mesh.update()
    return mesh


def points(name, coordinates):
    """A mesh of loose vertices."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata([tuple(c) for c in coordinates], [], [])
    return mesh


def trs(location=(0, 0, 0), rotation=(0, 0, 0), scale=(1, 1, 1)):
    """Matrix from a location, XYZ Euler angles in degrees, and a scale."""
    return Matrix.LocRotScale(location, Euler([math.radians(a) for a in rotation]), scale)


def add(name, data=None, collection=None, location=(0, 0, 0), rotation=(0, 0, 0), scale=(1, 1, 1), parent=None):
    """A new object in `collection` (the scene's own for None); rotation in degrees."""
    obj = bpy.data.objects.new(name, data)
    (collection or bpy.context.scene.collection).objects.link(obj)
    obj.location, obj.rotation_euler, obj.scale = location, [math.radians(a) for a in rotation], scale
    obj.parent = parent
    return obj


def collection(name, parent=None, offset=(0, 0, 0), linked=True):
    """A new collection under `parent` (the scene's own for None); ``linked=False`` leaves it out of the scene."""
    made = bpy.data.collections.new(name)
    made.instance_offset = offset
    if linked:
        (parent or bpy.context.scene.collection).children.link(made)
    return made


def instance(name, of, collection=None, **placing):
    """An empty that instances the collection `of`."""
    obj = add(name, None, collection, **placing)
    obj.instance_type, obj.instance_collection = "COLLECTION", of
    return obj


def material(name):
    return bpy.data.materials.new(name)


def layer_collection(name, of=None):
    """The layer collection of the collection called `name` in the current view layer."""
    of = of or bpy.context.view_layer.layer_collection
    if of.collection.name == name:
        return of
    return next((found for child in of.children if (found := layer_collection(name, child))), None)


class Nodes:
    """A Geometry Nodes tree under construction; geometry goes from `input` to `output`."""

    def __init__(self, name="tree"):
        self.tree = bpy.data.node_groups.new(name, "GeometryNodeTree")
        self.tree.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
        self.tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
        self.input = self.tree.nodes.new("NodeGroupInput").outputs[0]
        self.output = self.tree.nodes.new("NodeGroupOutput").inputs[0]

    def add(self, kind, properties=None, **inputs):
        """A node ``GeometryNode<kind>`` (or any full type name); `inputs` by socket name, underscores for spaces: values or output sockets."""
        node = self.tree.nodes.new(kind if kind.startswith(("Function", "Shader", "GeometryNode")) else f"GeometryNode{kind}")
        for key, value in (properties or {}).items():
            setattr(node, key, value)
        for key, value in inputs.items():
            socket = next(s for s in node.inputs if s.name == key.replace("_", " ") and s.enabled)
            for one in value if isinstance(value, list) else [value]:
                if isinstance(one, bpy.types.NodeSocket):
                    self.tree.links.new(one, socket)
                else:
                    socket.default_value = one
        return node

    def finish(self, geometry):
        """Connect the result and return the tree."""
        self.tree.links.new(geometry, self.output)
        return self.tree

    def on(self, obj, geometry=None):
        """Put the tree on `obj` as a modifier, after `finish` when `geometry` is given."""
        if geometry is not None:
            self.finish(geometry)
        modifier = obj.modifiers.new("nodes", "NODES")
        modifier.node_group = self.tree
        return modifier


def scatter(obj, what, as_instance=True, space="ORIGINAL", pick=False, keep=False, **inputs):
    """Geometry Nodes on `obj`: an instance of `what` (object or collection) on each of its points.

    Parameters
    ----------
    pick : bool
        For a collection: separate children, and pick one a point.
    keep : bool
        Join the instancer's own mesh to the result.
    inputs
        More inputs of Instance on Points.
    """
    nodes = Nodes(f"scatter {obj.name}")
    if isinstance(what, bpy.types.Collection):
        source = nodes.add("CollectionInfo", {"transform_space": space}, Collection=what, Separate_Children=pick, Reset_Children=pick)
    else:
        source = nodes.add("ObjectInfo", {"transform_space": space}, Object=what, As_Instance=as_instance)
    geometry = next(s for s in source.outputs if s.type == "GEOMETRY")
    placed = nodes.add("InstanceOnPoints", Points=nodes.input, Instance=geometry, Pick_Instance=pick, **inputs).outputs[0]
    if keep:
        placed = nodes.add("JoinGeometry", Geometry=[nodes.input, placed]).outputs[0]
    nodes.on(obj, placed)
    return nodes


def hair(obj, name, count, what, rotation=False, seed=1, size=0.3, kind="HAIR"):
    """A particle system on `obj` that instances `what` (object or collection) on `count` hairs (or emitted particles)."""
    system = obj.modifiers.new(name, "PARTICLE_SYSTEM").particle_system
    system.seed = seed
    settings = system.settings
    settings.type, settings.count = kind, count
    settings.use_advanced_hair = True
    settings.particle_size = size
    if isinstance(what, bpy.types.Collection):
        settings.render_type, settings.instance_collection = "COLLECTION", what
        settings.use_rotation_instance = rotation
    else:
        settings.render_type, settings.instance_object = "OBJECT", what
        settings.use_rotation_instance = rotation
    return system
