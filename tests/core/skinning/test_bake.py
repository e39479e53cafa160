"""Baked textures: the picture by a reader of its own, and where texels lie. Blender reads one in
tests/blender/skins/test_cli_skin.py.
"""

import struct

import numpy as np
import pytest
from gpuscene.core.errors import LimitError
from gpuscene.core.skinning.bake import bake
from gpuscene.core.skinning.exr import exr_bytes


def read(data):
    """({channel: (height, width) array}, attribute names) of an uncompressed scan-line file, byte after byte."""
    assert struct.unpack_from("<ii", data) == (20000630, 2)
    at, attributes = 8, {}
    while data[at]:
        end = data.index(b"\0", at)
        name, at = data[at:end].decode(), end + 1
        at = data.index(b"\0", at) + 1
        (size,) = struct.unpack_from("<i", data, at)
        attributes[name], at = data[at + 4 : at + 4 + size], at + 4 + size
    x0, y0, x1, y1 = struct.unpack("<4i", attributes["dataWindow"])
    width, height = x1 - x0 + 1, y1 - y0 + 1
    assert attributes["compression"] == b"\0"
    channels, place = [], 0
    listed = attributes["channels"]
    while listed[place]:
        end = listed.index(b"\0", place)
        (kind,) = struct.unpack_from("<i", listed, end + 1)
        channels.append((listed[place:end].decode(), {1: "<f2", 2: "<f4"}[kind]))
        place = end + 17
    assert [name for name, _ in channels] == sorted(name for name, _ in channels)
    out = {name: np.empty((height, width), kind) for name, kind in channels}
    for line, offset in enumerate(struct.unpack_from(f"<{height}q", data, at + 1)):
        y, size = struct.unpack_from("<ii", data, offset)
        assert y == line and size == sum(np.dtype(kind).itemsize for _, kind in channels) * width
        offset += 8
        for name, kind in channels:
            out[name][line] = np.frombuffer(data, kind, width, offset)
            offset += np.dtype(kind).itemsize * width
    assert offset == len(data)
    return out, attributes


@pytest.mark.parametrize("kind", [np.float16, np.float32])
def test_pictures_come_back(kind):
    pixels = np.random.default_rng(1).normal(size=(3, 5, 4)).astype(kind)
    found, attributes = read(exr_bytes(pixels))
    assert {
        "channels",
        "compression",
        "dataWindow",
        "displayWindow",
        "lineOrder",
        "pixelAspectRatio",
        "screenWindowCenter",
        "screenWindowWidth",
    } == set(attributes)
    for channel, name in enumerate("RGBA"):
        assert found[name].dtype == kind and np.array_equal(found[name], pixels[:, :, channel])


def test_what_is_no_picture():
    for pixels in (np.zeros((2, 2, 4)), np.zeros((2, 2, 3), np.float32), np.zeros((0, 2, 4), np.float32)):
        with pytest.raises(ValueError, match="pixels are|no EXR"):
            exr_bytes(pixels)


def test_more_vertices_than_a_line_holds():
    """10,000 vertices take two lines of 8,192 a frame."""
    frames = np.arange(2 * 10_000 * 3, dtype=np.float32).reshape(2, 10_000, 3)
    baked = bake("vertex", frames, (7, 9), (("a", 4_000), ("b", 6_000)))
    about = baked.description
    assert (about["width"], about["height"], about["rows_per_frame"], about["frames"]) == (8192, 4, 2, [7, 9])
    assert [c["first_texel"] for c in about["characters"]] == [0, 4_000]
    for frame in range(2):
        for vertex in (0, 8_191, 8_192, 9_999):  # by the rule in words: line and column
            assert baked.pixels[frame * 2 + vertex // 8192, vertex % 8192].tolist() == [*frames[frame, vertex].tolist(), 1]
        assert np.array_equal(baked.texels(frame)[:, :3], frames[frame])
    assert read(baked.exr())[0]["G"][3, 0] == frames[1, 8_192, 1]


def test_bones_take_three_texels():
    frames = np.random.default_rng(2).normal(size=(2, 5, 3, 4)).astype(np.float32)
    baked = bake("bone", frames, (1, 2), (("a", 2), ("b", 3)))
    assert baked.description["characters"] == [
        {"name": "a", "first_texel": 0, "count": 2},
        {"name": "b", "first_texel": 6, "count": 3},
    ]
    assert np.array_equal(baked.texels(1)[6:9], frames[1, 2])


def test_too_many_frames():
    with pytest.raises(LimitError, match="lines of the texture"):
        bake("vertex", np.zeros((65_537, 1, 3), np.float32), range(65_537), (("a", 1),))
