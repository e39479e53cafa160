"""``gpuscene snapshot``: pixels at places worked out by hand have the colours worked out by hand, on every back end and from either kind of file."""

import json
import os
import struct
import subprocess
import sys
import textwrap
import zlib
from pathlib import Path

import numpy as np
import pytest

#: Cubes of side 2 seen from straight above. Orthographic camera "Camera" at z = 20, 20 wide: at 200 x 100 pixels, (x, y) is at pixel (100 + 10 x, 50 - 10 y).
#: Red at (-6, 0), green at (0, 0), blue at (6, 3); "Far" (white) at (30, 0), outside. "Wide" is 80 wide: (100 + 2.5 x, 50 - 2.5 y). "Round" is panoramic.
#: The green cube is "Tree_LOD0" and has a level "Tree_LOD1", a dark cube.
BUILD = textwrap.dedent("""
    import sys
    import bpy
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    def cube(name, location, color):
        bpy.ops.mesh.primitive_cube_add(size=2, location=location)
        obj = bpy.context.object
        obj.name = name
        material = bpy.data.materials.new(name)
        material.diffuse_color = color
        if material.node_tree is None:
            material.use_nodes = True
        material.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = color
        obj.data.materials.append(material)
        return obj
    cube("Red", (-6, 0, 0), (0.6, 0.1, 0.1, 1))
    cube("Tree_LOD0", (0, 0, 0), (0.1, 0.5, 0.1, 1))
    cube("Blue", (6, 3, 0), (0.1, 0.1, 0.7, 1))
    cube("Far", (30, 0, 0), (0.8, 0.8, 0.8, 1))
    cube("Tree_LOD1", (0, 0, 0), (0.02, 0.02, 0.02, 1))
    def camera(name, kind, scale):
        data = bpy.data.cameras.new(name)
        data.type = kind
        data.ortho_scale = scale
        obj = bpy.data.objects.new(name, data)
        obj.location.z = 20
        scene.collection.objects.link(obj)
        return obj
    scene.camera = camera("Camera", "ORTHO", 20)
    camera("Wide", "ORTHO", 80)
    camera("Round", "PANO", 1)
    scene.render.resolution_x, scene.render.resolution_y = 200, 100
    bpy.ops.wm.save_as_mainfile(filepath=sys.argv[1])
    """)
#: no Vulkan driver: OpenGL
BACKENDS = {"best": {}, "OpenGL": {"VK_DRIVER_FILES": "/nonexistent"}}
BACKGROUND = (0.84, 0.88, 0.93)


def environment(**changes):
    base = {k: v for k, v in os.environ.items() if k not in ("PYTHONUNBUFFERED", "GPUSCENE_DEBUG", "DISPLAY")}
    return {**base, "PYTHONDONTWRITEBYTECODE": "1", **changes}  # no PYTHONPATH: with Blender loaded, sys.path holds a second bpy


def command(*arguments, **changes):
    return subprocess.run([sys.executable, "-m", "gpuscene.cli", *map(str, arguments)], capture_output=True, text=True, timeout=300,
                          env=environment(**changes), stdin=subprocess.DEVNULL)


@pytest.fixture(scope="module")
def scenes(tmp_path_factory):
    """(.blend, .glb of it in Unreal's axes)."""
    folder = tmp_path_factory.mktemp("a folder")
    paths = folder / "cubes \u6811.blend", folder / "cubes.glb"
    subprocess.run([sys.executable, "-c", BUILD, paths[0]], check=True, env=environment(), stdout=subprocess.DEVNULL, timeout=300)
    assert command("export", paths[0], "-o", paths[1], "--axes", "unreal").returncode == 0
    return paths


@pytest.fixture(scope="module")
def snap(scenes, tmp_path_factory, lacking):
    """``snap(*arguments, file=0)`` -> (JSON result, (H, W, 3) float pixels); made once for each set of arguments."""
    made, folder = {}, tmp_path_factory.mktemp("pictures")

    def run(*arguments, file=0, backend="best"):
        key = arguments, file, backend
        if key not in made:
            path = folder / f"{len(made)}.png"
            result = command("snapshot", scenes[file], "-o", path, "--json", *(arguments if "--size" in arguments else (*arguments, "--size", "200x100")),
                             **BACKENDS[backend])
            if "There is no GPU" in result.stderr:
                lacking("GPU", result.stderr)
            assert (result.returncode, result.stderr) == (0, "")
            made[key] = json.loads(result.stdout), decode(path.read_bytes()).astype(float)
        return made[key]

    return run


