"""``Scene.gpuscene_live``: what the user turns while the scene is live, stored in the .blend and undone like any setting.

Nothing of a running session is stored here: whether it runs, what it froze and what it measured live in `session` and `model`.
"""

from __future__ import annotations

from functools import cache

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty, PointerProperty

from . import model
from .state import running
from ..properties import OVERRIDE

CAMERA_ITEMS = (
    ("VIEW", "View", "Each 3D View culls for itself: what leaves the view turns culled at its edge, out of sight"),
    ("SCENE", "Scene Camera", "Every view shows what the scene camera sees: colours stay where they are while you fly around, "
                              "and the camera's frustum is drawn"),
    ("FROZEN", "Frozen", "Culling keeps the view at the moment of Freeze: fly away to see from outside what it drew and what it "
                         "dropped; its frustum is drawn"),
)
DEVICE_ITEMS = (
    ("GPU", "GPU", "Cull in compute shaders. Where there is no usable GPU the processor does it and the panel says why; the "
                   "picture is the same"),
    ("CPU", "CPU", "Cull on the processor, to compare or to rule the driver out. The picture is the same, only later"),
)
GROUP_ITEMS = (
    ("AUTO", "Automatic", "What suits the device best"),
    ("64", "64", "64 threads share a work group. The picture is the same"),
    ("128", "128", "128 threads share a work group. The picture is the same"),
    ("256", "256", "256 threads share a work group. The picture is the same"),
)
RULE_ITEMS = (
    ("NONE", "None", "No rule of your own: frustum, distance and size decide alone"),
    ("BELOW_CAMERA", "Below Camera", "Drop what is more than 10 m below the camera; such instances turn to the rule's colour"),
    ("TEXT", "Text", "Drop what a GLSL function in a text data-block says no to; such instances turn to the rule's colour"),
)
MODE_ITEMS = (
    ("VISIBILITY", "Visibility", "Colour each instance by what became of it: drawn, or the first test that dropped it"),
    ("LOD", "Level of Detail", "Colour each drawn instance by its level: white is the finest"),
    ("AGE", "Age", "Colour each instance by when it was last tested: red this frame, blue the last, green before that. Slices "
                   "show here"),
    ("BATCH", "Batch", "Colour each instance by the draw call that it goes into: neighbours of one colour are drawn together"),
    ("PRECISION", "Precision", "Colour each instance by the step between two positions that 32-bit numbers can hold there: far "
                               "from the origin things jitter"),
)
SHAPE_ITEMS = (
    ("AUTO", "Automatic", "Boxes, and points where there are too many instances for boxes"),
    ("BOXES", "Boxes", "Draw the world box of each instance as lines: exactly what is tested"),
    ("POINTS", "Points", "Draw a dot at the centre of each instance: the quickest for millions"),
)
REASON_ITEMS = (
    ("VISIBLE", "Visible", "Show the instances that are drawn", 1),
    ("FRUSTUM", "By Frustum", "Show the instances that lie outside the culling camera's view", 2),
    ("DISTANCE", "By Distance", "Show the instances that are farther than their cull radius or the cull distance", 4),
    ("RULE", "By Rule", "Show the instances that your rule dropped", 8),
    ("LATE", "Late", "Show the instances that would be drawn, had their slice had its turn", 16),
    ("HIDDEN", "Hidden", "Show the instances of objects that are hidden, where the tables still keep them", 32),
)


def _changed(_group, _context):
    """Every redraw of a running session reads its settings; a script's change alone causes none."""
    if running() is not None:
        model.redraw_views()


#: what all settings have in common
SETTING = {"override": OVERRIDE, "update": _changed}


