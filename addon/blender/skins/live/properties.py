"""``Scene.gpuscene_skins``: which objects carry particles and how they look, stored in the .blend and undone like any setting."""

from __future__ import annotations

from functools import lru_cache

import bpy
from bpy.props import (BoolProperty, CollectionProperty, EnumProperty, FloatProperty, FloatVectorProperty, IntProperty,
                       PointerProperty)

from ...live import model as views
from ...properties import OVERRIDE, OVERRIDE_LIST
from .state import running

SPAWN_ITEMS = (
    ("SURFACE", "Surface", "Spread the particles evenly over the mesh: large faces get more of them"),
    ("VERTICES", "Vertices", "Put the particles on the vertices, one each: dense parts of the mesh stay dense"),
)
COLOR_ITEMS = (
    ("BONE", "Bone", "Each bone has its own colour; a particle takes that of the bone with the most weight at its place"),
    ("ERROR", "Weight Error", "From blue to red: the share of the weights that fewer influences and 8-bit weights put on the "
                              "wrong bone"),
    ("AGE", "Age", "The present pose is red, older ones run through yellow and green to blue. Needs Trails to tell anything"),
    ("SPEED", "Speed", "From blue to red: how fast each particle moves. The scale ends at the Top Speed below"),
    ("PLAIN", "Plain", "One colour for all particles"),
)
INFLUENCE_ITEMS = (
    ("4", "4", "Each vertex follows its 4 strongest bones, as most engines do"),
    ("8", "8", "Each vertex follows its 8 strongest bones: particles lie closer to Blender's mesh where many bones meet"),
)
FORMAT_ITEMS = (
    ("FLOAT32", "Full", "48 bytes a bone: particles lie where Blender's mesh is"),
    ("HALF", "Half", "24 bytes a bone, as 16-bit numbers relative to the character: particles may jitter by a millimetre"),
    ("TRS", "TQS", "40 bytes a bone, as translation, quaternion and scale: sheared bones lose their shear, and particles leave "
                   "the mesh there"),
)
DEVICE_ITEMS = (
    ("GPU", "GPU", "Move the particles in compute shaders. Where there is no usable GPU the processor does it and the panel "
                   "says why"),
    ("CPU", "CPU", "Move the particles on the processor, to compare or to rule the driver out. The picture is the same, only "
                   "later"),
)


def _changed(_group, _context):
    if running() is not None:
        views.redraw_views()


def _is_mesh(_group, obj) -> bool:
    return obj.type == "MESH"


SETTING = {"override": OVERRIDE, "update": _changed}


class GPUSCENE_PG_skin(bpy.types.PropertyGroup):
    """One object of the list."""

    object: PointerProperty(
        name="Object", type=bpy.types.Object, poll=_is_mesh, **SETTING,
        description=("Mesh whose skin carries particles; they follow it wherever its armature, its parent or its own animation "
                     "takes it"))
    show: BoolProperty(
        name="Show", default=True, **SETTING,
        description="Draw this object's particles. Those of the others stay as they are")


