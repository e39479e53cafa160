"""Handlers of a running session, live scene or skins: they mark and draw, and are gone when it stops.

Each runs behind a guard: an error ends the session with one call of ``fail``, instead of coming back with every redraw.
"""

from __future__ import annotations

import sys

import bpy


class SessionHandlers:
    """The handlers of one kind of session. A session has `mark`, `mark_all`, `end`, `stop` and `has_ended`."""

    def __init__(self):
        self._installed: list = []  # (what, function that removes it)

    def install(self, session, draws, fail) -> None:
        """Add every handler for `session`; those of an earlier one go first.

        Parameters
        ----------
        draws : sequence of (str, callable)
            Event of a 3D View ("POST_VIEW", "POST_PIXEL") and what draws then, given the session.
        fail : callable
            Takes the exception that ends the session.
        """
        self.remove()
        lists = bpy.app.handlers

        def add(name, work):
            handler = _guarded(session, work, fail)
            getattr(lists, name).append(handler)
            self._installed.append((name, lambda: _take(getattr(lists, name), handler)))

        add("depsgraph_update_post", lambda scene, depsgraph: session.mark(depsgraph))
        add("frame_change_post", lambda scene, depsgraph: session.mark(depsgraph, frame_changed=True))
        add("undo_post", lambda *_: session.mark_all("undo"))
        add("redo_post", lambda *_: session.mark_all("redo"))
        add("load_pre", lambda *_: session.end())
        if hasattr(lists, "exit_pre"):  # GPU objects that outlive the window would crash Blender
            # The module calls this when Python is being taken down: then there is nothing left to free. Bound now, as globals go.
            add("exit_pre", lambda *_, gone=sys.is_finalizing: None if gone() else session.stop())
        for event, work in draws:
            handle = bpy.types.SpaceView3D.draw_handler_add(_guarded(session, work, fail), (session,), "WINDOW", event)
            self._installed.append((event, lambda handle=handle: bpy.types.SpaceView3D.draw_handler_remove(handle, "WINDOW")))

    def remove(self) -> None:
        """Take every handler away; nothing happens when there is none."""
        while self._installed:
            self._installed.pop()[1]()

    def installed(self) -> tuple:
        """Names of the handlers that are there."""
        return tuple(name for name, _remove in self._installed)


def _take(handlers, handler) -> None:
    if handler in handlers:
        handlers.remove(handler)


def _guarded(session, work, fail):
    """`work`, but nothing once the session has ended, and its end when it fails."""

    def handler(*arguments):
        if session.has_ended:
            return
        try:
            work(*arguments)
        except Exception as error:
            fail(error)

    handler.__module__ = fail.__module__  # whoever lists Blender's handlers sees whose they are
    return bpy.app.handlers.persistent(handler)
