"""Weights as bytes whose sum is exactly 255, by the method of largest remainders (Hamilton's apportionment)."""

from __future__ import annotations

import numpy as np

WHOLE = 255


def quantise(weights) -> np.ndarray:
    """(V, K) weights, rows summing to 1 -> (V, K) uint8, rows summing to exactly 255.

    Each is rounded down, and what is missing goes one each to the largest remainders, of equals to the earlier column. No byte is
    off by 1 or more, so a weight is off by less than 1 / 255.
    """
    weights = np.asarray(weights, np.float64)
    exact = weights * (WHOLE / weights.sum(axis=1, keepdims=True))
    low = np.floor(exact)
    missing = (WHOLE - low.sum(axis=1)).astype(np.int64)
    order = np.argsort(low - exact, axis=1, kind="stable")
    place = np.empty_like(order)
    np.put_along_axis(place, order, np.broadcast_to(np.arange(weights.shape[1]), order.shape), axis=1)
    return (low + (place < missing[:, None])).astype(np.uint8)


def dequantise(weights) -> np.ndarray:
    """Bytes to float64 shares of 1."""
    return np.asarray(weights, np.float64) / WHOLE
