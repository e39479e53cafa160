"""Sets of levels of detail with something wrong, and custom data that is missing or of the wrong type."""

from __future__ import annotations

from .. import stage
from ..shapes import ball, box


def add_cases(board) -> None:
    board.row("Levels of detail", "Rust")
    hidden = board.source("Other levels")

    def level(name, detail):
        return board.mesh(name, ball(detail).moved(scale=(0.7, 0.7, 0.7)))

    def off_stage(name, detail):
        stage.add(name, level(name, detail), hidden)

    board.add("Good_LOD0", level("Good_LOD0", 3))
    off_stage("Good_LOD1", 2)
    off_stage("Good_LOD2", 0)
    board.add("Gap_LOD0", level("Gap_LOD0", 3))
    off_stage("Gap_LOD2", 1)
    board.add("Wrong order_LOD0", level("Wrong order_LOD0", 1))
    off_stage("Wrong order_LOD1", 3)
    board.add("Empty level_LOD0", level("Empty level_LOD0", 2))
    stage.add("Empty level_LOD1", board.mesh("Empty level_LOD1", ball(0), [])).data.clear_geometry()
    board.add("No level 0_LOD1", level("No level 0_LOD1", 2))  # nothing to be a level of: an object like any other
    board.expect(5)
    _custom_data(board)


def _custom_data(board):
    board.row("Custom data", "Sky")
    given = board.mesh("Custom data", box((0.9, 0.9, 0.9)))
    for name, properties in (
        (
            "All properties",
            {"gpuscene_height": 2.5, "gpuscene_animation_phase": 0.25, "gpuscene_cull_radius": 40.0, "gpuscene_lod_bias": 1.0},
        ),
        ("No property", {}),
        ("Height is an int", {"gpuscene_height": 3}),
        ("Height is text", {"gpuscene_height": "tall"}),
        ("Height is NaN", {"gpuscene_height": float("nan")}),
        ("Height is a vector", {"gpuscene_height": [1.0, 2.0, 3.0]}),
        ("Height is a bool", {"gpuscene_height": True}),
        ("Cull radius is negative", {"gpuscene_cull_radius": -1.0}),
    ):
        made = board.add(name, given)
        for key, value in properties.items():
            made[key] = value
        board.expect()
