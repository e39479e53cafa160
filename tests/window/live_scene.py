"""Makes the scene of the live window tests: ``blender -b --python live_scene.py -- FILE``, with the extension enabled.

A field of 21 x 21 linked duplicates of a ball with three levels of detail, a red cube in front, a yellow one that runs out of
sight, a plane below, and a camera that looks
over a part of it.
"""

import sys

import bpy
from mathutils import Vector

FILE = sys.argv[-1]
for obj in list(bpy.data.objects):
    bpy.data.objects.remove(obj)
scene = bpy.context.scene
scene.frame_end = 12


def material(name, color):
    made = bpy.data.materials.new(name)
    made.diffuse_color = (*color, 1)
    return made


def mesh_of(operator, name, paint, **settings):
    operator(**settings)
    obj = bpy.context.object
    obj.name = obj.data.name = name
    obj.data.materials.append(paint)
    return obj


field = bpy.data.collections.new("Field")
scene.collection.children.link(field)
grey = material("Grey", (0.3, 0.3, 0.32))
ball = mesh_of(bpy.ops.mesh.primitive_ico_sphere_add, "Ball_LOD0", grey, subdivisions=3, radius=0.5)
for level in (1, 2):
    coarse = mesh_of(bpy.ops.mesh.primitive_ico_sphere_add, f"Ball_LOD{level}", grey, subdivisions=3 - level, radius=0.5)
    coarse.hide_set(True)
    coarse.hide_render = coarse.hide_viewport = True
    item = ball.gpuscene.lods.add()
    item.object, item.screen_size = coarse, 0.12 / 2 ** level
for x in range(-10, 11):
    for y in range(-10, 11):
        if (x, y) != (0, 0):
            copy = ball.copy()
            copy.name = f"Ball {x} {y}"
            copy.location = (2 * x, 2 * y, 0.5)
            field.objects.link(copy)
ball.location = (0, 0, 0.5)
hero = mesh_of(bpy.ops.mesh.primitive_cube_add, "Hero", material("Red", (0.6, 0.05, 0.05)), size=1.5, location=(4, -12, 1))
runner = mesh_of(bpy.ops.mesh.primitive_cube_add, "Runner", material("Yellow", (0.7, 0.6, 0.05)), size=1, location=(-2, -12, 0.6))
ground = mesh_of(bpy.ops.mesh.primitive_plane_add, "Ground", material("Green", (0.1, 0.16, 0.08)), size=60)
camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
camera.location = (6, -26, 7)
camera.rotation_euler = (Vector((0, 0, 0)) - camera.location).to_track_quat("-Z", "Y").to_euler()
camera.data.clip_end = 40
scene.collection.objects.link(camera)
scene.camera = camera
for obj in bpy.context.selected_objects:
    obj.select_set(False)
hero.select_set(True)
bpy.context.view_layer.objects.active = hero
runner.keyframe_insert("location", frame=1)
runner.location.x = -60
runner.keyframe_insert("location", frame=12)
scene.frame_set(1)
for screen in bpy.data.screens:
    for area in screen.areas:
        if area.type == "VIEW_3D":
            view = area.spaces.active
            view.shading.color_type = "MATERIAL"
            view.region_3d.view_location, view.region_3d.view_distance = (0, -4, 0), 34
            view.region_3d.view_rotation = camera.rotation_euler.to_quaternion()
bpy.ops.wm.save_as_mainfile(filepath=FILE)
