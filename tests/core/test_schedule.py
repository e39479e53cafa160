"""Frame-sliced culling: ages, budget, priorities, and the simulator against its own every-frame reference."""

import numpy as np
import pytest
from gpuscene.core.cluster_tree import build, insert
from gpuscene.core.culling.bounds import InstanceBounds
from gpuscene.core.culling.camera import CullView
from gpuscene.core.culling.cull_tree import prepare
from gpuscene.core.culling.decide import instance_visible
from gpuscene.core.culling.projection import camera, perspective
from gpuscene.core.schedule import FrameSlices, Weights, simulate
from morton_tree import morton_tree


def field(count=20_000, seed=0) -> InstanceBounds:
    """Cubes strewn over a square of side 200."""
    rng = np.random.default_rng(seed)
    center = rng.uniform((-100, -100, -2), (100, 100, 2), (count, 3)).astype("f4")
    half = np.float32(0.3)
    return InstanceBounds(center, np.full(count, 0.6, "f4"), center - half, center + half, np.zeros(count, "f4"),
                          np.ones(count, bool))


def looking(angle, bounds, eye=(0, 0, 1)) -> CullView:
    """From the middle, towards `angle` (radians)."""
    target = np.array(eye) + (np.cos(angle), np.sin(angle), -0.02)
    return CullView.of(camera("c", perspective(0.6, 1.6, 0.1, 90), eye, target), bounds.extent)


@pytest.fixture(scope="module")
def scene():
    bounds = field()
    return bounds, prepare(build(bounds, "spatial", 32), bounds)


@pytest.mark.parametrize("by", ["cluster", "tree"])
def test_one_slice_is_the_cull_of_every_frame(scene, by):
    bounds, tree = scene
    schedule = FrameSlices(tree, slices=1, by=by)
    for frame in range(5):
        view = looking(frame, bounds)
        result = schedule.step(view, bounds)
        np.testing.assert_array_equal(result.visible, instance_visible(view, bounds))
        assert not result.age.any()


@pytest.mark.parametrize("slices", [2, 3, 5])
def test_a_camera_at_rest_is_exact_and_cheap(scene, slices):
    bounds, tree = scene
    schedule, view = FrameSlices(tree, slices), looking(0.3, bounds)
    first = schedule.step(view, bounds)
    np.testing.assert_array_equal(first.visible, instance_visible(view, bounds))  # nothing was known: everything is refreshed
    full = first.nodes_tested + first.instances_tested
    work = []
    for _ in range(4 * slices):
        result = schedule.step(view, bounds)
        np.testing.assert_array_equal(result.visible, first.visible)
        assert result.age.max() <= schedule.max_age
        work.append(result.nodes_tested + result.instances_tested)
    assert np.mean(work) <= full / slices * 1.25


def test_every_answer_is_the_truth_of_the_frame_its_age_says(scene):
    """The age of each row leads to the frame whose exact cull gave its visibility."""
    bounds, tree = scene
    schedule, history = FrameSlices(tree, 3), []
    for frame in range(25):
        view = looking(0.05 * frame, bounds)
        history.append(instance_visible(view, bounds))
        result = schedule.step(view, bounds)
        np.testing.assert_array_equal(result.visible, np.stack(history)[frame - result.age, np.arange(len(bounds))])
        assert result.age.max() <= min(frame, schedule.max_age)
    assert result.age.max() > 0


def test_without_priorities_units_of_one_cost_take_turns():
    """Clusters far outside cost one box each: N slices refresh each exactly every N frames."""
    bounds = field(4096)
    schedule = FrameSlices(prepare(morton_tree(bounds, 4), bounds), 4, weights=Weights(0, 0, 0))
    view = CullView.of(camera("c", perspective(1, 1, 0.1, 50), (0, 0, 500), (0, 0, 1000)), 1000)
    schedule.step(view, bounds)
    turns = [schedule.step(view, bounds).refreshed for _ in range(8)]
    assert len(schedule.units) == 64 and [len(t) for t in turns] == [16] * 8
    assert sorted(np.concatenate(turns[:4])) == list(range(64))
    np.testing.assert_array_equal(np.stack(turns[:4]), np.stack(turns[4:]))


@pytest.mark.parametrize("slices", [2, 3, 5])
def test_one_unit_dearer_than_a_frames_share_gets_its_turn(slices):
    """A tree of one unit costs all there is: it is refreshed in every N-th frame, when N shares are saved up."""
    bounds = field(50)
    schedule = FrameSlices(prepare(morton_tree(bounds, 64), bounds), slices)
    assert len(schedule.units) == 1
    ages = [int(schedule.step(looking(0.2, bounds), bounds).age.max()) for _ in range(3 * slices)]
    assert ages == 3 * list(range(slices))


