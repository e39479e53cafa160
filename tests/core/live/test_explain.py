"""Explanations against the culler's own decisions, against classify, and against what happens when their advice is followed."""

import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from cull_scenes import SCENES, cull_scene, random_camera
from gpuscene.core import layout
from gpuscene.core.cluster_tree import build
from gpuscene.core.conventions import PRESETS
from gpuscene.core.culling.bounds import InstanceBounds, instance_bounds
from gpuscene.core.culling.camera import CullView
from gpuscene.core.culling.decide import instance_visible
from gpuscene.core.culling.lod_select import LodInputs, select
from gpuscene.core.culling.projection import camera, orthographic, perspective
from gpuscene.core.culling.rules import below_camera
from gpuscene.core.live import status
from gpuscene.core.live.classify import reasons
from gpuscene.core.live.clusters import LiveClusters
from gpuscene.core.live.explain import explain
from gpuscene.core.live.options import LiveOptions
from gpuscene.core.live.rows import LiveRows
from gpuscene.core.live.tables import LiveTables
from gpuscene.core.primitive_tables import PrimitiveTables
from gpuscene.core.scene import DEFAULT_CHANNELS, Channel, SceneData

CODES = {"Visibility": status.HIDDEN, "Distance": status.DISTANCE, "Sphere": status.FRUSTUM, "Box": status.FRUSTUM,
         "Rule": status.RULE, "Slot": status.FREE}


def tables_of(scene: SceneData, bounds=None, options=LiveOptions(), alive=None):
    """The attributes of `LiveTables` that are read, of a scene that nothing follows."""
    bounds = instance_bounds(scene, options.bounds_scale) if bounds is None else bounds
    if options.cull_distance:
        own = bounds.cull_radius
        bounds = replace(bounds, cull_radius=np.where(own > 0, own, np.float32(options.cull_distance)).astype("f4"))
    count = scene.instance_count
    return SimpleNamespace(
        convention=scene.convention, channels=DEFAULT_CHANNELS, options=options, capacity=count, bounds=bounds,
        transforms=scene["instance_transforms"], data=scene["instance_data"], keys=np.arange(count, dtype=np.uint64),
        sources=scene["instance_sources"], names=list(scene.sources), alive=np.ones(count, bool) if alive is None else alive,
        capacity_scene=lambda: scene)


def clusters_of(bounds, cluster_size=32):
    """A tree, and the way down to a row's leaf by its parents."""
    tree = build(bounds, "sah", cluster_size)

    def path_of(row):
        leaf = int(tree.leaves_at(np.array([tree.reorder[row]]))[0])
        path = [leaf]
        while tree.parent[path[0]] >= 0:
            path.insert(0, int(tree.parent[path[0]]))
        return path

    return SimpleNamespace(tree=tree, path_of=path_of)


def one_box(center, half=1.0, *, cull_radius=0.0, units=1.0, bias=0.0, **options):
    """One cube about `center`, its sphere around it, in a scene of `units` to the metre; and its tables."""
    scene = cull_scene("one", cull_radius=False)
    data = scene["instance_data"].copy()
    data["custom_data"][:, 0, 0], data["custom_data"][:, 0, 1] = cull_radius, bias
    convention = replace(PRESETS["blender"], units_per_metre=units)
    scene = SceneData({**scene.tables, "instance_data": data}, convention, scene.primitive_names, scene.sources)
    center, half = np.array([center], "f4"), np.float32(half)
    bounds = InstanceBounds(center, np.array([half], "f4"), center - half, center + half, np.array([cull_radius], "f4"),
                            np.ones(1, bool))
    return tables_of(scene, bounds, LiveOptions(**options))


def ahead(near=1.0, far=101.0, units=1.0, lens=perspective):
    """Looks along y from the origin, 90 degrees wide and high; lengths in metres."""
    return CullView.of(camera("c", lens(2.0, 1.0, near * units, far * units), (0, 0, 0), (0, 1, 0)), 0)


def test_of(explanation, name):
    return next(test for test in explanation.tests if test.name == name)


test_of.__test__ = False


