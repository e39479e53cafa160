"""Malice: well-sealed files whose JSON or headers lie. Each is refused in one line, with memory bounded by the file's own size."""

import json
import struct
import tracemalloc

import pytest
from gpuscene.core import gltf, limits
from gpuscene.core.errors import FormatError, GpuSceneError, InputError
from gpuscene.core.gltf import seal
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from scene_factory import make_scene


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    """(JSON root, binary buffer) of a valid file."""
    path = tmp_path_factory.mktemp("valid") / "a.glb"
    gltf.write(make_scene(instances=6, primitives=2, seed=3), path)
    content = path.read_bytes()
    length = struct.unpack_from("<I", content, 12)[0]
    return json.loads(content[20:20 + length]), content[28 + length:]


def sealed(path, root, binary, version=1):
    """Write a .glb with a right seal, whatever it holds. `root` may be JSON text."""
    text = root if isinstance(root, bytes) else json.dumps(root).encode()
    text += b" " * (-len(text) % 4)
    binary = seal.make(version, text, len(binary)) + bytes(binary[256:])
    path.write_bytes(struct.pack("<IIIII", 0x46546C67, 2, 28 + len(text) + len(binary), len(text), 0x4E4F534A) + text
                     + struct.pack("<II", len(binary), 0x004E4942) + binary)
    return path


def changed(root, keys, value):
    """A copy of `root` with the member at `keys` replaced, or removed if `value` is ...."""
    root = json.loads(json.dumps(root))
    at = root
    for key in keys[:-1]:
        at = at[key]
    if value is ...:
        del at[keys[-1]]
    else:
        at[keys[-1]] = value
    return root


EXT = ("extensions", "GPUSCENE_scene")
TABLE = (*EXT, "tables", "instance_transforms")


@pytest.mark.parametrize(("keys", "value"), [
    (EXT, ...), (("extensions",), ...), (EXT, []), ((*EXT, "version"), ...), ((*EXT, "version"), 2), ((*EXT, "version"), 0),
    ((*EXT, "version"), "1"), ((*EXT, "version"), 1.0), ((*EXT, "version"), True), ((*EXT, "tables"), []), ((*EXT, "tables"), {}),
    (TABLE, ...), ((*TABLE, "count"), 7), ((*TABLE, "count"), -1), ((*TABLE, "count"), 0), ((*TABLE, "count"), 1 << 32), ((*TABLE, "count"), 1 << 62),
    ((*TABLE, "count"), 10**300), ((*TABLE, "count"), 6.0), ((*TABLE, "count"), None), ((*TABLE, "count"), ...), ((*TABLE, "stride"), 0),
    ((*TABLE, "stride"), 32), ((*TABLE, "stride"), 1 << 40), ((*TABLE, "bufferView"), 0), ((*TABLE, "bufferView"), -1), ((*TABLE, "bufferView"), 10**9),
    ((*TABLE, "bufferView"), 2), ((*TABLE, "bufferView"), ...), ((*TABLE, "fields"), {}), ((*TABLE, "fields"), None),
    ((*TABLE, "fields", "flags", "offset"), 56), ((*TABLE, "fields", "flags", "type"), "float"), ((*TABLE, "fields", "flags", "array"), 2),
    ((*TABLE, "crc32"), 0), ((*TABLE, "crc32"), -1), ((*TABLE, "crc32"), ...), ((*EXT, "views"), []), ((*EXT, "views"), {}),
    (("bufferViews", 1, "byteOffset"), -256), (("bufferViews", 1, "byteOffset"), 0), (("bufferViews", 1, "byteOffset"), 1 << 33),
    (("bufferViews", 1, "byteOffset"), 260), (("bufferViews", 1, "byteLength"), (1 << 32) - 1), (("bufferViews", 1, "byteLength"), 0),
    (("bufferViews", 1, "byteLength"), 1 << 70), (("bufferViews", 1, "buffer"), 1), (("bufferViews", 0, "byteLength"), 128),
    (("bufferViews",), []), (("bufferViews",), ...), (("buffers",), []), (("buffers", 0, "byteLength"), (1 << 32) - 1), (("buffers", 0, "byteLength"), 1),
    ((*EXT, "axes"), ...), ((*EXT, "axes", "permutation"), [0, 0, 1]), ((*EXT, "axes", "signs"), [1, 1]), ((*EXT, "axes", "signs"), [0, 1, 1]),
    ((*EXT, "axes", "units_per_metre"), 0), ((*EXT, "axes", "units_per_metre"), -1), ((*EXT, "axes", "units_per_metre"), 1e308),
    ((*EXT, "axes", "handedness"), "left"), ((*EXT, "axes", "matrices"), "row-major"), ((*EXT, "axes", "name"), 3),
    ((*EXT, "sources"), []), ((*EXT, "sources"), [1, 2]), ((*EXT, "sources"), "abc"), ((*EXT, "primitive_names"), ["one"]),
    ((*EXT, "channels", 0, "index"), 8), ((*EXT, "channels", 0, "component"), -1), ((*EXT, "channels", 0), 5), ((*EXT, "channels", 0, "default"), "1"),
    ((*EXT, "findings"), [{"code": "x"}]), ((*EXT, "findings"), [7]), ((*EXT, "findings"), ["code"]), ((*EXT, "metadata"), []),
    (("materials",), []), (("materials", 0), None), (("materials", 0, "pbrMetallicRoughness", "baseColorFactor"), [1]),
    (("materials", 0, "pbrMetallicRoughness"), ...),
])
def test_a_lie_in_the_json(parts, tmp_path, keys, value):
    path = sealed(tmp_path / "h.glb", changed(parts[0], keys, value), parts[1])
    with pytest.raises(FormatError, match="h.glb") as caught:
        gltf.read(path)
    assert len(str(caught.value)) < 600 and "\n" not in str(caught.value)


