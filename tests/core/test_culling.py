"""Culling on the CPU: exact whole-node decisions, shortcuts, odd cameras and odd records."""

import numpy as np
import pytest
from cull_scenes import cull_scene, drawable_flags, random_camera, with_flags
from gpuscene.core import layout
from gpuscene.core.cluster_tree import build, insert, refit
from gpuscene.core.culling import decide
from gpuscene.core.culling.bounds import InstanceBounds, instance_bounds
from gpuscene.core.culling.camera import Camera, CullView
from gpuscene.core.culling.cull_tree import expand, prepare
from gpuscene.core.culling.flat import cull_flat
from gpuscene.core.culling.oracle import exact_bounds, truth
from gpuscene.core.culling.projection import camera, orthographic, perspective
from gpuscene.core.culling.result import pack_words
from gpuscene.core.culling.traverse import TRAVERSALS, cull_tree
from gpuscene.core.scene import SceneData
from morton_tree import morton_tree


def cubes(centers, half=0.5, cull_radius=0.0) -> InstanceBounds:
    centers = np.asarray(centers, "f4").reshape(-1, 3)
    count, half = len(centers), np.float32(half)
    return InstanceBounds(centers, np.full(count, half * np.float32(1.8)), centers - half, centers + half,
                          np.full(count, cull_radius, "f4"), np.ones(count, bool))


def decided(view, bounds):
    with np.errstate(over="ignore"):
        return decide.instance_visible(view, bounds)


def looking(eye, target, height=1.0, near=0.1, far=1000.0, aspect=1.0) -> Camera:
    return camera("c", perspective(height, aspect, near, far), eye, target)


@pytest.mark.parametrize("seed", range(12))
def test_a_node_decides_for_everything_in_it_bit_by_bit(seed):
    """Random float32 planes through node boxes, children that share corners with the node or lie an ulp inside: no child
    contradicts its node.
    """
    rng = np.random.default_rng(seed)
    count, size = 4000, 10.0 ** rng.integers(-3, 6)
    low = (rng.uniform(-size, size, (count, 3))).astype("f4")
    high = low + (rng.random((count, 3)) * size * rng.choice([0, 1e-6, 0.1], (count, 1))).astype("f4")
    eye = rng.uniform(-size, size, 3) / 4
    # Depth such that planes pass among the boxes; the margin of a tiny extent, so that only monotony can hold.
    view = CullView.of(looking(eye, eye + rng.normal(size=3), 2.0, size / 100, size), 1e-20)
    child_low = np.where(rng.random((count, 3)) < 0.5, low, np.minimum(np.nextafter(low, np.float32(np.inf)), high))
    child_high = np.where(rng.random((count, 3)) < 0.5, high, np.maximum(np.nextafter(high, np.float32(-np.inf)), child_low))
    center = np.where(rng.random((count, 3)) < 0.5, child_low, child_high)
    child = InstanceBounds(center, np.zeros(count, "f4"), child_low, child_high, np.zeros(count, "f4"), np.ones(count, bool))
    kept = decide.instance_visible(view, child)
    outside, inside = decide.box_outside(view, low, high), decide.box_inside(view, low, high)
    assert not (outside & kept).any() and not (inside & ~kept).any()
    assert outside.any() and inside.any()
    near, far = decide.box_squared_distance(view, low, high)
    between = decide.squared_distance(view, *center.T)
    assert (near <= between).all() and (between <= far).all()


@pytest.mark.parametrize("name", ["few", "town", "far away"])
@pytest.mark.parametrize("builder", ["spatial", "sah", "grid", "test's own"])
def test_traversals_and_trees_agree_with_every_instance_tested(name, builder):
    bounds = instance_bounds(cull_scene(name))
    tree = morton_tree(bounds, 16) if builder == "test's own" else build(bounds, builder, 16)
    prepared, rng, tested = prepare(tree, bounds), np.random.default_rng(1), []
    for number in range(40):
        view = CullView.of(random_camera(rng, bounds.center.mean(axis=0), np.ptp(bounds.center) / 2, number), bounds.extent)
        expected = decide.instance_visible(view, bounds)
        np.testing.assert_array_equal(cull_flat(view, bounds).visible, expected)
        results = [cull_tree(view, bounds, prepared, traversal) for traversal in TRAVERSALS]
        for result in results:
            np.testing.assert_array_equal(result.visible, expected)
            assert result.instances_tested + result.instances_accepted <= len(bounds)
        assert results[0].nodes_tested == results[1].nodes_tested
        tested.append(results[0].instances_tested)
    assert min(tested) < len(bounds) / 4  # the tree did save something


