"""``bench tree`` measures what it says, on a scene small enough for a test; how long anything takes is no matter here."""

import sys

import numpy as np
import pytest

from gpuscene.bench import tree as bench
from gpuscene.core.cluster_tree import BUILDERS, build, quality
from gpuscene.core.errors import InputError


def test_figures_are_those_of_the_trees():
    pytest.importorskip("scipy", reason="SciPy is not installed")
    steps = []
    result = bench.run(3000, lambda fraction, text: steps.append(fraction))
    assert steps == sorted(steps) and steps[-1] == 1
    assert list(result["builders"]) == list(BUILDERS) and result["swept_instances"] == 3000 and result["refit"]["moved"] == 30
    for builder, row in result["builders"].items():
        assert row["quality"] == quality(build(bench.field(3000), builder)).to_json()
        assert row["seconds"] > 0 and row["ckdtree_seconds"] > 0
    crowds = result["sweep"]["crowds"]
    assert crowds["ratios"]["sah"] * crowds["cost"] == pytest.approx(quality(build(bench.crowds(3000))).sah_cost)
    assert max(row["ratios"]["sah"] for row in result["sweep"].values()) <= 1.1
    text = bench.format_table(result)
    assert all(name in text for name in (*BUILDERS, "cKDTree", "refit", "even", "crowds"))


def test_crowds_are_crowded():
    bounds = bench.crowds(5000)
    assert np.array_equal(bounds.center, bench.crowds(5000).center), "seeded"
    nearest = [np.sort(np.linalg.norm(bounds.center - point, axis=1))[1] for point in bounds.center[:50]]
    extent = np.ptp(bounds.center[:, :2], axis=0)
    even = 0.5 * (extent[0] * extent[1] / 5000) ** 0.5  # mean distance to the nearest of points strewn over the same rectangle
    assert np.median(nearest) < even / 2


def test_without_scipy_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.spatial", None)
    with pytest.raises(InputError, match="SciPy is not installed.*pip install scipy"):
        bench.run(10)