@pytest.mark.parametrize("name", [name for name in SCENES if name != "large"])
@pytest.mark.parametrize("stale", [False, True])
def test_drawn_and_reason_are_those_of_the_culler(name, stale):
    """Random cameras, radii, hidden, invalid and free rows, with a rule; fresh answers and answers of an earlier frame."""
    scene, rng = cull_scene(name), np.random.default_rng(len(name))
    bounds, count = instance_bounds(scene), scene.instance_count
    alive = rng.random(count) < 0.95
    tables = tables_of(scene, bounds, LiveOptions(rule="return true;", slices=3), alive)
    clusters, seen = clusters_of(bounds), set()
    for number in range(12):
        view = CullView.of(random_camera(rng, bounds.center.mean(axis=0), SCENES[name][1], number), bounds.extent)
        keeps = below_camera(scene, view)
        visible = instance_visible(view, bounds) & keeps & alive
        if stale:
            visible ^= (rng.random(count) < 0.3) & alive
        expected = reasons(view, bounds, visible, keeps, alive)
        for row in rng.permutation(count)[:60].tolist():
            given = bool(visible[row]) if stale or number % 2 else None
            got = explain(tables, clusters, view, row, visible=given, rule_keeps=bool(keeps[row]), age=2 * stale)
            assert got.drawn == visible[row] and got.code == expected[row]
            assert bool(got.remedy) == (got.code != status.VISIBLE or stale and not expected_fresh(view, bounds, row, keeps))
            check_sentences(got)
            check_tests(got, stale)
            seen.add(got.code)
    if name == "town":
        assert seen == set(range(7)) - (set() if stale else {status.LATE})


def expected_fresh(view, bounds, row, keeps):
    return bool(instance_visible(view, bounds, np.array([row]))[0] and keeps[row])


def check_sentences(got):
    for text in (got.reason, got.remedy, *(test.text for test in got.tests)):
        if text:
            assert text[0].isupper() and text.endswith(".") and "nan" not in text and "inf" not in text.replace("infinite", "")
    assert got.reason.startswith("Drawn") == got.drawn


def check_tests(got, stale):
    """The first failed test is the reason, unless the answer is of an earlier frame; numbers have the sign of the decision."""
    failed = [test for test in got.tests if not test.passed]
    if not stale:
        assert got.drawn == (not failed)
    if got.code not in (status.VISIBLE, status.LATE):
        assert CODES[failed[0].name] == got.code
    elif got.code == status.LATE:
        assert not failed
    for test in got.tests:
        if "at the border" in test.text:
            continue
        if test.name == "Distance":
            assert (test.value <= test.limit) == test.passed
        elif test.name in ("Sphere", "Box") and test.limit == 0:
            assert (test.value >= 0) == test.passed
    path = next((test for test in got.tests if test.name == "Clusters"), None)
    if path is not None and not stale and got.drawn:
        assert "outside" not in path.text


def test_without_a_culler_the_answer_is_that_of_the_exact_test():
    scene = cull_scene("few")
    tables, rng = tables_of(scene), np.random.default_rng(1)
    for number in range(20):
        view = CullView.of(random_camera(rng, np.zeros(3), 5, number), tables.bounds.extent)
        expected = instance_visible(view, tables.bounds)
        assert [explain(tables, None, view, row).drawn for row in range(33)] == expected.tolist()


@pytest.mark.parametrize("units", [1.0, 100.0])
@pytest.mark.parametrize(("center", "plane", "behind"), [
    ((-30, 20, 0), "left", 50 ** 0.5 - 1), ((30, 20, 0), "right", 50 ** 0.5 - 1), ((0, 20, -30), "bottom", 50 ** 0.5 - 1),
    ((0, 20, 30), "top", 50 ** 0.5 - 1), ((0, -5, 0), "near", 5.0), ((0, 110, 0), "far", 8.0)])
def test_the_plane_and_the_metres_by_hand(units, center, plane, behind):
    """A cube of 2 m outside each plane in turn; its sphere touches its faces, so it lies farther behind than the box's corner."""
    tables = one_box(np.array(center) * units, units, units=units)
    got = explain(tables, None, ahead(units=units), 0)
    test = test_of(got, "Sphere")
    assert not got.drawn and got.code == status.FRUSTUM
    assert test.value == pytest.approx(-behind, rel=2e-5) and test.limit == 0 and not test.passed
    assert f"{behind:.3g} m behind the {plane} plane" in test.text and f"{behind:.3g} m behind the {plane} plane" in got.reason
    box = test_of(got, "Box")
    sideways = plane not in ("near", "far")
    assert box.value == pytest.approx(-(behind + 1 - 2 ** 0.5) if sideways else -behind, rel=2e-5)
    if sideways:
        assert "Turn the view" in got.remedy and "Focal Length" in got.remedy
    else:
        amount = float(re.search(r"Clip \w+ by ([\d.]+) m", got.remedy).group(1))
        assert behind <= amount < behind * 1.01


