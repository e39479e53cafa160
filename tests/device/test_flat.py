"""Flat culling against `decide.instance_visible`, byte for byte."""

import dataclasses

import numpy as np
import pytest
import worlds
from gpuscene.core import layout
from gpuscene.core.cluster_tree import build
from gpuscene.core.culling import decide, draws
from gpuscene.core.culling.bounds import instance_bounds
from gpuscene.core.culling.camera import Camera, CullView
from gpuscene.core.culling.gpu_tree import GpuTree
from gpuscene.core.culling.lod_select import LodInputs
from gpuscene.core.culling.result import pack_words
from gpuscene.core.errors import InputError
from gpuscene.device import subgroups
from gpuscene.device.frame import GpuCuller
from gpuscene.device.passes import base
from gpuscene.device.passes.mapping import Mapping
from gpuscene.device.shader_library import ShaderLibrary

MAPPINGS = [Mapping("word", 64), Mapping("transpose", 128, 8), Mapping("transpose", 256, 32)]
COUNTS = [0, 1, 31, 32, 33, 1000, 2047, 2048, 2049]


def expected(view, bounds):
    with np.errstate(all="ignore"):
        return pack_words(decide.instance_visible(view, bounds))


@pytest.mark.parametrize("mapping", MAPPINGS, ids=lambda m: f"{m.name}{m.group_size}")
@pytest.mark.parametrize("count", COUNTS)
def test_counts(device, transport, count, mapping):
    bounds = worlds.random_bounds(count, seed=count)
    culler = GpuCuller(bounds, transport=transport, mapping=mapping)
    for seed in range(3):
        view = worlds.view(bounds, seed)
        assert culler.cull(view).words.tolist() == expected(view, bounds).tolist()


@pytest.mark.parametrize("group_size", [64, 128, 256])
def test_group_sizes_and_many_cameras(device, transport, group_size):
    bounds = worlds.random_bounds(30_000, seed=7)
    culler = GpuCuller(bounds, transport=transport, group_size=group_size)
    shares = []
    for seed in range(30):
        view = worlds.view(bounds, seed, far=20.0 + 20 * seed, half_angle=0.1 + 0.03 * seed, perspective=seed % 3 != 0)
        want = expected(view, bounds)
        assert np.array_equal(culler.cull(view).words, want)
        shares.append(np.bitwise_count(want).sum() / 30_000)
    assert min(shares) < 0.05 and max(shares) > 0.15  # the cameras see little and much


def test_no_frustum_keeps_what_is_near_enough(device, transport):
    bounds = worlds.random_bounds(500)
    view = CullView.of(Camera("panorama", None, np.zeros(3)), bounds.extent)
    result = GpuCuller(bounds, transport=transport).cull(view)
    near = np.linalg.norm(bounds.center.astype("f8"), axis=1) - bounds.radius <= bounds.cull_radius
    assert np.array_equal(result.visible, bounds.drawable & ((bounds.cull_radius == 0) | near))


def test_bounds_on_the_planes(device, transport):
    """Boxes and spheres that touch a plane to the last bit, where one fused multiply-add would tip the answer."""
    rng = np.random.default_rng(3)
    bounds = worlds.random_bounds(20_000, seed=3, limited=False)
    view = worlds.view(bounds, 3)
    plane = view.outer[0].astype("f8")
    center = bounds.center.astype("f8")
    # Move every centre along the normal until its sphere only just reaches, then by some ulps.
    moved = (center - (center @ plane[:3] + plane[3] + bounds.radius)[:, None] * plane[:3]).astype("f4")
    moved += rng.integers(-3, 4, moved.shape).astype("f4") * np.spacing(np.abs(moved))
    half = (bounds.box_max - bounds.box_min) / 2
    bounds = dataclasses.replace(bounds, center=moved, box_min=moved - half, box_max=moved + half)
    want = expected(view, bounds)
    on_edge = decide.plane_distance(view.outer[0], *moved.T) + bounds.radius
    assert 0.2 < np.mean(on_edge < 0) < 0.8  # a coin's toss, so contraction would show
    for mapping in MAPPINGS:
        assert np.array_equal(GpuCuller(bounds, transport=transport, mapping=mapping).cull(view).words, want)


def test_bad_records_are_never_drawn_and_disturb_nobody(device, transport):
    scene, clean = worlds.scene_of(400, hidden=False)
    transforms = scene["instance_transforms"].copy()
    bad = np.arange(0, 400, 7)
    for k, row in enumerate(bad):
        transforms["flags"][row] &= ~np.uint32(layout.INSTANCE_VALID) if k % 2 else np.uint32(0xFFFFFFFF)
        transforms["position"][row] = [np.nan, np.inf, -np.inf, 1e38][k % 4]
        if k % 4 == 3:
            transforms["x_axis"][row] = 1e38
            transforms["bounding_radius"][row] = np.inf
    bounds = instance_bounds(dataclasses.replace(scene, tables={**scene.tables, "instance_transforms": transforms}))
    view = CullView.of(worlds.camera(1, reach=8), clean.extent)
    result = GpuCuller(bounds, transport=transport).cull(view)
    assert not result.visible[bad].any()
    others = np.setdiff1d(np.arange(400), bad)
    assert np.array_equal(result.visible[others], decide.instance_visible(view, clean)[others])
    assert result.visible[others].any()