class GPUSCENE_PG_live(bpy.types.PropertyGroup):
    """How the live scene is kept, culled and shown."""

    camera: EnumProperty(
        name="Culling Camera", items=CAMERA_ITEMS, default="VIEW", **SETTING,
        description="Whose view decides what is drawn. The colours follow it, not your own view")
    update_every: IntProperty(
        name="Update Every", default=1, min=1, max=60, soft_max=10, **SETTING,
        description="Send changes to the GPU every so many redraws. Moved things lag behind in the overlay; the dashboard shows "
                    "the largest distance as jitter")
    slices: IntProperty(
        name="Slices", default=1, min=1, max=64, soft_max=16, **SETTING,
        description="Test one part in so many of the scene each redraw. More slices save time, and what enters the view turns "
                    "visible a few redraws late; colour by Age to see it")

    cluster_size: IntProperty(
        name="Cluster Size", default=64, min=1, max=1024, soft_min=8, soft_max=512, **SETTING,
        description="Instances in a leaf of the cluster tree. Small leaves give many small green boxes that cull tightly, large "
                    "ones few big boxes that are tested quickly; the visible instances stay the same")
    bounds_scale: FloatProperty(
        name="Bounds Scale", default=1.0, min=0.01, max=100.0, soft_min=0.5, soft_max=4.0, precision=2, step=5, **SETTING,
        description="Grows every instance's sphere and box. Above 1 instances stay drawn longer at the edge of the view, as "
                    "shadows and vertex animation need; below 1 they vanish while still in sight")
    cull_distance: FloatProperty(
        name="Cull Distance", default=0.0, min=0.0, soft_max=1000.0, unit="LENGTH", **SETTING,
        description="Drop instances that are farther than this from the culling camera, unless they have a cull radius of their "
                    "own. 0: no limit")
    lod_bias: FloatProperty(
        name="LOD Bias", default=0.0, min=-8.0, max=8.0, soft_min=-4.0, soft_max=4.0, precision=2, step=10, **SETTING,
        description="Added to each instance's own. +1 halves the screen size that counts, so coarser levels come nearer; -1 "
                    "doubles it")
    use_forced_lod: BoolProperty(
        name="Forced LOD", default=False, **SETTING,
        description="Draw every instance at one level of detail, whatever its size in the picture")
    forced_lod: IntProperty(
        name="Level", default=0, min=0, max=7, **SETTING,
        description="The level that every instance is drawn at: 0 is the finest. One that has fewer levels takes its coarsest")
    rule: EnumProperty(
        name="Rule", items=RULE_ITEMS, default="NONE", **SETTING,
        description="A test of your own, run on the GPU on what passed every other. What it drops takes the rule's colour")
    rule_text: PointerProperty(
        name="Text", type=bpy.types.Text, **SETTING,
        description="Text with the GLSL function bool custom_rule(InstanceTransform transform, InstanceData data, CullView "
                    "view), or with its body alone. The picture follows as you type; an error names your own line")
    group_size: EnumProperty(
        name="Work Group", items=GROUP_ITEMS, default="AUTO", **SETTING,
        description="Threads to a work group of the GPU. Changes how long culling takes, never what is drawn")
    device: EnumProperty(
        name="Device", items=DEVICE_ITEMS, default="GPU", **SETTING,
        description="What does the culling. The picture is the same, bit by bit")

    show_instances: BoolProperty(
        name="Instances", default=True, **SETTING,
        description="Draw every instance over the view as a coloured box or point")
    show_clusters: BoolProperty(
        name="Clusters", default=False, **SETTING,
        description="Draw the boxes of the cluster tree: root red, inner nodes yellow, leaves green, culled ones grey")
    show_frustum: BoolProperty(
        name="Frustum", default=True, **SETTING,
        description="Draw the frustum of the culling camera where it is not the view's own")
    show_legend: BoolProperty(
        name="Legend", default=True, **SETTING,
        description="Say in the view what the colours mean")
    show_dashboard: BoolProperty(
        name="Dashboard", default=True, **SETTING,
        description="Write the measurements into the view")
    show_plot: BoolProperty(
        name="History", default=False, **SETTING,
        description="Plot up to 240 culled frames in the view, the newest at the right end: upload time, visible instances and "
                    "bytes uploaded")
    mode: EnumProperty(
        name="Colour By", items=MODE_ITEMS, default="VISIBILITY", **SETTING,
        description="What the colour of an instance says")
    shape: EnumProperty(
        name="Draw As", items=SHAPE_ITEMS, default="AUTO", **SETTING,
        description="How instances are drawn over the view")
    reasons: EnumProperty(
        name="Show Instances", items=REASON_ITEMS, default={"VISIBLE", "FRUSTUM", "DISTANCE", "RULE", "LATE"},
        options={"ENUM_FLAG", "ANIMATABLE"}, **SETTING,
        description="Which instances the overlay draws, by what became of them. Shift-click takes several")
    first_level: IntProperty(
        name="Level", default=0, min=0, max=31, soft_max=12, **SETTING,
        description="Cluster boxes above this depth of the tree are not drawn; 0 is the root")
    last_level: IntProperty(
        name="To", default=31, min=0, max=31, soft_max=31, **SETTING,
        description="Cluster boxes below this depth of the tree are not drawn")


CLASSES = (GPUSCENE_PG_live,)


def attach():
    """Attach the group; its class is registered before."""
    bpy.types.Scene.gpuscene_live = PointerProperty(
        name="GPUScene Live", type=GPUSCENE_PG_live, override=OVERRIDE, description="How GPUScene shows this scene live")


def detach():
    del bpy.types.Scene.gpuscene_live


def options_of(scene):
    """`core.live.options.LiveOptions` of the scene's settings; distances in Blender's units."""
    from ...core.live.options import LiveOptions

    group = scene.gpuscene_live
    return LiveOptions(
        device=group.device.lower(), cluster_size=group.cluster_size, bounds_scale=group.bounds_scale,
        cull_distance=group.cull_distance, lod_bias=group.lod_bias,
        forced_lod=group.forced_lod if group.use_forced_lod else None,
        group_size=None if group.group_size == "AUTO" else int(group.group_size), rule=_rule_of(group), slices=group.slices)


def overlay_of(scene):
    """`settings.OverlayOptions` of the scene's settings."""
    from .settings import SHOWN_REASONS, OverlayOptions

    group = scene.gpuscene_live
    shown = group.reasons
    return OverlayOptions(
        mode=group.mode.lower(), instances=group.show_instances, shape=group.shape.lower(),
        reasons=tuple(name for name in SHOWN_REASONS if name.upper() in shown), clusters=group.show_clusters,
        first_level=group.first_level, last_level=group.last_level, frustum=group.show_frustum, legend=group.show_legend,
        dashboard=group.show_dashboard, plot=group.show_plot)


def _rule_of(group) -> str:
    if group.rule == "NONE":
        return ""
    if group.rule == "TEXT":
        return group.rule_text.as_string() if group.rule_text is not None else ""
    return _shipped_rule(group.rule.lower())


@cache
def _shipped_rule(name: str) -> str:
    from ...device.custom_rule import CustomRule

    return CustomRule.load(name).text
