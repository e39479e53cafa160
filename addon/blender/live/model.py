"""What panels and the view show of a live scene, as finished strings and numbers: neither ``draw()`` computes anything.

`draw` has a `ViewModel` made for each 3D View after each of its frames, and `session` forgets all of them when it stops.
Nothing of Blender's is held: views go by the number of their ``RegionView3D``.
"""

from __future__ import annotations

import math
import textwrap
import time
from dataclasses import dataclass
from functools import lru_cache

import bpy

#: red rows first, then yellow ones
LEVELS = ("bad", "warn", "good", "info")
ICONS = {"bad": "ERROR", "warn": "ERROR", "good": "NONE", "info": "NONE"}
#: characters to a line of the sidebar, at its width of 220 pixels
SIDEBAR_WIDTH = 34
#: how long after it was drawn a panel counts as open
WATCHED_SECONDS = 1.0


@dataclass(frozen=True)
class RowView:
    """One measurement: `share` 0 to 1 is how far it is on the way to red, `advice` lines for when it is not green."""

    label: str
    value: str
    level: str
    advice: tuple = ()
    share: float = 0.0

    @property
    def icon(self) -> str:
        return ICONS[self.level]


@dataclass(frozen=True)
class Strip:
    """One curve of the plot.

    Attributes
    ----------
    label, value : str
        What it shows, and its last value.
    heights : (K,) float32
        0 to 1, oldest first.
    guides : tuple of (height, level)
        Lines across the plot where a measurement turns yellow and red.
    """

    label: str
    value: str
    heights: object
    guides: tuple = ()


@dataclass(frozen=True)
class ViewModel:
    """What one 3D View has to say; a new frame makes a new one.

    Attributes
    ----------
    headline, device : str
        Whose view culls, and on what.
    notes : tuple of str
        Lines that fit the sidebar.
    rule_error : tuple of str
        The same of why the rule of your own does not act; empty when it does.
    rows : tuple of RowView
    legend : tuple of (color, text)
        A title has None for a colour.
    plot : tuple of Strip
    frozen : bool
    frame : int
        The session's frame that it was culled in.
    measured_frame : int or None
        That of `rows`. Earlier than `frame`: nobody looked at them then.
    """

    headline: str = ""
    device: str = ""
    notes: tuple = ()
    rule_error: tuple = ()
    rows: tuple = ()
    legend: tuple = ()
    plot: tuple = ()
    frozen: bool = False
    frame: int = 0
    measured_frame: int | None = 0

    @property
    def has_old_rows(self) -> bool:
        """Culled again since `rows` were measured."""
        return self.measured_frame != self.frame


@dataclass(frozen=True)
class TestView:
    text: tuple
    passed: bool


@dataclass(frozen=True)
class ExplainView:
    """An explanation in lines that fit the sidebar; `frame` and `view_key` say of what: another frame may say otherwise."""

    subject: tuple
    drawn: bool
    reason: tuple
    remedy: tuple
    tests: tuple
    text: str
    view_key: int | None = None
    frame: int = 0

    @property
    def is_stale(self) -> bool:
        """The view was culled again since."""
        view = _views.get(self.view_key)
        return view is not None and view.frame != self.frame


@dataclass(frozen=True)
class Recording:
    """A running Record: `fraction` 0 to 1."""

    fraction: float
    text: str


_views: dict[int, ViewModel] = {}
_explained: ExplainView | None = None
_recording: Recording | None = None
_error: tuple = ()
_watched_at = -math.inf


def publish(view_key: int, model: ViewModel) -> None:
    """Show `model` in the 3D View of that number from now on."""
    _views[view_key] = model
    redraw_sidebars()


def of(view_key: int) -> ViewModel | None:
    """The model of a 3D View, once it has drawn a live frame."""
    return _views.get(view_key)


def of_context(context) -> ViewModel | None:
    """The model of the 3D View that a panel is beside."""
    space = context.space_data
    return _views.get(space.region_3d.as_pointer()) if space is not None and space.type == "VIEW_3D" else None


def watch_figures() -> None:
    """A panel shows the measurements: draws of the views in the next `WATCHED_SECONDS` read them."""
    global _watched_at
    _watched_at = time.monotonic()


def figures_are_watched() -> bool:
    """Whether anybody but the text in the views looks at the measurements."""
    return _recording is not None or time.monotonic() - _watched_at < WATCHED_SECONDS


def clear() -> None:
    """The session has stopped."""
    global _explained, _recording
    _views.clear()
    _explained = _recording = None
    redraw_sidebars()


def explained() -> ExplainView | None:
    return _explained


def set_explained(view: ExplainView | None) -> None:
    global _explained
    _explained = view
    redraw_sidebars()


def recording() -> Recording | None:
    return _recording


def set_recording(value: Recording | None) -> None:
    global _recording
    _recording = value
    redraw_sidebars()


def error() -> tuple:
    """Lines of what went wrong last; empty when nothing did."""
    return _error


def set_error(message: str) -> None:
    """One line of error for the panel, or nothing to take it away."""
    global _error
    lines = wrapped(message) if message else ()
    if lines != _error:
        _error = lines
        redraw_sidebars()


def row_views(rows) -> tuple:
    """`RowView` of `core.live.metrics` rows, red ones first."""
    views = [RowView(row.label, row.value, row.level, lines(row.advice), row.share) for row in rows]
    return tuple(sorted(views, key=lambda view: LEVELS.index(view.level)))


def explain_view(explanation, view_key: int | None = None, frame: int = 0) -> ExplainView:
    """`ExplainView` of a `core.live.explain.Explanation` in a view's frame."""
    text = "\n".join((
        f"{explanation.subject}: {'drawn' if explanation.drawn else 'not drawn'}", explanation.reason, explanation.remedy,
        *(f"{'passed' if test.passed else 'failed'}  {test.name}: {test.text}" for test in explanation.tests)))
    tests = tuple(TestView(lines(f"{test.name}: {test.text}"), test.passed) for test in explanation.tests)
    subject, reason, remedy = map(lines, (explanation.subject, explanation.reason, explanation.remedy))
    return ExplainView(subject, explanation.drawn, reason, remedy, tests, text, view_key, frame)


@lru_cache(maxsize=256)
def wrapped(message: str, width: int = SIDEBAR_WIDTH) -> tuple:
    """`message` as lines that fit the sidebar: labels do not wrap."""
    return tuple(textwrap.wrap(message, width, break_on_hyphens=False)) or ("",)


def lines(message: str) -> tuple:
    """`wrapped`, and no line at all for nothing."""
    return wrapped(message) if message else ()


def redraw_views() -> None:
    """Ask every 3D View to draw again: what a timer or an operator changed shows only then."""
    _tag({"WINDOW", "UI"})


def redraw_sidebars() -> None:
    _tag({"UI"})


def _tag(kinds) -> None:
    for window in bpy.context.window_manager.windows if bpy.context.window_manager else ():
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                for region in area.regions:
                    if region.type in kinds:
                        region.tag_redraw()
