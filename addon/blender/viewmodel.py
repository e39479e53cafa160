"""What the panel shows of the last export, as finished strings: ``draw()`` computes nothing.

Kept in memory by scene, never in the .blend, and forgotten when another file is loaded.
"""

from __future__ import annotations

import json
import textwrap
from dataclasses import dataclass
from pathlib import Path

import bpy
from bpy.app.handlers import persistent

from ..core.findings import SEVERITIES

MAX_FINDING_ROWS = 8
ICONS = {"error": "ERROR", "warning": "ERROR", "info": "INFO"}


@dataclass(frozen=True)
class FindingRow:
    """One clickable row: red when `alert`; `details` is its tooltip."""

    text: str
    icon: str
    alert: bool
    subject: str
    details: str


@dataclass(frozen=True)
class ResultView:
    """The last export of one scene. `error` is set, or everything else is."""

    headline: str = ""
    rows: tuple = ()
    findings_title: str = ""
    findings: tuple = ()
    more: str = ""
    folder: str = ""
    json: str = ""
    error: tuple = ()


@dataclass(frozen=True)
class Progress:
    """A running export: `fraction` 0 to 1, `text` what is being done."""

    fraction: float
    text: str


CLASSES = ()

_results: dict[int, ResultView] = {}
_progress: Progress | None = None


def result_of(scene) -> ResultView | None:
    """The view of the scene's last export in this session, if there was one."""
    return _results.get(scene.session_uid)


def progress() -> Progress | None:
    """The export that is running now, if one is."""
    return _progress


def set_progress(value: Progress | None) -> None:
    global _progress
    _progress = value
    redraw()


def store_result(scene, result: dict) -> ResultView:
    """Keep the export's result JSON for the panel, and return its view."""
    view = _results[scene.session_uid] = view_of(result)
    redraw()
    return view


def store_error(scene, message: str) -> None:
    """Keep one line of error for the panel, in place of the last result."""
    _results[scene.session_uid] = ResultView(error=wrapped(message))
    redraw()


def clear() -> None:
    _results.clear()
    set_progress(None)


def view_of(result: dict) -> ResultView:
    """Strings for an export's result JSON (``instances, primitives, batches, triangles, bytes, path, findings, seconds``)."""
    findings = sorted(result["findings"], key=lambda f: SEVERITIES.index(f["severity"]))
    counts = [(name, sum(f["severity"] == name for f in findings)) for name in SEVERITIES]
    title = ", ".join(counted(count, name, "info" if name == "info" else "") for name, count in counts if count)
    hidden = len(findings) - MAX_FINDING_ROWS
    path = Path(result["path"])
    return ResultView(
        headline=path.name,
        rows=tuple((label, f"{result[key]:,}") for label, key in (
            ("Instances", "instances"), ("Primitives", "primitives"), ("Batches", "batches"), ("Triangles", "triangles")))
        + (("Written", f"{size_text(result['bytes'])} in {result['seconds']['total']:.2f} s"),),
        findings_title=title or "No findings",
        findings=tuple(map(_finding_row, findings[:MAX_FINDING_ROWS])),
        more=f"and {hidden:,} more" if hidden > 0 else "",
        folder=str(path.parent), json=json.dumps(result, indent=2, ensure_ascii=False))


def summary(result: dict) -> str:
    """The line that an export reports."""
    count = len(result["findings"])
    parts = [counted(result["instances"], "instance"), counted(result["primitives"], "primitive"),
             counted(result["batches"], "batch", "batches"),
             f"{size_text(result['bytes'])} in {result['seconds']['total']:.2f} s"] + [counted(count, "finding")] * bool(count)
    return f"{', '.join(parts)}: {result['path']}"


def counted(count: int, singular: str, plural: str = "") -> str:
    """``1 batch``, ``1,200 batches``."""
    return f"{count:,} {singular if count == 1 else plural or singular + 's'}"


def size_text(count: int) -> str:
    """`count` bytes in decimal units, as file managers show them."""
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count} bytes"


def wrapped(message: str, width: int = 36) -> tuple:
    """`message` as lines that fit the sidebar: labels do not wrap."""
    return tuple(textwrap.wrap(message, width, break_on_hyphens=False)) or ("",)


def _finding_row(finding: dict) -> FindingRow:
    words = finding["code"].replace("-", " ").capitalize()
    return FindingRow(text=f"{words}: {finding['subject']}", icon=ICONS[finding["severity"]],
                      alert=finding["severity"] == "error", subject=finding["subject"],
                      details=" ".join(filter(None, (finding["message"], finding.get("hint", "")))))


def redraw() -> None:
    """Ask every 3D View's sidebar to draw again: operators run from timers do not."""
    for window in bpy.context.window_manager.windows if bpy.context.window_manager else ():
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                for region in area.regions:
                    if region.type == "UI":
                        region.tag_redraw()


@persistent
def _forget_on_load(_path):
    clear()


def attach():
    bpy.app.handlers.load_post.append(_forget_on_load)


def detach():
    bpy.app.handlers.load_post.remove(_forget_on_load)
    clear()
