"""The sidebar tab in a real window: it draws without an error, its button exports, Esc cancels."""

import os

import pytest

MAKE_SCENE = """
import bpy, sys
cube = bpy.data.objects["Cube"]
for name, x, scale in (("Second", 3, 1), ("Third", 6, 1), ("Flat", 9, 0)):
    copy = cube.copy()
    copy.name, copy.location.x, copy.scale.x = name, x, scale
    bpy.context.scene.collection.objects.link(copy)
bpy.ops.wm.save_as_mainfile(filepath=sys.argv[-1])
"""


@pytest.fixture(scope="module")
def folder(application):
    """A folder that holds scene.blend: a cube, two copies, and one of scale 0."""
    folder = application.scratch / "scene"
    folder.mkdir()
    application.command("-b", "--factory-startup", "--python-exit-code", "1", "--python-expr", MAKE_SCENE,
                        "--", folder / "scene.blend")
    return folder


@pytest.fixture
def blend(folder):
    """The scene, with nothing beside it."""
    for other in set(folder.iterdir()) - {folder / "scene.blend"}:
        other.unlink()
    return folder / "scene.blend"


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080)], ids="{0[0]}x{0[1]}".format)
def test_every_panel_draws_in_a_window(application, blend, size):
    answers, pictures, output = application.drive(blend, size, "open", "edit", "find", "shot=panel")
    assert "exception" not in answers, answers["exception"]
    assert "Traceback" not in output, output  # what Blender prints when a draw() fails
    assert answers["category"] == "GPUScene"
    x, y = answers["button"]
    assert 0 < x < answers["sidebar"][0] and 0 < y < answers["sidebar"][1] / 2
    assert (pictures / "panel.png").stat().st_size > 10_000


def test_the_export_button_writes_the_file(application, blend):
    answers, _, output = application.drive(blend, (1280, 720), "export")
    assert "exception" not in answers, answers["exception"]
    assert "Traceback" not in output, output
    assert (answers["error"], answers["running"]) == ("", False)
    assert answers["progress"][0] == "Starting" and answers["progress"][-2:] == ["Writing", None]
    assert answers["result"]["instances"] == 4
    assert [f["subject"] for f in answers["result"]["findings"] if f["code"] == "zero-scale"] == ["Flat"]
    assert sorted(os.listdir(blend.parent)) == ["scene.blend", "scene.glb"]
    assert (blend.parent / "scene.glb").stat().st_size == answers["result"]["bytes"]


def test_esc_cancels_and_leaves_nothing(application, blend):
    answers, _, output = application.drive(blend, (1280, 720), "cancel")
    assert "exception" not in answers, answers["exception"]
    assert "Traceback" not in output, output
    assert answers["progress"][0] == "Starting" and answers["progress"][-1] is None and "Writing" not in answers["progress"]
    assert (answers["result"], answers["running"]) == (None, False)
    assert os.listdir(blend.parent) == ["scene.blend"]


def test_the_file_browser_of_the_menu_exports_to_the_chosen_name(application, blend):
    answers, _, output = application.drive(blend, (1280, 720), f"browse={blend.parent / 'chosen.v2'}")
    assert "exception" not in answers, answers["exception"]
    assert "Traceback" not in output, output
    assert answers["offered"] == "scene.glb"
    assert (answers["error"], answers["progress"][-2:]) == ("", ["Writing", None])
    assert sorted(os.listdir(blend.parent)) == ["chosen.v2.glb", "scene.blend"]
