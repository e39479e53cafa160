"""Particles on skins in a real window: started, played, edited, stopped; in every frame they are where Blender's mesh is."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))
import goldens  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
HANDLERS = ["depsgraph_update_post", "exit_pre", "frame_change_post", "load_pre", "redo_post", "undo_post"]
EVERYBODY = ["Ada", "Bruno", "Chidi"]
#: of the height
TOLERANCE = 1e-4


@pytest.fixture(scope="module")
def lived(application):
    """(answers, folder) of one run through all acts."""
    acts = ("open", "start", "frames", "play", "trails", "offset", "together", "edit", "undo", "stop", "load", "disable")
    blend = ROOT / "sample_scenes" / "crowd.blend"
    answers, folder, output = application.drive(blend, (1280, 720), *acts, script="drive_skins.py")
    assert "exception" not in answers, answers["exception"]
    assert "Traceback" not in output, output
    assert all(seen.get("error", "") == "" for seen in answers.values() if isinstance(seen, dict))
    return answers, folder


def test_start_shows_every_character(lived):
    answers, _ = lived
    assert answers["before"] == {"handlers": [], "running": False} and answers["tall_buttons"] == 1
    started = answers["started"]
    assert started["characters"] == EVERYBODY and started["handlers"] == HANDLERS and started["particles"] == 15_000
    assert started["problems"] == [] and started["note"] == "" and started["kind"] == "gpu"
    assert 0 < max(started["shares"].values()) < TOLERANCE


def test_no_frame_late(lived):
    answers, _ = lived
    for frame, (drawn, off) in answers["frames"].items():
        assert drawn == int(frame) and sorted(off) == EVERYBODY and max(off.values()) < TOLERANCE, frame
    played = answers["played"]
    assert len({frame for frame, _ in played}) > 3 and all(frame == drawn for frame, drawn in played)
    assert max(answers["after_play"].values()) < TOLERANCE


def test_together_with_the_live_scene(lived):
    off, frame, instances, error = lived[0]["together"]
    assert max(off.values()) < TOLERANCE and (frame, instances, error) == (15, 4, "")
    assert max(lived[0]["alone"].values()) < TOLERANCE


def coloured(folder, name, other):
    """(H, W) bool: pixels of the view, without header and sidebar, that differ between two pictures."""
    a, b = (goldens.read_png(folder / f"{n}.png").astype(int) for n in (name, other))
    return (np.abs(a - b).max(axis=2) > 40)[100:, :755]


def test_the_pictures(lived):
    """Particles colour many pixels; stopped, none is left of them; an offset moves them to the right."""
    _, folder = lived
    shown, moved = coloured(folder, "started", "stopped"), coloured(folder, "offset", "stopped")
    assert shown.sum() > 3000 and moved.sum() > 3000
    assert np.nonzero(moved)[1].max() > np.nonzero(shown)[1].max() + 30


def test_characters_come_and_go(lived):
    answers, _ = lived
    assert answers["hidden"]["characters"] == ["Ada", "Chidi"]
    assert answers["shown"]["characters"] == answers["added"]["characters"] == EVERYBODY
    assert answers["removed"]["characters"] == ["Bruno", "Chidi"] and answers["deleted"]["characters"] == ["Ada", "Bruno"]
    assert max(*answers["shown_off"].values(), *answers["deleted_off"].values()) < TOLERANCE
    assert answers["poses"] == [6, 6, 6] and answers["offset"] == pytest.approx([0.45, 0, 0], abs=1e-6)
    for name in ("up", "undone"):
        off, state = answers[name]
        assert state["running"] and max(off.values()) < TOLERANCE, name


def test_nothing_is_left(lived):
    answers, _ = lived
    assert answers["stopped"] == {"handlers": [], "running": False, "error": ""}
    assert answers["restarted"]["running"] and not answers["loaded"]["running"] and answers["loaded"]["handlers"] == []
    assert answers["started_there"]["running"]
    assert (answers["disabled"]["handlers"], answers["disabled"]["running"], answers["disabled"]["scene"]) == ([], False, False)
