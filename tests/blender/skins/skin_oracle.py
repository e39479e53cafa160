"""Our blend held against Blender's evaluated mesh, which is read vertex by vertex."""

import numpy as np
import skin_builders
from gpuscene.blender.skins.character import read_character
from gpuscene.core.skinning import pack
from gpuscene.core.skinning.blend import blend_packed, linear_blend


def compare(obj, tolerance=1e-4):
    """Character of an original object; asserts that unlimited influences put every vertex where Blender does, within
    `tolerance` of the height.
    """
    depsgraph = skin_builders.depsgraph()
    evaluated = obj.evaluated_get(depsgraph)
    character = read_character(evaluated, depsgraph)
    truth = skin_builders.shown(obj)
    height = np.ptp(truth, axis=0).max()
    matrices = character.matrices(evaluated, depsgraph)
    off = np.linalg.norm(linear_blend(character.skin.rest, character.skin.influences, matrices) - truth, axis=1).max()
    assert off <= tolerance * height, f"{off:.3g} of {height:.3g} off"
    packed = pack(character.skin, 8)
    eight = np.linalg.norm(blend_packed(packed, packed.matrices(matrices)) - truth, axis=1)
    assert np.isfinite(eight).all()
    return character