def test_a_dispatch_wider_than_an_axis_is_split(device, transport, monkeypatch):
    """Groups past the driver's limit along x go on in y."""
    monkeypatch.setattr(base, "_grid", lambda groups, limit, grid=base._grid: grid(groups, 7))
    bounds = worlds.random_bounds(20_000, seed=1)
    view = worlds.view(bounds, 5)
    culler = GpuCuller(bounds, transport=transport, mapping=Mapping("word", 64))
    assert culler.passes[0].groups == (5, 2)
    assert np.array_equal(culler.cull(view).words, expected(view, bounds))


def test_views_do_not_leak_into_each_other(device, transport):
    """C10: one culler, two cameras in turn."""
    bounds = worlds.random_bounds(5000)
    culler = GpuCuller(bounds, transport=transport)
    views = [worlds.view(bounds, seed) for seed in (1, 2)]
    wants = [expected(view, bounds) for view in views]
    assert not np.array_equal(*wants)
    for turn in range(4):
        assert np.array_equal(culler.cull(views[turn % 2]).words, wants[turn % 2])


def test_the_largest_count_of_c5(device):
    """65535 * 256 + 1 instances: past what one axis of a dispatch holds with an instance a thread. On the best transport."""
    count = 65535 * 256 + 1
    unit = worlds.random_bounds(1 << 16, seed=9)
    times = -(-count // len(unit))
    arrays = {name: getattr(unit, name) for name in ("center", "radius", "box_min", "box_max", "cull_radius", "drawable")}
    bounds = dataclasses.replace(unit, **{name: np.concatenate([array] * times)[:count] for name, array in arrays.items()})
    view = worlds.view(unit, 4)
    words = GpuCuller(bounds).cull(view).words
    period = expected(view, unit)
    assert len(words) == -(-count // 32)
    assert np.array_equal(words[:-1], np.tile(period, times)[: len(words) - 1])
    assert words[-1] == period[0] & 1  # the last word holds one instance: row 0 of the unit once more


def test_settings_that_are_not_offered():
    with pytest.raises(InputError, match="Work groups of 96 threads are not offered. Choose 64, 128, 256."):
        Mapping("word", 96)
    with pytest.raises(InputError, match="There is no mapping wave."):
        Mapping("wave")


def test_two_cullers_share_one_upload(device, transport):
    """C10: two viewports, each with its own result at the same time."""
    bounds = worlds.random_bounds(3000)
    first = GpuCuller(bounds, transport=transport)
    second = GpuCuller(bounds, transport=transport, reuse=first)
    assert second.streams is first.streams
    views = [worlds.view(bounds, seed) for seed in (1, 2)]
    results = [culler.cull(view) for culler, view in zip((first, second), views)]
    for result, view in zip(results, views):
        assert np.array_equal(result.words, expected(view, bounds))


def test_a_ballot_is_used_only_where_it_gives_the_right_words(device, transport):
    """The probe's answer is what the words say; a rasteriser on the CPU has subgroups of 4 or 8."""
    words = subgroups.expected()
    assert [int(words[0] >> k) & 1 for k in range(4)] == [(k * 2654435761 >> 31) & 1 for k in range(4)]
    library = ShaderLibrary(device, transport)
    if subgroups.has_ballot(library):
        bounds = worlds.random_bounds(3000)
        view = worlds.view(bounds, 1)
        for words_per_subgroup in (1, 8, 32):
            culler = GpuCuller(bounds, transport=transport, mapping=Mapping("ballot", 64, words_per_subgroup))
            assert np.array_equal(culler.cull(view).words, expected(view, bounds))
    else:
        assert Mapping.best(device, False).name != "ballot"


def test_every_culling_shader_compiles_with_ballots(device, transport):
    """Their results need 32 threads to a subgroup, their text does not: Vulkan on the CPU compiles it."""
    if device.backend != "VULKAN":
        pytest.skip("OpenGL on the CPU has no subgroup ballot")
    scene, bounds = worlds.scene_of(100)
    slots = draws.draw_slots(scene)
    for tree in (None, GpuTree.of(build(bounds))):
        culler = GpuCuller(
            bounds,
            scene,
            tree=tree,
            lods=LodInputs.of(scene),
            draw_slots=slots,
            transport=transport,
            mapping=Mapping("ballot", 128, 8),
        )
        assert all(one.shader is not None for one in culler.passes)
