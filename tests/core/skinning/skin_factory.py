"""Skins and poses from seeds."""

import numpy as np
from gpuscene.core.skinning import Influences, Skin


def random_skin(seed, vertices=40, bones=7, most=6):
    random = np.random.default_rng(seed)
    entries = [
        (v, b, random.random())
        for v in range(vertices)
        for b in random.choice(bones, random.integers(1, most + 1), replace=False)
    ]
    influences = Influences.of(vertices, *(np.array(c) for c in zip(*entries, strict=True))).normalised(bones - 1)
    rest = random.normal(size=(vertices, 3)).astype(np.float32)
    triangles = random.integers(0, vertices, (vertices, 3)).astype(np.int32)
    parents = np.array([random.integers(-1, b) if b else -1 for b in range(bones - 1)] + [-1], np.int32)
    return Skin("s", rest, triangles, influences, (*(f"b{i}" for i in range(bones - 1)), ""), parents)


def random_matrices(seed, bones=7, offset=0.0):
    random = np.random.default_rng(seed + 1000)
    matrices = random.normal(size=(bones, 3, 4))
    matrices[:, :, 3] += offset
    return matrices
