"""Three tree species, three levels of detail each. Slot 0 is bark, slot 1 leaves."""

from __future__ import annotations

import numpy as np

from .shapes import Shape, ball, join, sweep

BARK, LEAVES = 0, 1


def _bark(points, radii, sides) -> Shape:
    return sweep(points, radii, sides, BARK)


def _tier(rng, height, base, radius, points) -> Shape:
    """One tier of a conifer: a cone with a ragged rim and an underside. 5 triangles a rim point pair, plus the underside."""
    rim = []
    for i in range(points):
        angle = 2 * np.pi * (i + rng.uniform(-0.2, 0.2)) / points
        reach = radius * (1.0 if i % 2 else 0.72) * rng.uniform(0.9, 1.08)
        rim.append((np.cos(angle) * reach, np.sin(angle) * reach, base + rng.uniform(-0.08, 0.05) - (0.12 if i % 2 else 0)))
    middle = [(0.45 * x, 0.45 * y, base + 0.42 * height) for x, y, _ in rim[::2]]
    vertices = [*rim, *middle, (0, 0, base + height), (0, 0, base + 0.2 * height)]
    n, half = points, points // 2
    tip, under = n + half, n + half + 1
    faces = []
    for k in range(half):
        a, b, c = 2 * k, 2 * k + 1, (2 * k + 2) % n
        m, m_next = n + k, n + (k + 1) % half
        faces += [(a, b, m), (b, m_next, m), (b, c, m_next), (m, m_next, tip)]
    faces += [((i + 1) % n, i, under) for i in range(n)]
    return Shape(np.array(vertices, float), tuple(faces), (LEAVES,) * len(faces))


def pine(rng, detail: int) -> Shape:
    """About 7 m high, narrow, dark."""
    if detail == 2:
        return join(_bark([(0, 0, 0), (0, 0, 2)], [0.18, 0], 4), sweep([(0, 0, 0.9), (0, 0, 7)], [1.3, 0], 7, LEAVES))
    tiers, points = ((7, 14), (4, 6))[detail]
    trunk = (
        _bark([(0, 0, 0), (0, 0, 0.7), (0, 0, 6)], [0.24, 0.17, 0.04], 7)
        if detail == 0
        else _bark([(0, 0, 0), (0, 0, 4)], [0.22, 0.06], 4)
    )
    parts = [trunk]
    for i in range(tiers):
        share = i / (tiers - 1)
        parts.append(_tier(rng, 2.0 - 0.6 * share, 0.85 + 4.75 * share, 1.65 * (1 - share) ** 0.9 + 0.34, points))
    return join(*parts)


def _crown(rng, blobs, detail) -> Shape:
    """Balls at ``(centre, radii)``, roughened."""
    roughness = 0.09 if detail > 1 else 0.05
    return join(*(ball(detail, LEAVES).jittered(rng, roughness).moved(centre, radii) for centre, radii in blobs))


def broadleaf(rng, detail: int) -> Shape:
    """About 6 m high and as wide, a rounded crown of several masses."""
    if detail == 2:
        return join(_bark([(0, 0, 0), (0, 0, 2.4)], [0.25, 0], 4), _crown(rng, [((0, 0, 4), (2.2, 2.1, 2.0))], 0))
    if detail == 1:
        return join(_bark([(0, 0, 0), (0.1, 0, 2.8)], [0.3, 0.16], 5), _crown(rng, [((0.05, 0, 4.1), (2.15, 2.05, 1.9))], 2))
    trunk = _bark([(0, 0, 0), (0.05, 0, 0.6), (0.1, 0.05, 1.8), (0.05, 0.1, 3.6)], [0.36, 0.24, 0.19, 0.07], 8)
    branches = [
        _bark([(0.08, 0.04, 1.5), (1.1, 0.5, 3.0)], [0.13, 0.03], 5),
        _bark([(0.1, 0.05, 1.7), (-1.0, 0.2, 3.2)], [0.12, 0.03], 5),
        _bark([(0.1, 0, 1.6), (0.2, -1.0, 3.1)], [0.12, 0.03], 5),
    ]
    blobs = [
        ((0, 0.1, 4.7), (1.5, 1.5, 1.35)),
        ((1.15, 0.5, 3.75), (1.25, 1.2, 1.05)),
        ((-1.1, 0.35, 3.85), (1.3, 1.25, 1.05)),
        ((0.15, -1.05, 3.7), (1.3, 1.2, 1.1)),
        ((-0.1, 1.2, 3.6), (1.15, 1.0, 0.95)),
    ]
    return join(trunk, *branches, _crown(rng, blobs, 2))


def birch(rng, detail: int) -> Shape:
    """About 6.5 m high, slender, pale bark, loose light crown."""
    if detail == 2:
        return join(_bark([(0, 0, 0), (0, 0, 4)], [0.13, 0], 4), _crown(rng, [((0, 0, 4.3), (1.15, 1.15, 2.2))], 0))
    if detail == 1:
        return join(_bark([(0, 0, 0), (0.1, 0, 5)], [0.14, 0.04], 5), _crown(rng, [((0.05, 0, 4.4), (1.15, 1.1, 2.05))], 2))
    trunk = _bark(
        [(0, 0, 0), (0.06, 0.02, 1.4), (-0.04, 0.05, 2.8), (0.05, 0, 4.2), (0.02, 0, 6)], [0.16, 0.13, 0.1, 0.07, 0.02], 8
    )
    branches = [
        _bark([(0, 0.03, 2.2), (0.7, 0.3, 3.4)], [0.06, 0.015], 4),
        _bark([(-0.03, 0.05, 2.7), (-0.65, -0.1, 3.9)], [0.055, 0.015], 4),
        _bark([(0, 0.03, 3.1), (0.1, -0.6, 4.3)], [0.05, 0.015], 4),
    ]
    blobs = [
        ((0.02, 0.02, 5.5), (0.75, 0.75, 1.15)),
        ((0.6, 0.28, 3.95), (0.72, 0.68, 0.95)),
        ((-0.58, -0.08, 4.35), (0.7, 0.7, 1.0)),
        ((0.1, -0.55, 4.75), (0.65, 0.62, 0.9)),
    ]
    return join(trunk, *branches, _crown(rng, blobs, 2))


SPECIES = {"Birch": birch, "Broadleaf": broadleaf, "Pine": pine}
