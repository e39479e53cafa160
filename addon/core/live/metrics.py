"""What a frame cost and did, judged: rows for the dashboard, and the last frames for the plot."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from ..limits import CUSTOM_CHANNELS

HISTORY = 240  #: frames
LEVELS = ("good", "warn", "bad", "info")


@dataclass(frozen=True)
class FrameStats:
    """One frame of one view.

    Attributes
    ----------
    frame : int
        The session's count of redraws.
    upload_ms : float
    bytes_uploaded : int
    instances, visible : int
        Of the scene (hidden ones not among them); kept by culling.
    triangles_submitted, triangles_total : int
        Of what is drawn, at the LODs chosen; of every instance at LOD 0.
    draw_arguments : int
        All indirect draws, empty ones included.
    draw_count : int
        Those that draw something.
    cull_ms : float
    jitter_m : float
        Metres: largest distance between where something is drawn and where it is, because its upload waits.
    fragmentation : float
        0 to 1: share of the slots in use or once in use that are holes.
    channels_used : int
        Custom-data channels that carry something.
    dispatches : int
        Compute dispatches of this frame.
    """

    frame: int = 0
    upload_ms: float = 0.0
    bytes_uploaded: int = 0
    instances: int = 0
    visible: int = 0
    triangles_submitted: int = 0
    triangles_total: int = 0
    draw_arguments: int = 0
    draw_count: int = 0
    cull_ms: float = 0.0
    jitter_m: float = 0.0
    fragmentation: float = 0.0
    channels_used: int = 0
    dispatches: int = 0

    @property
    def fill_rate(self) -> float:
        """0 to 1: share of the instances that are visible."""
        return self.visible / self.instances if self.instances else 0.0


@dataclass(frozen=True)
class Threshold:
    """Healthy below `healthy`, at risk above `risk`, to be watched from one to the other, both included."""

    healthy: float
    risk: float

    def level(self, value: float) -> str:
        """{"good", "warn", "bad"}; what is no number is bad."""
        return "good" if value < self.healthy else "warn" if value <= self.risk else "bad"


UPLOAD_MS = Threshold(1.0, 2.0)
FILL_RATE = Threshold(0.6, 0.8)
FRAGMENTATION = Threshold(0.1, 0.3)
#: The default registry has four channels, which is healthy; so 5 is the first to be watched.
CHANNELS = Threshold(5, 6)


@dataclass(frozen=True)
class Row:
    """A line of the dashboard.

    Attributes
    ----------
    key : str
        The number's name in `FrameStats`.
    label, value : str
        `value` has its unit.
    level : {"good", "warn", "bad", "info"}
        "info": a number that is neither good nor bad.
    advice : str
        What to do; empty where there is nothing to do.
    share : float
        0 to 1, for a bar: of what is bad or of what there is; 0 where nothing bounds it.
    """

    key: str
    label: str
    value: str
    level: str
    advice: str
    share: float


def dashboard(stats: FrameStats) -> tuple:
    """Rows in a fixed order; the panel puts the red ones first."""
    visible = _share(stats.visible, stats.instances)
    triangles = _share(stats.triangles_submitted, stats.triangles_total)
    took, fill, channels, share = stats.upload_ms, stats.fill_rate, stats.channels_used, stats.fragmentation
    return (
        _judged("upload_ms", "Upload Time", f"{took:.2f} ms", UPLOAD_MS, took, took / UPLOAD_MS.risk,
                f"Changes took {took:.2f} ms to upload, under {UPLOAD_MS.healthy:g} ms is healthy: raise Update Every in "
                "GPUScene > Live, or let fewer objects move at once."),
        _judged("fill_rate", "Visibility Fill Rate", _percent(fill), FILL_RATE, fill, fill,
                f"{_percent(fill)} of the instances are visible, so culling saves little: set a lower Cull Distance in "
                "GPUScene > Culling, or give small objects a gpuscene_cull_radius."),
        _judged("fragmentation", "Index Fragmentation", _percent(share), FRAGMENTATION, share, share,
                f"{_percent(share)} of the slots are holes left by removed instances: press Compact in GPUScene > Live."),
        _judged("channels_used", "Custom-Data Channels", f"{channels} of {CUSTOM_CHANNELS}", CHANNELS, channels,
                channels / CUSTOM_CHANNELS,
                f"{channels} of {CUSTOM_CHANNELS} custom-data channels are in use, which leaves {CUSTOM_CHANNELS - channels}: "
                "remove those that no shader reads in GPUScene > Custom Data, or pack two values into one."),
        _info("instances", "Instances", f"{stats.instances:,}"),
        _info("visible", "Visible", f"{stats.visible:,} ({_percent(visible)})", visible),
        _info("triangles_submitted", "Triangles", f"{stats.triangles_submitted:,} of {stats.triangles_total:,}", triangles),
        _info("draw_arguments", "Draw Arguments", f"{stats.draw_arguments:,}, {stats.draw_count:,} of them draw",
              _share(stats.draw_count, stats.draw_arguments)),
        _info("bytes_uploaded", "Uploaded", bytes_text(stats.bytes_uploaded)),
        _jitter(stats.jitter_m),
    )


def _judged(key, label, value, threshold, number, share, advice) -> Row:
    level = threshold.level(number)
    return Row(key, label, value, level, "" if level == "good" else advice, _clipped(share))


def _info(key, label, value, share=0.0) -> Row:
    return Row(key, label, value, "info", "", _clipped(share))


def _jitter(metres) -> Row:
    """Chosen by the user with the update frequency, so it is shown and explained, not judged."""
    advice = "" if metres == 0 else (f"What moved is drawn up to {length_text(metres)} from its place until the next upload: set "
                                     "Update Every in GPUScene > Live to 1 to see it in place.")
    return Row("jitter_m", "Jitter", length_text(metres), "info", advice, 0.0)


def _share(part, whole) -> float:
    return part / whole if whole else 0.0


def _clipped(share) -> float:
    return float(min(max(share, 0.0), 1.0)) if share == share else 1.0


def _percent(share) -> str:
    return f"{100 * share:.1f} %"


def bytes_text(count: int) -> str:
    """In B, or in KiB, MiB or GiB with one decimal."""
    if count < 1024:
        return f"{count} B"
    value = float(count)
    for unit in ("KiB", "MiB", "GiB"):
        value /= 1024
        if value < 1023.95 or unit == "GiB":
            return f"{value:.1f} {unit}"


def length_text(metres: float) -> str:
    """In mm below 1 cm, in km from 10 km, else in m, with three digits that count or more."""
    size = abs(metres)
    if size == 0:
        return "0 m"
    if size < 0.01:
        return f"{metres * 1000:.3g} mm" if size >= 1e-6 else "under 0.001 mm"
    if size >= 1e4:
        return f"{metres / 1000:,.1f} km" if size < 1e10 else f"{metres / 1000:.3g} km"
    return f"{metres:,.0f} m" if size >= 100 else f"{metres:.3g} m"


class History:
    """The last frames, the oldest first.

    Appending costs the same however long it runs: a ring that is written twice, so that any run of it is one slice.
    """

    def __init__(self, capacity: int = HISTORY):
        self.capacity = capacity
        self._values = {field.name: np.zeros(2 * capacity) for field in fields(FrameStats)}
        self._values["fill_rate"] = np.zeros(2 * capacity)
        self.count = 0  #: frames appended since the last `clear`

    def __len__(self):
        return min(self.count, self.capacity)

    def append(self, stats: FrameStats) -> None:
        at = self.count % self.capacity
        for name, values in self._values.items():
            values[at] = values[at + self.capacity] = getattr(stats, name)
        self.count += 1

    def array(self, name: str) -> np.ndarray:
        """(len(self),) float64 of an attribute of `FrameStats`: a read-only view that holds until the next `append`."""
        stop = self.count % self.capacity + self.capacity if self.count >= self.capacity else self.count
        out = self._values[name][stop - len(self):stop]
        out.flags.writeable = False
        return out

    def clear(self) -> None:
        self.count = 0
