"""The CPU culling benchmark measures what it says: the shares it asks for, over sets it has checked."""

import json

import numpy as np
import pytest
from gpuscene.bench import cull
from gpuscene.core.culling.result import CullResult


def test_run_finds_its_views_and_counts():
    told = []
    result = cull.run(20_000, lambda fraction, text: told.append(fraction))
    assert json.loads(json.dumps(result)) == result
    visible = {name: view["visible"] / 20_000 for name, view in result["views"].items()}
    assert visible["5 %"] == pytest.approx(0.05, abs=0.002)
    assert visible["half"] == pytest.approx(0.5, abs=0.005) and visible["all"] == 1
    assert result["views"]["all, limited"]["visible"] == 19_999
    for view in result["views"].values():
        assert view["instances_tested"] + view["instances_accepted"] <= 20_000 and view["ratio"] > 0
    # The tree lies wholly in view: one box.
    assert (result["views"]["all"]["nodes_tested"], result["views"]["all"]["instances_tested"]) == (1, 0)
    assert result["schedule"]["slices"] == 3 and result["schedule"]["frames"] == cull.PATH_FRAMES
    assert told == sorted(told) and told[-1] == 1
    text = cull.format_table(result)
    assert f"{result['views']['5 %']['visible']:,}" in text and f"missed {result['schedule']['missed']:,}" in text


def test_a_wrong_set_is_never_timed(monkeypatch):
    monkeypatch.setattr(cull, "cull_flat", lambda view, stream: CullResult(np.zeros(len(stream), bool)))
    with pytest.raises(AssertionError, match="flat culling differs"):
        cull.run(1000)
