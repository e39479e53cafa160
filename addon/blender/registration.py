"""Registers everything with Blender in one order, and takes it back in the reverse order.

Each module in :data:`MODULES` names its classes in a tuple ``CLASSES``. One that needs more than classes (a property on
``bpy.types.Scene``, a handler, a timer) has a function ``attach()`` and its opposite ``detach()``, called after the
classes and before their removal. No module may touch ``gpu`` or read a scene here: Blender registers with no display.

Every step leaves its opposite on a stack, so a failure half way unwinds what was done, and enabling twice starts clean.
"""

from importlib import import_module

import bpy

MODULES = ("properties", "live.properties", "skins.live.properties", "preferences", "viewmodel", "operators", "live.operators",
           "live.explaining", "live.recording", "skins.live.operators", "panels", "live.panels", "skins.live.lists", "skins.live.panels",
           "menus", "live.keymap", "live.state", "skins.live.state")
"""Modules of this package in the order they register: property groups come before what points at them, and what stops a live session
comes last, so that unregistering begins with it."""

COMMAND = "gpuscene"
"""Name after ``blender --command``."""

_undo = []  # (what, function): the opposite of each step done so far, the last one on top


def register():
    """Register every class, property and command.

    Raises
    ------
    Exception
        Whatever the failing step raised; by then the steps before it have been taken back.
    """
    unregister()  # Blender re-enables without unloading: whatever an earlier, failed disable left goes first.
    try:
        for name in MODULES:
            _register_module(import_module(f".{name}", __package__))
        command = bpy.utils.register_cli_command(COMMAND, _run_command)
        _undo.append((f"command {COMMAND}", lambda: bpy.utils.unregister_cli_command(command)))
    except BaseException:
        unregister()
        raise


def unregister():
    """Take back every step in the reverse order. A step that fails does not keep the others."""
    failures = []
    while _undo:
        what, step = _undo.pop()
        try:
            step()
        except Exception as error:
            error.add_note(f"while unregistering {what}")
            failures.append(error)
    if failures:
        raise ExceptionGroup("GPUScene could not be unregistered cleanly", failures)


def _register_module(module):
    for cls in module.CLASSES:
        bpy.utils.register_class(cls)
        _undo.append((cls.__name__, lambda cls=cls: bpy.utils.unregister_class(cls)))
    if attach := getattr(module, "attach", None):
        # The opposite goes on the stack first: an attach() that fails half way is detached too.
        _undo.append((module.__name__, module.detach))
        attach()


def _run_command(argv):
    """``blender FILE.blend --command gpuscene ARGUMENTS``: the console script's own parser, imported on first use."""
    from ..cli import run

    return run(argv, hosted=True)
