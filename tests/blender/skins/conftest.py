"""What the tests of skins share: an empty scene each, and our blend held against the evaluated mesh."""

import bpy
import pytest
from skin_oracle import compare


@pytest.fixture(scope="session")
def factory_settings():
    """Blender as shipped."""
    bpy.ops.wm.read_factory_settings(use_empty=True)


@pytest.fixture(autouse=True)
def empty_scene(factory_settings):
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True, load_ui=False)


@pytest.fixture
def check():
    return compare
