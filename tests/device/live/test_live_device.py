"""The live scene on the GPU against numpy, against its CPU twin, and, whatever was uploaded before, against tables made anew."""

import gpu
import numpy as np
import pytest
import worlds
from gpuscene.core import layout
from gpuscene.core.culling import decide
from gpuscene.core.culling.lod_select import NO_LOD, LodInputs, select
from gpuscene.core.live import status
from gpuscene.core.live.classify import batch_numbers, classify, precision_levels, unpack
from gpuscene.core.live.clusters import LiveClusters
from gpuscene.core.live.delta import LIVE_UPDATE
from gpuscene.core.live.options import LiveOptions
from gpuscene.device.live.cpu_view import CpuDevice
from gpuscene.device.live.scene import LiveDevice
from gpuscene.device.passes.mapping import Mapping
from live_worlds import World

#: keeps about half, by the record that the GPU holds
RULE = "return transform.position.x >= 0.0;"


def a_view(world, seed):
    return worlds.view(world.tables.bounds, seed, reach=8.0, far=25.0, half_angle=1.0)


def tables_of(device) -> dict:
    """Bytes of every table that follows changes."""
    tables = [*device.streams.written, device.tree_tables.leaf_clusters, device.nodes, *device.tree_tables.block_boxes.values()]
    return {table.name: table.read_words().tobytes() for table in tables}


