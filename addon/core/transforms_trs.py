"""Matrices to translation, rotation and scale, for viewers that know no matrices (EXT_mesh_gpu_instancing).

The rotation is Shepperd's: of the four rows of the matrix ``4 q q^T`` the one with the largest diagonal is normalised,
which keeps full precision everywhere (taking square roots of all four diagonals and copying signs does not near zero).
Sheared rows have no TRS; they get the polar factor of their normalised columns (Higham's Newton iteration, 1986), refined
towards the nearest TRS, and their error is measured. Rows run in cache-sized chunks, planar, in float32.

Cost: about 85 ns a row on one core; a sheared row costs about 5 us.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np

#: cosine between two axes past which a row counts as sheared; float32 parent chains stay well below it
SHEAR_TOLERANCE = 1e-5
#: rows to a chunk: a plane of float32 is 64 KB, so the few in use at a time stay in the second-level cache
CHUNK_ROWS = 16384
#: axis lengths outside this range would leave float32's normal numbers when squared
SMALLEST, LARGEST = np.float32(1e-15), np.float32(1e15)
#: corners of the cube [-1, 1]^3; the other four are their negatives
CORNERS = np.array([(1, 1, 1), (-1, 1, 1), (1, -1, 1), (1, 1, -1)], np.float64).T


def decompose(matrices: np.ndarray, rows: np.ndarray | None = None, threads: int | None = None) -> tuple:
    """Nearest translation, rotation and scale of each matrix.

    Parameters
    ----------
    matrices : ndarray
        (N, 4, 4) float32, ``[n, c]`` is column c, or (N,) ``instance_transforms`` records.
    rows : (K,) int ndarray, optional
        Which rows to take, in this order; all by default.
    threads : int, optional
        Worker threads; by default one a core, at most 4.

    Returns
    -------
    translation : (K, 3) float32
    rotation : (K, 4) float32
        Unit quaternions x, y, z, w.
    scale : (K, 3) float32
        x is negative where the matrix mirrors.
    error : (K,) float32
        Largest distance between a corner of the cube [-1, 1]^3 under the matrix and under the TRS, divided by the farthest corner's
        distance from the origin. 0 where the axes are perpendicular within `SHEAR_TOLERANCE`.

    Notes
    -----
    Zero and non-finite axes never raise: a missing axis is completed to a right-handed frame, with scale 0.
    """
    flat = _flat(matrices)
    count = len(flat) if rows is None else len(rows)
    outputs = (np.empty((count, 3), np.float32), np.empty((count, 4), np.float32), np.empty((count, 3), np.float32),
               np.zeros(count, np.float32))

    def work(start):
        part = slice(start, min(start + CHUNK_ROWS, count))
        _chunk(flat[part] if rows is None else flat[rows[part]], *(out[part] for out in outputs))

    starts = range(0, count, CHUNK_ROWS)
    threads = threads or min(4, os.cpu_count() or 1)
    if threads == 1 or len(starts) < 2:
        for start in starts:
            work(start)
    else:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(work, starts))
    return outputs


def compose(translation: np.ndarray, rotation: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """The inverse of `decompose`: (N, 4, 4) float64 matrices for column vectors, ``[n, row, column]``, as a viewer computes them."""
    x, y, z, w = np.asarray(rotation, np.float64).T
    out = np.zeros((len(x), 4, 4))
    out[:, :3, :3] = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                               [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                               [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]).transpose(2, 0, 1)
    out[:, :3, :3] *= np.asarray(scale, np.float64)[:, None, :]
    out[:, :3, 3] = translation
    out[:, 3, 3] = 1
    return out


def _flat(matrices):
    """(N, 16) float32 view; columns 4 floats apart in both accepted layouts."""
    if matrices.dtype.names:
        return np.ascontiguousarray(matrices).view(np.float32).reshape(len(matrices), 16)
    if matrices.shape[1:] != (4, 4):
        raise ValueError(f"matrices have shape {matrices.shape}, not (N, 4, 4)")
    return np.ascontiguousarray(matrices, np.float32).reshape(len(matrices), 16)


@np.errstate(all="ignore")
def _chunk(flat, translation, rotation, scale, error):
    """Decompose (n, 16) float32 rows into the output slices."""
    translation[:] = flat[:, 12:15]
    axes = np.empty((3, 3, len(flat)), np.float32)  # [column, row, n]
    for column in range(3):
        for row in range(3):
            axes[column, row] = flat[:, 4 * column + row]
    squares = axes * axes
    lengths = np.sqrt(squares[:, 0] + squares[:, 1] + squares[:, 2])
    axes /= lengths[:, None]
    x, y, z = axes
    cross = (y[1] * z[2] - y[2] * z[1], y[2] * z[0] - y[0] * z[2], y[0] * z[1] - y[1] * z[0])
    mirror = np.copysign(np.float32(1), _dot(x, cross))
    x *= mirror
    _quaternions(x, y, z, rotation)
    lengths[0] *= mirror
    scale[:] = lengths.T
    shortest, longest = np.abs(lengths).min(axis=0), np.abs(lengths).max(axis=0)
    regular = (shortest > SMALLEST) & (longest < LARGEST)
    for a, b in ((x, y), (y, z), (z, x)):
        regular &= np.abs(_dot(a, b)) <= np.float32(SHEAR_TOLERANCE)
    if not regular.all():
        odd = np.flatnonzero(~regular)
        matrices = flat[odd].reshape(-1, 4, 4)[:, :3, :3].transpose(0, 2, 1).astype(np.float64)
        rotations, scale[odd], error[odd] = _nearest(matrices)
        quaternions = np.empty((len(odd), 4), np.float32)
        _quaternions(*rotations.transpose(2, 1, 0), quaternions)
        rotation[odd] = quaternions


def _dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _quaternions(x, y, z, out):
    """Write the unit quaternions of the rotations with columns x, y, z, each (3, n), to `out`, (n, 4)."""
    one = x.dtype.type(1)
    minus, plus = one - x[0], one + x[0]
    difference, total = y[1] - z[2], y[1] + z[2]
    xx, yy, zz, ww = plus - total, minus + difference, minus - difference, plus + total
    xy, xz, yz = y[0] + x[1], z[0] + x[2], z[1] + y[2]
    xw, yw, zw = y[2] - z[1], z[0] - x[2], x[1] - y[0]
    quaternion, best = np.stack((xw, yw, zw, ww)), ww
    for diagonal, row in ((xx, (xx, xy, xz, xw)), (yy, (xy, yy, yz, yw)), (zz, (xz, yz, zz, zw))):
        larger = diagonal > best
        np.copyto(best, diagonal, where=larger)
        for component, value in zip(quaternion, row, strict=True):
            np.copyto(component, value, where=larger)
    quaternion /= np.sqrt(_dot(quaternion, quaternion) + quaternion[3] * quaternion[3])
    out[:] = quaternion.T


def _nearest(matrices):
    """(K, 3, 3) float64 -> right-handed rotations (K, 3, 3), scales (K, 3), relative errors (K,) of the nearest TRS."""
    matrices = np.nan_to_num(matrices, posinf=0, neginf=0)
    size = np.abs(matrices).max(axis=(1, 2))
    matrices = matrices / np.where(size > 0, size, 1)[:, None, None]
    lengths = np.linalg.norm(matrices, axis=1)
    mirror = np.where(np.linalg.det(matrices) < 0, -1.0, 1.0)
    scales = lengths.copy()
    scales[:, 0] *= mirror
    # a first guess that weighs each axis alike, then alternate: best rotation for the scales, best scales for the rotation
    rotations = _polar(matrices / np.where(scales == 0, 1, scales)[:, None, :])
    for _ in range(3):
        scales = np.einsum("nij,nij->nj", rotations, matrices)
        rotations = _polar(matrices * scales[:, None, :])
    scales = np.einsum("nij,nij->nj", rotations, matrices)
    corner_error = np.linalg.norm((matrices - rotations * scales[:, None, :]) @ CORNERS, axis=1).max(axis=1)
    corner_size = np.linalg.norm(matrices @ CORNERS, axis=1).max(axis=1)
    return rotations, scales * size[:, None], corner_error / np.where(corner_size > 0, corner_size, 1)


def _polar(matrices):
    """Nearest right-handed rotation of each (K, 3, 3) float64 matrix."""
    rotations = matrices.copy()
    determinants = np.linalg.det(matrices)
    scale = np.linalg.norm(matrices, axis=(1, 2))
    regular = determinants > 1e-6 * scale ** 3
    current = rotations[regular]
    for _ in range(20):
        adjugate = np.stack((np.cross(current[:, :, 1], current[:, :, 2]), np.cross(current[:, :, 2], current[:, :, 0]),
                             np.cross(current[:, :, 0], current[:, :, 1])), axis=2)
        determinant = np.einsum("ni,ni->n", current[:, :, 0], adjugate[:, :, 0])
        inverse_transpose = adjugate / determinant[:, None, None]
        balance = np.sqrt(np.linalg.norm(inverse_transpose, axis=(1, 2)) / np.linalg.norm(current, axis=(1, 2)))[:, None, None]
        following = 0.5 * (balance * current + inverse_transpose / balance)
        done = not len(current) or np.abs(following - current).max() < 1e-9
        current = following
        if done:
            break
    rotations[regular] = current
    if not regular.all():
        u, _, v = np.linalg.svd(matrices[~regular])
        u[:, :, 2] *= np.linalg.det(u @ v)[:, None]
        rotations[~regular] = u @ v
    return rotations
