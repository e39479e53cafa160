"""LODs, the compacted list and the indirect arguments against their numpy twins; the twins against counting by hand."""

import numpy as np
import pytest
import worlds
from gpuscene.core.cluster_tree import build, build_forest
from gpuscene.core.culling import draws, gpu_streams
from gpuscene.core.culling.camera import CullView
from gpuscene.core.culling.flat import cull_flat
from gpuscene.core.culling.gpu_records import LOD_INPUT, LOD_SWITCHES
from gpuscene.core.culling.gpu_tree import GpuTree
from gpuscene.core.culling.lod_select import NO_LOD, LodInputs, cross_fade
from gpuscene.core.errors import InputError
from gpuscene.device.buffers import make_table
from gpuscene.device.frame import GpuCuller
from gpuscene.device.passes import compact
from gpuscene.device.passes.mapping import Mapping

COUNT = 3000


@pytest.fixture(scope="module")
def world():
    scene, bounds = worlds.scene_of(COUNT)
    primitive = scene["instance_data"]["primitive_id"]
    forest = GpuTree.of_nodes(*build_forest(bounds, np.searchsorted(primitive, np.arange(6)), cluster_size=16), row_count=COUNT)
    return scene, bounds, {"flat": None, "scene": GpuTree.of(build(bounds, cluster_size=16)), "forest": forest}


def compare(culler, bounds, slots, lods, most, views):
    state = np.full(len(bounds), NO_LOD, np.uint8)
    levels = set()
    for view in views:
        want, got = cull_flat(view, bounds, lods, state), culler.cull(view)
        lod = None
        if lods is not None:
            lod = np.full(len(bounds), NO_LOD, np.uint8)
            lod[want.rows] = want.lod
            levels |= set(want.lod.tolist())
            assert np.array_equal(got.lod_state, state)
        assert np.array_equal(got.words, want.words)
        args = draws.arguments(slots, want.visible, lod, most)
        assert got.indirect_args.tobytes() == args.tobytes()
        listed = draws.compact(want.visible, lod)
        if culler.tree is not None and culler.is_grouped:  # in cluster order within a run
            for draw in args:
                run = slice(draw["first_instance"], draw["first_instance"] + draw["instance_count"])
                if most == draws.UNLIMITED:
                    assert sorted(got.draw_instances[run]) == listed[run].tolist()
            assert np.array_equal(np.sort(got.draw_instances), np.sort(listed))
        else:
            assert np.array_equal(got.draw_instances, listed)
    return levels


@pytest.mark.parametrize("kind", ["flat", "scene", "forest"])
@pytest.mark.parametrize("mapping", [Mapping("word", 64), Mapping("transpose", 128, 4)], ids=lambda m: m.name)
@pytest.mark.parametrize("with_lods", [False, True], ids=["no lods", "lods"])
def test_against_the_twins(device, transport, world, kind, mapping, with_lods):
    scene, bounds, trees = world
    lods = LodInputs.of(scene) if with_lods else None
    for most in (draws.UNLIMITED, 7):
        slots = draws.draw_slots(scene, most, with_lods)
        culler = GpuCuller(
            bounds,
            scene,
            tree=trees[kind],
            lods=lods,
            draw_slots=slots,
            max_instances_per_draw=most,
            transport=transport,
            mapping=mapping,
        )
        levels = compare(culler, bounds, slots, lods, most, [worlds.view(bounds, seed, reach=8.0, far=25.0) for seed in range(3)])
        assert not with_lods or len(levels) >= 3


@pytest.mark.parametrize("forced", [0, 1, 7])
def test_a_forced_lod(device, world, forced):
    scene, bounds, _ = world
    lods = LodInputs.of(scene, forced=forced)
    slots = draws.draw_slots(scene)
    culler = GpuCuller(bounds, scene, lods=lods, draw_slots=slots)
    assert max(compare(culler, bounds, slots, lods, draws.UNLIMITED, [worlds.view(bounds, 1, reach=8.0)])) == min(forced, 3)


def test_hysteresis_holds_and_reset_forgets(device, transport, world):
    """C7: a camera swinging about a threshold changes LODs at most once, and a reset culler chooses as a new one does."""
    scene, bounds, _ = world
    lods = LodInputs.of(scene)
    culler = GpuCuller(bounds, scene, lods=lods, transport=transport)
    camera = worlds.camera(3, reach=8.0, far=25.0)

    def zoomed(factor):
        return CullView.of(
            type(camera)(camera.name, camera.clip_from_world, camera.position, True, camera.screen_factor * factor), bounds.extent
        )

    first = culler.cull(zoomed(1)).lod_state
    swings = [culler.cull(zoomed(factor)).lod_state for factor in (1.01, 0.99, 1.01, 0.99)]
    assert all(np.array_equal(first, swing) for swing in swings)
    far = culler.cull(zoomed(0.8)).lod_state  # the band is 10 %: some turn coarser
    assert not np.array_equal(far, first)
    back = culler.cull(zoomed(1)).lod_state
    assert not np.array_equal(back, first)  # within the band they stay
    culler.reset()
    assert np.array_equal(culler.cull(zoomed(1)).lod_state, first)


@pytest.mark.parametrize("count", [1, 32, 33, 2048, 2049, 70_000])
def test_word_and_block_edges(device, transport, count):
    """Runs that end on the last bit of a word and on the first of the next."""
    scene, bounds = worlds.scene_of(count, primitives=2, lods=1)
    slots = draws.draw_slots(scene, 1000, False)
    culler = GpuCuller(bounds, scene, draw_slots=slots, max_instances_per_draw=1000, transport=transport)
    compare(culler, bounds, slots, None, 1000, [worlds.view(bounds, seed, reach=8.0, half_angle=1.2) for seed in range(2)])