def test_what_lies_behind_two_planes_says_so():
    got = explain(one_box((-30, 110, 0)), None, ahead(), 0)
    assert "behind the far plane" in got.reason and "left" not in got.reason
    got = explain(one_box((-130, 110, 0)), None, ahead(), 0)
    assert "m behind the left plane of the frustum, and behind the far plane too" in got.reason


def test_what_passes_says_how_near_it_was_to_being_dropped():
    got = explain(one_box((0, 99, 0)), None, ahead(), 0)
    assert got.drawn and got.reason == "Drawn: it passes every test." and got.remedy == ""
    test = test_of(got, "Box")
    assert test.value == pytest.approx(3, rel=1e-4) and "3 m inside the far plane, the nearest of 6" in test.text


@pytest.mark.parametrize(("units", "own"), [(1.0, True), (100.0, True), (1.0, False), (100.0, False)])
def test_distance_by_hand_and_its_advice_followed(units, own):
    """Centre 60 m away, radius 1 m, cull radius 50 m: 9 m too far."""
    limit = 50 * units
    tables = one_box((0, 60 * units, 0), units, units=units, cull_radius=limit if own else 0, cull_distance=0.0 if own else limit)
    view = ahead(units=units)
    got = explain(tables, None, view, 0)
    test = test_of(got, "Distance")
    assert got.code == status.DISTANCE and (test.value, test.limit) == pytest.approx((59, 50), rel=1e-6)
    assert "59 m from the camera, 9 m past the cull radius of 50 m" in got.reason
    number = float(re.search(r"to ([\d.]+)", got.remedy).group(1))
    if own:
        assert "gpuscene_cull_radius" in got.remedy
        again = one_box((0, 60 * units, 0), units, units=units, cull_radius=number)
    else:
        assert "Cull Distance in GPUScene > Culling" in got.remedy and "gpuscene_cull_radius" in got.remedy
        again = one_box((0, 60 * units, 0), units, units=units, cull_distance=number * units)
    after = explain(again, None, view, 0)
    assert after.drawn and test_of(after, "Distance").value == pytest.approx(59, rel=1e-6)
    assert test_of(after, "Distance").limit < 59 * 1.02


@pytest.mark.parametrize(("channels", "text"), [
    ((Channel(0, "cull_radius", "property", "reach"),), "Raise this object's reach to 59.1 or more"),
    ((Channel(0, "cull_radius", "constant", default=50.0),),
     "Raise the constant cull_radius in GPUScene > Custom Data to 59.1 or more"),
    ((Channel(4, "phase", "property", "phase"),), "Raise this object's cull_radius to 59.1 or more")])
def test_the_channel_that_gives_the_radius_is_named(channels, text):
    tables = one_box((0, 60, 0), cull_radius=50)
    tables.channels = channels
    assert explain(tables, None, ahead(), 0).remedy.startswith(text)


@pytest.mark.parametrize("whose", ["view", "scene", "frozen"])
@pytest.mark.parametrize("lens", [perspective, orthographic])
def test_the_setting_named_is_that_of_the_culling_camera(whose, lens):
    view, boxes = ahead(lens=lens), (one_box((-300, 20, 0), 0.1), one_box((0, 110, 0), 0.1))
    side, far = (explain(box, None, view, 0, camera=whose) for box in boxes)
    expected = {"view": "Turn the view", "scene": "Turn the scene camera", "frozen": "Unfreeze and Freeze again"}[whose]
    assert side.remedy.startswith(expected) and ("Focal Length" in side.remedy) == (lens is perspective)
    place = {"view": "in the sidebar's View tab", "scene": "in the camera's Lens panel", "frozen": "and Freeze again"}[whose]
    assert re.match(rf"Raise Clip End by [\d.]+ m or more {place}, or move closer", far.remedy)


def test_following_the_bounds_scale_brings_it_into_view():
    """Every instance that the text says a larger Bounds Scale would keep is kept with it."""
    scene, rng, followed = cull_scene("few", cull_radius=False), np.random.default_rng(4), 0
    tables = tables_of(scene)
    for number in range(30):
        view = CullView.of(random_camera(rng, np.zeros(3), 5, number), tables.bounds.extent)
        outside = np.flatnonzero(reasons(view, tables.bounds, instance_visible(view, tables.bounds)) == status.FRUSTUM)
        for row in outside:
            scale = re.search(r"Bounds Scale in GPUScene > Culling to ([\d.]+)", explain(tables, None, view, int(row)).remedy)
            if scale:
                grown = instance_bounds(scene, float(scale.group(1)))
                assert instance_visible(view, grown, np.array([row]))[0]
                followed += 1
    assert followed > 20


