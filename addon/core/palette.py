"""The colours of every overlay and what each means: one source for shaders, snapshots and legends.

Tints of meshes are linear, lines and points sRGB. Colours of reasons follow Okabe and Ito, which the colour-blind can tell apart.
"""

from __future__ import annotations

import numpy as np

from .errors import InputError
from .limits import MAX_LODS
from .live.status import REASONS

#: linear
CULLED = (0.22, 0.22, 0.22)
#: LOD 0 to 7, as Unreal's LOD colouration has them: white, red, green, blue, yellow, magenta, cyan, purple; linear
LODS = np.array([(0.8, 0.8, 0.8), (0.8, 0.03, 0.03), (0.03, 0.6, 0.05), (0.04, 0.1, 0.85), (0.85, 0.7, 0.02), (0.8, 0.03, 0.7),
                 (0.02, 0.65, 0.75), (0.25, 0.05, 0.6)])
#: refreshed this frame, last frame, before that: red, blue, green; linear
AGES = np.array([(0.8, 0.03, 0.03), (0.04, 0.1, 0.85), (0.03, 0.6, 0.05)])
#: sRGB and alpha of lines in snapshots
ROOT, INNER, LEAF, CULLED_NODE = (0.9, 0.1, 0.1, 1.0), (0.95, 0.8, 0.1, 0.9), (0.15, 0.75, 0.2, 0.8), (0.45, 0.45, 0.45, 0.35)
FRUSTUM = (0.05, 0.05, 0.05, 1.0)

#: what the live overlays can colour instances by
MODES = ("visibility", "lod", "age", "batch", "precision")


def srgb(linear) -> np.ndarray:
    """(..., 3) float64, from linear."""
    linear = np.asarray(linear, np.float64)
    return np.where(linear <= 0.0031308, linear * 12.92, 1.055 * np.maximum(linear, 0.0031308) ** (1 / 2.4) - 0.055)


def _opaque(colors) -> np.ndarray:
    return np.column_stack((colors, np.ones(len(colors))))


_GREY = (0.50, 0.50, 0.50)
#: (7, 4) sRGB and alpha by reason, in the order of `status.REASONS`; free slots show nothing
REASON_COLORS = np.array([(0.10, 0.80, 0.55, 1), (0.62, 0.62, 0.62, 1), (0.30, 0.68, 0.98, 1), (0.95, 0.38, 0.10, 1),
                          (0.88, 0.42, 0.80, 1), (0, 0, 0, 0), (0.98, 0.85, 0.20, 1)])
#: (8, 4)
LOD_COLORS = _opaque(srgb(LODS))
#: (4, 4): this frame, the last, older, never
AGE_COLORS = _opaque([*srgb(AGES), _GREY])
#: (4, 4): float32 steps under 0.1 mm, under 1 mm, coarser; full precision beside
PRECISION_COLORS = _opaque([(0.10, 0.80, 0.55), (0.98, 0.85, 0.20), (0.92, 0.16, 0.16), (0.30, 0.60, 0.98)])
#: (12, 4): batches take turns
BATCH_COLORS = _opaque([(0.90, 0.25, 0.25), (0.25, 0.55, 0.95), (0.30, 0.78, 0.32), (0.95, 0.62, 0.15), (0.65, 0.38, 0.90),
                        (0.20, 0.78, 0.80), (0.95, 0.45, 0.72), (0.75, 0.80, 0.20), (0.68, 0.45, 0.28), (0.60, 0.70, 0.95),
                        (0.15, 0.52, 0.45), (0.98, 0.85, 0.55)])
#: (4,): not drawn, in modes that colour what is drawn
DIM_COLOR = np.array((*_GREY, 0.75))
#: (4, 4): root, inner, leaf, culled
NODE_COLORS = np.array([(0.95, 0.15, 0.15, 1.0), (0.98, 0.82, 0.12, 0.95), (0.20, 0.82, 0.28, 0.85), (0.52, 0.52, 0.52, 0.55)])
#: edges of a frozen camera's frustum, and its near and far rectangles
FRUSTUM_COLOR, FRUSTUM_FILL = np.array((1.0, 1.0, 1.0, 1.0)), np.array((0.55, 0.80, 1.0, 0.10))


def reason_bits(*names) -> int:
    """Which reasons to show, a bit each, from names of `status.REASONS`; without names all but free slots.

    Raises ``InputError`` for a name there is not.
    """
    unknown = [name for name in names if name not in REASONS]
    if unknown:
        raise InputError(f"There is no reason {unknown[0]!r}.", f"Choose {', '.join(REASONS)}.")
    return sum(1 << REASONS.index(name) for name in set(names or REASONS) - {"free"})


def legend(mode: str, lods: int = MAX_LODS) -> tuple:
    """What the colours of a mode mean, in reading order.

    Parameters
    ----------
    mode : str
        One of `MODES`, "clusters" or "frustum".
    lods : int
        How many LODs the scene has.

    Returns
    -------
    tuple of ((4,) tuple of float, str)
        sRGB and alpha, label.
    """
    dim = (DIM_COLOR, "Not drawn")
    if mode == "visibility":
        labels = {"visible": "Visible", "frustum": "Culled by frustum", "distance": "Culled by distance",
                  "rule": "Culled by rule", "late": "Late: its slice has not had its turn", "hidden": "Hidden or invalid"}
        rows = [(REASON_COLORS[REASONS.index(name)], label) for name, label in labels.items()]
    elif mode == "lod":
        rows = [*((LOD_COLORS[k], f"LOD {k}") for k in range(max(1, min(lods, MAX_LODS)))), dim]
    elif mode == "age":
        rows = list(zip(AGE_COLORS, ("Tested this frame", "Last frame", "Older", "Never, or 255 frames ago")))
    elif mode == "batch":
        rows = [*((BATCH_COLORS[k], f"Batch {k}, {k + len(BATCH_COLORS)}, …") for k in range(len(BATCH_COLORS))), dim]
    elif mode == "precision":
        rows = list(zip(PRECISION_COLORS, ("Steps under 0.1 mm", "Steps under 1 mm", "Coarser than 1 mm", "Full precision kept")))
    elif mode == "clusters":
        rows = list(zip(NODE_COLORS, ("Root", "Inner node", "Leaf", "Culled")))
    elif mode == "frustum":
        rows = [(FRUSTUM_COLOR, "Culling camera")]
    else:
        raise InputError(f"There is no overlay {mode!r}.", f"Choose {', '.join((*MODES, 'clusters', 'frustum'))}.")
    return tuple((tuple(float(c) for c in color), label) for color, label in rows)
