"""What became of each instance in one view, as one 32-bit word that the overlays are coloured by.

Bits 0-2 reason, 3-5 LOD (of visible ones), 6-7 precision, 8-15 age in frames (255: that old or never), 16-31 colour number of
the batch. The word of a free slot is `FREE` alone.
"""

from __future__ import annotations

#: why an instance is not drawn; the first that applies, in the order of the tests. LATE: this frame's tests keep it, but its
#: block (`schedule.blocks`) has not had its turn since they do
VISIBLE, HIDDEN, DISTANCE, FRUSTUM, RULE, FREE, LATE = range(7)
REASONS = ("visible", "hidden", "distance", "frustum", "rule", "free", "late")
#: what float32 can tell apart at an instance's centre: under 0.1 mm, under 1 mm, no better than that; or the engine gets its
#: matrix in float64
FINE, ADEQUATE, COARSE, FULL = range(4)
PRECISIONS = ("fine", "adequate", "coarse", "full")
LOD_SHIFT, PRECISION_SHIFT, AGE_SHIFT, BATCH_SHIFT = 3, 6, 8, 16
MAX_AGE = 255  #: and "never"
