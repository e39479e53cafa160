"""A live session in a real window, by its real buttons, keys and clicks; pictures against stored ones."""

import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import goldens  # noqa: E402

HERE = Path(__file__).resolve().parent
SIZES = [(1280, 720), (1920, 1080)]
PICTURES = ("scene_camera", "clusters", "lod", "distance", "frozen")
HANDLERS = ["depsgraph_update_post", "exit_pre", "frame_change_post", "load_pre", "redo_post", "undo_post"]


@pytest.fixture(scope="module")
def blend(application):
    path = application.scratch / "live.blend"
    application.command("-b", "--python-exit-code", "1", "--python", HERE / "live_scene.py", "--", path)
    return path


def lived(application, blend, size, *acts):
    """Run acts of ``drive_live.py``; nothing may have failed or been printed as a traceback."""
    answers, folder, output = application.drive(blend, size, *acts, script="drive_live.py")
    assert "exception" not in answers, answers["exception"]
    assert "Traceback" not in output, output
    assert all(seen.get("error", "") == "" for seen in answers.values() if isinstance(seen, dict))
    return answers, folder


@pytest.mark.parametrize("size", SIZES, ids="{0[0]}x{0[1]}".format)
def test_every_overlay_looks_as_it_did(application, blend, size, request, tmp_path):
    """Also: the text in the view keeps clear of toolbar, sidebar and itself."""
    answers, folder = lived(application, blend, size, "start", "pictures", "whole", "freeze")
    boxes, free = answers["boxes"], answers["free"]
    assert set(boxes) == {"dashboard", "plot", "legend"}
    for name, (left, bottom, right, top) in boxes.items():
        assert free[0] < left < right < free[2] and free[1] < bottom < top < free[3], name
        for other, box in boxes.items():
            assert name == other or right < box[0] or box[2] < left or top < box[1] or box[3] < bottom, (name, other)
    assert answers["spilled"] == []
    about = answers["about"]
    regenerate = request.config.getoption("--regenerate")
    if regenerate:
        goldens.made_with(about)
    elif goldens.made_with() != about:
        pytest.skip(f"the stored pictures are of {goldens.made_with()}, this is {about}")
    wrong = [line for name in PICTURES if (line := goldens.check(folder / f"{name}.png", f"{name}-{size[1]}", regenerate))]
    if wrong:
        kept = HERE.parent.parent / "build" / "tests" / "window"
        shutil.copytree(folder, kept, dirs_exist_ok=True, ignore=shutil.ignore_patterns("Xvfb*"))
        pytest.fail("\n".join([*wrong, f"pictures are kept in {kept}"]))


def test_a_difference_is_found_and_drawn(tmp_path):
    """The comparison itself: one changed square is red in the difference picture, rounding is not."""
    import numpy as np

    picture = np.random.default_rng(1).integers(30, 200, (60, 80, 3), dtype=np.uint8)
    goldens.write_png(tmp_path / "a.png", picture)
    assert (goldens.read_png(tmp_path / "a.png") == picture).all()
    rounded, changed = picture + 3, picture.copy()
    changed[10:20, 30:40] = 255
    assert goldens.difference(rounded, picture)[0] == 0.0
    share, shown = goldens.difference(changed, picture)
    assert share == pytest.approx(100 / 4800) and share > goldens.SHARE
    assert (shown[10:20, 30:40] == (255, 0, 0)).all() and not (shown == (255, 0, 0)).all(axis=2)[20:].any()
    assert goldens.difference(changed[:50], picture)[0] == 1.0


def test_editing_freezing_and_explaining(application, blend):
    answers, _ = lived(application, blend, (1280, 720), "start", "edit", "idle", "freeze", "explain", "thaw")
    assert answers["before"]["handlers"] == [] and not answers["before"]["running"]
    assert answers["tall_buttons"] == 2
    started = answers["started"]
    assert started["running"] and started["handlers"] == HANDLERS and started["instances"] == 444
    # Edits, by keys: 3 m along X; the tables hold what Blender holds, by one small upload.
    for name, x in (("rest", 4), ("moved", 7), ("undone", 4), ("redone", 7)):
        ours, blenders = answers[name]
        assert ours == pytest.approx(blenders, abs=1e-6) and ours == pytest.approx([x, -12, 1], abs=1e-5), name
    assert (answers["deleted"], answers["undeleted"]) == (1, 0)
    assert answers["idle"]["frames"] >= 5 and answers["idle"]["dispatches"] == 0
    # Frozen: the view turns, the answers stay.
    looking, frozen, thawed = answers["looking"], answers["frozen"], answers["thawed"]
    assert answers["turned"] > 0.3
    assert (looking["camera"], frozen["camera"], thawed["camera"]) == ("view", "frozen", "view")
    assert frozen["visible"] == looking["visible"] < looking["instances"]
    # Explained: the cube under the cursor, and a culled ball by a click that selects nothing.
    assert answers["hero"]["drawn"] and answers["hero"]["text"].startswith("Hero ")
    assert not answers["ball"]["drawn"] and answers["ball"]["text"].startswith(answers["aimed_at"] + " ")
    assert "plane" in answers["ball"]["text"].splitlines()[1]
    assert answers["selected"] == ["Hero"]


def test_recording_two_views_another_file_and_a_disabled_extension(application, blend):
    answers, _ = lived(application, blend, (1280, 720), "start", "record", "two_views", "stop", "restart", "load", "disable")
    recorded, ended = answers["recorded"], answers["ended"]
    assert recorded["frames"] == 12 and recorded["frame"] == 1 and recorded["plot"]
    assert recorded["visible"][0] == recorded["visible"][-1] + 1  # the yellow cube has left the view
    assert not ended["running"] and ended["frame"] == 5 and ended["frames"] < 50
    # Two views, each its own answer, which is that of a plain float64 test; also after one was maximised and restored.
    for seen, plain in (("two_views", "two_oracle"), ("restored", "restored_oracle")):
        assert answers[seen] == answers[plain] and len(answers[seen]) == 2
    assert len(set(answers["two_views"].values())) == 2
    # Nothing is left of a session that was stopped, or ended by another file or with the extension.
    nothing = {"handlers": [], "installed": [], "running": False}
    assert {k: answers["stopped"][k] for k in nothing} == nothing
    assert answers["restarted"]["handlers"] == HANDLERS
    assert {k: answers["loaded"][k] for k in nothing} == nothing
    assert answers["started_there"]["running"] and answers["started_there"]["handlers"] == HANDLERS
    disabled = answers["disabled"]
    assert (disabled["handlers"], disabled["keys"], disabled["running"], disabled["scene"]) == ([], 0, False, False)
    assert answers["enabled"]["keys"] == 3 and not answers["enabled"]["running"]
    assert answers["started_again"]["running"] and answers["started_again"]["handlers"] == HANDLERS
