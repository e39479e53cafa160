"""What ``gpuscene snapshot`` draws: cull, choose LODs, colour, draw. Runs where Blender is at hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ..core import overlay as overlays
from ..core import picture_cameras, png
from ..core.cluster_tree import build
from ..core.culling.bounds import instance_bounds
from ..core.culling.camera import CullView
from ..core.culling.cull_tree import prepare
from ..core.culling.decide import box_outside, instance_visible
from ..core.culling.lod_select import LodInputs, select
from ..core.errors import InputError
from ..core.schedule import FrameSlices
from .output import write_bytes
from .views import Frame, choose_camera


def snapshot(frame: Frame, arguments: dict, skins=None) -> dict:
    """Draw `frame` and write the picture.

    Parameters
    ----------
    frame : Frame
    arguments : dict
        ``output, overlay, view, size, cluster_size, slices``.
    skins : picture_skins.PictureSkins, optional
        For the overlay "skin".

    Returns
    -------
    dict
        ``path, size, bytes, camera, view, overlay, total, visible, drawn, legend`` (name -> count), ``device``.
    """
    from ..device import capabilities
    from ..device.snapshot import draw

    scene, size, kind = frame.scene, tuple(arguments["size"]), arguments["overlay"]
    bounds = instance_bounds(scene)
    camera = picture_cameras.fitted(frame.camera, size)
    view = _view(arguments["view"], camera, scene, bounds, size)
    if view.clip_from_world is None:
        raise InputError(f"No picture can be drawn through {view.name}: {view.note}", "Choose another with --camera or --view.")
    can = capabilities.start()
    cull_view = CullView.of(camera, bounds.extent)
    visible = instance_visible(cull_view, bounds)
    shown = CullView.of(view, bounds.extent)
    rows = np.flatnonzero(instance_visible(shown, bounds) if view is camera else bounds.drawable & _in_frustum(shown, bounds))
    lod = select(cull_view, bounds, LodInputs.of(scene), rows)
    age = _ages(arguments["slices"], arguments["cluster_size"], camera, bounds) if kind == "age" else None
    tint = overlays.tints(kind, visible[rows], lod, None if age is None else age[rows])
    lines, boxes = [], (bounds.box_min[rows], bounds.box_max[rows])
    if skins is not None:
        boxes = [np.concatenate(pair) for pair in zip(boxes, skins.boxes())]
    tree = build(bounds, cluster_size=arguments["cluster_size"]) if kind == "clusters" else None
    if tree is not None:
        outside = box_outside(cull_view, tree.nodes["box_min"], tree.nodes["box_max"])
        lines += overlays.tree_lines(tree, outside)
    if view is not camera and camera.clip_from_world is not None:
        reach = float(np.linalg.norm(bounds.box_max.max(axis=0) - bounds.box_min.min(axis=0))) if len(bounds) else 1.0
        edges = overlays.frustum_segments(camera.clip_from_world, reach)
        lines.append((edges, overlays.FRUSTUM, overlays.FRUSTUM_WIDTH))
        boxes = [np.concatenate((side, edges.reshape(-1, 3))) for side in boxes]  # a point is a box
    data = png.encode(draw(scene, view, rows, boxes, lod, tint, lines, size, after=None if skins is None else skins.draw))
    write_bytes(Path(arguments["output"]), data)
    return {"path": arguments["output"], "size": list(size), "bytes": len(data), "camera": camera.name, "view": view.name, "overlay": kind,
            "frame": frame.number, "total": len(bounds), "visible": int(visible.sum()), "drawn": len(rows),
            "legend": skins.legend() if skins is not None else _legend(kind, visible[rows], lod, None if age is None else age[rows], tree, lines),
            "device": {"backend": can.backend, "renderer": can.renderer}}


def _view(name, camera, scene, bounds, size):
    """The camera that the picture is taken with."""
    if name is None or name == camera.name:
        return camera
    if name == picture_cameras.OVERVIEW and all(name != other.name for other in scene.cameras):
        low, high = (function(getattr(bounds, side)[bounds.drawable], axis=0) if bounds.drawable.any() else np.zeros(3)
                     for function, side in ((np.min, "box_min"), (np.max, "box_max")))
        up = scene.convention.directions(np.array([[0.0, 0.0, 1.0]]))[0]
        return picture_cameras.overview(camera, low, high, up, size, scene.convention.is_mirrored)
    return picture_cameras.fitted(choose_camera(scene.cameras, name, "The scene"), size)


def _in_frustum(view, bounds):
    """(N,) bool: the view of a picture hides nothing for its distance."""
    return ~box_outside(view, bounds.box_min, bounds.box_max)


def _legend(kind, visible, lod, age, tree, lines):
    """What each colour stands for, and how many drawn instances (or clusters) have it."""
    if kind == "lod":
        counts = np.bincount(lod[visible], minlength=1).tolist()
        return {f"LOD {level}": count for level, count in enumerate(counts)} | {"culled": int((~visible).sum())}
    if kind == "age":
        fresh = visible & (age >= 0)
        return {"red: this frame": int((fresh & (age == 0)).sum()), "blue: last frame": int((fresh & (age == 1)).sum()),
                "green: older": int((fresh & (age > 1)).sum()), "grey: culled": int((~fresh).sum())}
    if kind == "clusters":
        names = {overlays.ROOT: "red: root", overlays.INNER: "yellow: inner", overlays.LEAF: "green: leaf",
                 overlays.CULLED_NODE: "grey: culled leaf"}
        return {names[color]: len(segments) // 12 for segments, color, _ in lines if color in names}
    return {"visible": int(visible.sum()), "grey: culled": int((~visible).sum())} if kind == "visibility" else {}


def _ages(slices, cluster_size, camera, bounds):
    """(N,) frames since each instance's refresh, by a schedule that has run for three rounds with the camera standing still."""
    view = CullView.of(camera, bounds.extent)
    schedule = FrameSlices(prepare(build(bounds, cluster_size=cluster_size), bounds), slices)
    for _ in range(3 * slices):
        result = schedule.step(view, bounds)
    return result.age
