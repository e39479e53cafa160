"""Culling spread over frames: each refreshes a slice of the tree, the most urgent part of it; the rest keeps its last answer
and says how old that is.
"""

from .simulator import Report, simulate
from .slices import FrameSlices, ScheduledResult, Weights

__all__ = ["FrameSlices", "Report", "ScheduledResult", "Weights", "simulate"]
