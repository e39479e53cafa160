"""Legend, dashboard and plot in the 3D View: text and plain colours over the picture, from a ready `model.ViewModel`.

`draw` belongs to POST_PIXEL. Shapes and places are kept until model, settings or regions change, so a redraw only shows them.
"""

from __future__ import annotations

from . import hud_layout, model

#: height of the text and of its line, and widths of the blocks, at a scale of 1
FONT, LINE, DASHBOARD_WIDTH, PLOT_WIDTH, STRIP = 11.0, 18.0, 290.0, 290.0, 40.0
#: dark behind, light before: readable on every theme and picture. Views blend in linear light, where a little white is a lot
BACKGROUND, TEXT, DIM = (0.06, 0.06, 0.065, 0.97), (0.94, 0.94, 0.94, 1.0), (0.66, 0.66, 0.68, 1.0)
TRACK, CURVE = (1.0, 1.0, 1.0, 0.03), (0.55, 0.78, 1.0, 1.0)
COLORS = {"good": (0.45, 0.85, 0.5, 1.0), "warn": (1.0, 0.8, 0.25, 1.0), "bad": (1.0, 0.42, 0.36, 1.0), "info": TEXT}

_kept = {}  # view key -> (model, what else it was made from, Picture)


def forget() -> None:
    """Free what was kept; the session has stopped."""
    _kept.clear()


def picture_of(view_key: int):
    """The `hud_picture.Picture` that a view shows, or None."""
    kept = _kept.get(view_key)
    return kept[2] if kept is not None else None


def draw(context, view: model.ViewModel, overlay, size: float = 1.0) -> None:
    """Draw into the region of `context`.

    Parameters
    ----------
    view : model.ViewModel
    overlay : settings.OverlayOptions
        `legend`, `dashboard` and `plot` say what is shown.
    size : float
        The preferences' factor, on top of Blender's resolution scale.
    """
    scale = context.preferences.system.ui_scale * size
    free = free_box(context.area, context.region)
    reserved = _reserved(context)
    wanted = (overlay.legend, overlay.dashboard, overlay.plot)
    made_from = free, reserved, wanted, scale
    key = context.region_data.as_pointer()
    kept = _kept.get(key)
    if kept is None or kept[0] is not view or kept[1] != made_from:
        from .hud_picture import Picture

        kept = _kept[key] = (view, made_from, Picture(view, wanted, free, reserved, scale))
    kept[2].show()


def free_box(area, region) -> hud_layout.Box:
    """The part of the view's region that toolbars, sidebar and headers leave."""
    others = [(r.type, "FLOAT" if r.type == "HUD" else r.alignment, r.x, r.y, r.width, r.height)
              for r in area.regions if r.type != "WINDOW"]
    return hud_layout.free_box((region.x, region.y, region.width, region.height), others)


def _reserved(context) -> tuple:
    """Heights at the top left and right that Blender's own text and gizmos take."""
    scale = context.preferences.system.ui_scale
    space, prefs = context.space_data, context.preferences.view
    overlay = space.overlay
    lines = 0
    if overlay.show_overlays and overlay.show_text:
        lines = 3 + 8 * overlay.show_stats
    gizmo = 0
    if space.show_gizmo and space.show_gizmo_navigate:
        gizmo = (prefs.gizmo_size_navigate_v3d if prefs.mini_axis_type == "GIZMO" else 30) + 20 + 4 * 32
    return lines * 18 * scale, gizmo * scale
