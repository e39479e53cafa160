"""Scenes and users that mean harm: names that change hands, numbers that are none, everything gone at once."""

import bpy
import numpy as np
import pytest

from builders import add, fan


def test_objects_that_exchange_names(live):
    """Blender names both with no flag, and the same names are listed as before."""
    first, second = add("a", fan("f"), location=(1, 0, 0)), add("b", fan("g"), location=(2, 0, 0))
    live.start()
    for _ in range(2):
        first.name, second.name = "elsewhere", first.name
        first.name = "b" if second.name == "a" else "a"
        live.update()
        for obj in (first, second):
            position = live.running.tables.transforms["position"][live.running.slot_of(obj.name)]
            assert position[0] == obj.location.x
        assert live.differences() == []
        first, second = second, first


@pytest.mark.parametrize("matrix", [np.zeros((4, 4)), np.diag([1, 0, 1, 1]), np.full((4, 4), np.nan), np.full((4, 4), np.inf)],
                         ids=["zero", "flat", "nan", "infinite"])
@pytest.mark.parametrize("which", ["window", "view"])
def test_a_view_whose_matrix_is_of_no_use(grid, matrix, which):
    """Such as that of a camera with a scale of 0: nothing is culled, a note says why, and the session goes on."""
    matrices = (matrix, np.eye(4)) if which == "window" else (np.eye(4), matrix)
    state = grid.redraw(looks=grid.views.camera_of_matrices(*matrices, clip=(0.1, 100)))
    assert state.live.visible_rows().sum() == 40 and "flat or not finite" in state.camera.note
    assert grid.session.current() is grid.running
    assert grid.redraw().live.visible_rows().sum() < 40
