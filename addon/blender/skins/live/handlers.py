"""Handlers of a running skin session (`session_handlers`)."""

from __future__ import annotations

from ...session_handlers import SessionHandlers

_handlers = SessionHandlers()
remove, installed = _handlers.remove, _handlers.installed


def install(session) -> None:
    """Add every handler for `session`; those of an earlier one go first."""
    from . import draw

    _handlers.install(session, (("POST_VIEW", draw.post_view),), session.fail)