class Oracle:
    """What a view should say, by numpy from the world's tables."""

    def __init__(self, world, rule):
        self.world, self.rule = world, rule
        self.lod = np.full(world.tables.capacity, NO_LOD, np.uint8)

    def cull(self, view):
        tables = self.world.tables
        self.rule_keeps = tables.transforms["position"][:, 0] >= 0 if self.rule else None
        self.visible = decide.instance_visible(view, tables.bounds)
        if self.rule:
            self.visible &= self.rule_keeps
        scene = tables.capacity_scene()
        lods = LodInputs.of(scene, self.world.options.lod_bias, self.world.options.forced_lod)
        if lods.table.count.max() > 1:
            select(view, tables.bounds, lods, np.flatnonzero(self.visible), self.lod)

    def status(self, view, ages_of_blocks, block_words):
        tables, scene = self.world.tables, self.world.tables.capacity_scene()
        lod = np.where(self.visible, self.lod, 0)
        batch = batch_numbers(scene["primitives"], scene["lods"], tables.data["primitive_id"], lod)
        position = self.world.clusters.positions.astype(np.int64)
        full = (tables.transforms["flags"] & layout.INSTANCE_FULL_PRECISION) != 0
        precision = precision_levels(tables.bounds.center, 1.0, full)
        ages = np.asarray(ages_of_blocks)[position // (32 * block_words)]
        return classify(view, tables.bounds, self.visible, lod, batch, ages, self.rule_keeps, tables.alive, precision=precision)

    def triangles(self):
        """Of each visible instance, those of its LOD."""
        scene = self.world.tables.capacity_scene()
        rows = np.flatnonzero(self.visible)
        primitive = scene["primitives"][self.world.tables.data["primitive_id"][rows]]
        level = np.minimum(self.lod[rows], primitive["lod_count"] - 1)
        return int((scene["lods"]["index_count"][primitive["first_lod"] + level] // 3).sum())


def check(view, oracle, camera, device, twin=None):
    """One frame of `view`, and of its CPU `twin`, against the oracle."""
    view.cull(camera)
    oracle.cull(camera)
    assert np.array_equal(view.visible_rows(), oracle.visible)
    assert np.array_equal(view.lod_rows(), oracle.lod)
    ages = np.arange(len(device.block_boxes())) * 100 - 1
    view.classify(camera, ages)
    words = oracle.status(camera, ages, device.block_words)
    assert np.array_equal(view.status_rows(), words)
    stats = view.stats()
    levels = np.bincount(oracle.lod[oracle.visible], minlength=len(stats.lod_counts))
    assert (stats.visible, stats.lod_counts, stats.triangles) == (oracle.visible.sum(), tuple(levels), oracle.triangles())
    if twin is not None:
        twin.cull(camera)
        twin.classify(camera, np.zeros_like(ages))  # by its shorter way
        assert np.array_equal(twin.status_rows(), oracle.status(camera, np.zeros_like(ages), device.block_words))
        twin.classify(camera, ages)
        assert np.array_equal(twin.visible_rows(), oracle.visible) and np.array_equal(twin.lod_rows(), oracle.lod)
        assert np.array_equal(twin.status_rows(), words) and twin.stats() == stats
    return words


@pytest.mark.parametrize("primitives", [1, 5], ids=["in culling order", "in the order of slots"])
@pytest.mark.parametrize("rule", ["", RULE], ids=["", "rule"])
def test_any_number_of_uploads_leaves_what_a_fresh_device_has(device, transport, primitives, rule, monkeypatch):
    monkeypatch.setattr("gpuscene.device.live.cpu_view.FLAT_CULLS", 0 if primitives == 5 else 16)  # the twin's tree, and its flat culls
    world = World(primitives=primitives, options=LiveOptions(rule=rule, lod_bias=0.5, cluster_size=16))
    live = LiveDevice(world.tables, world.clusters, world.options, transport)
    live.nodes  # noqa: B018  from now on it is kept in step
    assert live.streams.grouped == (primitives == 1)
    twin = CpuDevice(world.tables, world.clusters, world.options)
    view, twin_view, oracle = live.view(), twin.view() if not rule else None, Oracle(world, rule)
    seen, whole, reused = set(), [], 0
    for frame, touched in enumerate((1, 7, 60, 400, 3, 100)):
        words = check(view, oracle, a_view(world, frame), live, twin_view)
        seen |= set(np.unique(words & 7).tolist())
        slots, lod = world.edit(touched), view.lod_rows()
        twin.upload(slots, world.arrivals)
        whole.append(live.upload(slots, arrivals=world.arrivals).whole)
        oracle.lod[world.arrivals] = NO_LOD
        reused += np.count_nonzero(lod[world.arrivals] != NO_LOD)
        fresh = LiveDevice(world.tables, world.clusters, world.options, transport)
        fresh.view()  # makes the boxes of blocks
        assert tables_of(live) == tables_of(fresh)
    check(view, oracle, a_view(world, 9), live, twin_view)
    assert set(whole) == {True, False} and reused > 0
    reasons = {status.VISIBLE, status.HIDDEN, status.DISTANCE, status.FRUSTUM, status.FREE}
    assert seen == (reasons | {status.RULE} if rule else reasons)


@pytest.mark.parametrize("kind", ["gpu", "cpu"])
@pytest.mark.parametrize("other_row", [False, True])
def test_a_reused_slot_has_no_memory(device, transport, kind, other_row):
    """LOD 1 begins below a quarter of the view's height, with a band of a fifth: 0.27 is finer than the switch, within the band.
    What was LOD 1 stays so there; what has come since, into the same slot, is LOD 0.
    """
    world = World(1, primitives=1)
    slots = world.tables.slots_of(world.owners)

    def place():
        columns = np.diag([0.2, 0.2, 0.2, 1]).astype("f4")[None]
        world.tables.patch(slots, columns, np.zeros((1, 8), "f4"))
        dirty, arrivals = world.tables.take_dirty(), world.tables.take_arrivals()
        world.clusters.refit(dirty)
        return dirty, arrivals

    def seen_at(share):
        radius = float(world.tables.bounds.radius[slots[0]])
        return worlds.view(world.tables.bounds, 0, reach=radius / share, far=50.0, perspective=False, back=10.0)

    place()
    if kind == "gpu":
        live = LiveDevice(world.tables, world.clusters, world.options, transport)
    else:
        live = CpuDevice(world.tables, world.clusters, world.options)
    view = live.view()
    view.cull(seen_at(0.15))
    assert view.lod_rows()[slots].tolist() == [1]
    if other_row:
        world.tables.remove(world.owners)
        world.tables.apply(world.rows, world.owners)
    dirty, arrivals = place()
    assert arrivals.tolist() == (slots.tolist() if other_row else [])
    live.upload(dirty, arrivals=arrivals)
    view.cull(seen_at(0.27))
    assert view.visible_rows()[slots].all() and view.lod_rows()[slots].tolist() == [0 if other_row else 1]


def test_a_cull_radius_can_appear_later(device, transport):
    world = World(limited=False)
    assert not world.tables.bounds.cull_radius.any()
    live, oracle = LiveDevice(world.tables, world.clusters, world.options, transport), Oracle(world, "")
    view = live.view()
    check(view, oracle, a_view(world, 1), live)
    world.limited = True
    live.upload(world.edit(60))
    assert world.tables.bounds.cull_radius.any()
    words = check(view, oracle, a_view(world, 1), live)
    assert (words & 7 == status.DISTANCE).any()


@pytest.mark.parametrize("far", [2_000, 20_000])
def test_precision_far_from_the_origin(device, transport, far):
    """0.12 mm at 2 km, 2 mm at 20 km; one row is in full precision wherever it is."""
    world = World(200)
    slots = world.tables.slots_of(world.owners)
    columns = np.tile(np.eye(4, dtype="f4"), (len(slots), 1, 1))
    columns[:, 3, 1] = far
    world.tables.patch(slots, columns)
    world.clusters.refit(slots)
    live, oracle = LiveDevice(world.tables, world.clusters, world.options, transport), Oracle(world, "")
    words = check(live.view(), oracle, a_view(world, 0), live)
    levels = unpack(words)["precision"][world.tables.alive]
    assert set(levels.tolist()) == {status.FULL, status.ADEQUATE if far == 2_000 else status.COARSE}


def test_only_the_changed_rows_travel_in_tables_that_are_kept(device, transport):
    world = World(20_000)
    live = LiveDevice(world.tables, world.clusters, world.options, transport)
    before = {table.name: table.read_words() for table in live.streams.written}
    assert live.upload([]).bytes == 0
    slots = world.edit(40)
    upload = live.upload(slots)
    blocks = live.block_boxes().nbytes if live.tree_tables.block_boxes else 0
    leaves = live.gpu_tree.leaf_nodes.size * 32
    assert 64 < len(slots) <= 128 and not upload.whole
    assert upload.bytes == 128 * LIVE_UPDATE.stride + leaves + blocks
    rows = {"instance_transforms": slots, "instance_data": slots, "lod_inputs": slots}
    for table in live.streams.written:
        differs = (table.read_words() != before[table.name]).reshape(world.tables.capacity, -1).any(axis=1)
        assert set(np.flatnonzero(differs)) <= set(rows.get(table.name, world.clusters.positions[slots]).tolist())
    tables = dict(live._updates._passes)
    live.upload(world.edit(40))
    assert live._updates._passes == tables


def test_dispatches_are_counted_and_nothing_else_is_queued(device, transport, monkeypatch):
    made, dispatch = [], gpu.compute.dispatch
    monkeypatch.setattr(gpu.compute, "dispatch", lambda *arguments: (made.append(1), dispatch(*arguments)))
    monkeypatch.setattr("gpuscene.device.live.scene.has_ballot", lambda library: False)  # its trial is nobody's
    world = World()
    live = LiveDevice(world.tables, world.clusters, world.options, transport)
    views = [live.view(), live.view()]

    def counted():
        assert len(made) == live.dispatches + sum(view.dispatches for view in views)
        return len(made)

    camera, ages = a_view(world, 0), np.zeros(len(live.block_boxes()), int)
    some = np.arange(len(ages)) % 2 == 0
    before = counted()
    live.upload([])
    assert counted() == before
    for work in (lambda: views[0].cull(camera), lambda: views[0].cull(camera, due=some), lambda: views[0].classify(camera, ages),
                 lambda: live.upload(world.edit(5))):
        other = views[1].dispatches
        work()
        assert counted() > before and views[1].dispatches == other
        before = counted()
    live.upload(world.edit(400), whole=True)
    before = counted()
    views[0].stats(), views[0].visible_rows(), views[0].status_rows()
    assert counted() == before


def test_two_views_keep_their_own_results(device, transport):
    world = World()
    live = LiveDevice(world.tables, world.clusters, world.options, transport)
    views, oracles = [live.view(), live.view()], [Oracle(world, ""), Oracle(world, "")]
    cameras = [a_view(world, 1), a_view(world, 2)]
    for view, oracle, camera in zip(views, oracles, cameras):
        view.cull(camera)
        oracle.cull(camera)
    assert not np.array_equal(oracles[0].visible, oracles[1].visible)
    for view, oracle in zip(views, oracles):
        assert np.array_equal(view.visible_rows(), oracle.visible)


@pytest.mark.parametrize("forced", [0, 2])
@pytest.mark.parametrize("group_size", [64, 256])
def test_options_act(device, forced, group_size):
    options = LiveOptions(forced_lod=forced, group_size=group_size, bounds_scale=1.5, cull_distance=12.0)
    world = World(options=options, limited=False)
    live, oracle = LiveDevice(world.tables, world.clusters, world.options), Oracle(world, "")
    assert live.mapping.group_size == group_size
    words = check(live.view(), oracle, a_view(world, 3), live)
    assert (words & 7 == status.DISTANCE).any()
    assert oracle.lod[oracle.visible].max() == forced


@pytest.mark.parametrize("mapping", [None, Mapping("transpose", 128, 4)], ids=["best", "transpose"])
@pytest.mark.parametrize("primitives", [1, 5], ids=["in culling order", "in the order of slots"])
def test_blocks_that_are_not_due_keep_their_answers(device, transport, primitives, mapping, monkeypatch):
    if mapping is not None:  # as GPUs have it
        monkeypatch.setattr(Mapping, "best", lambda *arguments: mapping)
    world = World(30_000, primitives=primitives)
    live = LiveDevice(world.tables, world.clusters, world.options, transport)
    twin = CpuDevice(world.tables, world.clusters, world.options)
    twin.block_words = live.block_words
    view, twin_view, visible = live.view(), twin.view(), None
    block = world.clusters.positions.astype(int) // (32 * live.block_words)
    blocks = len(live.block_boxes())
    assert blocks > 8
    rng, kept = np.random.default_rng(1), 0
    for frame in range(5):
        camera = a_view(world, frame)
        due = np.ones(blocks, bool) if frame == 0 else rng.random(blocks) < 0.4
        now = decide.instance_visible(camera, world.tables.bounds)
        visible = now if visible is None else np.where(due[block], now, visible)
        kept += np.count_nonzero(visible != now)
        view.cull(camera, due=due)
        twin_view.cull(camera, due=due)
        assert np.array_equal(view.visible_rows(), visible) and np.array_equal(twin_view.visible_rows(), visible)
        assert np.array_equal(view.lod_rows(), twin_view.lod_rows()) and view.stats() == twin_view.stats()
        ages = np.where(due, 0, frame)
        view.classify(camera, ages)
        twin_view.classify(camera, ages)
        words = view.status_rows()
        assert np.array_equal(words, twin_view.status_rows())
        late = world.tables.bounds.drawable & now & ~visible
        assert np.array_equal(words & 7 == status.LATE, late)
    assert kept > 100


def test_a_scene_of_nothing(device, transport):
    world = World()
    world.tables.remove(world.owners)
    world.tables.compact()
    from gpuscene.core.live.clusters import LiveClusters

    world.clusters = LiveClusters(world.tables.bounds, world.options, world.tables.alive)
    live = LiveDevice(world.tables, world.clusters, world.options, transport)
    view = live.view()
    view.cull(a_view(world, 0))
    view.classify(a_view(world, 0), np.zeros(len(live.block_boxes()), int))
    assert view.stats().visible == 0 and not view.visible_rows().any() and (view.status_rows() == status.FREE).all()