def test_many_blocks_are_scanned_in_a_pass_of_their_own(device, transport, world, monkeypatch):
    monkeypatch.setattr("gpuscene.device.frame.MAX_UNSCANNED_BLOCKS", 1)
    scene, bounds, _ = world
    lods = LodInputs.of(scene)
    slots = draws.draw_slots(scene)
    for some in (None, lods):
        kind = draws.draw_slots(scene, with_lods=some is not None)
        culler = GpuCuller(bounds, scene, lods=some, draw_slots=kind, transport=transport, mapping=Mapping("word", 64))
        assert any(isinstance(one, compact.Scan) for one in culler.passes)
        compare(culler, bounds, kind, some, draws.UNLIMITED, [worlds.view(bounds, 2, reach=8.0)])
    assert len(slots) == len(scene["batches"])


def test_arguments_before_the_first_frame_draw_nothing(device, transport, world):
    scene, bounds, _ = world
    slots = draws.draw_slots(scene)
    culler = GpuCuller(bounds, scene, draw_slots=slots, transport=transport)
    args = culler.indirect_args.read()
    assert not args["instance_count"].any()
    assert args["index_count"].tolist() == scene["indirect_args"]["index_count"].tolist()


def test_the_twin_by_hand():
    """Two primitives of 3 and 2 rows; row 1 hidden; row 2 and row 4 at LOD 1; at most 2 a draw."""
    scene, _ = worlds.scene_of(5, primitives=2, lods=2, materials=1)
    data = scene["instance_data"].copy()
    data["primitive_id"] = [0, 0, 0, 1, 1]
    scene = type(scene)({**scene.tables, "instance_data": data})
    slots = draws.draw_slots(scene, 2)
    assert [(s["batch"], s["part"], s["level"], s["first_row"], s["row_count"]) for s in slots] == [
        (0, 0, 0, 0, 3),
        (0, 1, 0, 0, 3),
        (1, 0, 1, 0, 3),
        (1, 1, 1, 0, 3),
        (2, 0, 0, 3, 2),
    ]
    visible, lod = np.array([1, 0, 1, 1, 1], bool), np.array([0, 0, 1, 0, 0], np.uint8)
    assert draws.compact(visible, lod).tolist() == [0, 3, 4, 2]
    args = draws.arguments(slots, visible, lod, 2)
    assert list(zip(args["first_instance"].tolist(), args["instance_count"].tolist())) == [(0, 1), (1, 0), (3, 1), (4, 0), (1, 2)]


def test_what_cannot_be_drawn_is_refused():
    scene, _ = worlds.scene_of(5, primitives=2)
    with pytest.raises(InputError, match="at most 0 instances draws nothing"):
        draws.draw_slots(scene, 0)
    with pytest.raises(InputError, match="not grouped by primitive"):
        draws.primitive_runs(np.array([0, 1, 0], np.uint32), 2)


def test_lod_tables_of_somebody_else_decide(device, transport, world):
    """Kept in step elsewhere: the culler reads those, and makes none from the `lods` that it was made with."""
    scene, bounds, _ = world
    before, now = LodInputs.of(scene), LodInputs.of(scene, bias=2.0)
    slots = draws.draw_slots(scene)
    made = GpuCuller(bounds, scene, lods=now, draw_slots=slots, transport=transport)
    switches, inputs = gpu_streams.lod_streams(now)
    tables = [
        make_table(made.capabilities, made.transport, name, element, rows=rows)
        for name, element, rows in (("lod_inputs", LOD_INPUT, inputs), ("lod_switches", LOD_SWITCHES, switches))
    ]
    culler = GpuCuller(bounds, scene, lods=before, lod_tables=tables, draw_slots=slots, transport=transport)
    view = worlds.view(bounds, 0, reach=8.0, far=25.0)
    compare(culler, bounds, slots, now, draws.UNLIMITED, [view])
    assert not np.array_equal(cull_flat(view, bounds, before).lod, cull_flat(view, bounds, now).lod)


@pytest.mark.parametrize("kind", ["flat", "scene", "forest"])
@pytest.mark.parametrize("perspective", [True, False])
def test_cross_fade_weights(device, transport, world, kind, perspective):
    """Within a band of a fifth: 1e-5 is some bits of a square root and a quotient. Whoever is that near to the end of a band may be
    in or out of it.
    """
    scene, bounds, trees = world
    lods = LodInputs.of(scene)
    culler = GpuCuller(bounds, scene, tree=trees[kind], lods=lods, lod_fade=True, transport=transport)
    state, fading = np.full(len(bounds), NO_LOD, np.uint8), 0
    for seed in range(4):
        view = worlds.view(bounds, seed, reach=8.0, far=25.0, perspective=perspective)
        want = cull_flat(view, bounds, lods, state)
        weight, other = cross_fade(view, bounds, lods, want.rows, want.lod)
        got_weight, got_other = culler.cull(view).lod_fade
        hidden = np.delete(np.arange(len(bounds)), want.rows)
        assert (got_weight[hidden] == 0).all() and (got_other[hidden] == NO_LOD).all()
        differs = got_other[want.rows] != other
        edge = np.minimum(np.minimum(weight, 1 - weight), np.minimum(got_weight[want.rows], 1 - got_weight[want.rows]))
        assert (edge[differs] < 1e-5).all() and np.count_nonzero(differs) < 3
        assert np.abs(got_weight[want.rows] - weight)[~differs].max() < 1e-5
        fading += np.count_nonzero(other != want.lod)
    assert fading > 50
