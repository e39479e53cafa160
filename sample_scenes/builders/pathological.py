"""pathological.blend: one of each bad input that a .blend can hold, in rows on a board, each object named for what it is."""

from __future__ import annotations

from pathlib import Path

from . import stage
from .bad import instancers, kinds, levels, meshes, names, transforms, visibility
from .bad.board import ROW, SPACING, Board
from .shapes import box, to_mesh

#: Filled by `build`: each case declares beside its making what it should give.
KNOWN: dict = {}


def build(folder: Path) -> list[Path]:
    """Writes pathological.blend and its two libraries, which use one name."""
    libraries = names.build_libraries(folder)
    scene = stage.begin()
    # Saved first, so that the libraries' paths can be relative to it.
    path = stage.save(folder / "pathological.blend")
    board = Board()
    for kind in (transforms, meshes, kinds, levels, visibility, instancers):
        kind.add_cases(board)
    names.add_cases(board, libraries)
    _board(board)
    stage.add_sun(elevation=48, azimuth=150, strength=4.0)
    stage.add_camera((15.0, -19.5, 17.5), (15.0, 11.0, 0), lens=28)
    scene.frame_end = 25
    KNOWN.clear()
    KNOWN.update(board.counts)
    return [stage.save(path), *libraries]


def _board(board):
    width, depth = board.widest * SPACING + 1, board.rows * ROW + 1
    shape = box((width, depth, 0.2), ((board.widest - 1) * SPACING / 2, (board.rows - 1) * ROW / 2, -0.1))
    stage.add("Board", to_mesh("Board", shape, [stage.material("Board", stage.srgb("e6dfd0"), 0.9)]))
    board.expect()
