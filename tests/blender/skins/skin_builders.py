"""Rigs and skinned meshes made by script, and what Blender makes of them, read vertex by vertex."""

import bpy
import numpy as np


def clear():
    """An empty scene in the file that is open."""
    bpy.data.batch_remove([*bpy.data.objects, *bpy.data.meshes, *bpy.data.armatures, *bpy.data.shape_keys])


def link(name, data):
    obj = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(obj)
    return obj


def rig(bones, name="rig", **placing):
    """An armature object; `bones` maps a name to (head, tail, parent name or None)."""
    obj = link(name, bpy.data.armatures.new(name))
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode="EDIT")
    for bone, (head, tail, parent) in bones.items():
        edit = obj.data.edit_bones.new(bone)
        edit.head, edit.tail = head, tail
        edit.parent = obj.data.edit_bones[parent] if parent else None
    bpy.ops.object.mode_set(mode="OBJECT")
    place(obj, **placing)
    return obj


def place(obj, location=(0, 0, 0), rotation=(0, 0, 0), scale=(1, 1, 1)):
    obj.location, obj.rotation_euler, obj.scale = location, rotation, scale
    return obj


def chain(count, length=1.0):
    """`count` bones up along Z, each the child of the one below."""
    return {f"b{i}": ((0, 0, i * length), (0, 0, (i + 1) * length), f"b{i - 1}" if i else None) for i in range(count)}


def column(name="skin", height=3.0, rings=7, sides=4, radius=0.3):
    """A mesh of rings up along Z."""
    points = [
        (radius * np.cos(2 * np.pi * s / sides), radius * np.sin(2 * np.pi * s / sides), height * r / (rings - 1))
        for r in range(rings)
        for s in range(sides)
    ]
    faces = [
        (r * sides + s, r * sides + (s + 1) % sides, (r + 1) * sides + (s + 1) % sides, (r + 1) * sides + s)
        for r in range(rings - 1)
        for s in range(sides)
    ]
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(points, [], faces)
    return mesh


def weigh(obj, weights):
    """`weights`: group -> {vertex: weight}."""
    for group, values in weights.items():
        made = obj.vertex_groups.get(group) or obj.vertex_groups.new(name=group)
        for vertex, weight in values.items():
            made.add([vertex], weight, "REPLACE")
    return obj


def by_height(mesh, count, length=1.0):
    """Weights on `chain`'s bones, blended linearly between the bones' middles, sums 1."""
    out = {f"b{i}": {} for i in range(count)}
    for vertex in mesh.vertices:
        at = min(max(vertex.co.z / length - 0.5, 0), count - 1)
        for i in range(count):
            weight = 1 - abs(at - i)
            if weight > 0:
                out[f"b{i}"][vertex.index] = weight
    return out


def deform(obj, armature, name="Armature", **settings):
    """Add an Armature modifier."""
    modifier = obj.modifiers.new(name, "ARMATURE")
    modifier.object = armature
    for key, value in settings.items():
        setattr(modifier, key, value)
    return modifier


def standing(count=3, bend=0.7, **settings):
    """(object, armature): a column on a chain of bones, each bent by `bend` radians about X."""
    armature = rig(chain(count))
    obj = link("skin", column(height=float(count)))
    weigh(obj, by_height(obj.data, count))
    deform(obj, armature, **settings)
    for bone in armature.pose.bones:
        bone.rotation_mode = "XYZ"
        bone.rotation_euler.x = bend
    return obj, armature


def depsgraph():
    bpy.context.view_layer.update()
    return bpy.context.evaluated_depsgraph_get()


def shown(obj):
    """(V, 3) float64: world positions of the evaluated mesh, one vertex at a time."""
    evaluated = obj.evaluated_get(depsgraph())
    world = np.array(evaluated.matrix_world, float)
    return np.array([(world @ [*vertex.co, 1.0])[:3] for vertex in evaluated.data.vertices]).reshape(-1, 3)
