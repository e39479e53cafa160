"""What the Skins panel shows, as finished strings: ``draw()`` computes nothing. Nothing of Blender's is held."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...live.model import lines, redraw_sidebars


@dataclass(frozen=True)
class CharacterView:
    """One character.

    Attributes
    ----------
    short : str
        Beside its name in the list.
    rows : tuple of (label, value)
    findings : tuple of tuple of str
        Lines of each.
    alert : bool
        Something is off.
    """

    short: str = ""
    rows: tuple = ()
    findings: tuple = ()
    alert: bool = False


@dataclass(frozen=True)
class PanelView:
    """Attributes
    ----------
    notes : tuple of str
        Lines about the device.
    rows : tuple of (label, value)
        Of all characters together.
    steps : tuple of (label, value)
        Errors of the levels of detail.
    characters : dict
        ``Object.session_uid`` -> `CharacterView`.
    """

    notes: tuple = ()
    rows: tuple = ()
    steps: tuple = ()
    characters: dict = field(default_factory=dict)


_view: PanelView | None = None
_error: tuple = ()


def publish(view: PanelView) -> None:
    """Show `view` from now on."""
    global _view
    if view != _view:
        _view = view
        redraw_sidebars()


def view() -> PanelView | None:
    """What there is to show; None while nothing runs."""
    return _view


def clear() -> None:
    """The session has stopped."""
    global _view
    _view = None
    redraw_sidebars()


def error() -> tuple:
    """Lines of what went wrong last; empty when nothing did."""
    return _error


def set_error(message: str) -> None:
    """One line of error for the panel, or nothing to take it away."""
    global _error
    _error = lines(message)
