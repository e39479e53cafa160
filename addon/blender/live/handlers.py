"""Handlers of a running live session (`session_handlers`), and how an error is put for a panel."""

from __future__ import annotations

from ...core.errors import GpuSceneError
from ..session_handlers import SessionHandlers

_handlers = SessionHandlers()
remove, installed = _handlers.remove, _handlers.installed


def install(session) -> None:
    """Add every handler for `session`; those of an earlier one go first."""
    from . import draw

    draws = ("POST_VIEW", draw.post_view), ("POST_PIXEL", draw.post_pixel)
    _handlers.install(session, draws, lambda error: session.fail(one_line(error)))


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
