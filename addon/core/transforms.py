"""Instance transforms in bulk: composing, packing flags and bounding radii, noticing what is wrong.

Matrices are (N, 4, 4) float32 stored column after column (``[n, c]`` is column c), which is Blender's memory order and,
with w components replaced, the `instance_transforms` record itself: packing happens in place. Work goes through
chunks that fit the second-level cache, on two threads (numpy releases the GIL). Cost: about 40 ns an instance a core.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from . import layout

_CHUNK = 1 << 13
_WORKERS = min(4, os.cpu_count() or 1)
#: |cos| between two axes past which a matrix counts as sheared
SHEAR_COSINE = 1e-4
#: a determinant this small against the product of axis lengths is a flattened (singular) matrix
_SINGULAR = 1e-7


def for_chunks(count: int, work, chunk: int = _CHUNK) -> None:
    """Run ``work(start, stop)`` over ``range(count)`` in chunks, on threads when there are enough of them."""
    starts = range(0, count, chunk)
    if len(starts) < 4:
        for start in starts:
            work(start, min(start + chunk, count))
        return
    with ThreadPoolExecutor(_WORKERS) as pool:
        for _ in pool.map(lambda start: work(start, min(start + chunk, count)), starts):
            pass


def compose(outer: np.ndarray, inner: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """``outer @ inner`` for one (4, 4) `outer` (rows, as usual) and (N, 4, 4) column-stored `inner` -> (N, 4, 4) column-stored float32."""
    outer_t = np.ascontiguousarray(np.asarray(outer, np.float32).T)
    # Not `empty_like`: arrays made of Blender's matrices are Fortran-ordered, and reshaping such an output would write into a copy.
    out = np.empty(inner.shape, np.float32) if out is None else out
    flat_in, flat_out = inner.reshape(-1, 4), out.reshape(-1, 4)

    def work(start, stop):
        with np.errstate(invalid="ignore", over="ignore"):  # a NaN or overflow becomes a finding in `pack`
            np.matmul(flat_in[start:stop], outer_t, out=flat_out[start:stop])

    for_chunks(len(flat_in), work, _CHUNK * 4)
    return out


def compose_pairs(outer: np.ndarray, inner: np.ndarray) -> np.ndarray:
    """Every pair: (N, 4, 4) and (K, 4, 4), column-stored -> (N, K, 4, 4) column-stored, ``out[n, k] = outer[n] @ inner[k]``."""
    # Stored by columns, a product reverses: out_rows = inner_rows @ outer_rows.
    with np.errstate(invalid="ignore", over="ignore"):
        return np.matmul(inner[None], outer[:, None])


@dataclass(frozen=True)
class PackReport:
    """Rows (int64 arrays) with something worth a finding."""

    non_finite: np.ndarray
    zero_scale: np.ndarray
    sheared: np.ndarray
    mirrored_count: int


def pack(columns: np.ndarray, sphere_radius: np.ndarray, flags: np.ndarray) -> PackReport:
    """Turn matrices into `instance_transforms` records, in place.

    Parameters
    ----------
    columns : (N, 4, 4) float32, C-contiguous, column-stored
        Overwritten: w components become bounding radius, padding and flags. Non-finite values become 0.
    sphere_radius : (N,) or scalar float32
        Local bounding-sphere radius of each instance's primitive.
    flags : (N,) or scalar uint32
        INSTANCE_* bits to start from; VALID and MIRRORED are set here.

    Notes
    -----
    The world radius is the local one times an upper bound of the largest singular value, sqrt(max row sum of |A^T A|):
    exact for orthogonal axes, never too small under shear; rounded up by one part in a million.
    """
    count = len(columns)
    flat = columns.reshape(count, 16)
    words = flat.view(np.uint32)
    radius, bits = _of_rows(np.asarray(sphere_radius, np.float32), count), _of_rows(np.asarray(flags, np.uint32), count)
    found = {"non_finite": [], "zero_scale": [], "sheared": []}
    mirrored = []

    def work(start, stop):
        m = np.ascontiguousarray(flat[start:stop].T)  # one row a component
        finite = np.isfinite(m[[0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14]]).all(axis=0)
        if not finite.all():
            bad = ~finite
            m[:, bad] = np.where(np.isfinite(m[:, bad]), m[:, bad], 0)
            flat[start:stop][bad] = m[:, bad].T
            found["non_finite"].append(np.flatnonzero(bad) + start)
        x, y, z = m[0:3], m[4:7], m[8:11]
        with np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore"):
            xx, yy, zz = (a[0] * a[0] + a[1] * a[1] + a[2] * a[2] for a in (x, y, z))
            xy, xz, yz = (np.abs(a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) for a, b in ((x, y), (x, z), (y, z)))
            det = (x[0] * (y[1] * z[2] - y[2] * z[1]) - x[1] * (y[0] * z[2] - y[2] * z[0])
                   + x[2] * (y[0] * z[1] - y[1] * z[0]))
            lengths = np.sqrt(xx) * np.sqrt(yy) * np.sqrt(zz)
            largest = np.sqrt(np.maximum(np.maximum(xx + xy + xz, yy + xy + yz), zz + xz + yz))
            world_radius = radius[start:stop] * largest * np.float32(1.000001)
            # Negated comparison so that NaN (overflow) counts as invalid too.
            singular = ~(np.abs(det) > _SINGULAR * lengths) | ~(lengths > 0)
            overflow = ~np.isfinite(world_radius) | ~np.isfinite(det)
            sheared = (np.maximum(np.maximum(xy * xy - SHEAR_COSINE ** 2 * xx * yy, xz * xz - SHEAR_COSINE ** 2 * xx * zz),
                                  yz * yz - SHEAR_COSINE ** 2 * yy * zz) > 0)
        valid = finite & ~singular & ~overflow
        if not valid.all():
            world_radius[~np.isfinite(world_radius)] = 0
            zero = finite & ~valid
            if zero.any():
                found["zero_scale"].append(np.flatnonzero(zero) + start)
        sheared &= valid
        if sheared.any():
            found["sheared"].append(np.flatnonzero(sheared) + start)
        flip = valid & (det < 0)
        if flip.any():
            mirrored.append(int(np.count_nonzero(flip)))
        flat[start:stop, 3] = world_radius
        flat[start:stop, 7] = 0
        flat[start:stop, 11] = 0
        words[start:stop, 15] = (bits[start:stop] | valid * np.uint32(layout.INSTANCE_VALID)
                                 | flip * np.uint32(layout.INSTANCE_MIRRORED))

    for_chunks(count, work)
    rows = {k: np.sort(np.concatenate(v)) if v else np.zeros(0, np.int64) for k, v in found.items()}
    return PackReport(rows["non_finite"], rows["zero_scale"], rows["sheared"], sum(mirrored))


def _of_rows(values, count):
    """(N,) of one for all or one each. Where one object moves, a broadcast that changes nothing is a twentieth of the time."""
    return values if values.shape == (count,) else np.broadcast_to(values, (count,))
