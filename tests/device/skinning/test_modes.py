"""The other ways for matrices to come: uniform blocks, and baked textures."""

import numpy as np
import pytest
from gpuscene.core.errors import InputError, LimitError
from gpuscene.core.skinning.bake import bake
from gpuscene.core.skinning.blend import blend_packed
from gpuscene.device.skinning import MAX_UNIFORM_BONES, BakedSkins, SkinDevice
from skin_crowd import expected, level, pose


def test_uniform_blocks(device, transport):
    skins, levels = SkinDevice(transport, mode="uniform"), {name: level(name, points=100 + 200 * name) for name in range(3)}
    for name, each in levels.items():
        skins.add(name, [each])
    for frame in range(2):
        for name in levels:
            skins.pose(name, pose(name + 10 * frame))
        skins.upload()
        skins.run()
        for name, each in levels.items():
            assert np.array_equal(skins.positions(name), expected(each, pose(name + 10 * frame)))
    assert len(skins.passes.list()) == 3
    skins.remove(1)
    skins.upload()
    skins.run()
    assert np.array_equal(skins.positions(2), expected(levels[2], pose(12)))


def test_a_uniform_block_has_a_limit(device, transport):
    with pytest.raises(LimitError, match=str(MAX_UNIFORM_BONES)):
        SkinDevice(transport, mode="uniform").add("a", [level(0, vertices=1500, bones=MAX_UNIFORM_BONES + 60, points=10)])
    with pytest.raises(InputError):
        SkinDevice(transport, trail_length=2, mode="uniform")


@pytest.mark.parametrize("kind", ["vertex", "bone"])
def test_baked_textures_play(device, kind):
    levels = {name: level(number, vertices=50 + number) for number, name in enumerate("ab")}
    poses = [{name: pose(10 * frame + number) for number, name in enumerate("ab")} for frame in range(4)]
    if kind == "bone":
        frames = [np.concatenate([levels[n].packed.matrices(p[n]) for n in "ab"]) for p in poses]
        counts = [(n, levels[n].packed.bone_count) for n in "ab"]
    else:
        frames = [np.concatenate([blend_packed(levels[n].packed, levels[n].packed.matrices(p[n])) for n in "ab"]) for p in poses]
        counts = [(n, levels[n].packed.skin.vertex_count) for n in "ab"]
    skins = BakedSkins(bake(kind, np.stack(frames), range(1, 5), counts), levels, trail_length=2)
    assert skins.upload() > 0
    for index in (0, 2, 3, 5):
        skins.set_frame(index)
        assert skins.upload() == 0  # nothing travels
        skins.run()
        for name in "ab":
            for age in range(2):
                assert np.array_equal(skins.positions(name, age), expected(levels[name], poses[(index - age) % 4][name]))
    with pytest.raises(InputError, match="baked"):
        skins.pose("a", poses[0]["a"])


def test_a_texture_of_others_is_refused(device):
    each = level(0)
    baked = bake("bone", np.zeros((2, 7, 3, 4)), range(2), [("x", 7)])
    with pytest.raises(InputError, match="'x'"):
        BakedSkins(baked, {"a": each})
    with pytest.raises(InputError, match="7 where the texture has 6"):
        BakedSkins(bake("bone", np.zeros((2, 6, 3, 4)), range(2), [("x", 6)]), {"x": each})