class GPUSCENE_PG_skins(bpy.types.PropertyGroup):
    """Particles on skins."""

    items: CollectionProperty(
        name="Objects", type=GPUSCENE_PG_skin, override=OVERRIDE_LIST, description="Objects whose skins carry particles")
    active: IntProperty(
        name="Active", default=0, min=0, options=set(), description="Which row's details stand below the list. The picture "
                                                                    "stays the same")

    particles: IntProperty(
        name="Particles", default=5000, min=1, max=5_000_000, soft_max=200_000, **SETTING,
        description="Particles on each character. More of them cover the mesh more densely")
    spawn: EnumProperty(
        name="Spawn On", items=SPAWN_ITEMS, default="SURFACE", **SETTING, description="Where on the mesh particles lie")
    seed: IntProperty(
        name="Seed", default=0, min=0, **SETTING,
        description=("Another number spreads the particles differently. The same one puts them in the same places, in every "
                     "frame and every time"))
    size: FloatProperty(
        name="Size", default=4.0, min=1.0, max=64.0, soft_max=16.0, precision=1, step=50, subtype="PIXEL", **SETTING,
        description="Diameter of a particle on the screen, at every distance. Larger ones close the gaps between them")
    color: EnumProperty(
        name="Colour By", items=COLOR_ITEMS, default="BONE", **SETTING, description="What the colour of a particle says")
    plain: FloatVectorProperty(
        name="Colour", subtype="COLOR_GAMMA", size=4, default=(1.0, 0.62, 0.2, 1.0), min=0, max=1, **SETTING,
        description="Colour of all particles. Lower its alpha to see the mesh through them")
    top_speed: FloatProperty(
        name="Top Speed", default=3.0, min=0.001, soft_max=50.0, unit="VELOCITY", **SETTING,
        description="Particles at least this fast are red; slower ones run through yellow and green to blue")
    use_trails: BoolProperty(
        name="Trails", default=False, **SETTING,
        description=("Draw the particles where they were in past frames too, fainter the longer ago. Play the animation to see "
                     "them"))
    trail: IntProperty(
        name="Poses", default=5, min=2, max=64, soft_max=16, **SETTING,
        description="How many poses the trail is long, the present one among them. Each draws all particles once more")
    offset: FloatVectorProperty(
        name="Debug Offset", size=3, default=(0, 0, 0), subtype="TRANSLATION", soft_min=-2, soft_max=2, unit="LENGTH", **SETTING,
        description=("Moves every particle by this. What is attached moves with its character as one; what is not stays behind "
                     "or swims"))

    influences: EnumProperty(
        name="Influences", items=INFLUENCE_ITEMS, default="4", **SETTING,
        description="How many bones may move a vertex. Fewer put particles off the mesh where more bones meet")
    matrix_format: EnumProperty(
        name="Matrices", items=FORMAT_ITEMS, default="FLOAT32", **SETTING,
        description="How bone matrices travel to the GPU in each frame. Smaller ones put particles a little off the mesh")
    device: EnumProperty(
        name="Device", items=DEVICE_ITEMS, default="GPU", **SETTING, description="What moves the particles. The picture is the "
                                                                                 "same")

    use_lod: BoolProperty(
        name="Level of Detail", default=False, **SETTING,
        description="Keep less of characters that are far from every 3D View: their particles lie coarser and are fewer")
    two_influences: FloatProperty(
        name="2 Influences From", default=10.0, min=0.0, soft_max=200.0, unit="LENGTH", **SETTING,
        description="From this distance on only the two strongest bones move each vertex; particles at joints shift. 0: never")
    one_influence: FloatProperty(
        name="1 Influence From", default=25.0, min=0.0, soft_max=200.0, unit="LENGTH", **SETTING,
        description="From this distance on each vertex follows one bone rigidly: particles part at the joints. 0: never")
    fewer_bones: FloatProperty(
        name="Fewer Bones From", default=15.0, min=0.0, soft_max=200.0, unit="LENGTH", **SETTING,
        description=("From this distance on the least bones fold into their parents: fingers stop moving before hands do. 0: "
                     "never"))
    bone_share: FloatProperty(
        name="Bones Kept", default=0.25, min=0.01, max=1.0, subtype="FACTOR", **SETTING,
        description="Share of the used bones that still move when there are fewer")
    fewer_particles: FloatProperty(
        name="Fewer Particles From", default=10.0, min=0.0, soft_max=200.0, unit="LENGTH", **SETTING,
        description="From this distance on a character shows fewer particles, still spread evenly. 0: never")
    particle_share: FloatProperty(
        name="Particles Kept", default=0.5, min=0.01, max=1.0, subtype="FACTOR", **SETTING,
        description="Share of the particles that are left when there are fewer")


CLASSES = (GPUSCENE_PG_skin, GPUSCENE_PG_skins)


def attach():
    bpy.types.Scene.gpuscene_skins = PointerProperty(
        name="GPUScene Skins", type=GPUSCENE_PG_skins, override=OVERRIDE, description="Particles that GPUScene shows on skins")


def detach():
    del bpy.types.Scene.gpuscene_skins


def settings_of(scene):
    """`SkinSettings` of the scene's properties."""
    group = scene.gpuscene_skins
    return _settings(tuple(_plain(group, name) for name in _NAMES))


_NAMES = ("particles", "spawn", "seed", "size", "color", "plain", "top_speed", "use_trails", "trail", "offset", "influences",
          "matrix_format", "device", "use_lod", "two_influences", "one_influence", "fewer_bones", "bone_share", "fewer_particles",
          "particle_share")


def _plain(group, name):
    value = getattr(group, name)
    return value if isinstance(value, (int, float, str)) else tuple(value)


@lru_cache(maxsize=8)
def _settings(values):
    from .settings import LodSettings, SkinSettings

    at = dict(zip(_NAMES, values))
    lod = LodSettings(*(at[name] for name in _NAMES[14:])) if at["use_lod"] else None
    trail = at["trail"] if at["use_trails"] else 0
    return SkinSettings(at["particles"], at["spawn"].lower(), at["seed"], at["size"], at["color"].lower(), at["plain"],
                        at["top_speed"], trail, at["offset"], int(at["influences"]), at["matrix_format"].lower(), lod,
                        at["device"].lower())


def chosen_of(scene) -> tuple:
    """`Chosen` of the list's shown rows that hold an object, each object once."""
    from ..character import object_key
    from .settings import Chosen

    out = {}
    for item in scene.gpuscene_skins.items:
        if item.object is not None and item.show:
            out[item.object.session_uid] = Chosen(item.object.session_uid, object_key(item.object), item.object.name_full)
    return tuple(out.values())