def test_the_harness_makes_files_that_read(parts, tmp_path):
    assert gltf.read(sealed(tmp_path / "h.glb", *parts)).instance_count == 6


LEAVES = st.sampled_from([-1, 0, 1, 1 << 31, 1 << 32, 1 << 64, 10**400, 1.5, 1e308, True, None, "", "x", "\ud800", [], {}, [[]], {"a": 1}, ...])


@pytest.mark.parametrize("value", [10**400, -10**400, 1e301, "1", True, None])
def test_a_number_that_is_none(parts, tmp_path, value):
    keys = ("materials", 0, "pbrMetallicRoughness", "metallicFactor")
    with pytest.raises(FormatError, match="metallicFactor.*a number"):
        gltf.read(sealed(tmp_path / "h.glb", changed(parts[0], keys, value), parts[1]), verify=False)


@given(data=st.data(), value=LEAVES, verify=st.booleans())
@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_member_replaced_by_anything(parts, tmp_path, data, value, verify):
    """Whatever is replaced, reading works or fails with one of our errors; nothing else ever escapes."""
    keys, at = [], parts[0]
    while isinstance(at, dict | list) and at and (not keys or data.draw(st.integers(0, 9))):
        key = data.draw(st.sampled_from(sorted(at) if isinstance(at, dict) else range(len(at))))
        keys, at = [*keys, key], at[key]
    path = sealed(tmp_path / "h.glb", changed(parts[0], keys, value), parts[1])
    try:
        scene = gltf.read(path, verify)
    except GpuSceneError as error:
        assert "\n" not in str(error)
    else:
        assert sum(array.nbytes for array in scene.tables.values()) <= path.stat().st_size
        gltf.read_info(path, verify)


@given(st.binary(max_size=400))
@example(b"")
@example(b"{")
@example(b"glTF")
@example(b"[" * 100_000)
@example(b'{"a":' * 100_000)
@example(b'{"a":NaN}')
@example(b'{"a":' + b"9" * 5000 + b"}")
@example(b'{"a":"\xff"}')
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_garbage(parts, tmp_path, content):
    for path in (tmp_path / "g.glb", tmp_path / "g.gltf"):
        path.write_bytes(content)
        with pytest.raises(FormatError):
            gltf.read(path)
    with pytest.raises(FormatError, match="h.glb"):
        gltf.read(sealed(tmp_path / "h.glb", content, parts[1]))


