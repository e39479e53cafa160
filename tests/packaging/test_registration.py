"""The installed extension in Blender's Python module, with no display: registers, unwinds, and leaves nothing behind.

Each test is a process of its own. The code they share compares everything Blender can be asked for before and after.
"""

import json
import textwrap

import pytest

pytest.importorskip("bpy", reason="Blender's Python module is not installed")

MODULE = "bl_ext.user_default.gpuscene"

SETUP = """
import json, sys
import bpy
import addon_utils

MODULE = "bl_ext.user_default.gpuscene"

def state():
    '''All names Blender knows of: types, properties, operators, commands, handlers and key maps.'''
    handlers = {kind: [repr(function) for function in functions] for kind in dir(bpy.app.handlers)
                if isinstance(functions := getattr(bpy.app.handlers, kind), list)}
    subclasses = sorted(cls.__name__ for base in (bpy.types.PropertyGroup, bpy.types.AddonPreferences, bpy.types.Operator,
                        bpy.types.Panel, bpy.types.UIList, bpy.types.Menu) for cls in base.__subclasses__()
                        if cls.__module__.startswith(MODULE) and getattr(cls, "is_registered", False))
    keyconfigs = bpy.context.window_manager.keyconfigs.addon
    return {
        "types": sorted(dir(bpy.types)),
        "classes": subclasses,
        "properties": {name: sorted(getattr(bpy.types, name).bl_rna.properties.keys()) for name in
                       ("Scene", "Object", "WindowManager", "Collection", "Mesh", "Material")},
        "operators": sorted(dir(bpy.ops.gpuscene)),
        "handlers": handlers,
        "keys": sorted(item.idname for keymap in keyconfigs.keymaps for item in keymap.keymap_items) if keyconfigs else [],
        "menus": {name: sum(function.__module__.startswith(MODULE) for function in
                            getattr(getattr(bpy.types, name).draw, "_draw_funcs", ())) for name in
                  ("TOPBAR_MT_file_export", "VIEW3D_MT_view", "VIEW3D_MT_object", "VIEW3D_MT_add", "TOPBAR_MT_file_import")},
    }

def install(path):
    done = bpy.ops.extensions.package_install_files(filepath=path, repo="user_default", enable_on_install=False)
    assert done == {"FINISHED"}, done

install(sys.argv[1])
before = state()
"""
SETUP = SETUP.replace("list(sys.modules).items()", "list(sys.modules.items())")


@pytest.fixture
def in_blender(run_python, extension_zip):
    """Run code after SETUP in a new process; what it gives to ``report(value)`` comes back."""

    def run(code):
        marker = "REPORT "
        program = SETUP + f"\ndef report(value): print({marker!r} + json.dumps(value))\n" + textwrap.dedent(code)
        lines = [line for line in run_python(program, extension_zip).splitlines() if line.startswith(marker)]
        return json.loads(lines[-1].removeprefix(marker))

    return run


def test_installed_and_enabled_by_blenders_own_operator(run_python, extension_zip):
    out = run_python("""
import sys, bpy, addon_utils
bpy.ops.extensions.package_install_files(filepath=sys.argv[1], repo="user_default", enable_on_install=True)
print("ENABLED", addon_utils.check("bl_ext.user_default.gpuscene"), hasattr(bpy.context.scene, "gpuscene"))
""", extension_zip)
    assert "ENABLED (True, True) True" in out


def test_three_times_over_leaves_nothing(in_blender):
    result = in_blender("""
        states = []
        for _ in range(3):
            assert addon_utils.enable(MODULE) is not None
            enabled = state()
            addon_utils.disable(MODULE)
            states.append((enabled, state()))
        report({"before": before, "states": states})
    """)
    first = result["states"][0][0]
    assert {"GPUSCENE_OT_export"} <= set(first["types"])
    assert {"GPUSCENE_PG_scene", "GPUSCENE_OT_export"} <= set(first["classes"])
    assert {"export", "live_toggle"} <= set(first["operators"])
    assert {"gpuscene.live_toggle", "gpuscene.live_freeze", "gpuscene.explain_pick"} <= set(first["keys"])
    assert first["menus"]["VIEW3D_MT_view"] == first["menus"]["TOPBAR_MT_file_export"] == 1
    assert set(first["properties"]["Scene"]) - set(result["before"]["properties"]["Scene"]) == {"gpuscene", "gpuscene_live", "gpuscene_skins"}
    for enabled, disabled in result["states"]:
        assert enabled == first
        assert disabled == result["before"]


def test_registering_while_registered_starts_clean(in_blender):
    result = in_blender("""
        module = addon_utils.enable(MODULE)
        once = state()
        module.register()
        module.register()
        twice = state()
        module.unregister()
        report([before, once, twice, state()])
    """)
    before, once, twice, after = result
    assert twice == once != before
    assert after == before


