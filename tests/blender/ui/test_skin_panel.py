"""The Skins panel and its operators: what they draw, say, and leave in the file."""

import sys
from pathlib import Path
from types import SimpleNamespace

import bpy
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "skins"))
import skin_live  # noqa: E402

from gpuscene.blender.skins.live import lists, model, operators, panels, properties, session  # noqa: E402

PANELS = panels.CLASSES


@pytest.fixture
def group(ui):
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True, load_ui=False)
    yield bpy.context.scene.gpuscene_skins
    session.stop()
    model.set_error("")


def draw_all(ui, group):
    context = SimpleNamespace(scene=SimpleNamespace(gpuscene_skins=group))
    texts, names = [], []
    for panel in PANELS:
        recorder = ui.Recorder()
        holder = SimpleNamespace(layout=recorder)
        holder.settings = lambda holder=holder: panels.SkinsPart.settings(holder)
        panel.draw(holder, context)
        if hasattr(panel, "draw_header"):
            panel.draw_header(holder, context)
        texts, names = texts + recorder.texts(), names + recorder.properties()
    return texts, names


@pytest.mark.parametrize("cls", properties.CLASSES)
def test_every_property_says_what_changes(ui, cls):
    for name, prop in cls.bl_rna.properties.items():
        if name in cls.__annotations__:
            assert len(prop.description) > 30, name
            for item in getattr(prop, "enum_items", ()):
                assert len(item.description) > 20, (name, item.identifier)


@pytest.mark.parametrize("cls", operators.CLASSES, ids=lambda c: c.__name__)
def test_every_operator_has_a_tooltip_and_a_name_of_the_house(ui, cls):
    assert cls.__name__ == "GPUSCENE_OT_" + cls.bl_idname.removeprefix("gpuscene.")
    assert len(cls.bl_description) > 40 and "\n" not in cls.bl_description


def test_every_setting_is_on_a_panel(ui, group):
    names = set()
    for color in ("PLAIN", "SPEED"):
        group.color = color
        names |= set(draw_all(ui, group)[1])
    assert names == set(properties.GPUSCENE_PG_skins.__annotations__) - {"items", "active"}


def test_drawing_changes_nothing(ui, group):
    before = ui.snapshot(group)
    draw_all(ui, group)
    assert ui.snapshot(group) == before


def test_start_without_a_list_takes_what_an_armature_deforms(ui, group):
    obj, armature = skin_live.character("hero")
    skin_live.bend(armature)
    skin_live.make.link("rock", skin_live.make.column("rock"))
    bpy.context.view_layer.update()
    for other in bpy.context.selected_objects:
        other.select_set(False)
    assert "Start" in draw_all(ui, group)[0]
    group.device, group.particles = "CPU", 123
    assert bpy.ops.gpuscene.skins_toggle() == {"FINISHED"}
    assert [item.object for item in group.items] == [obj]
    texts, _ = draw_all(ui, group)
    said = dict(zip(texts, texts[1:]))
    assert said["Bones"] == "3 of 3 used" and said["Particles"] == "123" and said["Device"] == "CPU" and "Stop" in texts
    assert said["Bytes a Frame"] == "144" and said["Sent Last"] == "144 B"  # 3 bones of 48 bytes
    assert said["Characters"] == "1 of 1"
    assert said["Error"].endswith("%") and said["Measured At"] == "frame 1"
    assert said["4 influences"].endswith("%")
    assert bpy.ops.gpuscene.skins_toggle() == {"FINISHED"}
    assert "Start" in draw_all(ui, group)[0] and model.view() is None


def test_measuring_says_how_far_it_is_off(ui, group):
    """A column bent by preserving its volume: linear blending is off by what is measured here another way."""
    obj, armature = skin_live.character("hero")
    armature.pose.bones["b1"].rotation_euler.x = 1.5
    obj.modifiers[0].use_deform_preserve_volume = True
    group.items.add().object = obj
    group.device, group.spawn, group.particles = "CPU", "VERTICES", 10_000
    bpy.context.view_layer.update()
    running = session.start(bpy.context)
    assert bpy.ops.gpuscene.skins_measure() == {"FINISHED"}
    off, height = skin_live.off(running, obj)
    said = model.view().characters[obj.session_uid]
    assert off > 1e-3 and said.short == f"{1000 * off:.3g} mm, {off / height:.3%}" and said.alert
    assert "Preserve Volume" in " ".join(line for finding in said.findings for line in finding)
    assert max(len(line) for finding in said.findings for line in finding) <= 36


def test_adding_and_removing(ui, group):
    objects = [skin_live.character(f"c{i}", location=(3 * i, 0, 0)) for i in range(3)]
    bpy.context.view_layer.update()
    for other in bpy.context.view_layer.objects:
        other.select_set(False)
    assert not any(getattr(bpy.ops.gpuscene, name).poll() for name in ("skins_add", "skins_measure", "skins_remove"))
    objects[0][0].select_set(True)
    objects[2][1].select_set(True)  # an armature: the mesh that it deforms
    assert bpy.ops.gpuscene.skins_add() == {"FINISHED"}
    assert {item.object.name for item in group.items} == {"c0", "c2"}
    bpy.ops.gpuscene.skins_add()
    assert len(group.items) == 2
    group.active = 0
    bpy.ops.gpuscene.skins_remove()
    assert [item.object.name for item in group.items] == ["c2"] and group.active == 0


def test_a_row_of_the_list(ui, group):
    obj, _ = skin_live.character("hero")
    item = group.items.add()
    recorder = ui.Recorder()
    lists.GPUSCENE_UL_skins.draw_item(None, None, recorder, group, item, 0, group, "active", 0)
    assert recorder.texts() == ["Deleted"]
    item.object = obj
    model.publish(model.PanelView(characters={obj.session_uid: model.CharacterView("0.1 mm, 0.010%")}))
    recorder = ui.Recorder()
    lists.GPUSCENE_UL_skins.draw_item(None, None, recorder, group, item, 0, group, "active", 0)
    assert recorder.texts()[:2] == ["hero", "0.1 mm, 0.010%"] and recorder.properties() == ["show"]
