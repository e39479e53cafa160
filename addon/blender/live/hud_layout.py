"""Where legend, dashboard and plot stand in a 3D View, in pixels. Plain arithmetic: knows neither Blender nor fonts.

The dashboard stands at the bottom left, the plot above it or, where the view is too low, beside it, the legend at the bottom
right. What has no room is left out: the plot first, then the legend.
"""

from __future__ import annotations

from typing import NamedTuple

#: in units of a line's height: distance to the edges, and to each other
MARGIN = 0.6


class Box(NamedTuple):
    """Left, bottom, right and top in pixels of the region; y counts from the bottom."""

    left: float
    bottom: float
    right: float
    top: float

    @property
    def width(self):
        return self.right - self.left

    @property
    def height(self):
        return self.top - self.bottom


def free_box(region: tuple, others) -> Box:
    """The part of a region that no overlapping region covers.

    Parameters
    ----------
    region : (x, y, width, height)
        Of the view's own region on the window.
    others : iterable of (kind, alignment, x, y, width, height)
        The area's other regions. Tool bar and sidebar take a side, headers and the asset shelf an end; the panel of the last
        operation ("HUD") takes the bottom.
    """
    x, y, width, height = region
    left, bottom, right, top = 0, 0, width, height
    for _kind, alignment, ox, oy, owidth, oheight in others:
        if owidth <= 1 or oheight <= 1 or ox >= x + width or ox + owidth <= x or oy >= y + height or oy + oheight <= y:
            continue  # hidden, or beside the view: no overlap
        if alignment == "LEFT":
            left = max(left, ox + owidth - x)
        elif alignment == "RIGHT":
            right = min(right, ox - x)
        elif alignment == "TOP":
            top = min(top, oy - y)
        else:  # BOTTOM, and FLOAT, which is the panel of the last operation at the bottom left
            bottom = max(bottom, oy + oheight - y)
    return Box(left, bottom, max(right, left), max(top, bottom))


def arrange(free: Box, line: float, reserved: tuple, dashboard=None, plot=None, legend=None) -> dict:
    """Boxes of what has room.

    Parameters
    ----------
    free : Box
    line : float
        Height of a line of text.
    reserved : (left, right)
        Heights at the top that Blender's own text and gizmos take.
    dashboard, plot, legend : (width, height) or None
        What is wanted.

    Returns
    -------
    dict of str to Box
    """
    gap = MARGIN * line
    inner = Box(free.left + gap, free.bottom + gap, free.right - gap, free.top - gap)
    left_top, right_top = inner.top - reserved[0], inner.top - reserved[1]
    placed = {}
    x = inner.left
    if dashboard and dashboard[0] <= inner.width and dashboard[1] <= left_top - inner.bottom:
        placed["dashboard"] = Box(x, inner.bottom, x + dashboard[0], inner.bottom + dashboard[1])
    legend_left = inner.right
    if legend:
        box = Box(inner.right - legend[0], inner.bottom, inner.right, inner.bottom + legend[1])
        beside = placed["dashboard"].right + gap if "dashboard" in placed else inner.left
        if box.left >= beside and box.top <= right_top:
            placed["legend"] = box
            legend_left = box.left - gap
    if plot:
        above = placed["dashboard"].top + gap if "dashboard" in placed else inner.bottom
        if plot[0] <= inner.width and above + plot[1] <= left_top and (above > inner.bottom or x + plot[0] <= legend_left):
            placed["plot"] = Box(x, above, x + plot[0], above + plot[1])
        elif "dashboard" in placed:
            x = placed["dashboard"].right + gap
            if x + plot[0] <= legend_left and inner.bottom + plot[1] <= left_top:
                placed["plot"] = Box(x, inner.bottom, x + plot[0], inner.bottom + plot[1])
    # Stacked over the dashboard the plot may be wider than it and reach over the legend.
    if "plot" in placed and "legend" in placed and _overlap(placed["plot"], placed["legend"]):
        del placed["plot"]
    return placed


def _overlap(a: Box, b: Box) -> bool:
    return a.left < b.right and b.left < a.right and a.bottom < b.top and b.bottom < a.top
