"""Crowds on the device and where their particles must be, by the CPU reference."""

import numpy as np
from gpuscene.core.skinning import pack
from gpuscene.core.skinning.blend import blend_packed
from gpuscene.core.skinning.gpu_records import snapped
from gpuscene.core.skinning.surface import on_surface
from gpuscene.device.skinning import Level
from skin_factory import random_matrices, random_skin


def level(seed, influences=4, vertices=60, points=300, bones=7, most=6):
    """One level of a random skin."""
    skin = random_skin(seed, vertices, bones, most)
    return Level(pack(skin, influences), on_surface(skin.rest, skin.triangles, points, seed))


def expected(level, matrices, rest=None):
    """(N, 3) float32 where the particles of a level are with these matrices of all bones."""
    return snapped(level.points).at(blend_packed(level.packed, level.packed.matrices(matrices), rest))


def pose(seed, bones=7):
    return random_matrices(seed, bones, offset=3.0)


def rigid(seed, bones=7):
    """(bones, 3, 4) turned, moved and scaled, without shear."""
    from gpuscene.core.transforms_trs import compose

    random = np.random.default_rng(seed)
    turns = random.normal(size=(bones, 4))
    turns /= np.linalg.norm(turns, axis=1, keepdims=True)
    return compose(random.normal(size=(bones, 3)), turns, random.uniform(0.5, 2, (bones, 3)))[:, :3]
