"""Find the JSON text and the binary buffer of a .glb, or of a .gltf and its .bin, as read-only memory maps. Nothing is parsed or allocated by a
size that the file claims."""

from __future__ import annotations

import mmap
import os
import stat
import struct
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote_to_bytes

import numpy as np

from ..errors import FormatError, InputError
from . import schema
from .writer import BIN_CHUNK, GLB_MAGIC, JSON_CHUNK

_AGAIN = "Export the scene again."


@dataclass(frozen=True)
class Frame:
    """`root` JSON, its `text` as sealed, the `binary` buffer as (bytes,) uint8, and the `size` of all files in bytes."""

    root: schema.Cursor
    text: memoryview
    binary: np.ndarray
    size: int


def open_frame(path: Path) -> Frame:
    """Map the file(s). Raises `InputError` when there is no such file, `FormatError` when the frame is damaged."""
    data = _map(path)
    if data[:4].tobytes() == struct.pack("<I", GLB_MAGIC):
        return _glb(path, data)
    if data[:1].tobytes() == b"{":
        return _gltf(path, data)
    raise FormatError(f"{path.name} is neither a .glb nor a .gltf file.", "Give a file that gpuscene export wrote.")


def _map(path):
    """A read-only map of a regular file as (bytes,) uint8."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise InputError(f"{path} is not a regular file.", "Give a .glb or .gltf file.")
        with open(path, "rb") as file:
            if os.fstat(file.fileno()).st_size == 0:
                raise FormatError(f"{path.name} is empty.", _AGAIN)
            return np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), np.uint8)
    except FileNotFoundError:
        raise InputError(f"{path} does not exist.", "Check the path.") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.", "Check its permissions.") from None


def _glb(path, data):
    if len(data) < 20:
        raise FormatError(f"{path.name} is cut short at {len(data)} bytes.", _AGAIN)
    _, version, length, json_length, json_type = struct.unpack("<IIIII", data[:20])
    if version != 2:
        raise FormatError(f"{path.name} is glb version {version}, not 2.", _AGAIN)
    if length != len(data):
        raise FormatError(f"{path.name} has {len(data)} bytes, but its header says {length}: it is cut short or damaged.", _AGAIN)
    text = data[20:20 + json_length].data
    if json_type == JSON_CHUNK and 20 + json_length == length:  # legal glTF, but not ours: no binary chunk
        return Frame(schema.parse(text, path.name), text, data[length:], length)
    start = 20 + json_length + 8
    if json_type != JSON_CHUNK or start > length:
        raise FormatError(f"{path.name}: its JSON chunk is damaged.", _AGAIN)
    binary_length, binary_type = struct.unpack("<II", data[start - 8:start])
    if binary_type != BIN_CHUNK or start + binary_length != length:
        raise FormatError(f"{path.name}: its binary chunk is damaged.", _AGAIN)
    return Frame(schema.parse(text, path.name), text, data[start:], length)


def _gltf(path, data):
    root = schema.parse(data.data, path.name)
    buffers = root["buffers"].items()
    if not buffers:
        raise root["buffers"].fail("one buffer")
    uri = buffers[0]["uri"]
    try:
        name = os.fsdecode(unquote_to_bytes(uri.text()))
    except UnicodeError:  # a lone surrogate
        raise uri.fail("a URI") from None
    if name in ("", ".", "..") or any(c in name for c in "/\\:\0") or len(name) > 255:
        raise uri.fail("the name of a file in the same folder")
    binary = _map(path.with_name(name))
    return Frame(root, data.data, binary, len(data) + len(binary))
