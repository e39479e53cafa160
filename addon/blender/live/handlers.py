"""Handlers of a running session: they mark and draw, and are gone when it stops.

Each runs behind `_guarded`: an error ends the session with one line, instead of coming back with every redraw.
"""

from __future__ import annotations

import sys

import bpy

from ...core.errors import GpuSceneError

_installed: list = []  # (what, function that removes it)


def install(session) -> None:
    """Add every handler for `session`; those of an earlier one go first."""
    from . import draw

    remove()
    lists = bpy.app.handlers

    def add(name, work):
        handler = _guarded(session, work)
        getattr(lists, name).append(handler)
        _installed.append((name, lambda: _take(getattr(lists, name), handler)))

    add("depsgraph_update_post", lambda scene, depsgraph: session.mark(depsgraph))
    add("frame_change_post", lambda scene, depsgraph: session.mark(depsgraph, frame_changed=True))
    add("undo_post", lambda *_: session.mark_all("undo"))
    add("redo_post", lambda *_: session.mark_all("redo"))
    add("load_pre", lambda *_: session.end())
    if hasattr(lists, "exit_pre"):  # GPU objects that outlive the window would crash Blender
        # The module calls this when Python is being taken down: then there is nothing left to free. Bound now, as globals go.
        add("exit_pre", lambda *_, gone=sys.is_finalizing: None if gone() else session.stop())
    for event, work in (("POST_VIEW", draw.post_view), ("POST_PIXEL", draw.post_pixel)):
        handle = bpy.types.SpaceView3D.draw_handler_add(_guarded(session, work), (session,), "WINDOW", event)
        _installed.append((event, lambda handle=handle: bpy.types.SpaceView3D.draw_handler_remove(handle, "WINDOW")))


def remove() -> None:
    """Take every handler away; nothing happens when there is none."""
    while _installed:
        _installed.pop()[1]()


def installed() -> tuple:
    """Names of the handlers that are there."""
    return tuple(name for name, _remove in _installed)


def _take(handlers, handler) -> None:
    if handler in handlers:
        handlers.remove(handler)


def _guarded(session, work):
    """`work`, but nothing once the session has ended, and its end when it fails."""

    def handler(*arguments):
        if session.has_ended:
            return
        try:
            work(*arguments)
        except Exception as error:
            session.fail(one_line(error))

    return bpy.app.handlers.persistent(handler)


def one_line(error: BaseException) -> str:
    """What went wrong, for a panel: our own errors say it all, others by kind and place."""
    if isinstance(error, GpuSceneError):
        return str(error)
    place, trace = "", error.__traceback__
    while trace is not None:
        place = f"{trace.tb_frame.f_code.co_filename.replace(chr(92), '/').rsplit('/', 1)[-1]}:{trace.tb_lineno}"
        trace = trace.tb_next
    text = " ".join(str(error).split())
    return (f"The live session stopped: {type(error).__name__} at {place}: {text}. Start it again, and report this line if it comes "
            "back.")
