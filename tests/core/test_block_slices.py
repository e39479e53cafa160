"""Slices over blocks: ages, budget, what must go, and what a slow camera path saves; by counted work."""

import numpy as np
import pytest
from bounds_factory import terrain
from gpuscene.core.cluster_tree import build, insert
from gpuscene.core.culling.camera import CullView
from gpuscene.core.culling.decide import box_inside, box_outside, instance_visible
from gpuscene.core.culling.gpu_tree import GpuTree
from gpuscene.core.culling.projection import camera, perspective
from gpuscene.core.schedule.blocks import NEVER, BlockSlices, BlockWeights

WORDS = 4  #: to a block, so 128 instances


@pytest.fixture(scope="module")
def scene():
    bounds = terrain(40_000, 3)
    return bounds, GpuTree.of(build(bounds, "spatial", 64))


def schedule_of(tree, slices, **options):
    return BlockSlices.of(tree.block_boxes(WORDS), len(tree.order), tree.built_count, WORDS * 32, slices, **options)


def looking(angle, bounds, eye=(200, 200, 8)):
    target = np.array(eye) + (np.cos(angle), np.sin(angle), -0.05)
    return CullView.of(camera("c", perspective(0.7, 1.6, 0.1, 160), eye, target), bounds.extent)


def cost_of(schedule, view):
    """By its definition."""
    partial = ~box_outside(view, schedule.box_min, schedule.box_max) & ~box_inside(view, schedule.box_min, schedule.box_max)
    return np.where(partial | schedule.loose, np.maximum(schedule.counts, 1), 1)


@pytest.mark.parametrize("slices", [2, 3, 4, 7])
@pytest.mark.parametrize("seed", range(3))
def test_ages_budget_and_musts_along_random_paths(scene, slices, seed):
    """A camera that turns, jumps and rests, while random blocks are touched and all is invalidated now and then."""
    bounds, tree = scene
    rng, schedule = np.random.default_rng(seed), schedule_of(tree, slices)
    age, angle, everything = np.full(len(schedule), 10 ** 6), 0.0, True
    for frame in range(60):
        angle += rng.choice([0.0, 0.01, 0.3, 2.0])
        view, touched = looking(angle, bounds), rng.random(len(schedule)) < rng.choice([0, 0.02])
        schedule.touch(np.flatnonzero(touched))
        if rng.random() < 0.05:
            schedule.invalidate()
            everything = True
        must = touched | everything | (age >= schedule.max_age)
        due = schedule.due(view)
        cost = cost_of(schedule, view)
        np.testing.assert_array_equal(schedule.cost, cost)
        assert due[must].all()
        assert cost[due].sum() <= cost.sum() / slices + cost.max() + cost[must].sum()
        age = np.where(due, 0, age + 1)
        np.testing.assert_array_equal(schedule.age, age)
        assert age.max() <= schedule.max_age == 2 * slices - 1
        everything = False


def test_one_slice_is_everything_in_every_frame(scene):
    bounds, tree = scene
    schedule = schedule_of(tree, 1)
    for frame in range(4):
        assert schedule.due(looking(frame, bounds)).all() and not schedule.age.any()


def test_first_frame_touched_and_invalidated(scene):
    bounds, tree = scene
    schedule, view = schedule_of(tree, 5), looking(0, bounds)
    assert (schedule.age == NEVER).all() and schedule.due(view).all()
    assert not schedule.due(view).all()
    resting = np.flatnonzero(schedule.age > 0)[:3]
    schedule.touch(resting)
    assert not schedule.is_settled and schedule.due(view)[resting].all()
    schedule.invalidate()
    assert schedule.due(view).all() and not schedule.age.any()


def answers(schedule, tree, bounds, views):
    """Run `views`; work of each frame and of refreshing everything in it, instances wrong in each, and those visible."""
    blocks = np.arange(len(tree.order)) // (WORDS * 32)
    kept, out = np.zeros(len(tree.order), bool), []
    for view in views:
        due = schedule.due(view)
        truth = instance_visible(view, bounds)[tree.order]
        kept = np.where(due[blocks], truth, kept)
        cost = cost_of(schedule, view)
        out.append((cost[due].sum(), cost.sum(), np.count_nonzero(kept != truth), np.count_nonzero(truth)))
    return np.array(out).T


def test_a_slow_path_saves_most_of_the_work(scene):
    """Counted as at one slice, full first frame included; and what is wrong meanwhile is little."""
    bounds, tree = scene
    views = [looking(0.006 * frame, bounds) for frame in range(60)]
    work, full, wrong, visible = answers(schedule_of(tree, 3), tree, bounds, views)
    assert work[0] == full[0]
    assert 1 - work.sum() / full.sum() >= 0.6
    assert wrong.sum() < 0.03 * visible.sum()
    once = answers(schedule_of(tree, 1), tree, bounds, views)
    assert np.array_equal(once[0], once[1]) and np.array_equal(once[1], full) and not once[2].any()


