"""H1, H2, H4: repeated exports around undo and file loads, no display and no driver, outputs that cannot be."""

import gc
import json
import os
import subprocess
import sys
from pathlib import Path

import bpy
import oracle
import pytest
from builders import add, collection, fan, hair, instance, plane, points, scatter
from gpuscene.blender import registration, viewmodel
from gpuscene.blender.export import ExportSettings, export_scene
from gpuscene.core import gltf
from gpuscene.core.errors import OutputError


@pytest.fixture
def registered(empty_scene):
    registration.register()
    yield
    registration.unregister()


# H1


def busy_scene():
    leaf = add("leaf", fan("leaf", 4))
    scatter(add("owner", points("points", [(0, 0, 0), (1, 0, 0), (2, 0, 0)])), leaf)
    group = collection("group", linked=False)
    add("inside", fan("inside", 5), group)
    instance("copy", group)
    hair(add("ground", plane("ground")), "hair", 6, leaf)


def file_state():
    counts = {
        name: len(value)
        for name in dir(bpy.data)
        if name != "all_ids" and isinstance(value := getattr(bpy.data, name), bpy.types.bpy_prop_collection)
    }
    # Blender's own render operator makes this one, once.
    counts["images"] -= "Render Result" in bpy.data.images
    handlers = {name: list(value) for name in dir(bpy.app.handlers) if isinstance(value := getattr(bpy.app.handlers, name), list)}
    engines = [cls.__name__ for cls in bpy.types.RenderEngine.__subclasses__() if getattr(cls, "is_registered", False)]
    scene = bpy.context.scene
    return counts, handlers, engines, scene.camera, scene.render.engine, scene.render.resolution_x, scene.render.use_compositing


def test_h1_repeated_exports_leave_nothing_and_give_the_same(registered, tmp_path):
    busy_scene()
    bpy.context.view_layer.update()
    before, written = file_state(), []
    for index in range(4):
        registration.unregister()
        registration.register()
        for visible in ("viewport", "render"):
            path = tmp_path / "out.glb"
            export_scene(bpy.context, path, ExportSettings(visible=visible))
            written.append(path.read_bytes())
    assert written[0::2] == [written[0]] * 4 and written[1::2] == [written[1]] * 4
    assert file_state() == before
    assert sorted(os.listdir(tmp_path)) == ["out.glb"]


def test_h1_memory_does_not_grow(registered):
    from gpuscene.blender.export import extract_scene

    busy_scene()
    sizes = []
    for _ in range(6):
        for visible in ("viewport", "render"):
            extract_scene(bpy.context, ExportSettings(visible=visible))
        gc.collect()
        sizes.append(len(gc.get_objects()))
    assert max(sizes[2:]) - min(sizes[2:]) < 50


def test_h1_undo_and_redo(registered, check, tmp_path):
    bpy.ops.ed.undo_push(message="empty")
    busy_scene()
    bpy.ops.ed.undo_push(message="made")
    first, _ = check()
    bpy.data.objects["leaf"].location = (5, 5, 5)
    bpy.data.objects.remove(bpy.data.objects["copy"])
    bpy.ops.ed.undo_push(message="changed")
    changed, _ = check()
    bpy.ops.ed.undo()
    undone, _ = check()
    bpy.ops.ed.redo()
    redone, _ = check()
    for data, right in ((undone, first), (redone, changed)):
        assert all(data[name].tobytes() == right[name].tobytes() for name in right.tables)
        assert data.sources == right.sources
    assert first.instance_count == changed.instance_count + 1


def test_h1_another_file_and_a_new_scene(registered, check, tmp_path):
    busy_scene()
    viewmodel.store_result(bpy.context.scene, export_scene(bpy.context, tmp_path / "out.glb", ExportSettings()))
    first, _ = check("render")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "busy.blend"))
    bpy.ops.wm.read_factory_settings(use_empty=True)
    registration.register()
    add("only", fan("only", 3))
    assert check()[0].instance_count == 1
    assert viewmodel.result_of(bpy.context.scene) is None
    made = bpy.data.scenes.new("second")
    with bpy.context.temp_override(scene=made, view_layer=made.view_layers[0]):
        made.collection.objects.link(bpy.data.objects.new("in second", fan("second", 4)))
        path = tmp_path / "second.glb"
        export_scene(bpy.context, path, ExportSettings())
    assert gltf.read(path).sources == ("in second",)
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "busy.blend"))
    again, _ = check("render")
    assert all(again[name].tobytes() == first[name].tobytes() for name in first.tables)


# H2

