"""``blender FILE.blend --command gpuscene``: the installed extension's command, in a second real Blender."""

import json
import os
import subprocess
from pathlib import Path

import bpy
import pytest

SCRATCH = Path(os.environ["GPUSCENE_SCRATCH"])


def command(*arguments, blend=None):
    """Run the command in a new Blender; (exit code, stdout, stderr)."""
    files = [str(blend)] if blend else []
    done = subprocess.run([bpy.app.binary_path, "-b", *files, "--command", "gpuscene", *map(str, arguments)],
                          capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr


def answer(stdout):
    """The JSON on stdout; Blender prints lines of its own around it."""
    start = stdout.index("{")
    return json.JSONDecoder().raw_decode(stdout[start:])[0]


@pytest.fixture(scope="module")
def blend():
    """Seven mesh instances of two primitives: four linked duplicates of a cube, and a collection of one cone instanced twice.

    The cone is in the scene as itself, too: 4 + 1 + 2 = 7. The light and the empties have no face.
    """
    bpy.ops.wm.read_factory_settings(use_empty=True)
    addon = "bl_ext.user_default.gpuscene"
    bpy.ops.preferences.addon_enable(module=addon)
    scene = bpy.context.scene
    bpy.ops.mesh.primitive_cube_add()
    cube = bpy.context.object
    for index in range(3):
        twin = cube.copy()
        twin.location.x = 3 * (index + 1)
        scene.collection.objects.link(twin)
    bpy.ops.mesh.primitive_cone_add()
    cone = bpy.context.object
    group = bpy.data.collections.new("cones")
    scene.collection.children.link(group)
    group.objects.link(cone)
    bpy.context.collection.objects.unlink(cone)
    for index in range(2):
        empty = bpy.data.objects.new(f"instance {index}", None)
        empty.instance_type, empty.instance_collection = "COLLECTION", group
        empty.location.y = 5 * (index + 1)
        scene.collection.objects.link(empty)
    bpy.ops.object.light_add()
    path = SCRATCH / "seven instances.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def test_export_and_info(blend):
    out = SCRATCH / "seven.glb"
    code, stdout, stderr = command("export", "-o", out, "--json", blend=blend)
    assert code == 0, stdout + stderr
    result = answer(stdout)
    assert (result["instances"], result["primitives"]) == (7, 2)
    assert result["bytes"] == out.stat().st_size
    code, stdout, stderr = command("info", out, "--json")
    assert code == 0, stdout + stderr
    assert answer(stdout)["instances"] == 7


def test_wrong_usage_is_2():
    code, stdout, stderr = command("export", "-o", SCRATCH / "x.glb", "--no-such-option")
    assert code == 2, stdout + stderr
    assert "--no-such-option" in stdout + stderr


def test_a_failure_is_1_in_one_line_and_leaves_nothing(blend):
    out = SCRATCH / "no such folder" / "seven.glb"
    code, stdout, stderr = command("export", "-o", out, blend=blend)
    assert code == 1, stdout + stderr
    assert "Traceback" not in stdout + stderr
    assert sum("no such folder" in line for line in (stdout + stderr).splitlines()) == 1
    assert not out.parent.exists()


@pytest.mark.parametrize(("content", "says"), [(None, "does not exist"), (b"BLENDER17-01v0502REND", "damaged"), (b"BLENDER17-01v0909REND", "newer")])
def test_a_file_that_does_not_open_is_not_replaced_by_the_startup_scene(content, says):
    """Blender goes on with its start-up scene then, and its cube must not come out as the result."""
    blend, out = SCRATCH / "bad.blend", SCRATCH / "bad.glb"
    blend.unlink(missing_ok=True)
    if content is not None:
        blend.write_bytes(content)
    code, stdout, stderr = command("export", "-o", out, blend=blend)
    assert code == 1, stdout + stderr
    assert stderr.count("gpuscene: error: ") == 1 and says in stderr and not out.exists()
