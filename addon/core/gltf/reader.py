"""Read a scene: tables are read-only views of the memory-mapped file, so nothing is copied and nothing is allocated by a claimed size."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from .. import layout, limits
from ..errors import FormatError
from ..scene import SceneData
from . import document, seal, tables
from .frames import Frame, open_frame
from .semantics import check

_AGAIN = "Export the scene again."


def read(path, verify: bool = True) -> SceneData:
    """Read a .glb or .gltf that `write` made.

    Parameters
    ----------
    path : path-like
    verify : bool
        Compare every checksum and check that the tables fit together, about 0.1 s for 100 MB. False maps the file and checks only that
        every table lies inside it.

    Returns
    -------
    SceneData
        Read-only arrays over the mapped file, which stays open as long as one of them lives. Tables this version does not know come along, as
        the rows their fields describe.

    Raises
    ------
    InputError
        No such file, or it cannot be read.
    FormatError
        It is no GPUScene file, of a later version, cut short, altered, or does not fit together.
    """
    return load(path, verify)[0]


def load(path, verify: bool) -> tuple:
    """(SceneData, Frame) of a file."""
    path = Path(path)
    frame = open_frame(path)
    binary = frame.binary
    version = seal.version_of(binary[:seal.SEAL_BYTES].tobytes())
    if version is None:
        raise FormatError(f"{path.name} is not a GPUScene file: the seal of its tables is missing or damaged.",
                          "Give a file that gpuscene export wrote.")
    if version > limits.FORMAT_VERSION:
        raise document.newer(path.name, version, limits.FORMAT_VERSION)
    if verify and binary[:seal.SEAL_BYTES].tobytes() != seal.make(version, frame.text, len(binary)):
        raise FormatError(f"{path.name}: its JSON or its length is not what was written.", _AGAIN)
    extension = frame.root["extensions"][document.EXTENSION]
    extension.where = f"{path.name}: {document.EXTENSION}"
    document.version(extension, limits.FORMAT_VERSION)
    extension["generator"].text()
    ranges = _ranges(frame)
    if verify:
        _verify(path.name, frame, extension, ranges)
    found = {name: _table(name, table, binary, ranges) for name, table in extension["tables"].members()}
    missing = [name for name in layout.REQUIRED_TABLES if name not in found]
    if missing:
        raise FormatError(f"{path.name} lacks the tables {', '.join(missing)}.", _AGAIN)
    materials = frame.root.get("materials", [])
    scene = SceneData(found, materials=tuple(document.material_from_json(m) for m in materials.items()),
                      **document.scene_from_json(extension))
    if verify:
        check(scene, path.name)
    return scene, frame


def _ranges(frame):
    """(start, end) of every buffer view, each inside the buffer, in order, not overlapping."""
    buffers = frame.root["buffers"].items()
    if len(buffers) != 1:
        raise frame.root["buffers"].fail("one buffer")
    length = len(frame.binary)
    buffers[0]["byteLength"].integer(length, length)
    ranges, end = [], 0
    for view in frame.root["bufferViews"].items():
        view["buffer"].integer(0, 0)
        start = view["byteOffset"].integer(end, length)
        end = start + view["byteLength"].integer(1, length - start)
        ranges.append((start, end))
    if not ranges or ranges[0] != (0, seal.SEAL_BYTES):
        raise frame.root["bufferViews"].fail("the seal and tables")
    return ranges


def _verify(name, frame, extension, ranges):
    """Compare each view's checksum; what lies between views must be zero."""
    expected = {}
    listed = [(f"the table {key}", table) for key, table in extension["tables"].members() if "bufferView" in table]
    for label, entry in listed + [("buffer view", view) for view in extension["views"].items()]:
        index = entry["bufferView"].integer(1, len(ranges) - 1)
        expected[index] = label, entry["crc32"].integer(0, 0xFFFFFFFF)
    if len(expected) != len(ranges) - 1:
        raise extension["views"].fail("a checksum for every buffer view")
    found = seal.checksums([frame.binary[slice(*r)] for r in ranges[1:]])
    for index, crc in enumerate(found, 1):
        label, wanted = expected[index]
        if crc != wanted:
            raise FormatError(f"{name}: {label} (bytes {ranges[index][0]} to {ranges[index][1]} of the buffer) is damaged.", _AGAIN)
    ends = [end for _, end in ranges]
    for gap_start, gap_end in zip(ends, [start for start, _ in ranges[1:]] + [len(frame.binary)], strict=True):
        if gap_end - gap_start >= limits.TABLE_ALIGNMENT or frame.binary[gap_start:gap_end].any():
            raise FormatError(f"{name}: the buffer is damaged near byte {gap_start}.", _AGAIN)


def _table(name, table, binary, ranges):
    """The array of one table."""
    dtype = tables.dtype_of(name, table)
    stride = dtype.itemsize
    if "bufferView" not in table:
        table["count"].integer(0, 0)
        return np.zeros((0, *dtype.shape), dtype.base)
    start, end = ranges[table["bufferView"].integer(1, len(ranges) - 1)]
    count = table["count"].integer(1, (end - start) // stride)
    if count * stride != end - start:
        raise table["count"].fail(f"the {(end - start) // stride} rows of its buffer view")
    if start % limits.TABLE_ALIGNMENT:
        raise table["bufferView"].fail(f"a view aligned to {limits.TABLE_ALIGNMENT} bytes")
    return binary[start:end].view(dtype.base).reshape(count, *dtype.shape)