def test_borders_say_so_and_the_decision_wins():
    """Spheres moved to touch a plane, as nearly as float32 can say."""
    rng, said = np.random.default_rng(0), set()
    for number in range(600):
        view = CullView.of(camera("c", perspective(2.0, 1.0, 1, 200), (0, 0, 0), rng.normal(size=3)), 0)
        plane, point = view.outer[number % 4].astype(float), rng.uniform(-90, 90, 3)
        point -= plane[:3] * (point @ plane[:3] + plane[3] + 1) / (plane[:3] @ plane[:3])
        tables = one_box(point, cull_radius=float(np.linalg.norm(point)) - 1)
        got = explain(tables, None, view, 0)
        assert got.drawn == instance_visible(view, tables.bounds)[0] and got.reason.startswith("Drawn") == got.drawn
        for name, limit in (("Sphere", 0.0), ("Distance", float(tables.bounds.cull_radius[0]))):
            test = test_of(got, name)
            border = "at the border" in test.text
            said.add((name, border, test.passed))
            assert border == (((test.value <= limit) if name == "Distance" else (test.value >= 0)) != test.passed)
    assert {("Sphere", border, passed) for border in (True, False) for passed in (True, False)} <= said
    assert ("Distance", True, True) in said


@pytest.mark.parametrize(("distance", "lod", "text"), [
    (3.0, 0, "It covers 33.3 % of the view's height; LOD 0 of 3 is used from 25 % up, give or take 5 % of that."),
    (5.0, 1, "It covers 20 % of the view's height; LOD 1 of 3 is used from 12.5 % up and below 25 %, give or take 5 % of that."),
    (10.0, 2, "It covers 10 % of the view's height; LOD 2 of 3 is used below 12.5 %, give or take 5 % of that.")])
def test_screen_size_and_level_by_hand(distance, lod, text):
    tables = with_levels(one_box((0, distance, 0)), (0.25, 0.125), 0.05)
    test = test_of(explain(tables, None, ahead(), 0), "Level of Detail")
    assert test.text == text and test.value == pytest.approx(1 / distance, rel=1e-6)


def with_levels(tables, sizes, hysteresis):
    """One primitive with levels below `sizes`."""
    scene = tables.capacity_scene()
    primitives, lods, data = scene["primitives"].copy(), scene["lods"].copy()[:3], tables.data.copy()
    primitives["first_lod"], primitives["lod_count"] = 0, len(sizes) + 1
    lods["screen_size_in"], lods["hysteresis"] = [3.4e38, *sizes], hysteresis
    data["primitive_id"] = 0
    tables.data, tables.capacity_scene = data, lambda: {"primitives": primitives, "lods": lods}
    return tables


def test_bias_force_and_band_of_a_level():
    level = lambda tables, **given: test_of(explain(tables, None, ahead(), 0, **given), "Level of Detail").text  # noqa: E731
    biased = with_levels(one_box((0, 3, 0), bias=0.5, lod_bias=0.5), (0.25, 0.125), 0.05)
    assert "33.3 % of the view's height, counted as 16.7 % by an LOD bias of +1; LOD 1 of 3 is used" in level(biased)
    forced = with_levels(one_box((0, 3, 0), forced_lod=7), (0.25, 0.125), 0.05)
    assert level(forced).endswith("LOD 2 of 3 is used because Forced LOD in GPUScene > Culling is 7.")
    plain = with_levels(one_box((0, 3.9, 0)), (0.25, 0.125), 0.05)
    assert "held there by the switch's band (a fresh choice is LOD 0)" in level(plain, lod=1)
    assert "chosen when it was last tested (a fresh choice is LOD 0)" in level(plain, lod=2)
    hidden = with_levels(one_box((0, -9, 0)), (0.25, 0.125), 0.05)
    assert "would be used" in level(hidden)


