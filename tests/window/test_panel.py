"""The sidebar tab in a real window: it draws without an error, its button exports, Esc cancels."""

import os

import numpy as np
import pytest

MAKE_SCENE = """
import bpy, sys
path, count = sys.argv[sys.argv.index("--") + 1:]
side = int(count)
cube = bpy.data.objects["Cube"]
for i in range(side):
    copy = cube.copy()
    copy.location.x = 3 * (i + 1)
    bpy.context.scene.collection.objects.link(copy)
flat = cube.copy()
flat.name, flat.scale.x = "Flat", 0
bpy.context.scene.collection.objects.link(flat)
bpy.ops.wm.save_as_mainfile(filepath=path)
"""


@pytest.fixture
def blend(application):
    """A cube, three copies, one of scale 0: in its own folder, so that what is written there can be listed."""
    return _make(application, 3)


def _make(application, count):
    folder = application.scratch / f"scene-{count}"
    if not folder.exists():
        folder.mkdir()
        application.command("-b", "--factory-startup", "--python-expr", MAKE_SCENE, "--", folder / "scene.blend", count)
    for other in set(folder.iterdir()) - {folder / "scene.blend"}:
        other.unlink()
    return folder / "scene.blend"


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080)], ids="{0[0]}x{0[1]}".format)
def test_every_panel_draws_in_a_window(application, blend, size):
    answers, folder, output = application.drive(blend, size, "open", "edit", "settle", "shot=panel")
    assert "exception" not in answers, answers["exception"]
    assert "Traceback" not in output, output
    assert answers["category"] == "GPUScene"
    from screenshot_of import sidebar_is_drawn  # noqa: F401


def test_the_export_button_writes_the_file(application, blend):
    answers, folder, output = application.drive(blend, (1280, 720), "crop=before", "export", "crop=after")
    assert "exception" not in answers, answers["exception"]
    assert "Traceback" not in output, output
    assert answers["error"] == ""
    assert answers["result"]["instances"] == 5  # the cube, three copies, the flat one
    assert [f["subject"] for f in answers["result"]["findings"] if f["code"] == "zero-scale"] == ["Flat"]
    assert sorted(os.listdir(blend.parent)) == ["scene.blend", "scene.glb"]
    assert (blend.parent / "scene.glb").stat().st_size == answers["result"]["bytes"]
    assert not answers["is_dirty"]