def test_whole_tree_shortcuts():
    bounds = cubes(np.random.default_rng(0).uniform(-10, 10, (5000, 3)))
    tree = prepare(morton_tree(bounds, 32), bounds)
    for traversal in TRAVERSALS:
        everything = cull_tree(CullView.of(looking((0, -100, 0), (0, 0, 0)), bounds.extent), bounds, tree, traversal)
        nothing = cull_tree(CullView.of(looking((0, -100, 0), (0, -200, 0)), bounds.extent), bounds, tree, traversal)
        for result, expected in ((everything, (5000, 1, 0, 5000)), (nothing, (0, 1, 0, 0))):
            assert (len(result), result.nodes_tested, result.instances_tested, result.instances_accepted) == expected


def test_whole_nodes_beyond_every_cull_radius_are_dropped_untested():
    row = [(x, 0, 0) for x in range(1000)]
    bounds = cubes(row, cull_radius=100)
    view = CullView.of(looking((-1, 0, 0), (1, 0, 0), far=5000), bounds.extent)
    result = cull_tree(view, bounds, morton_tree(bounds, 10), "breadth")
    # Sphere radius 0.9 about x: the nearest point is x + 1 - 0.9 from the camera.
    assert result.rows.tolist() == [x for x in range(1000) if x + 0.1 <= 100]
    assert result.instances_tested + result.instances_accepted <= 120
    assert result.nodes_tested < 60
    unlimited = InstanceBounds(*(getattr(bounds, n) for n in ("center", "radius", "box_min", "box_max")),
                               np.where(np.arange(1000) == 700, 0, 100).astype("f4"), bounds.drawable)
    assert cull_tree(view, unlimited, morton_tree(unlimited, 10)).rows.tolist()[-2:] == [99, 700]


def test_conservative_past_a_distance():
    """A wall of cubes half in view: near leaves are exact, far leaves whole; hidden ones stay hidden."""
    rng = np.random.default_rng(4)
    bounds = cubes(rng.uniform((-50, 0, -5), (50, 200, 5), (20_000, 3)))
    hidden = rng.random(len(bounds)) < 0.1
    bounds = InstanceBounds(*(getattr(bounds, n) for n in ("center", "radius", "box_min", "box_max", "cull_radius")), ~hidden)
    view = CullView.of(looking((0, -1, 0), (0, 10, 0), height=0.4), bounds.extent)
    tree = prepare(build(bounds, "sah", 64), bounds)
    exact = cull_tree(view, bounds, tree)
    for traversal in TRAVERSALS:
        loose = cull_tree(view, bounds, tree, traversal, conservative_distance=100)
        extra = loose.visible & ~exact.visible
        assert not (exact.visible & ~loose.visible).any() and not (loose.visible & hidden).any()
        distance = np.linalg.norm(bounds.center - view.position, axis=1)
        assert extra.any() and distance[extra].min() > 100 - 0.9
        assert loose.instances_tested < exact.instances_tested


def test_trees_of_nothing_one_and_a_single_point():
    view = CullView.of(looking((0, -10, 0), (0, 0, 0)), 1.0)
    for count in (0, 1, 500):
        bounds = cubes(np.zeros((count, 3)))
        for builder in ("spatial", "sah", "grid"):
            for traversal in TRAVERSALS:
                assert cull_tree(view, bounds, build(bounds, builder, 8), traversal).rows.tolist() == list(range(count))
        assert cull_flat(view, bounds).rows.tolist() == list(range(count))


