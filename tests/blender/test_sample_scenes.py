"""The sample scenes: what they promise, that their builder makes them again, and that extraction gives the numbers beside them.

The numbers in sample_scenes/expected come from sample_scenes/oracle.py, which shares no code with the extension, and the
builder refuses to write them when they differ from the counts kept by hand in each scene's module.
"""

import importlib.util
import json
import subprocess
import sys

import bpy
import numpy as np
import pytest

SCENES = ("forest", "city", "crowd", "meadow", "pathological")
MODES = ("viewport", "render")
MAX_TOTAL_BYTES = 1_500_000


@pytest.fixture(scope="module")
def folder(root):
    return root / "sample_scenes"


@pytest.fixture(scope="module")
def oracle(folder):
    """sample_scenes/oracle.py, under a name of its own."""
    spec = importlib.util.spec_from_file_location("sample_scenes_oracle", folder / "oracle.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def opened(folder):
    """``opened(name)`` loads the scene."""
    return lambda name: bpy.ops.wm.open_mainfile(filepath=str(folder / f"{name}.blend"), load_ui=False)


def expected(folder, name):
    return json.loads((folder / "expected" / f"{name}.json").read_text(encoding="utf-8"))


def assert_same(found, wanted):
    """Integers and names exactly; float32 sums within 1e-6 of their size, since libraries differ in the last bit."""
    assert found.keys() == wanted.keys()
    for key, value in wanted.items():
        if key in ("sum_translation", "aabb"):
            np.testing.assert_allclose(found[key], value, rtol=1e-6, atol=1e-5, err_msg=key)
        else:
            assert found[key] == value, key


@pytest.mark.parametrize("name", SCENES)
def test_this_blender_shows_the_expected_numbers(folder, oracle, name):
    wanted, found = expected(folder, name), oracle.measure_file(folder / f"{name}.blend")
    for mode in MODES:
        assert_same(found[mode], wanted[mode])


def test_the_builder_makes_the_same_scenes_again(folder, tmp_path):
    subprocess.run(
        [sys.executable, str(folder / "build_scenes.py"), "-o", str(tmp_path)], check=True, capture_output=True, timeout=300
    )
    assert sorted(p.name for p in tmp_path.glob("*.blend")) == sorted(p.name for p in folder.glob("*.blend"))
    for name in SCENES:
        for mode in MODES:
            assert_same(expected(tmp_path, name)[mode], expected(folder, name)[mode])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", SCENES)
def test_extraction_gives_the_expected_numbers(folder, opened, name, mode):
    from gpuscene.blender.export import ExportSettings, extract_scene
    from gpuscene.core.layout import INSTANCE_FLAGS

    opened(name)
    wanted = expected(folder, name)[mode]
    data = extract_scene(bpy.context, ExportSettings(visible=mode))
    transforms = data["instance_transforms"]
    assert data.instance_count == wanted["instances"]
    assert data.triangle_count() == wanted["triangles"]
    assert np.count_nonzero(transforms["flags"] & INSTANCE_FLAGS["INSTANCE_MIRRORED"]) == wanted["negative_det"]
    valid = (transforms["flags"] & INSTANCE_FLAGS["INSTANCE_VALID"]) != 0
    assert np.count_nonzero(~valid) == wanted["zero_scale"] + wanted["not_finite"]
    sources = data["instance_sources"].ravel()
    counts = dict(zip(data.sources, np.bincount(sources, minlength=len(data.sources)).tolist()))
    assert {source: n for source, n in counts.items() if n} == wanted["by_object"]
    lost = {f.subject for f in data.findings if f.code == "non-finite"}
    assert len(lost) == wanted["not_finite"]
    kept = np.array([data.sources[s] not in lost for s in sources])
    np.testing.assert_allclose(
        transforms["position"][kept].sum(0, dtype=np.float64), wanted["sum_translation"], rtol=1e-6, atol=1e-2
    )


def test_the_command_reports_the_expected_instances(folder, tmp_path):
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "gpuscene.cli",
            "export",
            str(folder / "city.blend"),
            "-o",
            str(tmp_path / "city.glb"),
            "--json",
            "--visible",
            "render",
        ],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["instances"] == expected(folder, "city")["render"]["instances"]


def test_the_files_are_small_and_link_relatively(folder):
    files = sorted(folder.glob("*.blend"))
    assert sum(f.stat().st_size for f in files) < MAX_TOTAL_BYTES
    for name in SCENES:
        bpy.ops.wm.open_mainfile(filepath=str(folder / f"{name}.blend"), load_ui=False)
        for library in bpy.data.libraries:
            assert library.filepath.startswith("//pathological_" if name == "pathological" else "//city_blocks.blend")