def test_near_and_large_units_are_younger(scene):
    bounds, tree = scene
    ages = {}
    for name, weights in (("even", Weights(0, 0, 0)), ("weighted", Weights(4, 4, 0))):
        schedule, near, far = FrameSlices(tree, 4, weights=weights), [], []
        for frame in range(60):
            view = looking(0.01 * frame, bounds)
            age = schedule.step(view, bounds).age
            distance = np.linalg.norm(bounds.center[:, :2], axis=1)
            near.append(age[distance < 15].mean())
            far.append(age[distance > 60].mean())
        ages[name] = np.mean(near[10:]), np.mean(far[10:])
    assert ages["weighted"][0] < 0.6 * ages["even"][0]
    assert ages["weighted"][0] < 0.6 * ages["weighted"][1]


def test_what_the_user_touches_is_refreshed_at_once(scene):
    bounds, tree = scene
    schedule = FrameSlices(tree, 6, weights=Weights(0, 0, 100))
    view = looking(0, bounds)
    for _ in range(9):
        schedule.step(view, bounds)
    rows = np.array([5, 17_000])
    schedule.touch(rows)
    result = schedule.step(view, bounds)
    assert result.age[rows].tolist() == [0, 0] and result.age.max() > 0
    assert not schedule.touched.any()


def test_several_trees_one_of_them_with_unbuilt_rows():
    """A tree for the first thousand rows and one for the others; whole trees take turns; rows outside the trees are always
    answered in this frame.
    """
    bounds = field(3000)
    last = np.arange(2990, 3000)
    first = build(bounds, "spatial", 32, rows=np.arange(1000))
    second = insert(build(bounds, "spatial", 32, rows=np.arange(1000, 2990)), last)
    trees = [prepare(first, bounds), prepare(second, bounds)]
    schedule, history = FrameSlices(trees, 2, by="tree"), []
    assert len(schedule.units) == 2 and (schedule.units.of_row[last] == -1).all()
    for frame in range(10):
        view = looking(0.1 * frame, bounds)
        history.append(instance_visible(view, bounds))
        result = schedule.step(view, bounds)
        assert not result.age[last].any()
        np.testing.assert_array_equal(result.visible, np.stack(history)[frame - result.age, np.arange(3000)])


def test_the_simulator_counts_what_it_says(scene):
    """Its figures, from the masks of a second run."""
    bounds, tree = scene
    views = [looking(0.03 * frame, bounds) for frame in range(20)]
    report = simulate(FrameSlices(tree, 3), views, bounds)
    schedule, masks = FrameSlices(tree, 3), []
    for view in views:
        truth, got = instance_visible(view, bounds), schedule.step(view, bounds)
        masks.append(truth & ~got.visible)
        frame = report.frames[len(masks) - 1]
        assert (frame.visible, frame.missed, frame.extra) == (truth.sum(), masks[-1].sum(), (got.visible & ~truth).sum())
        assert frame.work == got.nodes_tested + got.instances_tested and frame.oldest == got.age.max()
    late = longest = 0
    for column in np.stack(masks, axis=1)[np.any(masks, axis=0)]:
        runs = "".join("x" if value else " " for value in column).split()
        late, longest = late + len(runs), max([longest, *map(len, runs)])
    assert (report.late, report.latency) == (late, longest) and late > 0
    assert report.summary()["missed"] == np.sum(masks)


def test_three_slices_save_most_of_the_work_on_a_slow_path(scene):
    bounds, tree = scene
    report = simulate(FrameSlices(tree, 3), [looking(0.005 * frame, bounds) for frame in range(60)], bounds)
    assert report.saved >= 0.6  # a count of tests, not a time; the full first frame is in it
    assert report.summary()["missed_share"] < 0.03
    assert report.latency <= FrameSlices(tree, 3).max_age


def test_nothing_to_schedule():
    bounds = field(0)
    schedule = FrameSlices(prepare(morton_tree(bounds), bounds), 3)
    result = schedule.step(looking(0, bounds), bounds)
    assert len(result.visible) == len(result.refreshed) == 0
    assert simulate(FrameSlices([], 3), [looking(0, bounds)], bounds).summary()["work_saved"] == 1


@pytest.mark.parametrize(("options", "message"), [({"slices": 0}, "0 slices"), ({"by": "instance"}, "cluster or tree")])
def test_bad_options_are_refused(scene, options, message):
    with pytest.raises(ValueError, match=message):
        FrameSlices(scene[1], **options)