def test_added_to_an_empty_tree_and_moved_a_kilometre():
    """C1 and C2: what is inserted is tested at once, and a tree that was refit covers what moved."""
    empty, some = cubes(np.zeros((0, 3))), cubes([(x, 0, 0) for x in range(-5, 6)])
    view = CullView.of(looking((0, -10, 0), (0, 0, 0), height=0.5), 1000.0)
    tree = insert(build(empty, "sah", 4), np.arange(11))
    # Half the view at y = 0.5, the far side of the cubes, is 2.6, and a cube reaches 0.5.
    expected = [row for row, x in enumerate(range(-5, 6)) if abs(x) <= 3]
    assert len(tree.unbuilt) and cull_tree(view, some, tree).rows.tolist() == expected
    moved = cubes(np.where(np.arange(11)[:, None] == 5, (0, 1000, 0), some.center))
    there = CullView.of(looking((0, 990, 0), (0, 1000, 0)), moved.extent)
    tree = refit(build(some, "sah", 4), moved)
    for traversal in TRAVERSALS:
        assert cull_tree(there, moved, tree, traversal).rows.tolist() == [5]


def test_records_that_are_not_finite_are_never_kept_and_disturb_nobody():
    scene = cull_scene("town", cull_radius=False)
    clean = with_flags(scene, drawable_flags(scene.instance_count))
    transforms = clean["instance_transforms"].copy()
    bad = np.random.default_rng(2).choice(len(transforms), 200, replace=False)
    for number, row in enumerate(bad):
        field = ("x_axis", "y_axis", "z_axis", "position")[number % 4]
        transforms[field][row, number % 3] = (np.nan, np.inf, -np.inf, 3e38)[number // 4 % 4]
    transforms["bounding_radius"][bad[:10]] = np.nan
    transforms["flags"][bad[-20:]] &= ~np.uint32(layout.INSTANCE_VALID)  # as packing marks a scale of zero
    broken = SceneData({**clean.tables, "instance_transforms": transforms})
    before, after = instance_bounds(clean), instance_bounds(broken)
    tree, rng = prepare(build(after, "sah", 16), after), np.random.default_rng(6)
    # A finite one far out does not widen the planes either.
    assert np.abs(after.box_max).max() > 1e38 and after.extent == before.extent
    others = np.setdiff1d(np.arange(len(transforms)), bad)
    finite = np.isfinite(after.box_min).all() and np.isfinite(after.box_max).all()
    assert finite and not after.drawable[bad[:160]].all()
    for number in range(30):
        view = CullView.of(random_camera(rng, before.center.mean(axis=0), 300, number), after.extent)
        visible = cull_tree(view, after, tree, TRAVERSALS[number % 3]).visible
        np.testing.assert_array_equal(visible, decided(view, after))
        np.testing.assert_array_equal(visible[others], decide.instance_visible(view, before)[others])
        assert not visible[~np.isfinite(transforms["x_axis"]).all(axis=1)].any()
        assert not visible[~np.isfinite(transforms["position"]).all(axis=1)].any()


@pytest.mark.parametrize(("clip_from_view", "name"), [
    (perspective(1.0, 16 / 9, 0.1, 100), "landscape"), (perspective(1.0, 9 / 16, 0.1, 100), "portrait"),
    (perspective(0.7, 1, 0.1, 100, (0.4, -0.3)), "shifted"),
    (perspective(1.0, 1.5, 1e-4, 1e6), "extreme clips"), (perspective(1.0, 1.5, 0.1, np.inf), "no far plane"),
    (orthographic(12.0, 1.5, -5, 100), "orthographic behind"),
    (orthographic(12.0, 0.5, 1e-4, 1e6, (0.1, 0.2)), "orthographic shifted"),
])
def test_planes_are_those_of_the_projection_matrix(clip_from_view, name):
    """C6: a point is inside every plane exactly where clip space says so."""
    rng = np.random.default_rng(8)
    eye = np.array((3.0, -7.0, 2.0))
    cam = camera(name, clip_from_view, eye, (0, 0, 0))
    points = eye + rng.normal(size=(20_000, 3)) * 10.0 ** rng.uniform(-4, 6.5, (20_000, 1))
    clip = np.column_stack((points, np.ones(len(points)))) @ cam.clip_from_world.T
    planes = cam.planes()
    distance = points @ planes[:, :3].T + planes[:, 3]
    inside = (np.abs(clip[:, :3]) <= clip[:, 3:]).all(axis=1)
    edge = (np.abs(distance) < 1e-9 * np.abs(points).max(axis=1, keepdims=True) + 1e-12).any(axis=1)
    np.testing.assert_array_equal((distance >= 0).all(axis=1)[~edge], inside[~edge])
    assert inside.any() and not inside.all()
    np.testing.assert_allclose(np.linalg.norm(planes[planes[:, :3].any(axis=1), :3], axis=1), 1)


def test_lens_shift_moves_the_view():
    """A shift of half the width puts the right edge of the unshifted view at the middle: by hand, on a view 2 wide at distance 1.
    """
    cam = camera("c", perspective(2, 1, 0.1, 100, (0.5, 0)), (0, 0, 0), (0, 1, 0))
    clip = cam.clip_from_world @ (1, 1, 0, 1)
    np.testing.assert_allclose(clip[:2] / clip[3], (0, 0), atol=1e-12)


@pytest.mark.parametrize("is_perspective", [True, False])
def test_a_camera_inside_a_box_sees_it(is_perspective):
    bounds = cubes([(0, 0, 0), (0, 50, 0), (0, -50, 0)], half=2)
    lens = perspective(1, 1, 1e-4, 1e6) if is_perspective else orthographic(1, 1, 1e-4, 1e6)
    view = CullView.of(camera("c", lens, (0.5, 0.5, 0.5), (0.5, 10, 0.5)), bounds.extent)
    for traversal in TRAVERSALS:
        assert cull_tree(view, bounds, morton_tree(bounds, 1), traversal).rows.tolist() == [0, 1]


def test_without_a_frustum_only_distance_decides():
    bounds = cubes([(x, 0, 0) for x in range(100)], cull_radius=20)
    view = CullView.of(Camera("p", None, np.zeros(3), True, 0.5, "panoramic"), bounds.extent)
    expected = [x for x in range(100) if x - 0.9 <= 20]
    assert cull_flat(view, bounds).rows.tolist() == expected
    assert [cull_tree(view, bounds, morton_tree(bounds, 4), t).rows.tolist() for t in TRAVERSALS] == [expected] * 3


def test_the_margin_of_a_side_plane_does_not_grow_with_the_clip_end():
    near, far = (CullView.of(looking((0, 0, 0), (0, 1, 0), far=end), 10.0) for end in (100, 1e6))
    np.testing.assert_array_equal(near.margins[:4], far.margins[:4])
    assert near.margins[0] < 1e-4 and far.margins[5] < 2


@pytest.mark.parametrize("count", [0, 1, 31, 32, 33, 1000, 2047, 2048, 2049])
def test_words_hold_a_bit_for_each_row(count):
    visible = np.random.default_rng(count).random(count) < 0.5
    words = [0] * -(-count // 32)
    for row in range(count):
        words[row // 32] |= int(visible[row]) << (row % 32)
    assert pack_words(visible).tolist() == words


def test_expand():
    assert expand(np.array([5, 0, 9]), np.array([2, 0, 3])).tolist() == [5, 6, 9, 10, 11]
    assert expand(np.zeros(0, int), np.zeros(0, int)).tolist() == []


def test_another_traversal_is_refused():
    bounds = cubes([(0, 0, 0)])
    with pytest.raises(ValueError, match="breadth, depth, hybrid"):
        cull_tree(CullView.of(looking((0, -5, 0), (0, 0, 0)), 1), bounds, morton_tree(bounds), "sideways")


def test_the_oracle_by_hand():
    """A cube of half size 1 and sphere of radius sqrt(3) about (0, 0, 0), seen by a camera whose left plane is x = 1.5."""
    scene = cull_scene("one", cull_radius=False)
    exact = exact_bounds(with_flags(scene, drawable_flags(1)))
    one = InstanceBounds(np.zeros((1, 3)), np.array([3 ** 0.5]), -np.ones((1, 3)), np.ones((1, 3)), np.zeros(1), np.ones(1, bool))
    cam = camera("c", orthographic(3, 1, 1, 9), (3, -5, 0), (3, 0, 0))
    true = truth(cam, one)
    # The box ends 0.5 short of it, the sphere (1.732) reaches past it.
    np.testing.assert_allclose(true.planes[:, 0], [-0.5, 5.5, 2.5, 2.5, 5, 5], atol=1e-12)
    assert not true.visible[0] and true.slack[0] == pytest.approx(-0.5)
    assert len(exact) == 1 and exact.radius[0] >= (exact.box_max - exact.box_min).max() / 2