@pytest.mark.parametrize("header", [
    struct.pack("<IIIII", 0x46546C67, 2, 0xFFFFFFFF, 0xFFFFFFF0, 0x4E4F534A),
    struct.pack("<IIIII", 0x46546C67, 2, 1020, 0xFFFFFFFF, 0x4E4F534A),
    struct.pack("<IIIII", 0x46546C67, 3, 1020, 8, 0x4E4F534A),
    struct.pack("<IIIII", 0x46546C67, 2, 1020, 8, 0x12345678),
    struct.pack("<III", 0x46546C67, 2, 12),
])
def test_headers_that_claim_too_much(tmp_path, header):
    path = tmp_path / "h.glb"
    path.write_bytes(header + bytes(1000 if len(header) == 20 else 0))
    with pytest.raises(FormatError, match="h.glb"):
        gltf.read(path)


def test_claims_of_four_gigabytes_allocate_nothing(parts, tmp_path):
    lies = [((*TABLE, "count"), 0xFFFFFFFF), ((*TABLE, "count"), 1 << 62), (("bufferViews", 1, "byteLength"), 0xFFFFFFFF),
            (("buffers", 0, "byteLength"), 0xFFFFFFFF), ((*TABLE, "stride"), 0xFFFFFFFF)]
    paths = [sealed(tmp_path / f"h{i}.glb", changed(parts[0], *lie), parts[1]) for i, lie in enumerate(lies)]
    tracemalloc.start()
    try:
        for path in paths:
            for verify in (True, False):
                with pytest.raises(FormatError):
                    gltf.read(path, verify)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 4 << 20


def test_a_later_version_says_what_to_do(parts, tmp_path):
    newer = limits.FORMAT_VERSION + 1
    path = sealed(tmp_path / "h.glb", changed(parts[0], (*EXT, "version"), newer), parts[1], newer)
    with pytest.raises(FormatError, match=f"version {newer}.*Update GPUScene"):
        gltf.read(path)


def test_unknown_members_and_tables_are_welcome(parts, tmp_path):
    root = changed(parts[0], (*EXT, "future"), {"x": [1]})
    root = changed(root, (*TABLE, "note"), "hello")
    assert gltf.read(sealed(tmp_path / "h.glb", root, parts[1])).instance_count == 6


@pytest.mark.parametrize("uri", ["../secret.bin", "/etc/passwd", "..", ".", "", "a/b.bin", "a\\b.bin", "C:x.bin", "%2e%2e%2fsecret.bin", "file:///etc/passwd",
                                 "http://example.com/a.bin", "data:application/octet-stream;base64,R1BV", "x\0.bin", "%00", "x" * 300, 7, None, ["a.bin"]])
def test_a_uri_that_leaves_the_folder(tmp_path, uri):
    path = tmp_path / "sub" / "a.gltf"
    path.parent.mkdir()
    (tmp_path / "secret.bin").write_bytes(gltf.write(make_scene(), path).paths[1].read_bytes())
    root = json.loads(path.read_text())
    root["buffers"][0]["uri"] = uri
    path.write_text(json.dumps(root))
    with pytest.raises(FormatError, match="a.gltf"):
        gltf.read(path, verify=False)


def test_what_is_no_file(tmp_path):
    with pytest.raises(InputError, match="does not exist"):
        gltf.read(tmp_path / "none.glb")
    with pytest.raises(InputError, match="not a regular file"):
        gltf.read(tmp_path)
    with pytest.raises(InputError, match="not a regular file"):
        gltf.read("/dev/zero")


def test_an_ordinary_glb_is_told_apart(parts, tmp_path):
    path = sealed(tmp_path / "h.glb", *parts)
    content = path.read_bytes()
    at = content.rindex(b"GPUSCENE")  # the seal's, after the JSON's
    path.write_bytes(content[:at] + bytes(8) + content[at + 8:])
    with pytest.raises(FormatError, match="not a GPUScene file"):
        gltf.read(path)
    text = b'{"asset":{"version":"2.0"}}'.ljust(28)
    path.write_bytes(struct.pack("<IIIII", 0x46546C67, 2, 20 + len(text), len(text), 0x4E4F534A) + text)
    with pytest.raises(FormatError, match="h.glb is not a GPUScene file"):
        gltf.read(path)