def test_forest_has_twenty_thousand_trees_of_three_species_with_levels(opened):
    from gpuscene.blender.export import ExportSettings, extract_scene

    opened("forest")
    for species in ("Pine", "Broadleaf", "Birch"):
        triangles = [sum(len(p.vertices) - 2 for p in bpy.data.meshes[f"{species}_LOD{n}"].polygons) for n in range(3)]
        assert 300 <= triangles[0] <= 800 and triangles[1] < triangles[0] / 3 and triangles[2] <= 12
        assert [m.name for m in bpy.data.meshes[f"{species}_LOD0"].materials] == [f"{species} Bark", f"{species} Leaves"]
    data = extract_scene(bpy.context, ExportSettings())
    trees = np.array([data.sources[s] != "Ground" for s in data["instance_sources"].ravel()])
    assert trees.sum() == 20_000
    # Levels 0 to 2 of the three species, and the ground's one.
    assert sorted(data["primitives"]["lod_count"].tolist()) == [1, 3, 3, 3]
    custom = data["instance_data"]["custom_data"].reshape(-1, 8)
    tallest = {s: max(v.co.z for v in bpy.data.meshes[f"{s}_LOD0"].vertices) for s in ("Pine", "Broadleaf", "Birch")}
    for species, height in tallest.items():
        rows = np.array([data.sources[s] == f"{species}_LOD0" for s in data["instance_sources"].ravel()])
        scale = np.linalg.norm(data["instance_transforms"]["z_axis"][rows].astype(float), axis=1)
        np.testing.assert_allclose(custom[rows, 5], scale * height, rtol=1e-5)
    phase = custom[trees, 4]
    assert 0 <= phase.min() < 0.01 and 6.27 < phase.max() <= 6.2832


def test_city_nests_links_overrides_and_paints(opened):
    opened("city")
    depths = {
        "".join("." for p in item.persistent_id if p != 0x7FFFFFFF)
        for item in bpy.context.evaluated_depsgraph_get().object_instances
        if item.is_instance
    }
    assert max(map(len, depths)) == 3
    assert bpy.data.objects["Statue"].override_library.reference.library.filepath == "//city_blocks.blend"
    cars = [o for o in bpy.data.objects if o.name.startswith("Car ") and o.library is None]
    assert {o.data.name_full for o in cars} == {"Car [city_blocks.blend]"}
    assert len({o.material_slots[0].material.name for o in cars}) == 6
    assert {o.material_slots[0].link for o in cars} == {"OBJECT"}


def test_crowd_has_three_rigs_of_78_bones_that_walk_in_a_loop(opened):
    opened("crowd")
    rigs = [o for o in bpy.data.objects if o.type == "ARMATURE"]
    assert [len([b for b in rig.data.bones if b.use_deform]) for rig in rigs] == [78, 78, 78]
    for body in (o for o in bpy.data.objects if o.find_armature()):
        for vertex in body.data.vertices:
            weights = [g.weight for g in vertex.groups]
            assert 1 <= len(weights) <= 4 and sum(weights) == pytest.approx(1, abs=1e-5)
    scene = bpy.context.scene
    poses = {}
    for frame in (1, 13, 25):
        scene.frame_set(frame)
        poses[frame] = np.array([bone.matrix for rig in rigs for bone in rig.pose.bones])
    np.testing.assert_allclose(poses[25], poses[1], atol=1e-5)
    assert np.abs(poses[13] - poses[1]).max() > 0.3
    assert (scene.frame_start, scene.frame_end) == (1, 24)


def test_meadow_has_one_density_in_three_places(opened):
    opened("meadow")
    mesh = bpy.data.objects["Meadow"].data
    count = len(mesh.vertices)
    density, color, uv = np.empty(count, np.float32), np.empty(count * 4, np.float32), np.empty(len(mesh.loops) * 2, np.float32)
    mesh.attributes["density"].data.foreach_get("value", density)
    mesh.color_attributes["density_color"].data.foreach_get("color", color)
    mesh.uv_layers["UVMap"].data.foreach_get("uv", uv)
    assert density.min() == 0 and density.max() == 1
    np.testing.assert_allclose(color[::4], density, atol=0.01)
    image = bpy.data.objects["Meadow"]["gpuscene_density_image"]
    assert image.packed_file is not None
    pixels = np.array(image.pixels[:], np.float32).reshape(*image.size, 4)[..., 0]
    corners = np.empty(len(mesh.loops), np.int32)
    mesh.loops.foreach_get("vertex_index", corners)
    column, row = np.clip((uv.reshape(-1, 2).T * image.size[0]).astype(int), 0, image.size[0] - 1)
    # A pixel is half a metre wide, so edges of the path may differ; most of the ground may not.
    assert np.mean(np.abs(pixels[row, column] - density[corners]) < 0.1) > 0.8
