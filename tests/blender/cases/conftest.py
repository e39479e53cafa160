"""What the cases share: an empty scene each, and extraction compared with the oracle."""

import bpy
import pytest

import oracle


@pytest.fixture(scope="session")
def factory_settings():
    """Blender as shipped. Slow, as it loads every bundled add-on again: once for all cases."""
    bpy.ops.wm.read_factory_settings(use_empty=True)


@pytest.fixture(autouse=True)
def empty_scene(factory_settings):
    """A factory scene with nothing in it."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True, load_ui=False)


@pytest.fixture
def extract():
    """``extract(visible="viewport", **settings)`` -> SceneData of the current scene."""
    from gpuscene.blender.export import ExportSettings, extract_scene

    def run(visible="viewport", **settings):
        return extract_scene(bpy.context, ExportSettings(visible=visible, **settings))

    return run


@pytest.fixture
def check(extract):
    """``check(visible="viewport")``: extract, assert that it equals what Blender shows, and return (SceneData, list of oracle.Drawn)."""

    def run(visible="viewport"):
        data, expected = extract(visible), oracle.drawn(visible)
        oracle.assert_same(data, expected)
        return data, expected

    return run
