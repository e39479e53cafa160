"""Hidden in one way or another, and instanced all the same."""

from __future__ import annotations

import bpy

from .. import stage


def add_cases(board) -> None:
    board.row("Visibility", "Moss")
    board.add("hide_viewport").hide_viewport = True
    board.expect(0, render=1)
    board.add("hide_render").hide_render = True
    board.expect(1, render=0)
    both = board.add("hide_viewport and hide_render")
    both.hide_viewport = both.hide_render = True
    eye = board.add("Hidden by the eye")
    bpy.context.view_layer.update()
    eye.hide_set(True)
    board.expect(0, render=1)
    board.add("Holdout").is_holdout = True
    board.expect()
    board.add("Not a shadow caster").visible_shadow = False
    board.expect()
    held = stage.collection("Holdout collection", board.row_collection)
    stage.layer_collection(held).holdout = True
    board.add("In a holdout collection", into=held)
    board.expect()
    excluded = board.source("Excluded but instanced")
    stage.add("Part of an excluded collection", board.mesh("Part of an excluded collection"), excluded)
    board.instance("Instance of an excluded collection", excluded)
    board.expect()
    unlinked = bpy.data.collections.new("In no scene")
    stage.add("Part of a collection in no scene", board.mesh("Part of a collection in no scene"), unlinked)
    board.instance("Instance of a collection in no scene", unlinked)
    board.expect()
    parts = board.source("Some parts hidden")
    stage.add("Shown part", board.mesh("Shown part"), parts)
    stage.add(
        "Part hidden in renders", board.mesh("Part hidden in renders"), parts, location=(0, 0, 1.1), scale=(0.5,) * 3
    ).hide_render = True
    stage.add(
        "Part hidden in the viewport", board.mesh("Part hidden in the viewport"), parts, location=(0, 0, 1.1), scale=(0.5,) * 3
    ).hide_viewport = True
    board.instance("Instance of a collection with hidden parts", parts)
    board.expect(2)
    wire = board.add("Shown as bounds")
    wire.display_type = "BOUNDS"
    board.expect()
