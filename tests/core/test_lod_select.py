"""LOD choice against float64 and by hand: thresholds, hysteresis, bias, forced, cross-fade, whole nodes."""

import numpy as np
import pytest
from cull_scenes import cull_scene, random_camera
from gpuscene.core.cluster_tree import build, insert
from gpuscene.core.culling.bounds import InstanceBounds, instance_bounds
from gpuscene.core.culling.camera import CullView
from gpuscene.core.culling.cull_tree import prepare
from gpuscene.core.culling.flat import cull_flat
from gpuscene.core.culling.lod_select import NO_LOD, LodInputs, LodTable, choose, cross_fade, node_choice, select
from gpuscene.core.culling.projection import camera, orthographic, perspective
from gpuscene.core.culling.stream import BoundsStream
from gpuscene.core.culling.traverse import TRAVERSALS, cull_tree
from gpuscene.core.scene import SceneData
from scene_factory import make_scene


def lod_scene(instances=1, sizes=(0.25, 0.125), hysteresis=0.05, bias=0.0) -> SceneData:
    """One primitive with LODs entered below `sizes`."""
    scene = make_scene(instances, 1, lods=len(sizes) + 1, hidden=False)
    lods, data = scene["lods"].copy(), scene["instance_data"].copy()
    lods["screen_size_in"] = [3.4e38, *sizes]
    lods["screen_size_out"] = [*sizes, 0]
    lods["hysteresis"] = hysteresis
    data["custom_data"][:, 0, 0], data["custom_data"][:, 0, 1] = 0, bias
    return SceneData({**scene.tables, "lods": lods, "instance_data": data})


def spheres(distances, radius=1.0) -> InstanceBounds:
    """On the y axis at these distances from the origin."""
    y = np.asarray(distances, "f4")
    center = np.column_stack((0 * y, y, 0 * y))
    return InstanceBounds(center, np.full(len(y), radius, "f4"), center - np.float32(radius), center + np.float32(radius),
                          np.zeros(len(y), "f4"), np.ones(len(y), bool))


def view_at(y=0.0, height=2.0, lens=perspective) -> CullView:
    """Looks along y; with a view 2 high at distance 1, a sphere of radius 1 has screen size 1 / distance."""
    return CullView.of(camera("c", lens(height, 1, 0.1, 1e5), (0, y, 0), (0, y + 1, 0)), 1e4)


def levels(scene, distances, before=None, **options):
    bounds = spheres(distances)
    inputs = LodInputs.of(scene, **options)
    inputs = LodInputs(inputs.table, np.zeros(len(bounds), "u4"), np.full(len(bounds), inputs.scale[0]), inputs.forced)
    state = None if before is None else np.full(len(bounds), before, np.uint8)
    return select(view_at(), bounds, inputs, np.arange(len(bounds)), state).tolist()


def test_by_hand():
    # Screen size 1 / d: below 0.25 past 4, below 0.125 past 8. At the threshold itself it is not below.
    assert levels(lod_scene(), [0, 0.5, 3.9, 4, 4.001, 7.9, 8, 8.001, 1e6]) == [0, 0, 0, 0, 1, 1, 1, 2, 2]


def test_orthographic_size_does_not_depend_on_distance():
    bounds, inputs = spheres([1, 10, 1000]), LodInputs.of(lod_scene(3))
    for height, level in ((7.9, 0), (8.1, 1), (15.9, 1), (16.1, 2)):  # size 2 / height
        assert select(view_at(height=height, lens=orthographic), bounds, inputs, np.arange(3)).tolist() == [level] * 3


@pytest.mark.parametrize(("before", "expected"), [(NO_LOD, [0, 0, 1, 1]), (0, [0, 0, 0, 1]), (1, [0, 1, 1, 1])])
def test_the_band_keeps_what_was(before, expected):
    # Threshold 0.25, band 5 %: finer above 0.2625 (nearer than 3.81), coarser below 0.2375 (farther than 4.21).
    assert levels(lod_scene(), [3.8, 3.9, 4.1, 4.3], before) == expected


def test_a_jump_over_several_levels_lands_right():
    assert levels(lod_scene(), [100, 1], 0) == [2, 0]
    assert levels(lod_scene(), [100, 1], 2) == [2, 0]


@pytest.mark.parametrize("start", [0.99, 1.01])
def test_a_camera_swinging_one_percent_at_a_threshold_does_not_flip(start):
    """C7, for every threshold of the table at once."""
    scene = lod_scene(sizes=(0.25, 0.125, 0.05))
    bounds, inputs = spheres([4, 8, 20]), LodInputs.of(scene)
    inputs = LodInputs(inputs.table, np.zeros(3, "u4"), np.ones(3, "f4"))
    state, seen, fresh = np.full(3, NO_LOD, np.uint8), set(), set()
    for frame in range(200):
        swing = start if frame == 0 else 1 + 0.01 * np.sin(frame * 0.7)
        # A lens that breathes: size 1 / (d * swing).
        view = CullView.of(camera("c", perspective(2 * swing, 1, 0.1, 1e5), (0, 0, 0), (0, 1, 0)), 100)
        seen.add(tuple(select(view, bounds, inputs, np.arange(3), state)))
        fresh.add(tuple(select(view, bounds, inputs, np.arange(3))))
    assert seen == {(0, 1, 2) if start < 1 else (1, 2, 3)}
    assert len(fresh) > 1  # without the state it would have flipped


