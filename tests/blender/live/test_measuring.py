"""The figures of a frame are read from the GPU when somebody looks at them, and not otherwise: reading waits."""

from dataclasses import replace

import pytest

from gpuscene.blender.live import model


@pytest.fixture
def reads(monkeypatch):
    """Frames' figures that were read, one entry each: how many were visible."""
    from gpuscene.device.live.cpu_view import CpuView

    found, read = [], CpuView.stats

    def counted(view):
        found.append(int(view.visible_rows().sum()))
        return read(view)

    monkeypatch.setattr(CpuView, "stats", counted)
    return found


def turn(grid, frames, step=7.0):
    """Redraws past the row of objects; how many each one shows."""
    shown = []
    for number in range(frames):
        at = -60 + step * number
        state = grid.redraw(looks=grid.camera((at, -20, 5), (at, 0, 0)))
        shown.append(int(state.live.visible_rows().sum()))
    return state, shown


def hide_text(session):
    overlay = replace(session.settings.overlay, dashboard=False, plot=False)
    session.configure(settings=replace(session.settings, overlay=overlay))


def test_nobody_looks_and_nothing_is_read(grid, reads):
    session = grid.running
    hide_text(session)
    state, shown = turn(grid, 5)
    assert reads == [] and len(session.history) == 0 and state.measured is None and len(set(shown)) > 1
    dispatches = session.dispatches
    assert session.stats().visible == shown[-1] and session.stats().frame == 5  # asked for, later: of the last frame
    assert state.stats is session.stats() and reads == [shown[-1]] and session.dispatches == dispatches
    turn(grid, 1)
    assert state.measured.frame == 5 and state.frame == 6 and reads == [shown[-1]]
    assert state.stats.frame == 6 and state.stats.visible == shown[0]
    assert session.history.array("frame").tolist() == [5, 6]


@pytest.mark.parametrize("what", ["dashboard", "plot", "panel"])
def test_each_frame_that_somebody_looks_at_has_its_own_figures(grid, reads, what):
    session = grid.running
    hide_text(session)
    if what == "panel":
        session.is_watched = True
    else:
        session.configure(settings=replace(session.settings, overlay=replace(session.settings.overlay, **{what: True})))
    state, shown = turn(grid, 6)
    assert reads == shown and session.history.array("visible").tolist() == shown
    assert session.history.array("frame").tolist() == [1, 2, 3, 4, 5, 6]
    dispatches = session.dispatches
    grid.redraw(looks=state.camera)
    assert reads == shown and session.dispatches == dispatches  # idle: nothing is culled, and nothing read again


def test_what_was_not_read_is_read_when_somebody_begins_to_look(grid, reads):
    session = grid.running
    hide_text(session)
    state, shown = turn(grid, 3)
    session.is_watched = True
    dispatches = session.dispatches
    grid.redraw(looks=state.camera)
    assert reads == shown[-1:] and state.measured.frame == 3 and session.dispatches == dispatches


def test_a_panel_counts_as_open_for_a_second_and_a_recording_while_it_runs(monkeypatch):
    now = 100.0
    monkeypatch.setattr(model.time, "monotonic", lambda: now)
    monkeypatch.setattr(model, "_watched_at", -1e9)
    assert not model.figures_are_watched()
    model.watch_figures()
    now = 100.9
    assert model.figures_are_watched()
    now = 101.1
    assert not model.figures_are_watched()
    model.set_recording(model.Recording(0.5, "half"))
    assert model.figures_are_watched()
    model.set_recording(None)
    assert not model.figures_are_watched()
