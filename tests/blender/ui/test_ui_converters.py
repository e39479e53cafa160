"""From properties to the values of ``core``, against values written by hand."""

from pathlib import Path

import bpy
import pytest

from gpuscene.blender import converters
from gpuscene.core.conventions import PRESETS
from gpuscene.core.errors import InputError
from gpuscene.core.scene import DEFAULT_CHANNELS, Channel


def test_an_empty_list_means_the_default_channels(ui):
    assert converters.channels_from_scene(bpy.context.scene) == DEFAULT_CHANNELS


def test_channels_come_sorted_with_plain_values(ui):
    channels = bpy.context.scene.gpuscene.channels
    for index, label, source, name, component, default in (
            (6, "tint", "ATTRIBUTE", "Col", 3, 0.5),
            (1, "mine", "PROPERTY", "bias", 0, 0.25),
            (2, "", "CONSTANT", "left over", 0, 8.0)):
        item = channels.add()
        item.index, item.label, item.source = index, label, source
        item.name, item.component, item.default = name, component, default
    assert converters.channels_from_scene(bpy.context.scene) == (
        Channel(1, "lod_bias", "property", "bias", 0, 0.25),  # the format fixes the label of channel 1
        Channel(2, "left over", "constant", "", 0, 8.0),
        Channel(6, "tint", "attribute", "Col", 3, 0.5))


def test_resetting_gives_the_defaults_as_rows(ui):
    bpy.ops.gpuscene.reset_channels()
    assert len(bpy.context.scene.gpuscene.channels) == len(DEFAULT_CHANNELS)
    assert converters.channels_from_scene(bpy.context.scene) == DEFAULT_CHANNELS


def test_two_rows_of_one_number_are_refused_by_name(ui):
    for label in ("height", "sway"):
        item = bpy.context.scene.gpuscene.channels.add()
        item.index, item.label, item.name = 5, label, label
    with pytest.raises(InputError) as caught:
        converters.channels_from_scene(bpy.context.scene)
    assert str(caught.value) == ("Custom data: channel 5 [1].y is listed twice, as 'height' and 'sway'. "
                                 "Give one of them another number.")


def test_a_row_that_reads_nothing_is_refused(ui):
    bpy.context.scene.gpuscene.channels.add().source = "PROPERTY"
    with pytest.raises(InputError, match=r"^Custom data: channel 2 \(channel_2\) reads no property\."):
        converters.channels_from_scene(bpy.context.scene)


@pytest.mark.parametrize("index, name", [(0, "[0].x"), (3, "[0].w"), (4, "[1].x"), (7, "[1].w")])
def test_channel_names_are_those_of_the_record(index, name):
    assert converters.component_name(index) == name


def test_settings_are_the_names_of_core(ui):
    group = bpy.context.scene.gpuscene
    seen = set()
    for item in group.bl_rna.properties["axes"].enum_items:
        group.axes = item.identifier
        seen.add(converters.settings_from_scene(bpy.context.scene).axes)
    assert seen == set(PRESETS)
    group.scope, group.visible, group.container = "COLLECTION", "RENDER", "GLTF"
    group.collection = bpy.data.collections["Collection"]
    settings = converters.settings_from_scene(bpy.context.scene)
    assert (settings.scope, settings.collection) == ("collection", "Collection")
    assert (settings.visible, settings.container) == ("render", "gltf")


def test_a_collection_that_is_not_chosen_is_an_error(ui):
    bpy.context.scene.gpuscene.scope = "COLLECTION"
    with pytest.raises(InputError, match="none is chosen"):
        converters.settings_from_scene(bpy.context.scene)


@pytest.mark.parametrize("container, given, expected", [
    ("AUTO", "", "{folder}/my scene.glb"),
    ("GLTF", "", "{folder}/my scene.gltf"),
    ("AUTO", "//", "{folder}/my scene.glb"),
    ("AUTO", "//sub/../x", "{folder}/x.glb"),
    ("AUTO", "//v1.2", "{folder}/v1.2.glb"),
    ("AUTO", "//x.gltf", "{folder}/x.gltf"),
    ("GLB", "//x.gltf", "{folder}/x.glb"),
    ("GLTF", "{folder}/x.glb", "{folder}/x.gltf"),
    ("AUTO", "{folder}", "{folder}/my scene.glb"),
])
def test_output_path(ui, tmp_path, container, given, expected):
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "my scene.blend"))
    bpy.context.scene.gpuscene.container = container
    bpy.context.scene.gpuscene.filepath = given.format(folder=tmp_path)
    assert converters.output_path(bpy.context.scene) == Path(expected.format(folder=tmp_path))


@pytest.mark.parametrize("given", ["", "//x.glb", "x.glb"])
def test_an_unsaved_file_has_no_folder_to_write_to(ui, given):
    with pytest.raises(InputError, match="has not been saved"):
        converters.output_path(bpy.context.scene, given)


def test_an_unsaved_file_can_be_written_to_an_absolute_path(ui, tmp_path):
    assert converters.output_path(bpy.context.scene, str(tmp_path / "x")) == tmp_path / "x.glb"
