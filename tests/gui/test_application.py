"""Inside the real application: the installed zip is enabled, can be enabled again and again, and leaves nothing behind."""

from importlib import import_module

import addon_utils
import bpy
import pytest

MODULE = "bl_ext.user_default.gpuscene"


def registered():
    """Everything of ours that Blender knows: names of types, Scene properties, and functions that Blender calls back."""
    types = {name for name in dir(bpy.types) if name.startswith("GPUSCENE_") or name == MODULE}
    properties = {name for name in bpy.types.Scene.bl_rna.properties.keys() if "gpuscene" in name}
    handlers = {
        (kind, function.__module__)
        for kind in dir(bpy.app.handlers)
        if isinstance(functions := getattr(bpy.app.handlers, kind), list)
        for function in functions
        if function.__module__.startswith(MODULE)
    }
    operators = {name for name in dir(bpy.ops.gpuscene)}
    return types, properties, handlers, operators


def test_the_installed_extension_is_enabled():
    assert addon_utils.check(MODULE) == (True, True)
    assert MODULE in bpy.context.preferences.addons


def test_operators_and_panels_are_the_ones_that_the_modules_name():
    """Blender's own list of types against the ``CLASSES`` tuples. Property groups and preferences are no attributes of bpy.types."""
    registration = import_module(f"{MODULE}.addon.blender.registration")
    named = {cls.__name__ for name in registration.MODULES for cls in import_module(f"{registration.__package__}.{name}").CLASSES}
    types, properties, _, operators = registered()
    shown = {name for name in named if name.split("_")[1] in ("OT", "PT", "UL", "MT")}
    assert {name for name in types if name.split("_")[1] in ("OT", "PT", "UL", "MT")} == shown
    assert {"GPUSCENE_OT_export"} < shown and any("_PT_" in name for name in shown)
    assert properties == {"gpuscene", "gpuscene_live", "gpuscene_skins"}
    assert "export" in operators


def test_enabled_three_times_over():
    before = registered()
    for _ in range(3):
        addon_utils.disable(MODULE)
        assert registered() == (set(), set(), set(), set())
        assert addon_utils.enable(MODULE) is not None
        assert registered() == before


@pytest.mark.parametrize("times", [1, 2])
def test_registering_again_without_disabling(times):
    import bl_ext.user_default.gpuscene as extension

    before = registered()
    for _ in range(times):
        extension.register()
    assert registered() == before
