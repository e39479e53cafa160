"""Handlers of a running skin session: they mark and draw, and are gone when it stops.

Each runs behind a guard: an error ends the session with one line, instead of coming back with every redraw.
"""

from __future__ import annotations

import bpy

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
    add("undo_post", session.mark_all)
    add("redo_post", session.mark_all)
    add("load_pre", lambda *_: session.end())
    if hasattr(lists, "exit_pre"):  # GPU objects that outlive the window would crash Blender
        # The module calls this when Python has taken its globals away already: then there is nothing left to free.
        add("exit_pre", lambda *_: session.stop() if bpy is not None else None)
    handle = bpy.types.SpaceView3D.draw_handler_add(_guarded(session, draw.post_view), (session,), "WINDOW", "POST_VIEW")
    _installed.append(("POST_VIEW", lambda: bpy.types.SpaceView3D.draw_handler_remove(handle, "WINDOW")))


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
    def handler(*arguments):
        if session.has_ended:
            return
        try:
            work(*arguments)
        except Exception as error:
            session.fail(error)

    return bpy.app.handlers.persistent(handler)
