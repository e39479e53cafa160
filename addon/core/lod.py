"""LOD sets: names, thresholds and what can be wrong with them."""

from __future__ import annotations

import re

from .findings import Finding
from .limits import MAX_LODS

LOD_NAME = re.compile(r"^(?P<base>.+?)_LOD(?P<level>[0-9]+)(?P<copy>\.[0-9]{3,})?$", re.IGNORECASE)
#: half-width of the band around each threshold, as a fraction of it
DEFAULT_HYSTERESIS = 0.05
#: screen size (bounding-sphere diameter over view height) of LOD 0: no upper limit
NO_LIMIT = 3.4028234663852886e38


def default_screen_size(level: int) -> float:
    """LOD n is entered below 0.5**(n + 1) of the view height: 0.25 for LOD 1, 0.125 for LOD 2; `NO_LIMIT` for LOD 0."""
    return NO_LIMIT if level == 0 else 0.5 ** (level + 1)


def split_name(name: str):
    """``"Pine_LOD2.001"`` -> ``("Pine", 2, ".001")``; None for any other name."""
    match = "_" in name and LOD_NAME.match(name)
    return (match["base"], int(match["level"]), match["copy"] or "") if match else None


def check_levels(subject: str, levels: list, screen_sizes: list) -> list:
    """Findings about a set: `levels` the numbers present (0 first), `screen_sizes` one for each."""
    findings = []
    missing = sorted(set(range(max(levels) + 1)) - set(levels))
    if missing:
        findings.append(Finding("lod-gap", "warning", subject, f"LOD {', '.join(map(str, missing))} missing; the next one takes its place.",
                                "Add the missing level or renumber."))
    if any(b >= a for a, b in zip(screen_sizes, screen_sizes[1:])):
        sizes = ", ".join(f"{s:g}" for s in screen_sizes[1:])
        findings.append(Finding("lod-order", "warning", subject, f"screen sizes do not fall from level to level ({sizes}); sorted.",
                                "Give each level a smaller screen size than the one before."))
    if len(levels) > MAX_LODS:
        findings.append(Finding("lod-limit", "warning", subject,
                                f"{len(levels)} levels; the coarsest {len(levels) - MAX_LODS} were left out.",
                                f"Keep to {MAX_LODS} levels."))
    return findings