def test_outside_the_band_it_does_switch():
    bounds, inputs, state = spheres([4]), LodInputs.of(lod_scene()), np.array([NO_LOD], np.uint8)
    path = []
    for scale in (0.9, 1.0, 1.04, 1.06, 1.0, 0.96, 0.94):
        path.append(int(select(view_at(4 - 4 * scale), bounds, inputs, np.arange(1), state)[0]))
    assert path == [0, 0, 0, 1, 1, 1, 0]


def test_bias_halves_the_size_it_counts_with():
    distances = [1.9, 2.1, 3.9, 4.1, 7.9, 8.1, 15.9, 16.1]
    assert levels(lod_scene(), distances) == [0, 0, 0, 1, 1, 2, 2, 2]
    assert levels(lod_scene(bias=1), distances) == [0, 1, 1, 2, 2, 2, 2, 2]
    assert levels(lod_scene(bias=-1), distances) == [0, 0, 0, 0, 0, 1, 1, 2]
    assert levels(lod_scene(bias=-1), distances, bias=2.0) == levels(lod_scene(bias=1), distances)
    assert levels(lod_scene(bias=np.nan), distances) == levels(lod_scene(), distances)


def test_forced():
    assert levels(lod_scene(), [1, 100], forced=1) == [1, 1]
    assert levels(lod_scene(), [1, 100], forced=7) == [2, 2]  # the coarsest there is
    assert levels(lod_scene(), [1, 100], forced=-1) == [0, 0]


def test_against_float64():
    """A random scene: the choice is that of float64 arithmetic wherever that is not within a millionth of a threshold."""
    scene = cull_scene("town")
    bounds, inputs = instance_bounds(scene), LodInputs.of(scene)
    rng, rows = np.random.default_rng(3), np.arange(len(bounds))
    primitive = scene["instance_data"]["primitive_id"]
    switches = [scene["lods"]["screen_size_in"][p["first_lod"] + 1:p["first_lod"] + p["lod_count"]] for p in scene["primitives"]]
    counted = set()
    for number in range(12):
        cam = random_camera(rng, bounds.center.mean(axis=0), 300, number)
        got = select(CullView.of(cam, bounds.extent), bounds, inputs, rows)
        distance = np.linalg.norm(bounds.center.astype(float) - cam.position, axis=1) if cam.is_perspective else 1.0
        bias = np.exp2(-scene["instance_data"]["custom_data"][:, 0, 1].astype(float))
        size = 2 * bounds.radius.astype(float) * cam.screen_factor / distance * bias
        for row in rows:
            thresholds = switches[primitive[row]].astype(float)
            if not (np.abs(size[row] / thresholds - 1) < 1e-6).any():
                assert got[row] == np.count_nonzero(size[row] < thresholds)
                counted.add(int(got[row]))
    assert counted == {0, 1, 2}


@pytest.mark.parametrize("name", ["town", "few"])
@pytest.mark.parametrize("cluster_size", [4, 64])
def test_whole_nodes_choose_as_instances_do(name, cluster_size):
    """Along a path, with state: the tree's early choices and the flat choice are the same bytes; a scene of one primitive does
    decide for whole nodes.
    """
    for scene in (cull_scene(name, cull_radius=False), lod_scene(500)):
        bounds, inputs = instance_bounds(scene), LodInputs.of(scene)
        stream, rng = BoundsStream.of(bounds), np.random.default_rng(2)
        tree = prepare(build(bounds, "sah", cluster_size), bounds, inputs)
        states = [np.full(len(bounds), NO_LOD, np.uint8) for _ in range(4)]
        for number in range(24):
            view = CullView.of(random_camera(rng, bounds.center.mean(axis=0), np.ptp(bounds.center) / 2, number), bounds.extent)
            expected = cull_flat(view, stream, inputs, states[3])
            for traversal, state in zip(TRAVERSALS, states):
                got = cull_tree(view, bounds, tree, traversal, lods=inputs, state=state)
                np.testing.assert_array_equal(got.rows, expected.rows)
                np.testing.assert_array_equal(got.lod, expected.lod)
                np.testing.assert_array_equal(state, states[3])


def test_a_far_node_of_one_primitive_is_settled_without_its_instances():
    inputs = LodInputs.of(lod_scene(2))
    near = np.array([3.9, 4.3, 4.0, 9.0, 5], "f4") ** 2
    far = np.array([4.3, 4.4, 4.1, 11.0, 7], "f4") ** 2
    one, primitive = np.ones((2, 5), "f4"), np.array([[0, 0, 0, 0, 0], [0, 0, 0, 0, 1]])
    # Through the band; within LOD 1; inside the band, where the state decides; LOD 2; two primitives.
    assert node_choice(view_at(), inputs, (near, far, one, one, primitive)).tolist() == [NO_LOD, 1, NO_LOD, 2, NO_LOD]


