"""Writing fails safely: one clear line, the old output intact, no temporary file left. And which files come out."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from gpuscene.core import gltf
from gpuscene.core.errors import FormatError, LimitError, OutputError
from gpuscene.core.scene import SceneData
from scene_factory import make_scene

SCENE = make_scene()
NAMES = ["a.glb", "a.gltf", "a file with spaces.glb", "a file with spaces.gltf", "木 🌲 é.glb", "木 🌲 é #%20.gltf", "UPPER.GLB", ".hidden.glb"]


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 256 KB that is really full when it is full."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if sys.platform != "linux" or os.geteuid() or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", folder],
                                                                 capture_output=True).returncode:
        pytest.skip("mounting a small file system needs root on Linux")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


@pytest.mark.parametrize("name", NAMES)
def test_names(tmp_path, name):
    result = gltf.write(SCENE, str(tmp_path / name))
    assert result.path == tmp_path / name
    assert sorted(files(tmp_path)) == sorted(path.name for path in result.paths)
    assert result.bytes == sum(map(len, files(tmp_path).values()))
    assert gltf.read(str(result.path)).instance_count == 20


@pytest.mark.parametrize("name", ["a.glb", "a.gltf"])
def test_full_disk(small_disk, name):
    gltf.write(SCENE, small_disk / name)
    before = files(small_disk)
    with pytest.raises(OutputError, match=f"Cannot write .*{name[:2]}.*: the disk is full. Free some space"):
        gltf.write(make_scene(instances=3000), small_disk / name)
    assert files(small_disk) == before


def test_read_only_file_system(small_disk):
    gltf.write(SCENE, small_disk / "a.glb")
    before = files(small_disk)
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    for name in ("a.glb", "b.glb", "a.gltf"):
        with pytest.raises(OutputError, match="read-only|write-protected"):
            gltf.write(make_scene(seed=1), small_disk / name)
    assert files(small_disk) == before


LIMITED = """
import resource, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from scene_factory import make_scene
from gpuscene.core import gltf, errors
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    gltf.write(make_scene(instances=3000), Path(sys.argv[2]))
except errors.OutputError as error:
    print(error)
"""


@pytest.mark.parametrize("name", ["a.glb", "a.gltf"])
def test_a_write_that_stops_half_way(tmp_path, name):
    """The system's own limit on file size: the first 100,000 bytes are written, then no more."""
    gltf.write(SCENE, tmp_path / name)
    before = files(tmp_path)
    done = subprocess.run([sys.executable, "-c", LIMITED, str(Path(__file__).parent), str(tmp_path / name)], capture_output=True, text=True)
    assert "the file is too large for its file system" in done.stdout, done.stderr
    assert files(tmp_path) == before


def test_read_only_folder(tmp_path):
    if os.name == "nt" or os.geteuid() == 0:
        pytest.skip("root may write anywhere")
    gltf.write(SCENE, tmp_path / "a.glb")
    before = files(tmp_path)
    tmp_path.chmod(0o555)
    try:
        with pytest.raises(OutputError, match="folder is not writable"):
            gltf.write(make_scene(seed=1), tmp_path / "a.glb")
        assert files(tmp_path) == before
    finally:
        tmp_path.chmod(0o755)


@pytest.mark.parametrize(("name", "message"), [("none/a.glb", "none does not exist. Create it"), ("folder.glb", "folder.glb is a folder"),
                                               ("a.txt", "ends in neither .glb nor .gltf"), ("a", "ends in neither"), ("x" * 300 + ".glb", "too long"),
                                               ("pipe.glb", "not a regular file")])
def test_a_target_that_cannot_be(tmp_path, name, message):
    (tmp_path / "folder.glb").mkdir()
    os.mkfifo(tmp_path / "pipe.glb")
    before = sorted(tmp_path.iterdir())
    with pytest.raises(OutputError, match=message) as caught:
        gltf.write(SCENE, tmp_path / name)
    assert "\n" not in str(caught.value)
    assert sorted(tmp_path.iterdir()) == before


def test_an_interrupt_leaves_the_old_file(tmp_path):
    gltf.write(SCENE, tmp_path / "a.glb")
    before = files(tmp_path)

    def interrupt(fraction, text):
        if text == "writing":
            assert len(files(tmp_path)) == 2  # the temporary file is there
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        gltf.write(make_scene(seed=1), tmp_path / "a.glb", progress=interrupt)
    assert files(tmp_path) == before


def test_a_link_is_followed(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "a.glb").symlink_to(tmp_path / "real" / "b.glb")
    result = gltf.write(SCENE, tmp_path / "a.glb")
    assert result.path == tmp_path / "real" / "b.glb" and (tmp_path / "a.glb").is_symlink()
    assert gltf.read(tmp_path / "a.glb").instance_count == 20


def test_a_scene_past_the_limit_becomes_gltf_and_bin(tmp_path):
    first = gltf.write(SCENE, tmp_path / "a.glb")
    exact = first.bytes
    assert gltf.write(SCENE, tmp_path / "a.glb", max_glb_bytes=exact).paths == (tmp_path / "a.glb",)
    with pytest.raises(LimitError, match=f"{exact:,} is past the limit of {exact - 1:,}"):
        gltf.write(SCENE, tmp_path / "a.glb", container="glb", max_glb_bytes=exact - 1)
    assert sorted(files(tmp_path)) == ["a.glb"]
    result = gltf.write(SCENE, tmp_path / "a.glb", max_glb_bytes=exact - 1)
    assert result.path == tmp_path / "a.gltf"
    assert sorted(files(tmp_path)) == sorted(path.name for path in result.paths)  # the superseded a.glb went
    assert gltf.read(result.path)["instance_data"].tobytes() == SCENE["instance_data"].tobytes()


