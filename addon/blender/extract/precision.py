"""Full-precision transforms: world matrices composed in float64 along the parent chain.

Blender stores location, rotation and scale as float32 but also multiplies in float32: an object 100 km down a chain of parents
loses centimetres. Here each link is built and multiplied in float64.
"""

from __future__ import annotations

import numpy as np


def world_matrix(obj):
    """(4, 4) float64 world matrix of an evaluated object, or None where the chain holds something this cannot compose.

    Composable: object parents, every rotation mode, delta transforms, parent inverses. Not composable: constraints, bone or
    vertex parents, a parent with its own constraint.
    """
    if len(obj.constraints):
        return None
    local = basis_matrix(obj)
    if obj.parent is None:
        return local
    if obj.parent_type != "OBJECT":
        return None
    parent = world_matrix(obj.parent)
    return None if parent is None else parent @ np.array(obj.matrix_parent_inverse, np.float64) @ local


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
    delta = euler_matrix(obj.delta_rotation_euler, obj.delta_rotation_euler.order if mode == "AXIS_ANGLE" else mode)
    if mode == "AXIS_ANGLE":
        angle, *axis = (float(v) for v in obj.rotation_axis_angle)
        length = np.linalg.norm(axis)
        axis = np.array(axis) / length if length > 0 else np.array([0.0, 1.0, 0.0])
        half = 0.5 * angle
        quaternion = np.r_[np.cos(half), axis * np.sin(half)] if length > 0 else np.array([1.0, 0, 0, 0])
        return quaternion_matrix(obj.delta_rotation_quaternion) @ quaternion_matrix(quaternion)
    return delta @ euler_matrix(obj.rotation_euler, mode)


def quaternion_matrix(quaternion) -> np.ndarray:
    """(3, 3) rotation of (w, x, y, z), normalised first; identity for a zero quaternion."""
    w, x, y, z = np.array(quaternion, np.float64)
    norm = w * w + x * x + y * y + z * z
    if norm == 0:
        return np.eye(3)
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
