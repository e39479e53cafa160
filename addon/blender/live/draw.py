"""What is drawn in each 3D View while a session runs: overlays with depth, then text over the picture."""

from __future__ import annotations

import bpy
import numpy as np

from ...core.culling.gpu_streams import view_constants
from ..cameras import camera_of
from . import model, views


def post_view(session) -> None:
    """Bring the view of ``bpy.context`` up to date and draw its overlays."""
    context = bpy.context
    scene, layer, data = context.scene, context.view_layer, context.region_data
    if data is None or not _is_followed(session, context):
        return
    session.read_settings(scene)
    depsgraph = context.evaluated_depsgraph_get() if session.has_marks else layer.depsgraph
    session.is_watched = model.figures_are_watched()
    scene_camera = None
    if session.settings.camera == "scene" and scene.camera is not None and depsgraph is not None:
        scene_camera = camera_of(scene.camera, depsgraph, scene, convention=session.convention)
    if len(session.views) > 1 or data.as_pointer() not in session.views:
        session.keep_only(views.open_views(context.window_manager))
    state = session.redraw_view(data.as_pointer(), views.camera_of_context(context, session), depsgraph, scene_camera)
    _draw_overlays(session, state, context)
    _publish(session, state)
    if state.is_pending or session.is_waiting:
        context.region.tag_redraw()


def post_pixel(session) -> None:
    """Text over the view of ``bpy.context``."""
    from ..preferences import dashboard_size
    from . import hud

    data = bpy.context.region_data
    view = model.of(data.as_pointer()) if data is not None and data.as_pointer() in session.views else None
    if view is not None:
        hud.draw(bpy.context, view, session.settings.overlay, dashboard_size())


def _is_followed(session, context) -> bool:
    """Whether the session's scene is drawn. When no open window shows that one any more, the session goes over to this one."""
    if session.shows(context.scene, context.view_layer):
        return True
    if any(session.shows(window.scene, window.view_layer) for window in context.window_manager.windows):
        return False
    session.follow(context.scene, context.view_layer)
    return True


def _draw_overlays(session, state, context) -> None:
    shown, live = session.settings.overlay, state.live
    if live.streams is None or not (shown.instances or shown.clusters or shown.frustum):
        return
    overlay = session.overlay()
    to_target = np.linalg.inv(session.convention.target_from_blender())
    clip_from_scene = np.array(context.region_data.perspective_matrix, np.float64) @ to_target
    if not views.is_usable(clip_from_scene):
        return  # nothing can be seen in it, of Blender's neither
    size = context.region.width, context.region.height
    with overlay.view(clip_from_scene, size, context.preferences.system.pixel_size):
        if shown.instances:
            overlay.draw_instances(live.streams.spheres, live.streams.boxes, live.status, mode=shown.mode,
                                   reasons=shown.reason_bits, shape=shown.shape)
        if shown.clusters:
            constants = view_constants(state.cull_view, convention=session.convention)
            levels = shown.first_level, shown.last_level
            overlay.draw_clusters(live.nodes, session.clusters.tree.level_starts, constants, levels)
        if shown.frustum and state.source != "view" and state.camera.clip_from_world is not None and (
                views.is_usable(state.camera.clip_from_world)):
            overlay.draw_frustum(state.camera.clip_from_world, session.reach_from(state.camera.position))


def _publish(session, state) -> None:
    """Text for the panels and the view, made anew only when something it says has changed."""
    from . import presenter

    device = session.device
    says = state.frame, state.measured, session.settings.overlay, state.source, session.notes, state.camera.note
    if says == state.published:
        return
    state.published = says
    lods = int(session.tables.primitives.tables["primitives"]["lod_count"].max(initial=1))
    text = f"{device.kind.upper()}: {device.renderer}" if device.kind == "gpu" else "CPU"
    notes = session.notes + ((state.camera.note,) if state.camera.note else ())
    model.publish(state.key, presenter.view_model(state.measured, session.history, session.settings.overlay, state.source, text,
                                                  notes, lods, session.options.slices > 1, state.frame, session.rule_error))
