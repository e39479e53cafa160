"""Transforms that collapse, shear, mirror, or are no numbers at all."""

from __future__ import annotations

import math

import bpy

from .. import stage


def add_cases(board) -> None:
    board.row("Transforms", "Clay")
    board.add("Zero scale (0,1,1)", scale=(0, 1, 1))
    board.expect(zero_scale=1)
    board.add("Zero scale (0,0,0)", scale=(0, 0, 0))
    board.expect(zero_scale=1)
    chain = board.empty("Chain 1e-10", scale=(1e-10,) * 3)
    link = board.add("Chain 1e-20", location=(0, 0, 0), scale=(1e-10,) * 3)
    link.parent = chain
    board.expect(zero_scale=1)
    grown = board.add("Scale keyed 0 to 1")
    for frame, size in ((1, 0.0), (25, 1.0)):
        grown.scale = (size,) * 3
        grown.keyframe_insert("scale", frame=frame)
    board.expect(zero_scale=1)  # at frame 1, where the file is saved
    stretched = board.empty("Shear parent (1,3,1)", scale=(1, 1.8, 1))
    sheared = board.add("Sheared child", location=(0, 0, 0), rotation=(0, 0, math.radians(45)), scale=(0.7,) * 3)
    sheared.parent = stretched
    board.expect()
    board.add("Mirrored (-1,1,1)", scale=(-1, 1, 1))
    board.expect(negative_det=1)
    board.add("Mirrored (-1,-1,-1)", scale=(-1, -1, -1))
    board.expect(negative_det=1)
    board.add("Mirrored twice (-1,-1,1)", scale=(-1, -1, 1))
    board.expect()
    mirror = board.source("Mirrored Source")
    stage.add("Mirrored source part", board.mesh("Mirrored source part"), mirror)
    board.instance("Mirrored collection instance", mirror, scale=(1, -1, 1))
    board.expect(negative_det=1)
    _not_finite(board)
    board.add("Delta transform").delta_location = (0, 0, 0.4)
    board.expect()
    far = board.add("Far away 1e6 m", location=(1e6, 0, 0))
    far.scale = (0.5,) * 3
    board.expect()
    bpy.context.scene.frame_set(1)


def _not_finite(board):
    lost = board.add("Location NaN")
    lost.location.x = math.nan
    board.expect(not_finite=1)
    # Blender clamps an infinite location to the largest float32; two of those down a chain do overflow.
    edge = board.empty("Parent at the largest float32", location=(3e38, 0, 0))
    lost = board.add("Location infinite", location=(3e38, 0, 0))
    lost.parent = edge
    board.expect(not_finite=1)
