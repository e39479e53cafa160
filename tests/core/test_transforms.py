"""Composing and packing instance matrices, against float64."""

import numpy as np
import pytest
from gpuscene.core import layout, transforms
from hypothesis import given
from hypothesis import strategies as st
from scene_factory import rotations

VISIBLE, VALID, MIRRORED = layout.INSTANCE_VISIBLE, layout.INSTANCE_VALID, layout.INSTANCE_MIRRORED


def stored(linear, position=None):
    """(N, 3, 3) matrices for column vectors -> (N, 4, 4) float32, column after column."""
    out = np.zeros((len(linear), 4, 4), np.float32)
    out[:, :3, :3] = np.asarray(linear).transpose(0, 2, 1)
    out[:, 3, :3] = 0 if position is None else position
    out[:, 3, 3] = 1
    return out


def packed(columns, radius=1.0, flags=VISIBLE):
    """(records, report) of a copy."""
    columns = columns.copy()
    report = transforms.pack(columns, np.asarray(radius, np.float32), np.asarray(flags, np.uint32))
    return columns.reshape(len(columns), 16).view(layout.INSTANCE_TRANSFORM.dtype)[:, 0], report


@pytest.mark.parametrize("count", [0, 1, 8191, 8192, 8193, 4 * 8192, 4 * 8192 + 1])
def test_chunks_cover_every_row_once(count):
    seen = np.zeros(count, np.int32)

    def work(start, stop):
        seen[start:stop] += 1

    transforms.for_chunks(count, work)
    assert (seen == 1).all()


@pytest.mark.parametrize("count", [0, 1, 3, 40_000])
def test_compose_equals_the_float64_product(count):
    rng = np.random.default_rng(count)
    outer = np.eye(4)
    outer[:3] = rng.normal(size=(3, 4))
    inner = stored(rng.normal(size=(count, 3, 3)), rng.normal(size=(count, 3)))
    expected = (outer.astype(np.float32).astype(np.float64) @ inner.transpose(0, 2, 1).astype(np.float64)).transpose(0, 2, 1)
    assert np.abs(transforms.compose(outer, inner) - expected).max(initial=0) < 3e-6


def test_compose_pairs_is_every_outer_with_every_inner():
    rng = np.random.default_rng(1)
    outer, inner = (stored(rng.normal(size=(n, 3, 3)), rng.normal(size=(n, 3))) for n in (4, 3))
    pairs = transforms.compose_pairs(outer, inner)
    for n in range(4):
        for k in range(3):
            assert pairs[n, k].T == pytest.approx(outer[n].T.astype(np.float64) @ inner[k].T, abs=1e-5)


def test_a_record_by_hand():
    """90 degrees about z, scale (2, 3, 4), at (5, 6, 7); local radius 10: the largest scale makes it 40."""
    record, report = packed(stored(np.array([[[0, -3, 0], [2, 0, 0], [0, 0, 4]]]), (5, 6, 7)), 10)
    row = record[0]
    assert (row["x_axis"].tolist(), row["y_axis"].tolist(), row["z_axis"].tolist()) == ([0, 2, 0], [-3, 0, 0], [0, 0, 4])
    assert row["position"].tolist() == [5, 6, 7]
    assert row["bounding_radius"] == pytest.approx(40, rel=2e-6) and row["bounding_radius"] >= 40
    assert (row["_pad0"], row["_pad1"], row["flags"]) == (0, 0, VISIBLE | VALID)
    assert report.mirrored_count == 0 and not report.sheared.size


