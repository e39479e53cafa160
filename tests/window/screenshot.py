"""Pictures of a virtual X display: ``Xvfb -fbdir DIR`` keeps its screen in DIR/Xvfb_screen0, an XWD file. Needs numpy only."""

import struct
import zlib
from pathlib import Path

import numpy as np


def read_screen(path) -> np.ndarray:
    """(height, width, 3) uint8 of an XWD file with 32 bits a pixel."""
    data = Path(path).read_bytes()
    header = struct.unpack(">25I", data[:100])
    width, height, little_endian, bits, bytes_per_line = header[4], header[5], header[7] == 0, header[11], header[12]
    if bits != 32:
        raise ValueError(f"{bits} bits a pixel, not 32")
    rows = np.frombuffer(data, np.uint8, height * bytes_per_line, header[0] + 12 * header[19])
    pixels = rows.reshape(height, bytes_per_line // 4, 4)[:, :width]
    return pixels[..., 2::-1] if little_endian else pixels[..., 1:]


def write_png(path, pixels: np.ndarray) -> None:
    """Write (height, width, 3) uint8."""
    height, width = pixels.shape[:2]

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    rows = np.zeros((height, 1 + 3 * width), np.uint8)
    rows[:, 1:] = pixels.reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    Path(path).write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows.tobytes(), 9))
                           + chunk(b"IEND", b""))


def find_bars(pixels: np.ndarray, colour, least_height: int) -> list:
    """Centres (x, y), from the top, of the bars of `colour` over half the width and `least_height` rows."""
    matches = (np.abs(pixels.astype(int) - np.asarray(colour)) <= 2).all(axis=2).mean(axis=1) > 0.5
    found, start = [], None
    for y, match in enumerate([*matches, False]):
        if match and start is None:
            start = y
        elif not match and start is not None:
            if y - start >= least_height:
                found.append((pixels.shape[1] // 2, (start + y) // 2))
            start = None
    return found


def find_bar(pixels: np.ndarray, colour, least_height: int):
    """The first of `find_bars`, or None."""
    return next(iter(find_bars(pixels, colour, least_height)), None)
