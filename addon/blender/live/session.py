"""The session that runs, if one does: starting it, stopping it, and what it was stopped by.

Nothing of GPUScene runs while there is no session.
"""

from __future__ import annotations

from ...core.errors import GpuSceneError
from . import handlers, hud, model
from .live_session import LiveSession
from .views import settings_of

_current: LiveSession | None = None
_last_error = ""


def current() -> LiveSession | None:
    """The running session, or None."""
    return _current


def last_error() -> str:
    """Why the last session ended by itself, in one line; empty after a plain `stop` and after a new `start`."""
    return _last_error


def start(context) -> LiveSession:
    """Start a session of `context`'s scene and view layer, replacing one that runs. Handlers are installed.

    Raises
    ------
    GpuSceneError
        One line; nothing is left installed.
    """
    global _current, _last_error
    stop()
    _last_error = ""
    session = LiveSession(context.scene, context.view_layer)
    session.sync(context.evaluated_depsgraph_get())
    _current = session
    handlers.install(session)
    model.redraw_views()
    return session


def stop(error: str = "") -> None:
    """End the session and remove every handler. Nothing happens when none runs. `error`: kept for `last_error`."""
    global _current, _last_error
    session, _current = _current, None
    handlers.remove()
    if session is None:
        return
    _last_error = error
    session.stop()
    model.clear()
    hud.forget()
    model.set_error(error)
    model.redraw_views()


def mark_all(why: str) -> None:
    """`LiveSession.mark_all` of the running session, if one runs. For `update=` callbacks of what the export reads."""
    if _current is not None:
        _current.mark_all(why)
        model.redraw_views()


__all__ = ["GpuSceneError", "LiveSession", "current", "last_error", "mark_all", "settings_of", "start", "stop"]