def test_radius_is_never_less_than_the_largest_singular_value_times_the_local_one():
    rng = np.random.default_rng(2)
    count = 40_000  # several chunks, so threads too
    scale = 10 ** rng.uniform(-4, 4, (count, 3)) * rng.choice([-1, 1], (count, 3))
    linear = rotations(rng, count) * scale[:, None, :]
    linear[1::2] = linear[1::2] @ rotations(rng, count // 2)  # every second one sheared
    columns = stored(linear)
    radius = 10 ** rng.uniform(-3, 3, count).astype(np.float32)
    record, report = packed(columns, radius)
    valid = record["flags"] & VALID != 0
    truth = np.linalg.svd(columns[:, :3, :3].astype(np.float64), compute_uv=False)[:, 0] * radius.astype(np.float64)
    assert valid[0::2].all()
    assert (record["bounding_radius"][valid] >= truth[valid]).all()
    assert (record["bounding_radius"][0::2] <= truth[0::2] * (1 + 1e-5)).all(), "exact where axes are perpendicular"
    assert (record["bounding_radius"][valid] <= truth[valid] * np.sqrt(3)).all()
    assert set(report.sheared.tolist()) <= set(range(1, count, 2))
    mirrored = np.linalg.det(columns[:, :3, :3].astype(np.float64)) < 0
    assert ((record["flags"] & MIRRORED != 0) == (mirrored & valid)).all()
    assert report.mirrored_count == np.count_nonzero(mirrored & valid)


@given(st.lists(st.floats(-1000, 1000, width=32), min_size=9, max_size=9), st.floats(0, 1000, width=32))
def test_any_matrix_gives_finite_numbers_and_a_sphere_that_holds(values, radius):
    columns = stored(np.reshape(values, (1, 3, 3)))
    record, _ = packed(columns, radius)
    assert np.isfinite(columns.view(np.float32)).all() and np.isfinite(record["bounding_radius"]).all()
    if record["flags"][0] & VALID:
        largest = np.linalg.svd(columns[0, :3, :3].astype(np.float64), compute_uv=False)[0]
        # Below 1e-12 the product of radius and scale can leave float32's normal numbers.
        assert record["bounding_radius"][0] >= largest * radius - 1e-12


@pytest.mark.parametrize(
    "scale", [(0, 1, 1), (1, 0, 1), (1, 1, 0), (0, 0, 0), (1e-20, 1e-20, 1e-20), (1e-38, 1, 1), (1e30, 1e30, 1e30)]
)
def test_no_volume_is_not_valid_and_reported(scale):
    columns = stored(np.array([np.diag(scale), np.eye(3)]))
    record, report = packed(columns)
    assert record["flags"].tolist() == [VISIBLE, VISIBLE | VALID]
    assert report.zero_scale.tolist() == [0] and not report.non_finite.size and not report.sheared.size
    assert np.isfinite(record["bounding_radius"]).all()


def test_two_axes_along_each_other_have_no_volume():
    _, report = packed(stored(np.array([[[1, 2, 0], [1, 2, 0], [0, 0, 1.0]]])))
    assert report.zero_scale.tolist() == [0]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_becomes_zero_and_is_reported(bad):
    columns = stored(np.stack([np.eye(3)] * 3), (1, 2, 3))
    columns[1, 0, 0] = bad
    columns[2, 3, 1] = bad
    record, report = packed(columns)
    assert report.non_finite.tolist() == [1, 2] and not report.zero_scale.size
    assert record["flags"].tolist() == [VISIBLE | VALID, VISIBLE, VISIBLE]
    assert record["x_axis"][1].tolist() == [0, 0, 0] and record["position"][2].tolist() == [1, 0, 3]
    assert np.isfinite(record["bounding_radius"]).all()


@pytest.mark.parametrize(("cosine", "sheared"), [(0.0, False), (5e-5, False), (2e-4, True), (0.7, True), (-0.7, True)])
def test_shear_starts_at_a_cosine_of_one_in_ten_thousand(cosine, sheared):
    x, y = np.array([3.0, 0, 0]), 0.01 * np.array([cosine, np.sqrt(1 - cosine**2), 0])
    _, report = packed(stored(np.stack([np.stack([x, y, [0, 0, 1]], axis=1)])))
    assert report.sheared.tolist() == ([0] if sheared else [])


def test_flags_given_are_kept_and_an_invalid_mirror_is_no_mirror():
    linear = np.array([np.diag((-1, 1, 1)), np.diag((-1, 0, 1)), np.diag((-1, -1, 1)), np.diag((-1, -1, -1))])
    given_flags = np.array([0, layout.INSTANCE_MOVABLE, VISIBLE, VISIBLE], np.uint32)
    record, report = packed(stored(linear), 1, given_flags)
    assert record["flags"].tolist() == [VALID | MIRRORED, layout.INSTANCE_MOVABLE, VISIBLE | VALID, VISIBLE | VALID | MIRRORED]
    assert report.mirrored_count == 2


def test_nothing():
    record, report = packed(stored(np.zeros((0, 3, 3))))
    assert len(record) == 0 and report.mirrored_count == 0
