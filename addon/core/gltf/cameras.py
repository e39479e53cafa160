"""Cameras in the file: glTF cameras for viewers, and the exact ones as JSON.

glTF knows centred perspective and orthographic cameras only, so viewers lose a lens shift; ``GPUSCENE_scene.cameras`` has every number.
"""

from __future__ import annotations

import math

import numpy as np

from ..conventions import Convention
from ..culling.camera import Camera
from .schema import Cursor

#: larger numbers would overflow when a plane is normalised
_LARGEST = 1e30


def camera_to_json(camera: Camera) -> dict:
    """Every field; the matrix column after column, as all matrices of the format."""
    matrix = camera.clip_from_world
    return {"name": camera.name, "clip_from_world": None if matrix is None else np.asarray(matrix, np.float64).T.reshape(-1).tolist(),
            "position": np.asarray(camera.position, np.float64).tolist(), "is_perspective": bool(camera.is_perspective),
            "screen_factor": float(camera.screen_factor), "note": camera.note}


def camera_from_json(cursor: Cursor) -> Camera:
    """The inverse."""
    matrix = cursor["clip_from_world"]
    factor = cursor["screen_factor"].number()
    if not 0 <= factor <= _LARGEST:
        raise cursor["screen_factor"].fail("a size that is not negative")
    return Camera(cursor["name"].text(), None if matrix.value is None else _numbers(matrix, 16).reshape(4, 4).T.copy(),
                  _numbers(cursor["position"], 3), cursor["is_perspective"].boolean(), factor, cursor["note"].text())


def _numbers(cursor, count):
    values = [item.number() for item in cursor.items()]
    if len(values) != count or any(abs(value) > _LARGEST for value in values):
        raise cursor.fail(f"{count} numbers")
    return np.array(values)


def viewer_cameras(cameras, convention: Convention) -> tuple:
    """What viewers see of the cameras.

    Returns
    -------
    definitions : list of dict
        glTF cameras.
    nodes : list of dict
        One for each: translation and rotation in glTF's own axes, for the top level of the scene; a camera below the root that turns and scales
        the tables would be scaled with it. Cameras that glTF cannot describe (panoramic, flat) are left out.
    """
    definitions, nodes = [], []
    for camera in cameras:
        found = None if camera.clip_from_world is None else _decompose(camera, convention.gltf_from_target())
        if found is not None:
            definition, node = found
            nodes.append({"name": camera.name, "camera": len(definitions)} | node)
            definitions.append({"name": camera.name} | definition)
    return definitions, nodes


def _decompose(camera, gltf_from_target):
    """(glTF camera, node) of a camera, or None. Rows of ``clip_from_world`` are the view's axes, scaled and shifted."""
    m = np.asarray(camera.clip_from_world, np.float64) @ np.linalg.inv(gltf_from_target)
    position = (gltf_from_target @ [*camera.position, 1.0])[:3]
    depth = m[3, :3] if camera.is_perspective else m[2, :3]
    length = np.linalg.norm(depth)
    if not length > 0 or not np.isfinite(m).all():
        return None
    back = -depth / length  # the camera looks along its -Z
    across, up = (row - (row @ back) * back for row in (m[0, :3], m[1, :3]))
    width, height = np.linalg.norm(across), np.linalg.norm(up)
    if not min(width, height) > 0:
        return None
    up = up / height
    right = np.cross(up, back)
    up = np.cross(back, right)
    planes = camera.planes()  # the last two: near, far, in the scene's units
    metres = np.linalg.norm(gltf_from_target[:3, 0])
    near, far = (float(sign * (plane[:3] @ camera.position + plane[3]) * metres) for sign, plane in ((-1, planes[4]), (1, planes[5])))
    if not far > near:
        return None
    if camera.is_perspective:
        lens = {"yfov": 2 * math.atan(length / height), "aspectRatio": height / width, "znear": near, "zfar": far}
        if not near > 0 or not lens["yfov"] > 0:
            return None
        definition = {"type": "perspective", "perspective": {key: float(value) for key, value in lens.items()}}
    else:
        lens = {"xmag": float(1 / width), "ymag": float(1 / height), "znear": max(near, 0.0) + 0.0, "zfar": far}
        definition = {"type": "orthographic", "orthographic": lens}
    if not all(math.isfinite(value) for value in definition[definition["type"]].values()) or far <= 0:
        return None
    return definition, {"translation": (position + 0.0).tolist(), "rotation": _quaternion(np.column_stack((right, up, back)))}


def _quaternion(m) -> list:
    """[x, y, z, w] of a (3, 3) rotation, by its largest component (Shepperd 1978)."""
    squares = np.array([1 + m[0, 0] - m[1, 1] - m[2, 2], 1 - m[0, 0] + m[1, 1] - m[2, 2], 1 - m[0, 0] - m[1, 1] + m[2, 2], 1 + np.trace(m)])
    columns = np.array([[squares[0], m[0, 1] + m[1, 0], m[0, 2] + m[2, 0], m[2, 1] - m[1, 2]],
                        [m[0, 1] + m[1, 0], squares[1], m[1, 2] + m[2, 1], m[0, 2] - m[2, 0]],
                        [m[0, 2] + m[2, 0], m[1, 2] + m[2, 1], squares[2], m[1, 0] - m[0, 1]],
                        [m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1], squares[3]]])
    best = columns[int(np.argmax(squares))]
    return (best / np.linalg.norm(best) + 0.0).tolist()
