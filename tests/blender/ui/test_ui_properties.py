"""Properties and operators: defaults, tooltips, what survives saving, linking and undo."""

import bpy
import pytest

from gpuscene.blender import operators, panels, preferences, properties
from gpuscene.blender.live import explaining, recording
from gpuscene.blender.live import operators as live_operators
from gpuscene.blender.live import panels as live_panels
from gpuscene.blender.live import properties as live_properties
from gpuscene.core.lod import DEFAULT_HYSTERESIS

GROUPS = properties.CLASSES + preferences.CLASSES + live_properties.CLASSES
OPERATORS = operators.CLASSES + live_operators.CLASSES + explaining.CLASSES + recording.CLASSES


def own_properties(cls):
    """RNA properties declared by `cls` itself."""
    return [p for name, p in cls.bl_rna.properties.items() if name in cls.__annotations__]


@pytest.mark.parametrize("cls", GROUPS + OPERATORS, ids=lambda c: c.__name__)
def test_every_property_and_enum_item_has_a_tooltip(ui, cls):
    for prop in own_properties(cls):
        assert len(prop.description) > 15, prop.identifier
        for item in getattr(prop, "enum_items", ()):
            assert item.description, f"{prop.identifier}.{item.identifier}"


@pytest.mark.parametrize("cls", OPERATORS, ids=lambda c: c.__name__)
def test_every_operator_has_a_tooltip_and_a_name_of_the_house(ui, cls):
    assert cls.__name__ == "GPUSCENE_OT_" + cls.bl_idname.removeprefix("gpuscene.")
    description = getattr(bpy.ops.gpuscene, cls.bl_idname.removeprefix("gpuscene.")).get_rna_type().description
    assert len(description) > 30 and "\n" not in description


def test_operators_that_change_data_are_undone_as_one_step(ui):
    undoable = {cls.bl_idname for cls in OPERATORS if "UNDO" in getattr(cls, "bl_options", ())}
    assert undoable == {"gpuscene." + name for name in (
        "add_channel", "remove_channel", "reset_channels", "add_lod", "remove_lod", "find_lods", "select_finding",
        "live_freeze", "live_reset")}


def test_panels_are_in_one_tab_and_closed_past_live(ui):
    drawn = [cls for cls in panels.CLASSES + live_panels.CLASSES if issubclass(cls, bpy.types.Panel)]
    assert {cls.bl_category for cls in drawn} == {"GPUScene"}
    in_order = sorted(drawn, key=lambda cls: getattr(cls, "bl_order", 0))
    assert [cls.bl_label for cls in in_order] == [
        "Scene", "Live", "Culling", "Overlay", "Dashboard", "Explain", "Custom Data", "Active Object"]
    assert [cls.bl_label for cls in drawn if "DEFAULT_CLOSED" not in getattr(cls, "bl_options", ())] == ["Scene", "Live"]


def test_defaults(ui):
    scene = bpy.context.scene.gpuscene
    assert (scene.scope, scene.collection, scene.visible, scene.axes, scene.container, scene.filepath, len(scene.channels)) == (
        "SCENE", None, "VIEWPORT", "BLENDER", "AUTO", "", 0)
    obj = bpy.context.object.gpuscene
    assert (obj.full_precision, obj.movable, len(obj.lods)) == (False, "AUTO", 0)
    assert obj.lod_hysteresis == pytest.approx(DEFAULT_HYSTERESIS, rel=1e-6)


def test_settings_survive_saving_and_loading(ui, tmp_path):
    path = str(tmp_path / "settings.blend")
    scene, cube = bpy.context.scene, bpy.context.object
    group = scene.gpuscene
    group.scope, group.visible, group.axes, group.container = "COLLECTION", "RENDER", "UNREAL", "GLTF"
    group.collection = bpy.data.collections.new("树/“Trees”")
    scene.collection.children.link(group.collection)
    group.filepath = "//out/场景 1.glb"
    channel = group.channels.add()
    channel.index, channel.label, channel.source, channel.name = 7, "wind", "ATTRIBUTE", "wind_vector"
    channel.component, channel.default = 2, -1.5
    group.channels.add().index = 3
    cube.gpuscene.full_precision, cube.gpuscene.movable = True, "YES"
    low = bpy.data.objects.new("Low", cube.data)
    scene.collection.objects.link(low)
    item = cube.gpuscene.lods.add()
    item.object, item.screen_size = low, 0.125
    before = ui.snapshot(group), ui.snapshot(cube.gpuscene)
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    assert bpy.context.scene.gpuscene.axes == "BLENDER"
    bpy.ops.wm.open_mainfile(filepath=path)
    cube = bpy.data.objects["Cube"]
    assert (ui.snapshot(bpy.context.scene.gpuscene), ui.snapshot(cube.gpuscene)) == before
    assert cube.gpuscene.lods[0].object == bpy.data.objects["Low"]
    assert bpy.context.scene.gpuscene.collection == bpy.data.collections["树/“Trees”"]


def test_a_renamed_lod_object_stays_listed_and_a_removed_one_leaves_an_empty_row(ui):
    cube = bpy.context.object
    low = bpy.data.objects.new("Low", cube.data)
    cube.gpuscene.lods.add().object = low
    low.name = "Lower"
    assert cube.gpuscene.lods[0].object.name == "Lower"
    bpy.data.objects.remove(low)
    assert cube.gpuscene.lods[0].object is None


def test_settings_can_be_overridden_on_a_linked_object(ui, tmp_path):
    path = str(tmp_path / "library.blend")
    bpy.context.object.gpuscene.movable = "NO"
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    with bpy.data.libraries.load(path, link=True) as (_, linked):
        linked.objects = ["Cube"]
    bpy.context.scene.collection.objects.link(linked.objects[0])
    override = linked.objects[0].override_create(remap_local_usages=True)
    assert override.gpuscene.movable == "NO"
    override.gpuscene.movable = "YES"
    override.gpuscene.full_precision = True
    shot = str(tmp_path / "shot.blend")
    bpy.ops.wm.save_as_mainfile(filepath=shot)
    bpy.ops.wm.open_mainfile(filepath=shot)
    override = next(o for o in bpy.context.scene.objects if o.override_library)
    assert (override.gpuscene.movable, override.gpuscene.full_precision) == ("YES", True)


def test_undo_and_redo_of_an_operator(ui):
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.gpuscene.add_channel()
    bpy.ops.gpuscene.add_lod()
    bpy.ops.ed.undo_push(message="after")
    bpy.ops.ed.undo()
    assert len(bpy.context.scene.gpuscene.channels) == len(bpy.context.object.gpuscene.lods) == 0
    bpy.ops.ed.redo()
    assert (len(bpy.context.scene.gpuscene.channels), len(bpy.context.object.gpuscene.lods)) == (5, 1)


def test_preferences_fill_in_only_what_a_scene_has_never_set(ui):
    fresh, decided = bpy.context.scene, bpy.data.scenes.new("Decided")
    decided.gpuscene.axes = "BLENDER"

    class Chosen:
        axes, visible = "UNREAL", "RENDER"

        def is_property_set(self, name):
            return name == "axes"

    preferences.apply_defaults(fresh, Chosen())
    preferences.apply_defaults(decided, Chosen())
    assert (fresh.gpuscene.axes, decided.gpuscene.axes) == ("UNREAL", "BLENDER")
    assert not fresh.gpuscene.is_property_set("visible")
