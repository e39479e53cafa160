"""All characters in one dispatch: numpy's numbers, whoever comes and goes."""

import numpy as np
import pytest
from gpuscene.core.skinning import pack
from gpuscene.core.skinning.lod import fewer_influences, fold_bones, reduced_bones
from gpuscene.core.skinning.surface import on_surface, on_vertices
from gpuscene.device.skinning import Level, SkinDevice
from skin_crowd import expected, level, pose
from skin_factory import random_skin


@pytest.fixture(params=["particles", "vertices"])
def method(request):
    return request.param


def show(skins, poses):
    for name, matrices in poses.items():
        skins.pose(name, matrices)
    sent = skins.upload()
    skins.run()
    return sent


def test_every_kind_of_skin_in_one_dispatch(device, transport, method):
    """4, 8, 2 and 1 influences, uint16 indices (300 bones), between vertices and on them."""
    skins = SkinDevice(transport, method=method)
    levels = {k: level(k, influences) for k, influences in enumerate((4, 8, 2, 1))}
    wide = random_skin(9, vertices=400, bones=300)
    levels["wide"] = Level(pack(wide), on_surface(wide.rest, wide.triangles, 500, 2))
    levels["on vertices"] = Level(pack(wide, 8), on_vertices(400))
    levels["some vertices"] = Level(levels[0].packed, on_vertices(60, 20, 3))
    for name, each in levels.items():
        skins.add(name, [each])
    assert levels["wide"].packed.is_wide
    for frame in range(2):
        poses = {
            name: pose(number + 50 * frame, each.packed.skin.bone_count) for number, (name, each) in enumerate(levels.items())
        }
        show(skins, poses)
        for name, each in levels.items():
            assert np.array_equal(skins.positions(name), expected(each, poses[name])), name
    assert skins.guarded_count() == 0 and len(skins.passes.list()) == {"particles": 1, "vertices": 2}[method]
    assert skins.particle_count == 4 * 300 + 500 + 400 + 20


def test_characters_come_and_go(device, transport, method):
    skins, levels = (
        SkinDevice(transport, method=method),
        {name: level(name, vertices=40 + name, points=100 + 150 * name) for name in range(6)},
    )
    here = set()
    for step, (come, go) in enumerate([((0, 1, 2), ()), ((), (1,)), ((3,), ()), ((1, 4), (0,)), ((), (3, 4, 2)), ((5,), (1,))]):
        for name in go:
            skins.remove(name)
        for name in come:
            skins.add(name, [levels[name]])
        stay = here - set(go)
        rows = {name: (skins.tables.entries[name].bones, skins.tables.entries[name].particles) for name in stay}
        here = stay | set(come)
        poses = {name: pose(name + 10 * step) for name in here}
        show(skins, poses)
        assert all((skins.tables.entries[n].bones, skins.tables.entries[n].particles) == rows[n] for n in stay)
        taken = sorted((e.bones.start, e.bones.stop) for e in skins.tables.entries.values())
        assert all(a[1] <= b[0] for a, b in zip(taken, taken[1:]))
        for name in here:
            assert np.array_equal(skins.positions(name), expected(levels[name], poses[name]))
    assert len(skins) == 1 and 5 in skins and 0 not in skins


def test_levels_of_detail(device, transport, method):
    """Fewer influences, fewer bones, fewer particles; the next level is what the CPU says of it, and the pose need not be
    given anew.
    """
    skin = random_skin(4, 80)
    small = fold_bones(skin, reduced_bones(skin, 3))
    points = on_surface(skin.rest, skin.triangles, 400, 1)
    levels = [
        Level(pack(skin, 8), points),
        Level(pack(skin, 4), points),
        Level(pack(fewer_influences(skin, 2), 2), points.first(150)),
        Level(pack(fewer_influences(small, 1), 1), points.first(20)),
    ]
    skins = SkinDevice(transport, method=method)
    skins.add("a", levels)
    matrices = pose(1)
    for number in (0, 3, 1, 2, 9):
        skins.set_level("a", number)
        show(skins, {"a": matrices})
        each = levels[min(number, 3)]
        assert np.array_equal(skins.positions("a"), expected(each, matrices)) and len(skins.positions("a")) == len(each.points)
        assert skins.packed("a") is each.packed


def test_fewer_bones_travel(device, transport):
    """In a ring, whose rows are scattered, a far character's other bones stay behind."""
    skin = random_skin(2, 200, bones=79)
    far = fold_bones(skin, reduced_bones(skin, 10))
    skins, points = SkinDevice(transport, 2), on_vertices(200)
    skins.add("a", [Level(pack(skin), points), Level(pack(far), points)])
    show(skins, {"a": pose(0, 79)})
    show(skins, {"a": pose(0, 79)})
    near = show(skins, {"a": pose(1, 79)})
    skins.set_level("a", 1)
    for _ in range(2):
        show(skins, {"a": pose(2, 79)})
    matrices = pose(3, 79)
    assert near == 80 * 48 and show(skins, {"a": matrices}) == 16 * 48
    assert np.array_equal(skins.positions("a"), expected(skins.tables.entries["a"].levels.levels[1], matrices))


def test_twelve_characters_of_78_bones_upload_less_than_50_kB(device, transport):
    skins, each = SkinDevice(transport), level(1, vertices=400, bones=79)
    for name in range(12):
        skins.add(name, [each])
    for _ in range(2):
        show(skins, {name: pose(name, 79) for name in range(12)})
    assert len(each.packed.used) == 79
    assert show(skins, {name: pose(name + 12, 79) for name in range(12)}) == 12 * 80 * 48 < 50_000


def test_shape_keys_move_the_rest_pose(device, transport, method):
    skins, each = SkinDevice(transport, method=method), level(3)
    skins.add("a", [each])
    skins.add("b", [level(5)])
    matrices = {"a": pose(1), "b": pose(2)}
    show(skins, matrices)
    moved = (each.packed.skin.rest + np.float32(0.25)).astype(np.float32)
    skins.set_rest("a", moved)
    assert show(skins, matrices) > 0
    assert np.array_equal(skins.positions("a"), expected(each, matrices["a"], moved))
    assert np.array_equal(skins.positions("b"), expected(level(5), matrices["b"]))


def test_particles_stay_on_their_triangles(device, transport):
    """Independent of the reference's barycentrics: the distance from the plane of the moved triangle, and the sum of the
    three areas.
    """
    each, matrices = level(6), pose(4)
    skins = SkinDevice(transport, method="vertices")
    skins.add("a", [each])
    show(skins, {"a": matrices})
    corners = skins.vertices("a").astype(np.float64)[each.points.vertices]
    found = skins.positions("a").astype(np.float64)
    a, b, c = corners.transpose(1, 0, 2)
    whole = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    parts = sum(np.linalg.norm(np.cross(p - found, q - found), axis=1) for p, q in ((a, b), (b, c), (c, a)))
    big = whole > 1e-2
    assert big.sum() > 200 and np.abs(parts / whole - 1)[big].max() < 1e-4