def test_the_container_asked_for_wins_over_the_suffix(tmp_path):
    gltf.write(SCENE, tmp_path / "a.glb")
    assert gltf.write(SCENE, tmp_path / "a.glb", container="gltf").path == tmp_path / "a.gltf"
    assert gltf.write(SCENE, tmp_path / "b.gltf", container="glb").path == tmp_path / "b.glb"
    assert {"a.glb", "a.gltf", "b.glb"} <= set(files(tmp_path))
    with pytest.raises(ValueError, match="usdz"):
        gltf.write(SCENE, tmp_path / "a.glb", container="usdz")


@pytest.mark.parametrize(("asked", "existing", "options"), [
    ("a.glb", "a.glb", {}), ("a.glb", "a.gltf", {"container": "gltf"}), ("a.gltf", "a.glb", {"container": "glb"}),
    ("a.glb", "a.gltf", {"max_glb_bytes": 1000}),  # too large for a .glb
])
def test_what_exists_stays_unless_it_may_be_replaced(tmp_path, asked, existing, options):
    (tmp_path / existing).write_bytes(b"precious")
    with pytest.raises(OutputError, match=f"{existing} exists"):
        gltf.write(SCENE, tmp_path / asked, replace=False, **options)
    assert files(tmp_path) == {existing: b"precious"}
    assert gltf.write(SCENE, tmp_path / asked, **options).path == tmp_path / existing


@pytest.mark.skipif(sys.platform != "linux", reason="file names are bytes on Linux only")
@pytest.mark.parametrize("name", [b"not utf-8 \xff.gltf", "\u6728 %41 #.gltf".encode()])
def test_a_name_is_bytes_whatever_the_locale(tmp_path, name):
    """Written where Python takes file names for ASCII, read where it takes them for UTF-8; the URI is the name's bytes, percent-encoded."""
    code = "import os, sys\nfrom scene_factory import make_scene\nfrom gpuscene.core import gltf\ngltf.write(make_scene(20), os.fsdecode(sys.argv[1]))"
    path = os.fsencode(tmp_path) + b"/" + name
    subprocess.run([sys.executable, "-X", "utf8=0", "-c", code, path], check=True, cwd=Path(__file__).parent,
                   env={**os.environ, "LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0", "PYTHONPATH": os.pathsep.join([".", *filter(None, sys.path)])})
    assert gltf.read(os.fsdecode(path)).instance_count == 20
    binary, = (found for found in os.listdir(os.fsencode(tmp_path)) if found.endswith(b".bin"))
    uri = json.loads(Path(os.fsdecode(path)).read_text())["buffers"][0]["uri"]
    assert re.sub(rb"%(..)", lambda two: bytes.fromhex(two[1].decode()), uri.encode("ascii")) == binary


def test_a_gltf_never_points_to_another_exports_bin(tmp_path):
    """The .bin's name comes from the content; the superseded one goes only after the new .gltf is in place."""
    first = gltf.write(SCENE, tmp_path / "a.gltf")
    other = gltf.write(SCENE, tmp_path / "a.b.gltf")
    same = gltf.write(SCENE, tmp_path / "a.gltf")
    assert same == first
    seen = []
    second = gltf.write(make_scene(seed=1), tmp_path / "a.gltf",
                        progress=lambda fraction, text: seen.append(gltf.read(tmp_path / "a.gltf").instance_count))
    assert second.paths[1] != first.paths[1] and not first.paths[1].exists()
    assert re.fullmatch(r"a\.[0-9a-f]{12}\.bin", second.paths[1].name)
    assert set(seen) == {20}  # at every step the file could be read
    assert gltf.read(other.path).instance_count == 20


def test_a_bin_that_is_not_ours_is_left_alone(tmp_path):
    (tmp_path / "a.gltf").write_text('{"buffers":[{"uri":"precious.bin"}]}')
    (tmp_path / "precious.bin").write_bytes(b"data")
    gltf.write(SCENE, tmp_path / "a.gltf")
    assert (tmp_path / "precious.bin").read_bytes() == b"data"
    (tmp_path / "a.gltf").write_bytes(b"\xff garbage")
    gltf.write(SCENE, tmp_path / "a.gltf")
    assert gltf.read(tmp_path / "a.gltf").instance_count == 20


def test_progress_grows_to_one(tmp_path):
    seen = []
    gltf.write(SCENE, tmp_path / "a.glb", progress=lambda fraction, text: seen.append((fraction, text)))
    assert [fraction for fraction, _ in seen] == sorted(fraction for fraction, _ in seen)
    assert seen[-1][0] == 1 and {"instances", "checksums", "writing"} <= {text for _, text in seen}


def test_what_json_or_the_format_cannot_carry(tmp_path):
    with pytest.raises(OutputError, match="metadata"):
        gltf.write(make_scene(metadata={"x": float("nan")}), tmp_path / "a.glb")
    with pytest.raises(OutputError, match="metadata"):
        gltf.write(make_scene(metadata={"x": Path()}), tmp_path / "a.glb")
    scene = make_scene()
    with pytest.raises(FormatError, match="primitive names"):
        gltf.write(SceneData(scene.tables, sources=scene.sources, materials=scene.materials), tmp_path / "a.glb")
    assert files(tmp_path) == {}


def test_permissions_follow_the_umask(tmp_path):
    old = os.umask(0o027)
    try:
        gltf.write(SCENE, tmp_path / "a.glb")
    finally:
        os.umask(old)
    assert (tmp_path / "a.glb").stat().st_mode & 0o777 == 0o640
