"""Past poses lie on the GPU: particles of each age are where `PoseRing`, which keeps them on the CPU, says."""

import numpy as np
import pytest
from gpuscene.core.skinning.blend import blend_packed
from gpuscene.core.skinning.gpu_records import snapped
from gpuscene.core.skinning.matrices import decode, encode
from gpuscene.core.skinning.trails import PoseRing
from gpuscene.device.skinning import SkinDevice
from skin_crowd import expected, level, pose, rigid


@pytest.mark.parametrize("method", ["particles", "vertices"])
def test_ages(device, transport, method):
    each, ring = level(3), PoseRing(7, 5)
    skins = SkinDevice(transport, 5, method=method)
    skins.add("a", [each])
    sizes = []
    for frame in range(8):
        matrices = pose(frame)
        if frame == 6:
            skins.add("late", [each])
        skins.pose("a", matrices)
        if frame >= 6:
            skins.pose("late", matrices)
        sizes.append(skins.upload())
        skins.run()
        ring.push(matrices)
        for age in range(5):
            there = skins.values("a", age) >= 0
            assert there.all() if age < ring.length else not there.any()
            if age < ring.length:
                assert np.array_equal(skins.positions("a", age), expected(each, ring.pose(age)))
    assert [bool((skins.values("late", age) >= 0).all()) for age in range(5)] == [True, True, False, False, False]
    assert np.array_equal(skins.positions("late", 1), skins.positions("a", 1))
    assert skins.values("a", 3).tolist() == [3.0] * 300  # flat: the age
    assert sizes[5] == 16 * 48 and sizes[7] == 16 * 48 + 2 * 64  # the new pose, not the ring; who has how many
    skins.clear_trails()
    skins.upload()
    skins.run()
    assert (skins.values("a", 0) >= 0).all() and not (skins.values("a", 1) >= 0).any()


@pytest.mark.parametrize("kind,size", [("half", 24), ("trs", 40)])
def test_formats(device, transport, kind, size):
    """Half floats give the bits of `decode`; translation, quaternion and scale its values within 4 units in the last place of
    the largest term.
    """
    each, matrices, far = level(8), rigid(2), np.array([1000.0, -500, 20])
    matrices[:, :, 3] += far
    skins = SkinDevice(transport, 1, kind)
    skins.add("a", [each])
    skins.pose("a", matrices)
    skins.upload()
    skins.pose("a", matrices)
    skins.upload()
    skins.pose("a", matrices)
    sent = skins.upload()
    skins.run()
    origin = matrices[-1, :, 3].astype(np.float32)
    packed = each.packed
    made = decode(encode(packed.matrices(matrices), kind, origin), kind, origin)
    found, wanted = skins.positions("a"), snapped(each.points).at(blend_packed(packed, made))
    assert sent == 16 * size
    if kind == "half":
        assert np.array_equal(found, wanted)
        # 11 bits of numbers up to 8 from the object: 2^-9 of a metre for each of the four terms of a row
        assert np.abs(found - expected(each, matrices)).max() < 4 * 8 * 2.0**-11
    else:
        assert np.abs(found - wanted).max() <= 4 * np.spacing(np.float32(1000))
        assert np.abs(found - expected(each, matrices)).max() < 1e-3


@pytest.mark.parametrize("mode", ["bone", "weight_error", "speed", "age"])
def test_what_colours_say(device, transport, mode):
    from gpuscene.core.skinning.measures import at_points, dominant_bones, speeds, weight_errors

    each = level(4, influences=2)
    skins = SkinDevice(transport, 3)
    skins.add("a", [each])
    skins.set_color_mode(mode, seconds=0.5)
    for frame in range(3):
        skins.pose("a", pose(frame))
        skins.upload()
        skins.run()
    found = skins.values("a")
    if mode == "bone":
        corner = each.points.vertices[np.arange(300), each.points.barycentrics.argmax(axis=1)]
        assert np.array_equal(found, dominant_bones(each.packed)[corner])
    elif mode == "weight_error":
        assert found == pytest.approx(at_points(weight_errors(each.packed), each.points), abs=1e-6) and found.max() > 0.05
    elif mode == "speed":
        assert found == pytest.approx(speeds(expected(each, pose(2)), expected(each, pose(1)), 0.5), rel=1e-4)
        assert not skins.values("a", 1).any()  # of the newest pose alone
    else:
        assert [set(skins.values("a", age)) for age in range(3)] == [{0.0}, {1.0}, {2.0}]


def test_a_growing_ring_keeps_its_poses(device, transport):
    """Whoever comes, with however many bones, the others' trails stay; when they go again, little travels."""
    each, big = level(3), level(1, vertices=3000, bones=600, points=10)
    skins = SkinDevice(transport, 4)
    skins.add("a", [each])
    for frame in range(7):
        if frame == 5:
            skins.add("big", [big])
        for name, one in (("a", each), ("big", big)):
            if name in skins:
                skins.pose(name, pose(frame, one.packed.skin.bone_count))
        skins.upload()
        skins.run()
    for age in range(4):
        assert np.array_equal(skins.positions("a", age), expected(each, pose(6 - age)))
    assert np.array_equal(skins.positions("big", 1), expected(big, pose(5, 600)))
    skins.remove("big")
    for frame in range(7, 10):
        skins.pose("a", pose(frame))
        sent = skins.upload()
        skins.run()
    assert np.array_equal(skins.positions("a", 2), expected(each, pose(7))) and sent <= 16 * 48 + 64


def test_other_particles_have_no_speed_yet(device, transport):
    """After a change of level there is nothing to measure from; with the frame after there is."""
    near, far = level(4), level(4, influences=1, points=50)
    skins = SkinDevice(transport)
    skins.add("a", [near, far])
    skins.set_color_mode("speed", seconds=1.0)
    fast = []
    for frame, number in enumerate((0, 0, 1, 1)):
        skins.set_level("a", number)
        skins.pose("a", pose(frame))
        skins.upload()
        skins.run()
        fast.append(skins.values("a"))
    assert [bool(values.any()) for values in fast] == [False, True, False, True] and [len(v) for v in fast] == [300, 300, 50, 50]
