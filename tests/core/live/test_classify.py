"""Status words against a plain loop over instances, and precision against numpy's own spacing."""

import numpy as np
import pytest
from cull_scenes import SCENES, cull_scene, random_camera
from gpuscene.core import layout
from gpuscene.core.culling.bounds import instance_bounds
from gpuscene.core.culling.camera import CullView
from gpuscene.core.culling.decide import instance_visible
from gpuscene.core.culling.lod_select import LodInputs, select
from gpuscene.core.culling.oracle import exact_bounds, truth
from gpuscene.core.culling.rules import below_camera
from gpuscene.core.live import status
from gpuscene.core.live.classify import batch_numbers, classify, precision_levels, precision_limits, reasons, unpack


def first_reason(view, bounds, row, visible, keeps, alive) -> int:
    """By hand, for one row, with Python floats made of single float32 operations."""
    f = np.float32
    if not alive:
        return status.FREE
    if visible:
        return status.VISIBLE
    if not bounds.drawable[row]:
        return status.HIDDEN
    x, y, z = bounds.center[row]
    radius, limit = bounds.radius[row], bounds.cull_radius[row]
    dx, dy, dz = (c - p for c, p in zip((x, y, z), view.position))
    if limit > 0 and (dx * dx + dy * dy) + dz * dz > ((limit + radius) * (limit + radius)) * f(1 + 2.0 ** -20):
        return status.DISTANCE
    for a, b, c, d in view.outer:
        if (((a * x + b * y) + c * z) + d) + radius < 0:
            return status.FRUSTUM
        corner = [(bounds.box_max if n >= 0 else bounds.box_min)[row, i] for i, n in enumerate((a, b, c))]
        if ((a * corner[0] + b * corner[1]) + c * corner[2]) + d < 0:
            return status.FRUSTUM
    return status.LATE if keeps else status.RULE


@pytest.mark.parametrize("name", [name for name in SCENES if name != "large"])
def test_words_against_a_loop(name):
    scene = cull_scene(name)
    bounds, rng = instance_bounds(scene), np.random.default_rng(5)
    count, primitive = len(bounds), scene["instance_data"]["primitive_id"]
    full = rng.random(count) < 0.1
    inputs, seen = LodInputs.of(scene), set()
    for number in range(8):
        view = CullView.of(random_camera(rng, bounds.center.mean(axis=0), SCENES[name][1], number), bounds.extent)
        keeps = below_camera(scene, view)
        alive = rng.random(count) < 0.95
        visible = instance_visible(view, bounds) & keeps & alive
        visible ^= rng.random(count) < 0.02  # answers of earlier frames, free slots among them
        lod = select(view, bounds, inputs, np.arange(count))
        age = rng.integers(-1, 300, count)
        batch = batch_numbers(scene["primitives"], scene["lods"], primitive, lod)
        words = classify(view, bounds, visible, lod, batch, age, keeps, alive,
                         precision=precision_levels(bounds.center, 1.0, full))
        assert words.dtype == np.uint32
        got = unpack(words)
        for row in rng.permutation(count)[:300]:
            reason = first_reason(view, bounds, row, visible[row], keeps[row], alive[row])
            seen.add(reason)
            if reason == status.FREE:
                assert words[row] == status.FREE
                continue
            step = max(np.spacing(np.abs(c)) for c in bounds.center[row])
            precision = status.FULL if full[row] else int(step >= 1e-4) + int(step >= 1e-3)
            batch_row = scene["lods"]["first_batch"][scene["primitives"]["first_lod"][primitive[row]] + lod[row]]
            expected = (reason, lod[row] if visible[row] else 0, precision, age[row] if 0 <= age[row] < 255 else 255, batch_row)
            assert tuple(got[key][row] for key in ("reason", "lod", "precision", "age", "batch")) == expected
    if name == "town":
        assert seen == set(range(7))


def test_without_slices_what_is_not_visible_has_a_reason_of_this_frame():
    """The culler's own answer leaves nothing late, and each reason holds in float64 up to the documented margins."""
    scene = cull_scene("town")
    bounds, exact, rng = instance_bounds(scene), exact_bounds(scene), np.random.default_rng(8)
    for number in range(20):
        camera = random_camera(rng, bounds.center.mean(axis=0), 300, number)
        view = CullView.of(camera, bounds.extent)
        got = reasons(view, bounds, instance_visible(view, bounds))
        true = truth(camera, exact)
        assert not np.isin(got, (status.LATE, status.RULE, status.FREE)).any()
        np.testing.assert_array_equal(got == status.HIDDEN, ~bounds.drawable)
        assert (true.distance[got == status.DISTANCE] < 0).all()
        behind = true.planes.min(axis=0, initial=np.inf)
        assert (behind[got == status.FRUSTUM] < 0).all() and (true.distance[got == status.FRUSTUM] > -1e-2).all()


@pytest.mark.parametrize(("units", "fine", "coarse"), [(1.0, 1024, 16384), (100.0, 131072, 1048576), (0.01, 16, 128)])
def test_precision_limits(units, fine, coarse):
    assert precision_limits(units) == (fine, coarse)
    for limit, step in zip(precision_limits(units), (1e-4, 1e-3)):
        below = np.nextafter(limit, np.float32(0))
        assert float(np.spacing(limit)) / units >= step > float(np.spacing(below)) / units
    below = np.nextafter(np.float32(fine), np.float32(0))
    point = np.array([[0, 0, 0], [0, -fine, 0], [below, 1, 1], [1, 2, coarse], [coarse] * 3])
    assert precision_levels(point, units).tolist() == [0, 1, 0, 2, 2]
    assert precision_levels(point, units, np.arange(5) > 2).tolist() == [0, 1, 0, 3, 3]


def test_a_step_that_is_a_power_of_two_is_no_smaller_than_itself(monkeypatch):
    monkeypatch.setattr("gpuscene.core.live.classify.PRECISION_STEPS", (2.0 ** -13, 2.0 ** -10))
    assert precision_limits() == (1024, 8192)  # steps of 2**-13 and 2**-10 begin there


def test_the_largest_numbers_of_batches_and_lods_fit():
    scene = cull_scene("one")
    bounds = instance_bounds(scene)
    view = CullView.of(random_camera(np.random.default_rng(0), bounds.center[0], 1), bounds.extent)
    word = classify(view, bounds, [True], [7], [0x1FFFF], [255], precision=[status.FULL])[0]
    assert word == status.VISIBLE | 7 << 3 | 3 << 6 | 255 << 8 | 0xFFFF << 16
    flags = scene["instance_transforms"]["flags"][0]
    assert flags & layout.INSTANCE_VISIBLE and not flags & layout.INSTANCE_FULL_PRECISION
