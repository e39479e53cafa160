"""Cameras of a Blender scene as `core.culling.camera.Camera`: projection, world matrix and axes composed in float64."""

from __future__ import annotations

import bpy
import numpy as np

from ..core.conventions import PRESETS, Convention
from ..core.culling.camera import Camera

#: camera types that a frustum describes; panoramic and custom ones have none
_FRUSTUM_TYPES = {"PERSP": True, "ORTHO": False}


def render_size(scene) -> tuple:
    """(width, height) in pixels that the scene renders at."""
    render = scene.render
    return tuple(max(1, side * render.resolution_percentage // 100) for side in (render.resolution_x, render.resolution_y))


def camera_of(obj, depsgraph, scene, size=None, convention: Convention = PRESETS["blender"]) -> Camera:
    """What `obj` sees.

    Parameters
    ----------
    obj : bpy.types.Object
        A camera, or any other object that Blender can look through. Original or evaluated.
    depsgraph : bpy.types.Depsgraph
    scene : bpy.types.Scene
        Gives the pixel aspect, and the size where `size` is None.
    size : (width, height) or None
        In pixels: decides the view's proportions.
    convention : Convention
        Axes and units of the result.

    Returns
    -------
    Camera
        Without a frustum, and with a note, for panoramic cameras and for cameras without a usable world matrix.
    """
    evaluated = obj.evaluated_get(depsgraph)
    name = obj.name_full
    to_target = convention.target_from_blender()
    world = np.array(evaluated.matrix_world, np.float64)
    if not np.isfinite(world).all():
        return Camera(name, None, np.zeros(3), note=f"The world matrix of {name} is not finite: nothing is outside its view.")
    position = (to_target @ world[:, 3])[:3]
    kind = evaluated.data.type if evaluated.type == "CAMERA" else "PERSP"
    if kind not in _FRUSTUM_TYPES:
        what = "panoramic" if kind == "PANO" else "custom"
        return Camera(name, None, position, note=f"{name} is a {what} camera, which has no frustum: only distance culls.")
    # Blender ignores a camera's scale; shear stays, as in its own view matrix.
    lengths = np.linalg.norm(world[:3, :3], axis=0)
    if not (lengths > 0).all() or np.linalg.matrix_rank(world[:3, :3] / lengths) < 3:
        return Camera(name, None, position, note=f"The world matrix of {name} is flat: nothing is outside its view.")
    world[:3, :3] /= lengths
    projection = _projection(evaluated, depsgraph, scene, size or render_size(scene))
    clip_from_world = projection @ np.linalg.inv(world) @ np.linalg.inv(to_target)
    is_perspective = bool(projection[3, 3] == 0)
    # The view is 2 high in clip space: a sphere's diameter 2 r covers r * P11 / d of it.
    factor = projection[1, 1] / 2 / (1 if is_perspective else convention.units_per_metre)
    return Camera(name, clip_from_world, position, is_perspective, float(factor))


def _projection(evaluated, depsgraph, scene, size) -> np.ndarray:
    """(4, 4) float64 clip_from_view.

    Blender rounds to float32, in which a far clip of 1e6 is at infinity: the depth row is made again from the clip distances.
    """
    render = scene.render
    matrix = np.array(evaluated.calc_matrix_camera(depsgraph, x=int(size[0]), y=int(size[1]), scale_x=render.pixel_aspect_x,
                                                   scale_y=render.pixel_aspect_y), np.float64)
    if evaluated.type == "CAMERA":
        near, far = float(evaluated.data.clip_start), float(evaluated.data.clip_end)
        if far > near:
            perspective = matrix[3, 3] == 0
            matrix[2, 2] = -(far + near) / (far - near) if perspective else -2 / (far - near)
            matrix[2, 3] = -2 * far * near / (far - near) if perspective else -(far + near) / (far - near)
    return matrix


def camera_objects(scene, view_layer) -> list:
    """Original objects one can look through: the scene's camera first, then the other cameras of the view layer by name."""
    active = scene.camera
    others = [o for o in view_layer.objects if o is not None and o.type == "CAMERA" and o != active] if len(bpy.data.cameras) else []
    return ([active] if active is not None else []) + sorted(others, key=lambda o: o.name_full)


def cameras_of(objects, depsgraph, scene, convention: Convention, size=None) -> tuple:
    """`Camera` of each of `objects`; disabled ones, which have no matrix of this frame, are left out."""
    there = [o for o in objects if o == scene.camera or o.evaluated_get(depsgraph).is_evaluated]
    return tuple(camera_of(o, depsgraph, scene, size, convention) for o in there)
