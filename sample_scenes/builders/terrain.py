"""Hills in plain numpy: smooth seeded value noise, the same in every Blender."""

from __future__ import annotations

import numpy as np


def hills(x: np.ndarray, y: np.ndarray, seed: int, wavelength: float, octaves: int = 3) -> np.ndarray:
    """Value noise in 0..1 with features of `wavelength` metres, each octave half as wide and half as high."""
    total, weight = np.zeros_like(x, float), 0.0
    for octave in range(octaves):
        step, share = wavelength / 2**octave, 0.5**octave
        total += share * _value_noise(x / step, y / step, seed + octave)
        weight += share
    return total / weight


def _value_noise(x, y, seed):
    lattice = np.random.default_rng(seed).random((64, 64))
    column, row = np.floor(x).astype(int), np.floor(y).astype(int)
    fx, fy = (_smooth(v - np.floor(v)) for v in (x, y))

    def at(i, j):
        return lattice[(row + j) % 64, (column + i) % 64]

    return (at(0, 0) * (1 - fx) + at(1, 0) * fx) * (1 - fy) + (at(0, 1) * (1 - fx) + at(1, 1) * fx) * fy


def _smooth(t):
    return t * t * (3 - 2 * t)


def step(values: np.ndarray, start: float, end: float) -> np.ndarray:
    """0 before `start`, 1 past `end`, smooth between; falling where `end` is the smaller."""
    return _smooth(np.clip((values - start) / (end - start), 0, 1))
