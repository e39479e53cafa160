"""What every sample scene shares: an empty file, materials, camera, sun, sky, and the compressed save."""

from __future__ import annotations

import math
from pathlib import Path

import bpy
from mathutils import Vector

FRAMES_PER_SECOND = 24
#: The others would only make the files larger, and one holds the builder's home folder.
WORKSPACES = ("Layout", "Animation", "Geometry Nodes")


def begin() -> bpy.types.Scene:
    """Empties Blender and returns the one scene that is left."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.data.batch_remove([workspace for workspace in bpy.data.workspaces if workspace.name not in WORKSPACES])
    bpy.context.preferences.filepaths.save_version = 0  # no .blend1 beside the file
    scene = bpy.context.scene
    scene.render.resolution_x, scene.render.resolution_y = 1280, 720
    scene.render.fps = FRAMES_PER_SECOND
    scene.view_settings.look = "AgX - Medium High Contrast"
    return scene


def material(name: str, color: tuple, roughness: float = 0.8, metallic: float = 0.0) -> bpy.types.Material:
    """A Principled material of one linear RGB colour, shown in that colour in the viewport too."""
    made = bpy.data.materials.new(name)
    shader = made.node_tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = (*color, 1.0)
    shader.inputs["Roughness"].default_value = roughness
    shader.inputs["Metallic"].default_value = metallic
    made.diffuse_color = (*color, 1.0)
    made.roughness, made.metallic = roughness, metallic
    return made


def srgb(code: str) -> tuple:
    """A linear RGB triple from an sRGB code such as ``"7a9e4b"``."""
    channels = [int(code[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    return tuple(c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)


def collection(name: str, parent: bpy.types.Collection | None = None, visible: bool = True) -> bpy.types.Collection:
    """A collection linked into `parent`, or into the scene's own; with ``visible=False`` excluded from the view layer."""
    made = bpy.data.collections.new(name)
    (parent or bpy.context.scene.collection).children.link(made)
    if not visible:
        layer_collection(made).exclude = True
    return made


def layer_collection(
    of: bpy.types.Collection, within: bpy.types.LayerCollection | None = None
) -> bpy.types.LayerCollection | None:
    """The view layer's entry of the collection `of`, where its exclude and holdout flags are."""
    within = within or bpy.context.view_layer.layer_collection
    if within.collection == of:
        return within
    return next((found for child in within.children if (found := layer_collection(of, child))), None)


def add(
    name: str, data=None, into: bpy.types.Collection | None = None, location=(0, 0, 0), rotation=(0, 0, 0), scale=(1, 1, 1)
) -> bpy.types.Object:
    """An object of `data` (None: an empty) in the collection `into`, or in the scene's own."""
    made = bpy.data.objects.new(name, data)
    made.location, made.rotation_euler, made.scale = location, rotation, scale
    (into or bpy.context.scene.collection).objects.link(made)
    return made


def add_instance(name: str, of: bpy.types.Collection, **where) -> bpy.types.Object:
    """An empty that instances the collection `of`; the rest as in `add`."""
    made = add(name, **where)
    made.instance_type, made.instance_collection = "COLLECTION", of
    made.empty_display_size = 0.5
    return made


def add_camera(location: tuple, target: tuple, lens: float = 35.0, clip_end: float = 1000.0) -> bpy.types.Object:
    """The scene's camera, named ``Camera``, at `location` looking at `target`."""
    data = bpy.data.cameras.new("Camera")
    data.lens, data.clip_end = lens, clip_end
    aim = (Vector(target) - Vector(location)).to_track_quat("-Z", "Y").to_euler()
    made = add("Camera", data, location=location, rotation=aim)
    bpy.context.scene.camera = made
    return made


def add_sun(
    elevation: float,
    azimuth: float,
    strength: float = 4.0,
    color: tuple = (1.0, 0.93, 0.82),
    sky: tuple = (0.32, 0.5, 0.8),
    sky_strength: float = 0.9,
) -> bpy.types.Object:
    """A sun at `elevation` and `azimuth` degrees (azimuth 0: light from +Y, growing towards +X) and a plain sky."""
    data = bpy.data.lights.new("Sun", "SUN")
    data.energy, data.color, data.angle = strength, color, math.radians(1.5)
    height, around = math.radians(elevation), math.radians(azimuth)
    to_sun = Vector((math.cos(height) * math.sin(around), math.cos(height) * math.cos(around), math.sin(height)))
    world = bpy.data.worlds.new("Sky")
    world.color = sky
    background = world.node_tree.nodes["Background"]
    background.inputs["Color"].default_value = (*sky, 1.0)
    background.inputs["Strength"].default_value = sky_strength
    bpy.context.scene.world = world
    return add("Sun", data, location=to_sun * 50, rotation=to_sun.to_track_quat("Z", "Y").to_euler())


def save(path: Path) -> Path:
    """Writes the file compressed, opening in the camera's view with the materials' colours."""
    for screen in bpy.data.screens:
        for area in screen.areas:
            if area.type == "VIEW_3D":
                space = area.spaces.active
                space.shading.color_type, space.shading.show_cavity = "MATERIAL", True
                space.clip_end = 2000
                if bpy.context.scene.camera:
                    space.region_3d.view_perspective = "CAMERA"
    bpy.ops.wm.save_as_mainfile(filepath=str(path), compress=True)
    return path
