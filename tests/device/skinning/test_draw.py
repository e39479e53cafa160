"""Particles drawn from the tables: where they are on the picture, in which colours, and hidden by what is nearer."""

import gpu
import numpy as np
import pytest
from gpuscene.core.errors import InputError
from gpuscene.core.skinning import Influences, Skin, pack
from gpuscene.core.skinning.surface import on_vertices
from gpuscene.device.skinning import Level, Picture, SkinDevice, SkinPainter

SIZE = 64
#: one pixel to a unit, from -32 to 32; depth -10 to 10, larger z nearer
CLIP = np.diag([1 / 32, 1 / 32, -0.1, 1.0])


def dots(places):
    """A level with a particle at each place, which the object alone moves."""
    places = np.asarray(places, np.float32)
    influences = Influences.of(len(places), np.arange(len(places)), np.zeros(len(places), int), np.ones(len(places)))
    return Level(
        pack(Skin("dots", places, np.zeros((0, 3), np.int32), influences, ("",), np.array([-1], np.int32))),
        on_vertices(len(places)),
    )


def picture(painter, **how):
    with Picture((SIZE, SIZE)) as drawn:
        painter.draw(CLIP, (SIZE, SIZE), **how)
    return drawn.read()


def at(picture, x, y):
    return picture[int(y) + 32, int(x) + 32, :3].tolist()


def shown(transport, places, trail_length=1, moves=((0, 0, 0),)):
    skins = SkinDevice(transport, trail_length)
    skins.add("a", [dots(places)])
    for move in moves:
        skins.pose("a", np.array([np.c_[np.eye(3), move]]))
        skins.upload()
        skins.run()
    return skins


@pytest.mark.parametrize("stored", [True, False])
def test_places_offset_and_depth(device, transport, stored):
    painter = SkinPainter(shown(transport, [(-20, 0, 0), (20, 5, 1), (0, 0, 2000)]))
    red = dict(mode="flat", color=(1, 0, 0, 1), pixels=8, stored=stored)
    seen = picture(painter, **red)
    assert at(seen, -20, 0) == at(seen, 20, 5) == [255, 0, 0] and at(seen, 0, 0) == at(seen, -20, 5) == [0, 0, 0]
    moved = picture(painter, offset=(3, 10, 0), **red)
    assert at(moved, -17, 10) == at(moved, 23, 15) == [255, 0, 0] and at(moved, -20, 0) == [0, 0, 0]
    lit = (seen[:, :, 0] > 128).sum() / 2
    assert 40 < lit < 60  # a disc 8 pixels across has 50


def test_the_nearer_hides_the_farther_whichever_is_drawn_first(device, transport):
    skins = SkinDevice(transport)
    skins.add("near", [dots([(0, 0, 5), (10, 0, -5)])])
    skins.add("far", [dots([(0, 0, -5), (10, 0, 5)])])
    for name in ("near", "far"):
        skins.pose(name, np.eye(4)[None, :3])
    skins.set_color_mode("speed")
    skins.upload()
    skins.run()
    skins.pose("near", np.array([np.c_[np.eye(3), (0, 0, 1)]]))  # only it moves: another colour
    skins.pose("far", np.eye(4)[None, :3])
    skins.upload()
    skins.run()
    seen = picture(SkinPainter(skins), pixels=8, value_range=(0, 1))
    fast, slow = at(seen, 0, 0), at(seen, 10, 0)
    assert fast[0] > 200 > fast[2] and slow[2] > 200 > slow[0]


def test_trails_fade_and_can_be_left_out(device, transport):
    skins = shown(transport, [(0, 0, 0)], 3, [(-15, 0, 0), (0, 0, 0), (15, 0, 0)])
    painter = SkinPainter(skins)
    white = dict(mode="flat", pixels=8)
    seen = picture(painter, **white)
    levels = [at(seen, x, 0)[0] for x in (-15, 0, 15)]
    assert levels[2] == 255 and levels[0] == pytest.approx(255 * 0.15, abs=2) and levels[0] < levels[1] < 255
    alone = picture(painter, trails=False, **white)
    assert at(alone, 15, 0) == [255] * 3 and at(alone, 0, 0) == [0] * 3


def test_state_is_put_back_and_wrong_modes_are_refused(device, transport):
    painter = SkinPainter(shown(transport, [(0, 0, 0)]))
    before = gpu.state.depth_test_get(), gpu.state.depth_mask_get(), gpu.state.blend_get()
    picture(painter)
    assert (gpu.state.depth_test_get(), gpu.state.depth_mask_get(), gpu.state.blend_get()) == before
    for how in ({"mode": "bone"}, {"mode": "nonsense"}):
        with pytest.raises(InputError):
            painter.draw(CLIP, (SIZE, SIZE), **how)
