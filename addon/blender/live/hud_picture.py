"""One laid-out picture of the view's text: what `hud` keeps and shows. The only file of the interface that draws with `gpu`."""

from __future__ import annotations

import blf
import gpu
import numpy as np
from gpu_extras.batch import batch_for_shader

from . import hud, hud_layout

#: pixels below a row's text for its bar, at a scale of 1
BAR_SPACE = 4.0


class Picture:
    """Shapes and texts at their places.

    Parameters
    ----------
    view : model.ViewModel
    wanted : (legend, dashboard, plot) of bool
    free : hud_layout.Box
    reserved : (left, right) in pixels
    scale : float
    """

    def __init__(self, view, wanted, free, reserved, scale):
        self.scale, self.line = scale, hud.LINE * scale
        self._corners, self._colors, self._ends, self._end_colors, self._texts = [], [], [], [], []
        blf.size(0, hud.FONT * scale)
        self._advised = True
        self.boxes = self._arrange(view, wanted, free, reserved)
        missing = {name for name, size in self._sizes(view, wanted).items() if size} - set(self.boxes)
        if missing & {"dashboard", "plot"}:
            # Advice stands in the sidebar too: without it there may be room for more.
            self._advised = False
            short = self._arrange(view, wanted, free, reserved)
            self._advised = len(short) <= len(self.boxes)
            self.boxes = self.boxes if self._advised else short
        for name, box in self.boxes.items():
            self._rectangle(*box, hud.BACKGROUND)
            getattr(self, f"_{name}")(view, box)
        self._batches = [batch for batch in (
            self._batch("TRIS", self._corners, self._colors), self._batch("LINES", self._ends, self._end_colors)) if batch]

    def _sizes(self, view, wanted) -> dict:
        legend, dashboard, plot = wanted
        return {"dashboard": self._dashboard_size(view) if dashboard and view.rows else None,
                "plot": (hud.PLOT_WIDTH * self.scale, self._plot_height(view)) if plot and view.plot else None,
                "legend": self._legend_size(view) if legend and view.legend else None}

    def _arrange(self, view, wanted, free, reserved) -> dict:
        return hud_layout.arrange(free, self.line, reserved, **self._sizes(view, wanted))

    def show(self) -> None:
        """Draw into the bound region, in its pixels."""
        shader = gpu.shader.from_builtin("FLAT_COLOR")
        gpu.state.blend_set("ALPHA")
        for batch in self._batches:
            batch.draw(shader)
        gpu.state.blend_set("NONE")
        blf.size(0, hud.FONT * self.scale)
        color = None
        for x, y, text, text_color in self._texts:
            if text_color != color:
                blf.color(0, *text_color)
                color = text_color
            blf.position(0, x, y, 0)
            blf.draw(0, text)

    def text_boxes(self):
        """(left, bottom, right, top, text) of each text, in pixels of the region."""
        blf.size(0, hud.FONT * self.scale)
        for x, y, text, _color in self._texts:
            width, height = blf.dimensions(0, text)
            yield x, y, x + width, y + height, text

    # ---- blocks

    def _dashboard_size(self, view):
        extra = sum(len(self._advice(row)) for row in view.rows)
        bars = BAR_SPACE * self.scale * sum(row.level != "info" for row in view.rows)
        return hud.DASHBOARD_WIDTH * self.scale, self.line * (len(view.rows) + extra + 2.8) + bars

    def _advice(self, row) -> list:
        """A red row's advice in lines that fit the block."""
        if row.level != "bad" or not self._advised:
            return []
        return self._wrap(" ".join(row.advice), (hud.DASHBOARD_WIDTH - 34) * self.scale)

    def _dashboard(self, view, box):
        pad, y = 9 * self.scale, box.top - 0.4 * self.line
        y = self._text_line(box, y, view.headline, "", hud.TEXT, hud.DIM, pad)
        y = self._text_line(box, y, view.device, "", hud.DIM, hud.DIM, pad)
        for row in view.rows:
            color = hud.COLORS[row.level]
            y = self._text_line(box, y, row.label, row.value, hud.TEXT, color, pad)
            if row.level != "info":
                y -= BAR_SPACE * self.scale
                self._bar(box.left + pad, y + 2 * self.scale, box.right - pad, row.share, color)
            for text in self._advice(row):
                y -= self.line
                self._texts.append((box.left + 2 * pad, y + 5 * self.scale, text, color))

    def _legend_size(self, view):
        width = max(blf.dimensions(0, text)[0] + 18 * self.scale * (color is not None) for color, text in view.legend)
        titles = sum(color is None for color, _ in view.legend)
        return width + 18 * self.scale, self.line * (len(view.legend) + 0.6 + 0.4 * max(titles - 1, 0))

    def _legend(self, view, box):
        pad, y = 9 * self.scale, box.top - 0.3 * self.line
        for row, (color, text) in enumerate(view.legend):
            y -= self.line * (1.4 if color is None and row else 1.0)
            if color is None:
                self._texts.append((box.left + pad, y + 5 * self.scale, text, hud.DIM))
                continue
            side, bottom = 10 * self.scale, y + 4 * self.scale
            self._rectangle(box.left + pad, bottom, box.left + pad + side, bottom + side, (*color[:3], 1.0))
            self._texts.append((box.left + pad + 18 * self.scale, y + 5 * self.scale, text, hud.TEXT))

    def _plot_height(self, view):
        return len(view.plot) * (self.line + hud.STRIP * self.scale) + 1.8 * self.line

    def _plot(self, view, box):
        pad, y = 9 * self.scale, box.top - 0.2 * self.line
        count = len(view.plot[0].heights)
        y = self._text_line(box, y, f"Last {count} Frames" if count > 1 else "Last Frame", "", hud.DIM, hud.DIM, pad)
        for strip in view.plot:
            y = self._text_line(box, y, strip.label, strip.value, hud.TEXT, hud.TEXT, pad)
            bottom = y - (hud.STRIP - 4) * self.scale
            left, right = box.left + pad, box.right - pad
            self._rectangle(left, bottom, right, y, hud.TRACK)
            for height, level in strip.guides:
                if 0 < height <= 1:
                    at = bottom + height * (y - bottom)
                    self._segments([(left, at), (right, at)], (*hud.COLORS[level][:3], 0.6))
            self._curve(strip.heights, left, bottom, right, y)
            y = bottom - 4 * self.scale

    def _curve(self, heights, left, bottom, right, top):
        heights = np.asarray(heights, np.float32)
        if len(heights) < 2:
            return
        # All the width, so that a short recording can be read; the newest frame is at the right end.
        step = (right - left) / (len(heights) - 1)
        x = right - step * np.arange(len(heights) - 1, -1, -1)
        points = np.column_stack((x, bottom + np.clip(heights, 0, 1) * (top - bottom)))
        self._segments(np.repeat(points, 2, axis=0)[1:-1], hud.CURVE)

    # ---- pieces

    def _text_line(self, box, y, left, right, left_color, right_color, pad) -> float:
        """Text at both ends of one line below `y`; returns the line's bottom."""
        y -= self.line
        baseline = y + 5 * self.scale
        width = blf.dimensions(0, right)[0]
        room = box.width - 2 * pad - width - 8 * self.scale
        self._texts.append((box.left + pad, baseline, self._shortened(left, room), left_color))
        self._texts.append((box.right - pad - width, baseline, right, right_color))
        return y

    def _shortened(self, text, room) -> str:
        if blf.dimensions(0, text)[0] <= room:
            return text
        while text and blf.dimensions(0, text + "…")[0] > room:
            text = text[:-1]
        return text + "…"

    def _wrap(self, text, room) -> list:
        lines, line = [], ""
        for word in text.split():
            longer = f"{line} {word}".strip()
            if line and blf.dimensions(0, longer)[0] > room:
                lines.append(line)
                longer = word
            line = longer
        return lines + [line] * bool(line)

    def _bar(self, left, bottom, right, share, color):
        height = max(1.0, 2 * self.scale)
        self._rectangle(left, bottom, right, bottom + height, hud.TRACK)
        self._rectangle(left, bottom, left + (right - left) * min(max(share, 0.0), 1.0), bottom + height, color)

    def _rectangle(self, left, bottom, right, top, color):
        self._corners += [(left, bottom), (right, bottom), (right, top), (right, top), (left, top), (left, bottom)]
        self._colors += [color] * 6

    def _segments(self, points, color):
        self._ends.extend(map(tuple, points))
        self._end_colors += [color] * len(points)

    @staticmethod
    def _batch(kind, points, colors):
        if not points:
            return None
        shader = gpu.shader.from_builtin("FLAT_COLOR")
        pos = np.zeros((len(points), 3), np.float32)
        pos[:, :2] = points
        return batch_for_shader(shader, kind, {"pos": pos, "color": np.asarray(colors, np.float32)})
