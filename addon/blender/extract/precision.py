"""Full-precision transforms: world matrices composed in float64 along the parent chain.

Blender stores location, rotation and scale as float32 but also multiplies in float32: an object 100 km down a chain of parents
loses centimetres. Here each link is built and multiplied in float64.
"""

from __future__ import annotations

import numpy as np


def world_matrix(obj):
    """(4, 4) float64 world matrix of an evaluated object, or None where the chain holds something this cannot compose.

    Composable: object parents, every rotation mode, delta transforms, parent inverses. Not composable: constraints, rigid
    bodies, bone or vertex parents, curves whose children follow the path; nor anything below such an object.
    """
    if len(obj.constraints) or obj.rigid_body is not None:
        return None
    local, parent = basis_matrix(obj), obj.parent
    if parent is None:
        return local
    if obj.parent_type != "OBJECT" or (parent.type == "CURVE" and parent.data.use_path):
        return None
    above = world_matrix(parent)
    return None if above is None else above @ np.array(obj.matrix_parent_inverse, np.float64) @ local


def basis_matrix(obj) -> np.ndarray:
    """(4, 4) float64 from location, rotation, scale and their deltas."""
    matrix = np.eye(4)
    scale = np.array(obj.scale, np.float64) * np.array(obj.delta_scale, np.float64)
    matrix[:3, :3] = _rotation(obj) * scale
    matrix[:3, 3] = np.array(obj.location, np.float64) + np.array(obj.delta_location, np.float64)
    return matrix


def _rotation(obj) -> np.ndarray:
    mode = obj.rotation_mode
    if mode == "QUATERNION":
        return quaternion_matrix(obj.delta_rotation_quaternion) @ quaternion_matrix(obj.rotation_quaternion)
    if mode == "AXIS_ANGLE":
        # Blender shows no delta for this mode and applies none of the other modes' deltas.
        angle, *axis = (float(v) for v in obj.rotation_axis_angle)
        length = np.linalg.norm(axis)
        if length == 0:
            return np.eye(3)
        return quaternion_matrix(np.r_[np.cos(angle / 2), np.array(axis) / length * np.sin(angle / 2)])
    return euler_matrix(obj.delta_rotation_euler, mode) @ euler_matrix(obj.rotation_euler, mode)


def quaternion_matrix(quaternion) -> np.ndarray:
    """(3, 3) rotation of (w, x, y, z), normalised first; for a zero quaternion the half turn about x that Blender makes of it."""
    w, x, y, z = np.array(quaternion, np.float64)
    norm = w * w + x * x + y * y + z * z
    if norm == 0:
        return np.diag((1.0, -1.0, -1.0))
    s = 2 / norm
    return np.array([
        [1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)],
        [s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)],
        [s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)]])


def euler_matrix(angles, order: str) -> np.ndarray:
    """(3, 3) rotation of Euler angles in radians; order "XYZ" turns about X first, as in Blender."""
    matrix = np.eye(3)
    for axis in order:
        index = "XYZ".index(axis)
        c, s = np.cos(float(angles[index])), np.sin(float(angles[index]))
        turn = np.eye(3)
        j, k = (index + 1) % 3, (index + 2) % 3
        turn[j, j], turn[j, k], turn[k, j], turn[k, k] = c, -s, s, c
        matrix = turn @ matrix
    return matrix