NO_DRIVER = {
    "__EGL_VENDOR_LIBRARY_FILENAMES": "/nonexistent/egl.json",
    "__EGL_VENDOR_LIBRARY_DIRS": "/nonexistent",
    "LIBGL_DRIVERS_PATH": "/nonexistent",
    "VK_DRIVER_FILES": "/nonexistent/vk.json",
    "VK_ICD_FILENAMES": "/nonexistent/vk.json",
}


def test_h2_no_display_and_no_driver(run_python, tmp_path):
    add("leaf", fan("leaf", 4))
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "in.blend"))
    out = run_python(
        """
import sys, bpy
before = {name for name in sys.modules if name.split(".")[0] == "gpu"}
from gpuscene.blender import registration
from gpuscene.blender.export import ExportSettings, export_file
registration.register()
for visible in ("viewport", "render"):
    result = export_file(sys.argv[1], sys.argv[2], ExportSettings(visible=visible))
    print("INSTANCES", result["instances"])
registration.unregister()
print("GPU", sorted({name for name in sys.modules if name.split(".")[0] == "gpu"} - before))
""",
        tmp_path / "in.blend",
        tmp_path / "out.glb",
        **NO_DRIVER,
    )
    assert out.count("INSTANCES 1") == 2 and "GPU []" in out
    assert gltf.read(tmp_path / "out.glb").instance_count == 1


# H4


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 64 KB that is really full when it is full."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if (
        sys.platform != "linux"
        or os.geteuid()
        or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], capture_output=True).returncode
    ):
        pytest.skip("mounting a small file system needs root on Linux")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def contents(folder: Path):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def assert_fails(folder, name, match):
    before = contents(folder)
    with pytest.raises(OutputError, match=match) as caught:
        export_scene(bpy.context, folder / name, ExportSettings())
    assert "\n" not in str(caught.value) and caught.value.hint
    assert contents(folder) == before


def test_h4_full_disk_and_read_only(small_disk):
    add("leaf", fan("leaf"))
    export_scene(bpy.context, small_disk / "out.glb", ExportSettings())
    big = add("big", plane("big", 80, 80))
    assert_fails(small_disk, "out.glb", "the disk is full")
    assert_fails(small_disk, "new.gltf", "the disk is full")
    bpy.data.objects.remove(big)
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    assert_fails(small_disk, "out.glb", "read-only|write-protected")
    assert_fails(small_disk, "new.glb", "read-only")
    assert gltf.read(small_disk / "out.glb").instance_count == 1


@pytest.mark.parametrize("name", ["with space.glb", "木 🌲 ñ/out file.glb", "%20 #1 {x}.gltf", "a" * 240 + ".glb"])
def test_h4_paths(tmp_path, name):
    add("leaf", fan("leaf"))
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"old")
    result = export_scene(bpy.context, path, ExportSettings())
    assert Path(result["path"]) == path and gltf.read(path).instance_count == 1
    assert len(os.listdir(path.parent)) == (2 if name.endswith(".gltf") else 1)


def test_h4_outputs_that_cannot_be(tmp_path):
    add("leaf", fan("leaf"))
    (tmp_path / "folder.glb").mkdir()
    (tmp_path / "folder.glb" / "kept").write_bytes(b"kept")
    for name, match in (("folder.glb", "is a folder"), ("none/out.glb", "does not exist"), ("out.obj", "neither .glb nor .gltf")):
        with pytest.raises(OutputError, match=match) as caught:
            export_scene(bpy.context, tmp_path / name, ExportSettings())
        assert "\n" not in str(caught.value)
    assert contents(tmp_path / "folder.glb") == {"kept": b"kept"} and os.listdir(tmp_path) == ["folder.glb"]


def test_h4_a_failure_while_extracting_keeps_the_old_file(tmp_path, monkeypatch):
    """Whatever raises, and wherever: here the last step before writing."""
    from gpuscene.core import assemble

    add("leaf", fan("leaf"))
    path = tmp_path / "out.glb"
    path.write_bytes(b"the old output")
    before = file_state()

    def fails(*args, **kwargs):
        raise MemoryError

    monkeypatch.setattr(assemble, "assemble", fails)
    for visible in ("viewport", "render"):
        with pytest.raises(MemoryError):
            export_scene(bpy.context, path, ExportSettings(visible=visible, frame=5))
    assert contents(tmp_path) == {"out.glb": b"the old output"}
    assert file_state() == before and bpy.context.scene.frame_current == 1


def test_h4_findings_reach_the_json(tmp_path):
    add("flat", fan("leaf"), scale=(0, 1, 1))
    result = json.loads(json.dumps(export_scene(bpy.context, tmp_path / "out.glb", ExportSettings())))
    assert [(f["code"], f["subject"]) for f in result["findings"]] == [("zero-scale", "flat")]
    assert result["bytes"] == (tmp_path / "out.glb").stat().st_size
    assert oracle.drawn() and result["instances"] == 1