def decode(png):
    """(H, W, 3) uint8 of an 8-bit RGB PNG whose rows have filter None or Up: from the specification."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    width, height, depth, kind = struct.unpack(">IIBB", png[16:26])
    assert (depth, kind) == (8, 2)
    data, at = b"", 8
    while at < len(png):
        length, name = struct.unpack(">I4s", png[at:at + 8])
        body = png[at + 8:at + 8 + length]
        assert struct.unpack(">I", png[at + 8 + length:at + 12 + length])[0] == zlib.crc32(name + body)
        data += body if name == b"IDAT" else b""
        at += 12 + length
    rows, above = np.frombuffer(zlib.decompress(data), np.uint8).reshape(height, 1 + 3 * width), np.zeros(3 * width, np.uint8)
    out = []
    for row in rows:
        assert row[0] in (0, 2)
        above = row[1:] if row[0] == 0 else row[1:] + above
        out.append(above)
    return np.array(out).reshape(height, width, 3)


def lit_from_above(base, tint=None, share=0.85):
    """sRGB 0..255 of a face that looks up: sky above (0.42, 0.46, 0.52) and a sun (0.95, 0.91, 0.83) from (-0.45, -0.6, 0.66)."""
    base = np.array(base, float) if tint is None else np.array(base) * (1 - share) + np.array(tint) * share
    linear = np.clip(base * (np.array((0.42, 0.46, 0.52)) + np.array((0.95, 0.91, 0.83)) * 0.66 / np.sqrt(0.45 ** 2 + 0.6 ** 2 + 0.66 ** 2)), 0, 1)
    return 255 * np.where(linear < 0.0031308, linear * 12.92, 1.055 * linear ** (1 / 2.4) - 0.055)


RED, GREEN, BLUE, WHITE = (0.6, 0.1, 0.1), (0.1, 0.5, 0.1), (0.1, 0.1, 0.7), (0.8, 0.8, 0.8)
LEVEL_1 = (0.02, 0.02, 0.02)
GREY = (0.22, 0.22, 0.22)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("file", [0, 1], ids=["blend", "unreal glb"])
def test_the_scene_is_where_it_is_and_has_its_colours(snap, file, backend):
    """Right way up, not mirrored: blue is up and to the right."""
    result, pixels = snap(file=file, backend=backend)
    assert (result["total"], result["visible"], result["drawn"]) == (4, 3, 3) and pixels.shape == (100, 200, 3)
    for (x, y), color in (((-6, 0), RED), ((0, 0), GREEN), ((6, 3), BLUE), ((-5.2, 0.8), RED), ((6.8, 2.2), BLUE)):
        assert pixels[int(50 - 10 * y), int(100 + 10 * x)] == pytest.approx(lit_from_above(color), abs=2), (x, y)
    for x, y in ((-8, 0), (-6, 1.5), (6, 1.5), (6, -3), (9, 4)):
        assert pixels[int(50 - 10 * y), int(100 + 10 * x)] == pytest.approx(255 * np.array(BACKGROUND), abs=1), (x, y)
    if backend == "OpenGL":
        assert result["device"]["backend"] == "OPENGL"


def test_what_the_camera_does_not_see_is_grey_from_elsewhere(snap):
    result, pixels = snap("--overlay", "visibility", "--view", "Wide")
    assert result["legend"] == {"visible": 3, "grey: culled": 1}
    assert pixels[50, 85] == pytest.approx(lit_from_above(RED), abs=2)
    assert pixels[50, 175] == pytest.approx(lit_from_above(WHITE, GREY), abs=2)
    _, plain = snap("--view", "Wide")
    assert plain[50, 175] == pytest.approx(lit_from_above(WHITE), abs=2)
    # The camera's frustum is drawn: its right side stands at x = 10, pixel 125, from y = -5 to 5.
    assert (pixels[40:60, 124:126].mean(axis=(1, 2)) < 110).all()


def test_lod_colours(snap):
    """LOD 1 starts below a quarter of the view's height. A cube's sphere is 2 sqrt(3) high: 0.09 of Wide's 40, 0.35 of Camera's 10. What has no LODs is white."""
    result, pixels = snap("--overlay", "lod", "--camera", "Wide")
    assert result["legend"] == {"LOD 0": 3, "LOD 1": 1, "culled": 0}
    assert pixels[50, 85] == pytest.approx(lit_from_above(RED, (0.8, 0.8, 0.8)), abs=2)
    assert pixels[50, 100] == pytest.approx(lit_from_above(LEVEL_1, (0.8, 0.03, 0.03)), abs=2)
    result, pixels = snap("--overlay", "lod")
    assert result["legend"] == {"LOD 0": 3, "culled": 0}
    assert pixels[50, 100] == pytest.approx(lit_from_above(GREEN, (0.8, 0.8, 0.8)), abs=2)


def test_the_pictures_proportions_count(snap):
    """A square picture of Camera's view is 20 high, of which the sphere is 0.17; a flat one is still 10 high (and 50 wide, which is short of Far)."""
    square, _ = snap("--overlay", "lod", "--size", "100x100")
    flat, pixels = snap("--overlay", "lod", "--size", "200x40")
    assert (square["legend"], flat["legend"]) == ({"LOD 0": 2, "LOD 1": 1, "culled": 0}, {"LOD 0": 3, "culled": 0})
    assert pixels.shape == (40, 200, 3) and flat["visible"] == 3


