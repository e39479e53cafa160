"""Animated characters of every kind, made by script, and a skin session that is asked for them frame by frame."""

import math

import bpy
import numpy as np
import skin_builders as make

#: multiples of 51 / 255: bytes say them exactly, so what is left is what the session itself does wrong
FIFTHS = 5


def weights(mesh, count):
    """`by_height` in fifths, summing to 1."""
    out = {f"b{i}": {} for i in range(count)}
    for vertex in mesh.vertices:
        at = min(max(vertex.co.z - 0.5, 0), count - 1)
        low = int(at)
        high = round((at - low) * FIFTHS)
        for bone, fifths in ((low, FIFTHS - high), (low + 1, high)):
            if fifths:
                out[f"b{bone}"][vertex.index] = fifths / FIFTHS
    return out


def character(name="skin", count=3, **placing):
    """(object, armature) standing at rest."""
    armature = make.rig(make.chain(count), f"{name} rig", **placing)
    obj = make.link(name, make.column(name, height=float(count), rings=16))
    make.weigh(obj, weights(obj.data, count))
    make.deform(obj, armature)
    obj.parent = armature
    for bone in armature.pose.bones:
        bone.rotation_mode = "XYZ"
    return obj, armature


def key(owner, path, values, index=-1):
    """Keyframes: frame -> value, interpolated linearly."""
    for frame, value in values.items():
        target, _, name = path.rpartition(".")
        holder = owner.path_resolve(target) if target else owner
        if index < 0:
            setattr(holder, name, value)
        else:
            getattr(holder, name)[index] = value
        owner.keyframe_insert(path, index=index, frame=frame)


def bend(armature, bone="b1", axis=0, top=1.2):
    key(armature, f'pose.bones["{bone}"].rotation_euler', {1: 0.0, 20: top}, axis)


def keyed():
    obj, armature = character()
    bend(armature)
    bend(armature, "b2", 1, -0.8)
    return obj


def constraint():
    """The upper bone points at an empty that moves, and the whole rig follows a path of another."""
    obj, armature = character()
    target, place = make.link("target", None), make.link("place", None)
    key(target, "location", {1: (2, 0, 2), 20: (-2, 1, 4)})
    key(place, "location", {1: (0, 0, 0), 20: (0, 3, 0)})
    made = armature.pose.bones["b2"].constraints.new("DAMPED_TRACK")
    made.target, made.track_axis = target, "TRACK_Y"
    armature.constraints.new("COPY_LOCATION").target = place
    return obj


def driver():
    obj, armature = character()
    curve = armature.pose.bones["b1"].driver_add("rotation_euler", 0)
    curve.driver.expression = "frame * 0.05"
    return obj


def additive():
    """A pose of one strip, and another added to it by a second track."""
    obj, armature = character()
    armature.animation_data_create()
    for name, axis, mode in (("base", 0, "REPLACE"), ("layer", 2, "COMBINE")):
        armature.animation_data.action = bpy.data.actions.new(name)
        bend(armature, axis=axis)
        action = armature.animation_data.action
        armature.animation_data.action = None
        track = armature.animation_data.nla_tracks.new()
        strip = track.strips.new(name, 1, action)
        strip.blend_type = mode
    return obj


def root_motion():
    obj, armature = character()
    key(armature, 'pose.bones["b0"].location', {1: (0, 0, 0), 20: (10, 0, 3)})
    bend(armature)
    return obj


def bone_parented():
    """A rigid mesh on a bone that turns."""
    _, armature = character()
    bend(armature)
    obj = make.link("hat", make.column("hat", height=0.5, rings=4))
    obj.parent, obj.parent_type, obj.parent_bone = armature, "BONE", "b1"
    obj.location = (0.2, 0.1, 0)
    return obj


def negative_scale():
    obj, armature = character(scale=(-1, 1.5, 1), rotation=(0.2, 0.1, 0.4))
    bend(armature)
    return obj


def shape_keys():
    obj, armature = character()
    bend(armature)
    obj.shape_key_add(name="Basis")
    wide = obj.shape_key_add(name="Wide")
    for i, vertex in enumerate(obj.data.vertices):
        wide.data[i].co = (vertex.co.x * 2, vertex.co.y * 2, vertex.co.z)
    key(obj.data.shape_keys, 'key_blocks["Wide"].value', {1: 0.0, 20: 1.0})
    return obj


def moved_object():
    """An object that is animated itself, under an armature that does not move."""
    obj, armature = character()
    armature.pose.bones["b1"].rotation_euler.x = 0.5
    key(obj, "location", {1: (0, 0, 0), 20: (0, 0, 5)})
    key(obj, "rotation_euler", {1: (0, 0, 0), 20: (0, 0, math.pi)})
    return obj


def hundredfold():
    """An armature at scale 100 over a mesh that was made for it."""
    obj, armature = character(scale=(100, 100, 100))
    bend(armature)
    return obj


def two_rigs():
    """Two objects of one mesh, each with a rig of its own: the second one."""
    first, _ = character("first")
    armature = make.rig(make.chain(3), "second rig", location=(5, 0, 0))
    obj = make.link("second", first.data)
    make.deform(obj, armature)
    for bone in armature.pose.bones:
        bone.rotation_mode = "XYZ"
    bend(armature)
    return obj


def beside_another_modifier():
    """A wave that moves the mesh before the armature bends it: the rest mesh is another one in every frame."""
    obj, armature = character()
    wave = obj.modifiers.new("Wave", "WAVE")
    wave.height, wave.width, wave.speed, wave.time_offset = 0.4, 1.0, 0.2, -20
    obj.modifiers.move(1, 0)
    bend(armature)
    return obj


SCENES = (keyed, constraint, driver, additive, root_motion, bone_parented, negative_scale, shape_keys, moved_object, hundredfold,
          two_rigs, beside_another_modifier)


def update():
    """The dependency graph of what is shown, evaluated; handlers have run."""
    bpy.context.view_layer.update()
    return bpy.context.view_layer.depsgraph


def spots(session, obj):
    """(vertices (N, 3), shares (N, 3)) of an object's particles."""
    actor = session.actors[obj.session_uid]
    points = actor.points(session.settings, session.settings.steps()[actor.level][1])
    return points.vertices, points.barycentrics


def off(session, obj, age=0, truth=None):
    """(largest distance of a particle from where Blender's evaluated mesh has its place, height), in metres."""
    truth = make.shown(obj) if truth is None else truth
    vertices, shares = spots(session, obj)
    there = (truth[vertices] * shares[:, :, None].astype(float)).sum(axis=1)
    ours = session.positions(obj.session_uid, age)
    assert ours.shape == there.shape and len(ours)
    return float(np.linalg.norm(ours - there, axis=1).max()), float(np.ptp(truth, axis=0).max())


def curves(owner):
    """F-curves of an object's action, of layered actions too."""
    action = owner.animation_data.action
    return [curve for layer in action.layers for strip in layer.strips for bag in strip.channelbags for curve in bag.fcurves]
