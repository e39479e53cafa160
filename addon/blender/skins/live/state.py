"""Whether skins are shown, asked without loading the session's code: panels draw long before anybody presses Start."""

from __future__ import annotations

import sys

CLASSES = ()


def running():
    """The running `skin_session.SkinSession`, or None."""
    session = sys.modules.get(f"{__package__}.session")
    return session.current() if session is not None else None


def attach():
    pass


def detach():
    """Stop: registered last, so that unregistering begins with it."""
    session = sys.modules.get(f"{__package__}.session")
    if session is not None:
        session.stop()