@pytest.mark.parametrize("place", ["first", "last"])
@pytest.mark.parametrize("failing", ["class", "attach"])
def test_a_failure_half_way_takes_back_what_was_done(in_blender, place, failing):
    result = in_blender(f"""
        import types
        from importlib import import_module
        addon_utils.enable(MODULE)
        enabled = state()
        addon_utils.disable(MODULE)
        registration = import_module(MODULE + ".addon.blender.registration")

        class GPUSCENE_OT_good(bpy.types.Operator):
            bl_idname, bl_label = "gpuscene.good", "Good"

        class GPUSCENE_OT_without_a_label(bpy.types.Operator):
            bl_idname = "gpuscene.without_a_label"

        def attach():
            seen.append("GPUSCENE_OT_good" in dir(bpy.types))
            raise RuntimeError("injected")

        seen = []
        broken = types.ModuleType("broken")
        if {failing!r} == "class":
            broken.CLASSES = (GPUSCENE_OT_good, GPUSCENE_OT_without_a_label)
        else:
            broken.CLASSES, broken.attach, broken.detach = (GPUSCENE_OT_good,), attach, lambda: seen.append("detached")
        sys.modules[registration.__package__ + ".broken"] = broken
        healthy = registration.MODULES
        registration.MODULES = ("broken", *healthy) if {place!r} == "first" else (*healthy, "broken")
        try:
            registration.register()
            error = None
        except Exception as exception:
            error = str(exception)
        failed = state()
        registration.MODULES = healthy
        registration.register()
        report([before, error, seen, failed, enabled, state()])
    """)
    before, error, seen, failed, enabled, healthy = result
    if failing == "class":
        assert "bl_label" in error or "without_a_label" in error
    else:
        assert error == "injected"
        assert seen == [True, "detached"]
    assert failed == before
    assert healthy == enabled


def test_one_step_that_cannot_be_taken_back_does_not_keep_the_others(in_blender):
    result = in_blender("""
        from importlib import import_module
        addon_utils.enable(MODULE)
        registration = import_module(MODULE + ".addon.blender.registration")
        bpy.utils.unregister_class(bpy.types.GPUSCENE_OT_export)
        try:
            registration.unregister()
            errors = []
        except ExceptionGroup as group:
            errors = [error.__notes__ for error in group.exceptions]
        report([before, errors, state()])
    """)
    before, errors, after = result
    assert errors == [["while unregistering GPUSCENE_OT_export"]]
    assert after == before


def test_registers_without_touching_the_gpu_or_starting_a_timer(in_blender):
    """Every call from Python is watched: none goes to the gpu module or to bpy.app.timers."""
    result = in_blender("""
        watched = {id(bpy.app.timers.register): "timers.register"}
        for name, module in list(sys.modules.items()):
            if name == "gpu" or name.startswith("gpu.") or name.startswith("gpu_extras"):
                watched |= {id(value): f"{name}.{key}" for key, value in vars(module).items() if callable(value)}
        calls, counted = [], [0]

        def on_call(code, offset, called, first):
            counted[0] += 1
            if id(called) in watched:
                calls.append(watched[id(called)])

        monitoring = sys.monitoring
        monitoring.use_tool_id(monitoring.PROFILER_ID, "watch")
        monitoring.register_callback(monitoring.PROFILER_ID, monitoring.events.CALL, on_call)
        monitoring.set_events(monitoring.PROFILER_ID, monitoring.events.CALL)
        import gpu
        try:
            gpu.types.Buffer("FLOAT", 1)
        except SystemError:  # not initialised: it is the call that is watched
            pass
        proof = calls.copy()
        calls.clear()
        addon_utils.enable(MODULE)
        addon_utils.disable(MODULE)
        monitoring.set_events(monitoring.PROFILER_ID, 0)
        report([proof, calls, counted[0], sorted(name for name in sys.modules if name.startswith(MODULE))])
    """)
    proof, calls, counted, modules = result
    assert proof == ["gpu.types.Buffer"]  # the watch sees such a call
    assert calls == []
    assert counted > 100  # and it saw the registration
    # What only an export needs is imported by the first export: that is what keeps registration short.
    late = ("core.gltf", "core.assemble", "bench", "cli", "glsl", "blender.extract")
    assert [name for name in modules if name.startswith(tuple(f"{MODULE}.addon.{part}" for part in late))] == []


def test_the_entry_point_imports_no_blender(root, run_python):
    """pytest and other tools may import the root ``__init__.py``: it must not pull in bpy or gpu."""
    out = run_python("""
import importlib.util, sys
spec = importlib.util.spec_from_file_location("extension", sys.argv[1] + "/__init__.py", submodule_search_locations=[sys.argv[1]])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
print(sorted(name for name in ("bpy", "gpu", "numpy", "extension.addon") if name in sys.modules), callable(module.register))
""", root)
    assert out.strip() == "[] True"
