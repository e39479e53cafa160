"""Turns a frame's numbers into the `model.ViewModel` that panels and view show. Plain data in, plain data out."""

from __future__ import annotations

from functools import lru_cache

from ...core import palette
from ...core.live.metrics import FILL_RATE, UPLOAD_MS, History, bytes_text, dashboard
from ...core.live.status import REASONS
from . import model

MODE_TITLES = {"visibility": "Visibility", "lod": "Level of Detail", "age": "Age of the Result",
               "batch": "Batch: coloured by draw call", "precision": "Precision"}
CAMERA_TEXTS = {"view": "Culled for this view", "scene": "Culled for the scene camera", "frozen": "Culled for the frozen camera"}


def view_model(stats, history: History, overlay, camera: str, device: str, notes=(), lods: int = 8,
               sliced: bool = False, frame: int | None = None, rule_error: str = "") -> model.ViewModel:
    """What one view shows of one frame.

    Parameters
    ----------
    stats : core.live.metrics.FrameStats or None
        Those read last.
    history : core.live.metrics.History
    overlay : settings.OverlayOptions
    camera : {"view", "scene", "frozen"}
        Which one culled.
    device : str
        What culled, in a word or two.
    notes : tuple of str
        Lines to show above the measurements, such as why the processor culls.
    lods : int
        Levels of detail that the scene has.
    sliced : bool
        Whether an instance can be late.
    frame : int, optional
        The frame that was culled last, when its figures were not read. None: that of `stats`.
    rule_error : str
        What is wrong with the rule of one's own.
    """
    return model.ViewModel(
        headline=CAMERA_TEXTS[camera], device=device, notes=tuple(line for note in notes for line in model.wrapped(note)),
        rule_error=model.lines(f"{rule_error.rstrip('.')}. Until it compiles no rule acts." if rule_error else ""),
        rows=model.row_views(dashboard(stats)) if stats is not None else (), legend=legend(overlay, camera, lods, sliced),
        plot=plot(history) if overlay.plot else (), frozen=camera == "frozen",
        frame=stats.frame if frame is None else frame, measured_frame=None if stats is None else stats.frame)


@lru_cache(maxsize=16)
def legend(overlay, camera: str, lods: int = 8, sliced: bool = False) -> tuple:
    """(colour or None, text) rows: a title without a colour before the colours of each overlay that is drawn."""
    rows = []
    if overlay.instances:
        rows += [(None, MODE_TITLES[overlay.mode]), *_instance_rows(overlay, lods, sliced)]
    if overlay.clusters:
        rows += [(None, "Clusters"), *palette.legend("clusters")]
    if overlay.frustum and camera != "view":
        rows += [(None, "Camera"), *palette.legend("frustum")]
    return tuple(rows)


def _instance_rows(overlay, lods, sliced) -> list:
    rows = palette.legend(overlay.mode, lods)
    if overlay.mode == "batch":
        # A dozen colours that come again and again name no batch; without them the legend fits a low window.
        return [rows[-1]]
    if overlay.mode != "visibility":
        return list(rows)
    # Only what the filter lets through, in the palette's order.
    shown = set(overlay.reasons) - (set() if sliced else {"late"})
    hidden = {tuple(palette.REASON_COLORS[code]) for code, name in enumerate(REASONS) if name not in shown}
    return [row for row in rows if row[0] not in hidden]


def plot(history: History) -> tuple:
    """Strips of the last frames."""
    if not len(history):
        return ()
    upload, fill, sent = (history.array(name) for name in ("upload_ms", "fill_rate", "bytes_uploaded"))
    top_ms = max(1.25 * UPLOAD_MS.risk, float(upload.max()))
    top_bytes = max(1.0, float(sent.max()))
    return (
        model.Strip("Upload Time", f"{upload[-1]:.2f} ms, at most {upload.max():.2f} ms", (upload / top_ms).astype("f4"),
                    ((UPLOAD_MS.healthy / top_ms, "warn"), (UPLOAD_MS.risk / top_ms, "bad"))),
        model.Strip("Visible", f"{100 * fill[-1]:.1f} %, at most {100 * fill.max():.1f} %", fill.astype("f4"),
                    ((FILL_RATE.healthy, "warn"), (FILL_RATE.risk, "bad"))),
        model.Strip("Uploaded", f"{bytes_text(int(sent[-1]))}, at most {bytes_text(int(sent.max()))}",
                    (sent / top_bytes).astype("f4")),
    )