def test_whole_blocks_that_came_in_or_went_out_go_first(scene):
    """On a fast path, fewer answers are wrong than without."""
    bounds, tree = scene
    views = [looking(0.1 * frame, bounds) for frame in range(60)]
    wrong = [answers(schedule_of(tree, 4, weights=BlockWeights(0, 0, change)), tree, bounds, views)[2].sum() for change in (4, 0)]
    assert wrong[0] < 0.9 * wrong[1]


def test_near_blocks_are_younger_than_far_ones(scene):
    """Among those on the border; with weights, and not without."""
    bounds, tree = scene
    ratio = []
    for weights in (BlockWeights(4, 4, 0), BlockWeights(0, 0, 0)):
        schedule, near, far = schedule_of(tree, 4, weights=weights), [], []
        for frame in range(80):
            view = looking(0.01 * frame, bounds)
            schedule.due(view)
            middle = (schedule.box_min + schedule.box_max).astype(float) / 2
            away, border = np.linalg.norm(middle - view.position, axis=1), schedule.cost > 1
            near += schedule.age[border & (away < 50)].tolist()
            far += schedule.age[border & (away > 100)].tolist()
        ratio.append(np.mean(near) / np.mean(far))
    assert ratio[0] < 0.7 < ratio[1]


def test_a_camera_at_rest_is_exact_and_settles(scene):
    bounds, tree = scene
    schedule = schedule_of(tree, 3)
    moving, resting = [looking(0.1 * frame, bounds) for frame in range(10)], looking(5, bounds)
    answers(schedule, tree, bounds, moving)
    current, frames = np.zeros(len(schedule), bool), 0
    while not schedule.is_settled:
        current |= schedule.due(resting)
        frames += 1
        np.testing.assert_array_equal(schedule.pending, ~current)
    assert 1 < frames <= schedule.max_age + 1
    wrong = answers(schedule_of(tree, 3), tree, bounds, [*moving, *[resting] * frames])[2]
    assert wrong[10] > 0 and wrong[-1] == 0
    schedule.due(looking(5.01, bounds))
    assert not schedule.is_settled


def test_even_turns_when_all_blocks_cost_one_and_weigh_the_same(scene):
    """From far outside, looking away: N slices refresh each block exactly every N frames."""
    bounds, tree = scene
    view = CullView.of(camera("c", perspective(1, 1, 0.1, 50), (0, 0, 500), (0, 0, 1000)), bounds.extent)
    schedule = schedule_of(tree, 4, weights=BlockWeights(0, 0, 0))
    schedule.due(view)
    for _ in range(4):
        schedule.due(view)  # the debt of the first frame
    turns = np.stack([schedule.due(view) for _ in range(8)])
    assert (turns[:4].sum(axis=0) == 1).all() and np.array_equal(turns[:4], turns[4:])


def test_a_block_dearer_than_a_share_gets_its_turn_and_is_paid_off():
    """One block crosses the border and costs all there is; three are settled."""
    low = np.array([[-1, 5, -1], [500, 5, 0], [600, 5, 0], [700, 5, 0]], "f4")
    schedule = BlockSlices(low, low + 300 * (np.arange(4) == 0)[:, None].astype("f4"), [4000, 9, 9, 9], 4)
    view = CullView.of(camera("c", perspective(1, 1, 0.1, 50), (0, 0, 0), (0, 1, 0)), 0)
    turns = np.stack([schedule.due(view) for _ in range(40)])[:, 0]
    assert schedule.cost.tolist() == [4000, 1, 1, 1]
    assert turns[0] and 40 / 7 - 1 <= turns.sum() <= 40 / 2
    assert np.diff(np.flatnonzero(turns)).max() <= schedule.max_age + 1


def test_unbuilt_rows_make_their_blocks_cross_the_border(scene):
    bounds, _ = scene
    tree = GpuTree.of(insert(build(bounds, "spatial", 64, rows=np.arange(39_000)), np.arange(39_000, 40_000)))
    schedule = schedule_of(tree, 3)
    assert schedule.counts.sum() == 40_000 and np.flatnonzero(schedule.loose)[0] == 39_000 // 128 and schedule.loose[-1]
    view = CullView.of(camera("c", perspective(1, 1, 0.1, 50), (0, 0, 500), (0, 0, 1000)), bounds.extent)
    schedule.due(view)
    np.testing.assert_array_equal(schedule.cost, np.where(schedule.loose, schedule.counts, 1))


def test_boxes_follow_a_refit(scene):
    bounds, tree = scene
    schedule, view = schedule_of(tree, 3), looking(0, bounds)
    schedule.due(view)
    shift = np.float32(10_000)
    schedule.set_boxes(schedule.box_min + shift, schedule.box_max + shift)
    schedule.due(view)
    assert (schedule.cost == 1).all()  # all of it is out of the view's reach now


def test_nothing_to_schedule_and_no_slices():
    empty = BlockSlices(np.zeros((0, 3)), np.zeros((0, 3)), [], 3)
    view = CullView.of(camera("c", perspective(1, 1, 0.1, 50), (0, 0, 0), (0, 1, 0)), 0)
    assert len(empty.due(view)) == 0 and empty.is_settled
    with pytest.raises(ValueError, match="0 slices"):
        BlockSlices(np.zeros((0, 3)), np.zeros((0, 3)), [], 0)
