"""What the user sets, stored in the .blend: ``Scene.gpuscene`` and ``Object.gpuscene``.

Enum identifiers are upper case as everywhere in Blender; `converters` turns them into the lower-case names of ``core``.
Results are never stored here (see `viewmodel`): a .blend must not change because it was exported.
"""

from __future__ import annotations

import sys

import bpy
from bpy.props import (BoolProperty, CollectionProperty, EnumProperty, FloatProperty, IntProperty, PointerProperty,
                       StringProperty)

from ..core.limits import CUSTOM_CHANNELS, MAX_LODS
from ..core.lod import DEFAULT_HYSTERESIS, default_screen_size

#: Overridable, so that a shot that links an asset can still change how it is exported.
OVERRIDE = {"LIBRARY_OVERRIDABLE"}
OVERRIDE_LIST = {"LIBRARY_OVERRIDABLE", "USE_INSERTION"}

SCOPE_ITEMS = (
    ("SCENE", "Scene", "Export every object of the scene that is visible"),
    ("COLLECTION", "Collection", "Export only what is in one collection and the collections inside it"),
    ("SELECTION", "Selection", "Export only the selected objects, for instance to look at one problem"),
)
VISIBLE_ITEMS = (
    ("VIEWPORT", "Viewport", "Export what the viewport shows: its hide flags, modifier and particle settings. "
                             "Fast, what you see is what you get"),
    ("RENDER", "Render", "Export what a render shows: render hide flags, subdivision levels and particle counts. "
                         "Evaluates the scene again, so it takes longer"),
)
AXES_ITEMS = (
    ("BLENDER", "Blender", "Right-handed, Z up, metres: numbers as Blender shows them"),
    ("UNREAL", "Unreal", "Left-handed, Z up, centimetres; triangles are wound the other way round"),
    ("UNITY", "Unity", "Left-handed, Y up, metres; triangles are wound the other way round"),
    ("GLTF", "glTF", "Right-handed, Y up, metres"),
)
CONTAINER_ITEMS = (
    ("AUTO", "Automatic", "One .glb file, or .gltf with a .bin beside it when the data would pass the 4 GB that a .glb can hold"),
    ("GLB", "Single File (.glb)", "Always one .glb file. An error when the data would pass 4 GB"),
    ("GLTF", "JSON and Data (.gltf + .bin)", "Always two files, so the description can be read and compared as text"),
)
SOURCE_ITEMS = (
    ("PROPERTY", "Custom Property", "Read a custom property of the object, else of its data, else of what instances it"),
    ("ATTRIBUTE", "Instance Attribute", "Read an attribute that Geometry Nodes stored on the Instance domain, one value "
                                        "an instance, or a custom property of that name where there is no such attribute"),
    ("CONSTANT", "Constant", "Write the same value for every instance"),
)
MOVABLE_ITEMS = (
    ("AUTO", "Automatic", "Movable when the object or a parent of it has animation, a constraint or physics"),
    ("YES", "Movable", "Always marked movable: a game may move it although it stands still here"),
    ("NO", "Static", "Never marked movable, even when it is animated here: an engine may bake it into static structures"),
)


def read_again(_self=None, _context=None):
    """A live session shows what the export would write: read the scene again. Nothing happens while none runs."""
    live = sys.modules.get(f"{__package__}.live.session")
    if live is not None:
        live.mark_all("a setting of the export changed")


class GPUSCENE_PG_channel(bpy.types.PropertyGroup):
    """One custom-data channel: where the number that every instance carries comes from."""

    index: IntProperty(
        name="Channel", default=2, min=0, max=CUSTOM_CHANNELS - 1, override=OVERRIDE, update=read_again,
        description="Which of the eight floats of an instance is written: 0 to 3 are custom_data[0].xyzw, 4 to 7 are "
                    "custom_data[1].xyzw. 0 is always the cull radius and 1 the LOD bias")
    label: StringProperty(
        name="Label", override=OVERRIDE, update=read_again,
        description="What the engine calls the channel. Written to the file, so that a shader author knows what the number means")
    source: EnumProperty(
        name="Source", items=SOURCE_ITEMS, default="ATTRIBUTE", override=OVERRIDE, update=read_again,
        description="Where the value of each instance comes from")
    name: StringProperty(
        name="Name", override=OVERRIDE, update=read_again,
        description="Name of the custom property or attribute to read, exactly as Blender shows it")
    component: IntProperty(
        name="Component", default=0, min=0, max=3, override=OVERRIDE, update=read_again,
        description="Which component of a vector or colour is read: 0 is X or red, 3 is alpha. Use 0 for plain numbers")
    default: FloatProperty(
        name="Default", default=0.0, override=OVERRIDE, update=read_again,
        description="The constant, or the value of instances that lack the property or attribute")


def _is_lod_candidate(item, obj):
    return obj.type in {"MESH", "CURVE", "SURFACE", "FONT", "META"} and obj != item.id_data


