"""Random modifiers around the armature: whenever the blend is off what Blender shows, a finding says so."""

import random

import numpy as np
from gpuscene.blender.skins.character import read_character
from gpuscene.blender.skins.findings import TOLERANCE
from gpuscene.core.skinning.blend import linear_blend
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from skin_builders import depsgraph, shown
from random_rig import RandomRig

KINDS = (
    "MIRROR",
    "SUBSURF",
    "ARRAY",
    "SMOOTH",
    "WELD",
    "DISPLACE",
    "SOLIDIFY",
    "TRIANGULATE",
    "DECIMATE",
    "WAVE",
    "CAST",
    "EDGE_SPLIT",
)
#: findings that say that the blend is not what is drawn
SAID = {"skin-modifiers-after", "skin-preserve-volume", "skin-armature-chain", "skin-not-linear"}


def surround(obj, seed):
    """Up to three modifiers, before or after; some armatures off, some with Preserve Volume."""
    chance = random.Random(seed)
    for number in range(chance.randint(1, 3)):
        modifier = obj.modifiers.new(f"m{number}", chance.choice(KINDS))
        if modifier.type == "SUBSURF":
            modifier.levels = 1
        elif modifier.type == "DECIMATE":
            modifier.ratio = 0.7
        if chance.random() < 0.5:
            obj.modifiers.move(len(obj.modifiers) - 1, chance.randint(0, len(obj.modifiers) - 1))
    if chance.random() < 0.2:
        obj.modifiers[0].show_viewport = False
    for modifier in obj.modifiers:
        if modifier.type == "ARMATURE" and chance.random() < 0.1:
            modifier.use_deform_preserve_volume = True


@settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 10**6))
def test_never_a_silent_wrong_answer(seed):
    obj = RandomRig(seed).obj
    surround(obj, seed)
    switches = [modifier.show_viewport for modifier in obj.modifiers]
    graph = depsgraph()
    evaluated = obj.evaluated_get(graph)
    character = read_character(evaluated, graph)
    ours = linear_blend(character.rest(evaluated, graph), character.skin.influences, character.matrices(evaluated, graph))
    truth = shown(obj)
    said = {f.code for f in character.findings} & SAID
    if len(ours) != len(truth):
        assert "skin-modifiers-after" in said
    elif np.linalg.norm(ours - truth, axis=1).max() > 1.01 * TOLERANCE * np.ptp(truth, axis=0).max():
        assert said
    assert [modifier.show_viewport for modifier in obj.modifiers] == switches