def test_the_level_named_is_the_one_chosen():
    scene, rng = cull_scene("town"), np.random.default_rng(9)
    tables, inputs = tables_of(scene, options=LiveOptions(lod_bias=-1.0)), LodInputs.of(scene, -1.0)
    for number in range(4):
        view = CullView.of(random_camera(rng, np.zeros(3), 300, number), tables.bounds.extent)
        for row in rng.integers(0, scene.instance_count, 40).tolist():
            text = test_of(explain(tables, None, view, row), "Level of Detail").text
            assert f"LOD {select(view, tables.bounds, inputs, np.array([row]))[0]}" in text


def test_orthographic_size_does_not_shrink_with_distance():
    for distance in (3, 90):
        test = test_of(explain(one_box((0, distance, 0), 0.25), None, ahead(lens=orthographic), 0), "Level of Detail")
        assert test.value == pytest.approx(0.25)


def test_hidden_invalid_and_free_are_told_apart():
    scene = cull_scene("few")
    transforms = scene["instance_transforms"].copy()
    transforms["flags"][:4] = (layout.INSTANCE_VALID, layout.INSTANCE_VISIBLE, 0, layout.INSTANCE_VALID | layout.INSTANCE_VISIBLE)
    transforms["x_axis"][3] = np.inf
    scene = SceneData({**scene.tables, "instance_transforms": transforms}, scene.convention, scene.primitive_names, scene.sources)
    tables = tables_of(scene, alive=np.arange(33) != 2)
    got = [explain(tables, None, ahead(), row) for row in range(4)]
    assert [g.code for g in got] == [status.HIDDEN, status.HIDDEN, status.FREE, status.HIDDEN]
    assert "hidden in Blender" in got[0].reason and "Outliner" in got[0].remedy
    assert all("not finite" in g.reason and "Item tab" in g.remedy for g in (got[1], got[3]))
    assert got[2].subject == "Free slot 2" and [test.name for test in got[2].tests] == ["Slot"]
    assert test_of(got[0], "Flags").text == "Valid (0x02)."


def test_rules():
    tables, view = one_box((0, 10, 0), rule="return false;"), ahead()
    dropped = explain(tables, None, view, 0, rule_keeps=False, rule_name="below_camera")
    assert dropped.code == status.RULE and dropped.reason == "Not drawn: the custom rule below_camera drops it."
    assert "Rule in GPUScene > Culling" in dropped.remedy
    assert explain(tables, None, view, 0, visible=False).code == status.RULE  # nothing else could have dropped it
    kept = explain(tables, None, view, 0, visible=True)
    assert kept.drawn and test_of(kept, "Rule").text == "The custom rule keeps it."
    behind = explain(one_box((0, -10, 0), rule="return false;"), None, view, 0, visible=False)
    assert behind.code == status.FRUSTUM and "not asked" in test_of(behind, "Rule").text
    left_out = explain(tables, None, view, 0, visible=True, rule_keeps=True, rule_runs=False)
    assert left_out.drawn and "left out" in test_of(left_out, "Rule").text
    assert "no custom rule" in test_of(explain(one_box((0, 10, 0)), None, view, 0), "Rule").text


def test_age_and_late_answers():
    tables = one_box((0, 10, 0), slices=3)
    late = explain(tables, None, ahead(), 0, visible=False, age=2)
    assert late.code == status.LATE and not late.drawn
    assert "2 frames old" in late.reason and "Slices in GPUScene > Live" in late.remedy
    stale = explain(one_box((0, -10, 0), slices=3), None, ahead(), 0, visible=True, age=1)
    assert stale.drawn and "1 frame old" in stale.reason and "drop it" in stale.reason
    assert test_of(stale, "Age").text == "The answer is 1 frame old; Slices in GPUScene > Live is 3."
    assert test_of(explain(tables, None, ahead(), 0, visible=False, age=-1), "Age").text == "It has not been tested yet."


def test_clusters_from_the_root_to_the_leaf():
    scene = cull_scene("town")
    tables = tables_of(scene)
    clusters = clusters_of(tables.bounds)
    view = CullView.of(random_camera(np.random.default_rng(2), np.zeros(3), 300), tables.bounds.extent)
    nodes = clusters.tree.nodes
    for row in (0, 777, 2047):
        test = test_of(explain(tables, clusters, view, row), "Clusters")
        steps = re.findall(r"(\d+) (inside|partial|outside)", test.text)
        path = [int(node) for node, _ in steps]
        assert path[0] == 0 and all(clusters.tree.parent[b] == a for a, b in zip(path, path[1:]))
        leaf = nodes[path[-1]]
        count = int(leaf["count"] & 0x7FFFFFFF)
        assert row in clusters.tree.sorted_instances[leaf["first"]:leaf["first"] + count]
        assert f"holds {count} instance" in test.text
        for node, state in steps:  # by all eight corners, in float64
            box = [nodes[int(node)][name].astype(float) for name in ("box_min", "box_max")]
            corners = np.stack(np.meshgrid(*np.stack(box, axis=1))).reshape(3, -1).T
            distances = corners @ view.outer[:, :3].T.astype(float) + view.outer[:, 3]
            out, all_in = (distances < 0).all(axis=0).any(), (distances >= 0).all()
            assert state == ("outside" if out else "inside" if all_in else "partial")
    loose = SimpleNamespace(tree=clusters.tree, path_of=lambda row: [])
    assert "in no cluster" in test_of(explain(tables, loose, view, 0), "Clusters").text


