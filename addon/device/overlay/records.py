"""Uniform blocks of the overlay shaders. Arrays are of vec4, so std140 and std430 agree."""

from __future__ import annotations

from ...core.layout import Field as F
from ...core.layout import Record

OVERLAY_DRAW = Record("OverlayDraw", "overlay_draw", 128, (
    F("clip_from_anchor", "vec4", "columns; of the view, for positions relative to `anchor`", 4),
    F("anchor", "vec3", "a point near the eye: differences to it keep what float32 positions have"),
    F("line_width", "float", "pixels"),
    F("size", "vec2", "of the picture, pixels"),
    F("eye_depth", "float", "perspective: clip z of the eye, where clip w is the distance along the view; else 0"),
    F("depth_scale", "float", "orthographic: clip z a scene unit"),
    F("pixels_per_unit", "float", "of a length across the view; perspective: at distance 1"),
    F("lift", "float", "how far lines are drawn before their place, so that surfaces in it do not hide them: scene units; "
                       "perspective: at distance 1"),
    F("mode", "uint", "OVERLAY_*"),
    F("reasons", "uint", "a bit for each reason to show"),
    F("first", "uint", "row of the first one drawn"),
    F("count", "uint", "rows"),
    F("smallest", "float", "point, pixels"),
    F("largest", "float", "point, pixels"),
), "One draw of an overlay.")

OVERLAY_CORNERS = Record("OverlayCorners", "overlay_corners", 128, (
    F("corners", "vec4", "of a frustum; bit 0 right, bit 1 top, bit 2 far", 8),
), "A frozen camera's frustum.")
