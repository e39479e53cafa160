"""Accidents: a file cut short, one byte changed anywhere, parts swapped. Each is noticed, in one line that names the file."""

import shutil

import pytest
from gpuscene.core import gltf
from gpuscene.core.errors import FormatError, GpuSceneError, InputError
from hypothesis import given, settings
from hypothesis import strategies as st
from scene_factory import make_scene


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A small .glb, and a .gltf with its .bin, of the same scene: (folder, {name: bytes})."""
    folder = tmp_path_factory.mktemp("written")
    scene = make_scene(instances=5, primitives=2, lods=2, full_precision=1)
    paths = gltf.write(scene, folder / "a.glb").paths + gltf.write(scene, folder / "b.gltf").paths
    return folder, {path.name: path.read_bytes() for path in paths}


def read_altered(written, name, content):
    """Read the file after `name` got other content; returns the error raised, or None."""
    folder, files = written
    copy = folder / "altered"
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir()
    for other, original in files.items():
        (copy / other).write_bytes(content if other == name else original)
    try:
        gltf.read(copy / ("a.glb" if name == "a.glb" else "b.gltf"))
    except GpuSceneError as error:
        assert "\n" not in str(error)
        return error
    return None


def test_the_unaltered_files_read(written):
    for name, content in written[1].items():
        assert read_altered(written, name, content) is None


@given(data=st.data(), which=st.integers(0, 2), bit=st.integers(0, 7))
@settings(max_examples=400, deadline=None)
def test_one_bit_flipped_anywhere(written, data, which, bit):
    name, content = list(written[1].items())[which]
    at = data.draw(st.integers(0, len(content) - 1))
    altered = bytearray(content)
    altered[at] ^= 1 << bit
    assert isinstance(read_altered(written, name, bytes(altered)), InputError), f"{name} byte {at}"


def regions(content):
    """Offsets of every header and seal byte, and the first, a middle and the last byte of every view and of every gap, of a .glb."""
    json_length = int.from_bytes(content[12:16], "little")
    start = 20 + json_length + 8
    yield from range(20)
    yield from (20, 20 + json_length // 2, 20 + json_length - 1)
    yield from range(start - 8, start + 256)
    root = __import__("json").loads(content[20:20 + json_length])
    end = start + 256
    for view in root["bufferViews"][1:]:
        first, last = start + view["byteOffset"], start + view["byteOffset"] + view["byteLength"]
        yield from {end, first - 1, first, (first + last) // 2, last - 1}
        end = last
    yield len(content) - 1


def test_one_byte_changed_in_every_region(written):
    content = written[1]["a.glb"]
    for at in regions(content):
        altered = bytearray(content)
        altered[at] ^= 0x41
        assert isinstance(read_altered(written, "a.glb", bytes(altered)), InputError), at


@given(data=st.data(), which=st.integers(0, 2))
@settings(max_examples=150, deadline=None)
def test_cut_short_or_grown(written, data, which):
    name, content = list(written[1].items())[which]
    length = data.draw(st.integers(0, len(content) - 1))
    assert isinstance(read_altered(written, name, content[:length]), InputError)
    assert isinstance(read_altered(written, name, content + bytes(1 + length)), InputError)


def test_two_bytes_of_a_table_swapped(written):
    """A sum of bytes would not see it."""
    content = bytearray(written[1]["a.glb"])
    at = next(i for i in range(len(content) - 2000, len(content) - 1) if content[i] != content[i + 1])
    content[at], content[at + 1] = content[at + 1], content[at]
    assert "damaged" in str(read_altered(written, "a.glb", bytes(content)))


def test_the_damaged_table_is_named(written):
    content = written[1]["a.glb"]
    scene_bytes = gltf.read(written[0] / "a.glb")["instance_data"].tobytes()
    at = content.index(scene_bytes) + 5
    error = read_altered(written, "a.glb", content[:at] + bytes([content[at] ^ 1]) + content[at + 1:])
    assert isinstance(error, FormatError) and "a.glb: the table instance_data" in str(error)


def test_without_verification_a_changed_float_is_not_noticed_but_the_frame_is(written, tmp_path):
    content = bytearray(written[1]["a.glb"])
    at = bytes(content).index(gltf.read(written[0] / "a.glb")["vertex_positions"].tobytes())
    content[at] ^= 1
    path = tmp_path / "c.glb"
    path.write_bytes(content)
    assert gltf.read(path, verify=False)["vertex_positions"].tobytes() == bytes(content[at:at + 144 * 4 * 3])[:gltf.read(
        path, verify=False)["vertex_positions"].nbytes]
    path.write_bytes(content[:-4])
    with pytest.raises(FormatError, match="cut short"):
        gltf.read(path, verify=False)


def test_the_bin_of_another_export_is_refused(written, tmp_path):
    folder, _ = written
    result = gltf.write(make_scene(seed=9), tmp_path / "b.gltf")
    shutil.copy(next(folder.glob("b.*.bin")), result.paths[1])
    with pytest.raises(FormatError, match="b.gltf"):
        gltf.read(result.path)
