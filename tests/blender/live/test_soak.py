"""A long session: 500 seeded random edits, and the tables that followed them are those of a fresh extraction, byte for byte."""

import gc
import tracemalloc

import bpy
import numpy as np
import pytest

from live_edits import Edits
from test_random_scenes import RandomScene

EDITS, COMPARE_EVERY = 500, 25


def _traced() -> int:
    """Bytes that Python and numpy hold for our own code."""
    gc.collect()
    ours = [tracemalloc.Filter(True, "*/addon/core/*"), tracemalloc.Filter(True, "*/addon/blender/*")]
    snapshot = tracemalloc.take_snapshot().filter_traces(ours)
    return sum(block.size for block in snapshot.traces)


@pytest.mark.parametrize("seed", [4, 11])
def test_500_edits(live, seed):
    RandomScene(seed)
    bpy.context.view_layer.update()
    bpy.ops.ed.undo_push(message="start")
    before = live.handler_counts()
    session = live.start()
    edits, told = Edits(seed), []
    tracemalloc.start()
    held = []
    try:
        for number in range(1, EDITS + 1):
            told.append(edits.step())
            if number % 3:
                live.update()  # a redraw between most edits, but several edits to some redraws
            if number % COMPARE_EVERY == 0:
                live.update()
                assert live.session.current() is session, (live.session.last_error(), told[-COMPARE_EVERY:])
                assert live.differences() == [], told[-COMPARE_EVERY:]
                held.append((_traced(), session.tables.capacity))
    finally:
        tracemalloc.stop()
    # Flat: what is held follows the number of slots and not the number of edits.
    bytes_held, slots = np.array(held, float).T
    half = len(held) // 2
    assert (bytes_held[half:] - 2000 * slots[half:]).max() < (bytes_held[:half] - 2000 * slots[:half]).max() + 300_000
    session.compact()
    assert session.tables.hidden_count == 0 and session.tables.fragmentation == 0
    assert live.differences() == []
    live.session.stop()
    assert live.handler_counts() == before
    assert live.session.current() is None


@pytest.mark.parametrize("kind", Edits(0).kinds)
def test_every_kind_of_edit(live, kind):
    """Each by itself, several times, on a scene that has everything."""
    RandomScene(7)
    edits = Edits(7)
    for needed in ("add_levels", "add_scatter", "add_instance", "add_vertices", "add_emitter", "keyframe_hide"):
        edits.step(needed)
    live.start()
    for _ in range(3):
        told = edits.step(kind)
        live.update()
        assert live.differences() == [], told
