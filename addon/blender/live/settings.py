"""What the user chose for the pictures of a live scene, as plain values."""

from __future__ import annotations

from dataclasses import dataclass

from ...core.live.status import REASONS

#: whose view culls: the 3D View's own, the scene camera's, or the one at the moment of Freeze
CAMERAS = ("view", "scene", "frozen")
#: what colours an instance: `device.overlay` has the palette of each
MODES = ("visibility", "lod", "age", "batch", "precision")
SHAPES = ("auto", "boxes", "points")
#: reasons that can be shown; a free slot has no place in the picture
SHOWN_REASONS = ("visible", "frustum", "distance", "rule", "late", "hidden")


@dataclass(frozen=True)
class OverlayOptions:
    """What is drawn over the view.

    Attributes
    ----------
    mode : {"visibility", "lod", "age", "batch", "precision"}
        What colours the instances.
    instances : bool
        Draw them.
    shape : {"auto", "boxes", "points"}
        "auto": boxes up to the limit of `device.overlay`, points past it.
    reasons : tuple of str
        Of `SHOWN_REASONS`: which instances are drawn.
    clusters : bool
        Draw the boxes of the cluster tree.
    first_level, last_level : int
        Depths of the cluster tree that are drawn; 0 is the root.
    frustum : bool
        Draw the frustum of a culling camera that is not the view's own.
    legend, dashboard, plot : bool
        Text in the view.
    """

    mode: str = "visibility"
    instances: bool = True
    shape: str = "auto"
    reasons: tuple = SHOWN_REASONS[:5]
    clusters: bool = False
    first_level: int = 0
    last_level: int = 31
    frustum: bool = True
    legend: bool = True
    dashboard: bool = True
    plot: bool = False

    @property
    def reason_bits(self) -> int:
        """Bit `core.live.status` code for each reason that is drawn."""
        return sum(1 << REASONS.index(name) for name in self.reasons)