class GPUSCENE_PG_lod(bpy.types.PropertyGroup):
    """A coarser stand-in of an object. The object itself is LOD 0; the first entry is LOD 1."""

    object: PointerProperty(
        name="Object", type=bpy.types.Object, poll=_is_lod_candidate, override=OVERRIDE, update=read_again,
        description="Object whose mesh is drawn instead at this level of detail. It is not exported as an instance of its own "
                    "while it is hidden")
    screen_size: FloatProperty(
        name="Screen Size", default=default_screen_size(1), min=0.0, max=1.0, precision=3, step=1, subtype="FACTOR",
        override=OVERRIDE, update=read_again,
        description="The level is drawn when the bounding sphere covers less than this fraction of the picture's height. "
                    "Smaller values keep the finer level longer; each level needs a smaller value than the one before")


class GPUSCENE_PG_object(bpy.types.PropertyGroup):
    """How one object is exported."""

    full_precision: BoolProperty(
        name="Full Precision", default=False, override=OVERRIDE, update=read_again,
        description="Also write this object's matrix in 64-bit numbers, composed along its parents. For things far from the "
                    "origin, which jitter in 32-bit numbers. Costs 128 bytes an instance")
    movable: EnumProperty(
        name="Movable", items=MOVABLE_ITEMS, default="AUTO", override=OVERRIDE, update=read_again,
        description="Whether the engine must expect this object to move; sets the movable flag of its instances")
    lods: CollectionProperty(
        name="Levels of Detail", type=GPUSCENE_PG_lod, override=OVERRIDE_LIST,
        description="Coarser meshes for when the object is small in the picture, finest first. The object itself is LOD 0. "
                    "An empty list means: use objects named _LOD1, _LOD2 and so on, where there are any")
    active_lod: IntProperty(
        name="Active Level", default=0, min=0, options={"HIDDEN"},
        description="The row of the list that is being edited; does not change the exported data")
    lod_hysteresis: FloatProperty(
        name="Hysteresis", default=DEFAULT_HYSTERESIS, min=0.0, max=0.5, precision=3, step=1, subtype="FACTOR", override=OVERRIDE,
        update=read_again,
        description="Half the width of the band around each screen size in which the level stays what it was, as a fraction "
                    "of it. Stops flickering between two levels when the camera sways")


class GPUSCENE_PG_scene(bpy.types.PropertyGroup):
    """How the scene is exported."""

    scope: EnumProperty(
        name="Scope", items=SCOPE_ITEMS, default="SCENE", override=OVERRIDE,
        description="Which objects are exported. Instance ids stay the same whatever the scope")
    collection: PointerProperty(
        name="Collection", type=bpy.types.Collection, override=OVERRIDE,
        description="The collection to export; everything else is left out of the file")
    visible: EnumProperty(
        name="Visible In", items=VISIBLE_ITEMS, default="VIEWPORT", override=OVERRIDE,
        description="Whose visibility and detail settings decide what is exported: many scenes show less in the viewport than "
                    "in a render")
    axes: EnumProperty(
        name="Axes", items=AXES_ITEMS, default="BLENDER", override=OVERRIDE,
        description="Axes and units of everything in the file. Choose the engine that reads it, so that it can upload the "
                    "data unchanged")
    container: EnumProperty(
        name="Format", items=CONTAINER_ITEMS, default="AUTO", override=OVERRIDE,
        description="One file or two. The data is the same")
    filepath: StringProperty(
        name="Output", subtype="FILE_PATH", default="", maxlen=1024, override=OVERRIDE,
        options={"OUTPUT_PATH", "PATH_SUPPORTS_BLEND_RELATIVE", "ANIMATABLE"},
        description="File to write. Empty: beside the .blend, with its name. An existing file is replaced only when the "
                    "export succeeded")
    channels: CollectionProperty(
        name="Channels", type=GPUSCENE_PG_channel, override=OVERRIDE_LIST,
        description="Custom-data channels: the numbers that each instance carries for shaders. An empty list means the "
                    "default channels")
    active_channel: IntProperty(
        name="Active Channel", default=0, min=0, options={"HIDDEN"},
        description="The row of the list that is being edited; does not change the exported data")


#: LOD 0 is the object itself.
MAX_LISTED_LODS = MAX_LODS - 1

CLASSES = (GPUSCENE_PG_channel, GPUSCENE_PG_lod, GPUSCENE_PG_object, GPUSCENE_PG_scene)


def attach():
    """Attach the groups; the classes are registered before."""
    bpy.types.Scene.gpuscene = PointerProperty(
        name="GPUScene", type=GPUSCENE_PG_scene, override=OVERRIDE, description="How GPUScene exports this scene")
    bpy.types.Object.gpuscene = PointerProperty(
        name="GPUScene", type=GPUSCENE_PG_object, override=OVERRIDE, description="How GPUScene exports this object")


def detach():
    del bpy.types.Object.gpuscene
    del bpy.types.Scene.gpuscene
