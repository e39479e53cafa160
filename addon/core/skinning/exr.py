"""A minimal OpenEXR writer: one part, scan lines, no compression, half or float channels.

Follows "OpenEXR File Layout" (openexr.com, Technical Documentation): magic, version 2, attributes, an offset for each line,
lines.
"""

from __future__ import annotations

import struct

import numpy as np

_MAGIC, _VERSION = 20000630, 2
#: numpy type -> OpenEXR pixel type
_PIXEL_TYPES = {"f2": 1, "f4": 2}
MAX_SIDE = 1 << 16


def exr_bytes(pixels, channels: str = "RGBA") -> bytes:
    """An image file.

    Parameters
    ----------
    pixels : (height, width, len(channels)) float16 or float32
        The first row is the top of the picture.
    channels : str
        One letter each.

    Raises
    ------
    ValueError
        The array has another shape or type, or a side that is empty or past 65,536.
    """
    pixels = np.asarray(pixels)
    kind = pixels.dtype.newbyteorder("=").str[1:]
    if kind not in _PIXEL_TYPES or pixels.ndim != 3 or pixels.shape[2] != len(channels):
        raise ValueError(f"pixels are {pixels.dtype} {pixels.shape}, not float16 or float32 (height, width, {len(channels)})")
    height, width = pixels.shape[:2]
    if not (0 < height <= MAX_SIDE and 0 < width <= MAX_SIDE):
        raise ValueError(f"a picture of {width} x {height} has no EXR")
    # Channels are stored in the order of their names, line by line, each line one channel after the other.
    order = sorted(range(len(channels)), key=lambda i: channels[i])
    lines = (
        np.ascontiguousarray(pixels[:, :, order].transpose(0, 2, 1))
        .astype(pixels.dtype.newbyteorder("<"))
        .reshape(height, -1)
        .view(np.uint8)
    )
    listed = b"".join(channels[i].encode() + b"\0" + struct.pack("<iB3xii", _PIXEL_TYPES[kind], 0, 1, 1) for i in order) + b"\0"
    window = struct.pack("<4i", 0, 0, width - 1, height - 1)
    header = (
        struct.pack("<ii", _MAGIC, _VERSION)
        + b"".join(
            name.encode() + b"\0" + type_name.encode() + b"\0" + struct.pack("<i", len(value)) + value
            for name, type_name, value in (
                ("channels", "chlist", listed),
                ("compression", "compression", b"\0"),
                ("dataWindow", "box2i", window),
                ("displayWindow", "box2i", window),
                ("lineOrder", "lineOrder", b"\0"),
                ("pixelAspectRatio", "float", struct.pack("<f", 1)),
                ("screenWindowCenter", "v2f", struct.pack("<2f", 0, 0)),
                ("screenWindowWidth", "float", struct.pack("<f", 1)),
            )
        )
        + b"\0"
    )
    size = lines.shape[1]
    first = len(header) + 8 * height
    offsets = (first + np.arange(height, dtype=np.int64) * (size + 8)).astype("<i8")
    blocks = np.empty((height, size + 8), np.uint8)
    blocks[:, :8] = np.stack((np.arange(height), np.full(height, size)), axis=1).astype("<i4").view(np.uint8)
    blocks[:, 8:] = lines
    return header + offsets.tobytes() + blocks.tobytes()