def test_cluster_boxes(snap):
    """Leaves of one: the root from (-7, -1) to (7, 4), further right for Far, which is culled."""
    result, pixels = snap("--overlay", "clusters", "--cluster-size", "1", "--view", "Wide")
    legend = result["legend"]
    assert (legend["red: root"], legend["green: leaf"], legend["grey: culled leaf"]) == (1, 3, 1)

    def around(x, y):
        """Mean colour of the four pixels about (x, y)."""
        row, column = round(50 - 2.5 * y), round(100 + 2.5 * x)
        return pixels[row - 1:row + 1, column - 1:column + 1].mean(axis=(0, 1))

    red = around(20, 4)  # the upper edge of the root, where nothing else is
    assert red[0] > 200 and red[1] < 100 and red[2] < 100
    green = around(6, 2)  # the lower edge of Blue's leaf
    assert green[1] > green[0] and green[1] > green[2]
    grey = around(29, 0)  # the left edge of Far's leaf
    assert np.ptp(grey) < 18 and grey.mean() < 210  # a third of it over the background, which is (214, 224, 237)


def test_ages_after_three_rounds(snap):
    """So small a scene is one unit of the schedule: refreshed in the first frame and, at the oldest allowed age of 5, in the seventh; nine frames
    were run, so it is two frames old: green."""
    result, pixels = snap("--overlay", "age", "--slices", "3")
    assert result["legend"] == {"red: this frame": 0, "blue: last frame": 0, "green: older": 3, "grey: culled": 0}
    assert pixels[50, 40] == pytest.approx(lit_from_above(RED, (0.03, 0.6, 0.05)), abs=2)
    result, pixels = snap("--overlay", "age", "--slices", "1")
    assert result["legend"]["red: this frame"] == 3
    assert pixels[50, 40] == pytest.approx(lit_from_above(RED, (0.8, 0.03, 0.03)), abs=2)


def test_the_overview_shows_everything(snap):
    result, pixels = snap("--overlay", "visibility", "--view", "overview")
    assert result["drawn"] == 4 and result["legend"] == {"visible": 3, "grey: culled": 1}
    _, mirrored = snap("--overlay", "visibility", "--view", "overview", file=1)  # left-handed axes
    assert (np.abs(mirrored - pixels).max(axis=2) > 40).mean() < 0.01
    filled = np.abs(pixels - 255 * np.array(BACKGROUND)).max(axis=2) > 3
    assert np.ptp(np.flatnonzero(filled.any(axis=0))) > 150  # from one side of the picture to the other


def test_a_narrow_picture_sees_at_least_what_the_camera_sees(snap):
    """100 x 100: still 20 wide, now 20 high."""
    _, pixels = snap("--size", "100x100")
    assert pixels[50, 20] == pytest.approx(lit_from_above(RED), abs=2) and pixels[35, 80] == pytest.approx(lit_from_above(BLUE), abs=2)


def test_blender_reads_the_picture(scenes, tmp_path, snap):
    import bpy
    _, pixels = snap()
    path = tmp_path / "a b.png"
    assert command("snapshot", scenes[1], "-o", path, "--size", "200x100").returncode == 0
    image = bpy.data.images.load(str(path))
    try:
        assert tuple(image.size) == (200, 100) and image.colorspace_settings.name == "sRGB"
        row = np.array(image.pixels[:]).reshape(100, 200, 4)[::-1][50, 40, :3]
        assert 255 * row == pytest.approx(pixels[50, 40], abs=2)
    finally:
        bpy.data.images.remove(image)


def test_what_is_wrong_is_one_line_and_writes_nothing(scenes, tmp_path):
    taken = tmp_path / "taken.png"
    taken.write_bytes(b"mine")
    for arguments, word in ((["-o", taken], "exists"), (["-o", tmp_path / "a.jpg"], ".png"), (["-o", tmp_path / "no" / "a.png"], "does not exist"),
                            (["-o", tmp_path / "a.png", "--camera", "Cmera"], "Wide"), (["-o", tmp_path / "a.png", "--view", "Cmera"], "Wide"),
                            (["-o", tmp_path / "a.png", "--camera", "Round"], "panoramic")):
        result = command("snapshot", scenes[1], *arguments)
        assert result.returncode == 1 and result.stdout == "" and result.stderr.count("\n") == 1 and word in result.stderr, result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["taken.png"] and taken.read_bytes() == b"mine"


def test_a_scene_of_nothing(tmp_path, snap):
    """Background alone, from its camera and from above."""
    sys.path.insert(0, str(Path(__file__).parent.parent / "core"))
    from gpuscene.core import gltf
    from gpuscene.core.culling.camera import Camera
    from scene_factory import make_scene
    snap()  # skips without a GPU
    source = gltf.write(make_scene(0, 1, cameras=(Camera("C", np.eye(4), np.zeros(3), False, 0.5),)), tmp_path / "empty.glb").path
    for number, arguments in enumerate((["--overlay", "clusters"], ["--overlay", "age"], ["--overlay", "lod", "--view", "overview"])):
        path = tmp_path / f"{number}.png"
        result = command("snapshot", source, "-o", path, "--size", "40x30", *arguments)
        assert (result.returncode, result.stderr) == (0, "")
        assert (decode(path.read_bytes()) == np.round(255 * np.array(BACKGROUND))).all(axis=2).mean() > 0.5
