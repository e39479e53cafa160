"""Overlays of the live scene, drawn from tables that lie on the GPU already: nothing is copied, and no loop over instances
runs in Python.

Drawn with depth test, without writing depth, blended; the state of `gpu` is put back afterwards. Colours are right in the
viewport (POST_VIEW) and in offscreen pictures alike. In a POST_VIEW draw handler::

    from ...core import palette
    from ...device.overlay import Overlay

    overlay = Overlay(transport)                    # one a session; "storage" or "texture", None: the best there is
    nodes = overlay.node_table(tree.nodes)          # once a tree; nodes.upload(...) after each refit

    clip_from_scene = region_data.perspective_matrix @ world_from_scene    # the tables' axes and units
    with overlay.view(clip_from_scene, (region.width, region.height), ui_scale):
        overlay.draw_instances(spheres, boxes, status, count, mode="visibility",   # boxes up to overlay.box_limit, else points
                               reasons=palette.reason_bits("frustum", "distance"), shape="auto")
        overlay.draw_clusters(nodes, tree.level_starts, view_constants(cull_view, convention), levels=(0, 99))
        overlay.draw_frustum(frozen_camera.clip_from_world, reach)

    for rgba, label in palette.legend("visibility"): ...    # sRGB, for POST_PIXEL; also "clusters" and "frustum"

`spheres`, `boxes`, `status` are device tables in one order (culling order): vec4, INSTANCE_BOX, and uint as `core.live.status`
has it. `view_constants` is that of `core.culling.gpu_streams`, of the camera that culls, so that nodes are coloured right while
it is frozen.
`draw_boxes` and `draw_points` are what `draw_instances` chooses from; `palette.MODES` lists the modes.
"""

from .overlay import BOX_LIMIT, Overlay

__all__ = ["BOX_LIMIT", "Overlay"]