@pytest.mark.parametrize(("x", "text"), [
    (10, "are under 0.001 mm apart here, 10 m"), (2000, "0.122 mm apart here, 2,000 m"), (2e5, "0.0156 m apart here, 200.0 km")])
def test_precision(x, text):
    test = test_of(explain(one_box((0, x, 0)), None, ahead(), 0), "Precision")
    assert text in test.text and test.value == pytest.approx(float(np.spacing(np.float32(x))))


def test_a_panoramic_camera_has_no_planes():
    view = CullView.of(random_camera(np.random.default_rng(0), np.zeros(3), 5, 49), 0)
    got = explain(one_box((0, 5, 0)), None, view, 0)
    assert got.drawn and "panoramic" in test_of(got, "Sphere").text


def test_a_slot_that_does_not_exist():
    with pytest.raises(IndexError, match="slot 1 of 1"):
        explain(one_box((0, 5, 0)), None, ahead(), 1)


def live_tables(scene, options):
    """`LiveTables` of a random scene: every tenth object hidden, then every seventh removed; and clusters made before that."""
    lods, tables = scene["lods"], scene.tables
    vertex_starts, first = np.unique(lods["base_vertex"], return_index=True)
    store = PrimitiveTables(
        {name: tables[name] for name in ("primitives", "lods", "batches", "indirect_args", "vertex_positions", "vertex_normals",
                                         "vertex_uvs", "indices")},
        scene.primitive_names, scene.materials, np.append(vertex_starts, len(tables["vertex_positions"])).astype(np.int64),
        np.append(lods["first_index"][first], len(tables["indices"])).astype(np.int64))
    count, rng = scene.instance_count, np.random.default_rng(3)
    keys = rng.permutation(10 * count)[:count].astype(np.uint64)
    owners = np.repeat(np.arange(count), 5)[:count].astype(np.uint64)
    live = LiveTables.build(LiveRows(keys, owners, scene["instance_sources"], scene.sources, scene["instance_transforms"],
                                     scene["instance_data"]), store, scene.convention, DEFAULT_CHANNELS, options)
    clusters = LiveClusters(live.bounds, options, live.alive)
    live.hide(owners[::50])
    live.remove(owners[::35])
    clusters.refit(np.arange(live.capacity))
    return live, clusters


def test_of_real_live_tables_with_hidden_and_removed_rows():
    scene, rng = cull_scene("town"), np.random.default_rng(6)
    live, clusters = live_tables(scene, LiveOptions(cull_distance=150.0, bounds_scale=1.5))
    seen = set()
    for number in range(8):
        view = CullView.of(random_camera(rng, np.zeros(3), 300, number), live.bounds.extent)
        visible = instance_visible(view, live.bounds)
        codes = reasons(view, live.bounds, visible, alive=live.alive)
        for slot in rng.permutation(live.capacity)[:150].tolist():
            got = explain(live, clusters, view, slot, visible=bool(visible[slot]))
            assert (got.drawn, got.code) == (visible[slot], codes[slot])
            check_sentences(got)
            check_tests(got, False)
            seen.add(got.code)
            if got.code == status.FREE:
                assert not live.alive[slot] and got.subject == f"Free slot {slot:,}"
                continue
            assert got.subject == f"{live.names[live.sources[slot]]} (slot {slot:,})"
            assert f"key 0x{live.keys[slot]:016x}" in test_of(got, "Slot").text
            if got.code == status.DISTANCE and live.data["custom_data"][slot, 0, 0] <= 0:
                assert "Cull Distance in GPUScene > Culling" in got.remedy and "150 m" in got.reason
    assert seen == {status.VISIBLE, status.HIDDEN, status.DISTANCE, status.FRUSTUM, status.FREE}
