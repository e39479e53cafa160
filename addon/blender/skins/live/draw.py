"""What a skin session draws in each 3D View."""

from __future__ import annotations

import bpy
import numpy as np

from ...live import model as views
from ...live.views import open_views


def post_view(session) -> None:
    """Bring the particles to the frame that the 3D View of ``bpy.context`` is drawing, and draw them."""
    context = bpy.context
    data = context.region_data
    if data is None or not session.shows(context.scene, context.view_layer):
        return
    session.read_settings(context.scene)
    depsgraph = context.view_layer.depsgraph or context.evaluated_depsgraph_get()
    session.keep_views(open_views(context.window_manager))
    eye = np.array(data.view_matrix.inverted().translation, float)
    had_marks = session.has_marks
    waits = session.redraw(depsgraph, data.as_pointer(), eye, may_read=False)
    if waits and not bpy.app.timers.is_registered(_read_later):
        bpy.app.timers.register(_read_later, first_interval=0.0)
    if had_marks or waits:
        from . import session as sessions

        sessions.publish()
    region = context.region
    session.stage.draw(np.array(data.perspective_matrix, np.float64), (region.width, region.height),
                       context.preferences.system.pixel_size, session.settings)


def _read_later() -> None:
    """Read new and edited characters outside of drawing, which must not evaluate meshes, and draw again."""
    from . import session as sessions

    session = sessions.current()
    scene = next((s for s in bpy.data.scenes if session is not None and s.session_uid == session.scene_uid), None)
    layer = scene.view_layers.get(session.view_layer_name) if scene is not None else None
    if layer is None or layer.depsgraph is None:
        return
    try:
        session.redraw(layer.depsgraph)
        session.measure(layer.depsgraph)
    except Exception as error:
        session.fail(error)
        return
    sessions.publish()
    views.redraw_views()
