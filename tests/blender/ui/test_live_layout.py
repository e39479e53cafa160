"""Nothing in the view overlaps: boxes against a picture of which pixels are taken."""

import random

import numpy as np
import pytest

from gpuscene.blender.live.hud_layout import Box, arrange, free_box

LINE = 18.0


def taken(size, boxes):
    """How many of `boxes` cover each pixel."""
    count = np.zeros(size[::-1], int)
    for box in boxes:
        left, bottom, right, top = (round(v) for v in box)
        assert 0 <= left <= right <= size[0] and 0 <= bottom <= top <= size[1]
        count[bottom:top, left:right] += 1
    return count


def test_sizes_of_every_kind_never_overlap():
    dice = random.Random(4)
    seen = {"dashboard": 0, "plot": 0, "legend": 0}
    for _ in range(600):
        size = dice.randint(60, 1900), dice.randint(60, 1000)
        free = Box(dice.randint(0, 50), dice.randint(0, 60), size[0] - dice.randint(0, 10), size[1] - dice.randint(0, 60))
        if free.width < 0 or free.height < 0:
            continue
        wanted = {name: (dice.randint(40, 320), dice.randint(30, 360)) if dice.random() < 0.8 else None for name in seen}
        reserved = dice.randint(0, 150), dice.randint(0, 250)
        placed = arrange(free, LINE, reserved, **wanted)
        for name, box in placed.items():
            seen[name] += 1
            assert (round(box.width), round(box.height)) == wanted[name]
        # Blender's own text at the top left is over the dashboard's column, the gizmos over the legend's.
        for name, height in (("dashboard", reserved[0]), ("plot", reserved[0]), ("legend", reserved[1])):
            if name in placed:
                assert placed[name].top <= free.top - height
        assert taken(size, placed.values()).max(initial=0) <= 1
        for box in placed.values():
            assert box.left >= free.left and box.right <= free.right and box.bottom >= free.bottom
    assert min(seen.values()) > 50


def test_the_dashboard_is_kept_longest():
    sizes = {"dashboard": (300, 220), "plot": (300, 200), "legend": (150, 180)}
    full = arrange(Box(0, 0, 800, 600), LINE, (60, 200), **sizes)
    assert set(full) == {"dashboard", "plot", "legend"} and full["plot"].bottom > full["dashboard"].top
    low = arrange(Box(0, 0, 1000, 420), LINE, (60, 200), **sizes)
    assert set(low) == {"dashboard", "plot", "legend"} and low["plot"].left > low["dashboard"].right
    narrow = arrange(Box(0, 0, 340, 420), LINE, (60, 200), **sizes)
    assert set(narrow) == {"dashboard"}
    assert arrange(Box(0, 0, 100, 100), LINE, (60, 60), **sizes) == {}


@pytest.mark.parametrize("others, free", [
    ([], (0, 0, 1000, 600)),
    ([("TOOLS", "LEFT", 10, 20, 50, 500)], (50, 0, 1000, 600)),
    ([("UI", "RIGHT", 760, 20, 250, 580)], (0, 0, 750, 600)),
    ([("UI", "RIGHT", 1010, 20, 1, 580)], (0, 0, 1000, 600)),  # folded away
    ([("HEADER", "TOP", 10, 594, 1000, 26)], (0, 0, 1000, 574)),
    ([("HEADER", "TOP", 10, 620, 1000, 26)], (0, 0, 1000, 600)),  # no overlap: it stands over the view's own region
    ([("HEADER", "BOTTOM", 10, 20, 1000, 26)], (0, 26, 1000, 600)),
    ([("HUD", "FLOAT", 20, 30, 200, 90)], (0, 100, 1000, 600)),
    ([("TOOLS", "LEFT", 10, 20, 50, 500), ("UI", "RIGHT", 760, 20, 250, 580), ("TOOL_HEADER", "TOP", 10, 568, 1000, 26)],
     (50, 0, 750, 548)),
])
def test_other_regions_are_kept_clear_of(others, free):
    """The view's region lies at (10, 20) and is 1000 by 600."""
    assert free_box((10, 20, 1000, 600), others) == free