def test_unbuilt_rows_get_their_lod_and_keep_their_state():
    bounds, inputs = spheres([3.9, 4.1, 4.1, 9.0]), LodInputs.of(lod_scene(4))
    tree = prepare(insert(build(bounds, "spatial", 2, rows=np.array([0, 2])), np.array([1, 3])), bounds, inputs)
    state = np.array([1, 0, 1, 0], np.uint8)
    result = cull_tree(view_at(), bounds, tree, lods=inputs, state=state)
    assert result.rows.tolist() == [0, 1, 2, 3] and result.lod.tolist() == [1, 0, 1, 2] == state.tolist()


def test_forced_lods_through_a_tree():
    bounds, inputs = spheres([1, 5, 50]), LodInputs.of(lod_scene(3), forced=1)
    assert cull_tree(view_at(), bounds, prepare(build(bounds, "sah", 2), bounds, LodInputs.of(lod_scene(3))),
                     lods=inputs).lod.tolist() == [1, 1, 1]


def test_a_tree_prepared_without_lods_says_so():
    bounds = spheres([1, 5])
    with pytest.raises(ValueError, match="prepared without LODs"):
        cull_tree(view_at(), bounds, prepare(build(bounds), bounds), lods=LodInputs.of(lod_scene(2)))


def test_state_of_what_is_not_visible_stays():
    scene = lod_scene(3)
    bounds, state = spheres([3.9, 4.1, 4.1]), np.array([1, 0, 0], np.uint8)
    hidden = InstanceBounds(*(getattr(bounds, n) for n in ("center", "radius", "box_min", "box_max", "cull_radius")),
                            np.array([True, True, False]))
    result = cull_flat(view_at(), hidden, LodInputs.of(scene), state)
    assert result.rows.tolist() == [0, 1] and result.lod.tolist() == [1, 0] and state.tolist() == [1, 0, 0]
    cull_flat(view_at(-1), hidden, LodInputs.of(scene), state)
    assert state.tolist() == [1, 1, 0]


def test_cross_fade_runs_through_the_band():
    inputs = LodInputs.of(lod_scene(5))
    sizes = np.array([0.27, 0.2625, 0.25, 0.24375, 0.2])  # above, top of the band, middle, three quarters down, below
    bounds = spheres(1 / sizes)
    for lod, expected, other in ((0, [1, 1, 0.5, 0.25, 1], [0, 0, 1, 1, 0]), (1, [1, 1, 0.5, 0.75, 1], [1, 1, 0, 0, 1])):
        weight, to = cross_fade(view_at(), bounds, inputs, np.arange(5), np.full(5, lod))
        np.testing.assert_allclose(weight, expected, atol=1e-4)
        inner = slice(2, 4)
        assert to[inner].tolist() == other[inner] and to[[0, 4]].tolist() == [lod, lod]
    weight, to = cross_fade(view_at(), bounds, LodInputs.of(lod_scene(5, hysteresis=0.0)), np.arange(5), np.zeros(5))
    assert weight.tolist() == [1] * 5 and to.tolist() == [0] * 5


def test_the_two_sides_of_a_fade_sum_to_one():
    inputs = LodInputs.of(lod_scene(50))
    bounds, rows = spheres(np.linspace(3, 10, 50)), np.arange(50)
    fades = [cross_fade(view_at(), bounds, inputs, rows, np.full(50, lod)) for lod in range(3)]
    for (weight, other), lod in zip(fades, range(3)):
        for row in np.flatnonzero(other != lod):
            assert weight[row] + fades[other[row]][0][row] == pytest.approx(1, abs=1e-6)


def test_the_table_of_a_disordered_file():
    """C8: rising and not finite thresholds of a foreign file are cut to those before; every band keeps its order."""
    scene = lod_scene(sizes=(0.1, 0.25, np.nan, 0.05))
    table = LodTable.of(scene)
    np.testing.assert_allclose(np.sqrt(table.enter[0]), [0.1, 0.1, 0, 0, 0, 0, 0], rtol=1e-6)
    assert table.count.tolist() == [5]
    assert (table.coarser <= table.enter).all() and (table.enter <= table.finer).all()
    # Wide bands that overlap still leave every size one answer, whatever was before.
    wide = LodTable.of(lod_scene(sizes=(0.25, 0.2, 0.15), hysteresis=0.5))
    d2 = np.linspace(1, 400, 500, dtype="f4")
    for before in (*range(4), NO_LOD):
        lod = choose(np.ones(500, "f4"), d2, wide, np.zeros(500, int), np.full(500, before, np.uint8))
        assert (np.diff(lod.astype(int)) >= 0).all() and lod[0] == 0 and lod[-1] == 3


def test_exit_is_the_next_entry():
    """C8: so says every assembled table, and the choice uses the entries."""
    scene = lod_scene(sizes=(0.25, 0.125, 0.0625))
    lods = scene["lods"]
    np.testing.assert_array_equal(lods["screen_size_out"][:-1], lods["screen_size_in"][1:])
    np.testing.assert_allclose(LodTable.of(scene).enter[0, :3], lods["screen_size_out"][:3] ** 2)
