"""The skin session that runs, if one does: starting it, stopping it, and what it was stopped by."""

from __future__ import annotations

from ...live import model as views
from . import handlers, model
from .skin_session import SkinSession

_current: SkinSession | None = None
_last_error = ""


def current() -> SkinSession | None:
    """The running session, or None."""
    return _current


def last_error() -> str:
    """Why the last session ended by itself, in one line; empty after a plain `stop` and after a new `start`."""
    return _last_error


def start(context) -> SkinSession:
    """Show the skins of `context`'s scene, replacing a session that runs; installs handlers and measures every character.

    Raises
    ------
    GpuSceneError
        One line; nothing is left installed.
    """
    global _current, _last_error
    stop()
    _last_error = ""
    session = SkinSession(context.scene, context.view_layer)
    session.redraw(context.evaluated_depsgraph_get())
    session.measure(context.evaluated_depsgraph_get())
    _current = session
    handlers.install(session)
    publish()
    views.redraw_views()
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
    model.set_error(error)
    views.redraw_views()


def publish() -> None:
    """Give the panel what the session has to say."""
    from . import presenter

    if _current is not None:
        model.publish(presenter.panel_view(_current))
