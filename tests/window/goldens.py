"""Pictures held against stored ones. One that differs leaves NAME.difference.png beside it: grey where alike, red where not."""

import json
import zlib
from pathlib import Path

import numpy as np

from screenshot import write_png

FOLDER = Path(__file__).resolve().parent / "goldens"
#: steps of 256 in a channel that stored pictures and two drivers may round apart
TOLERANCE = 32
#: of the pixels: lines may fall on the neighbouring pixel
SHARE = 0.004


def read_png(path) -> np.ndarray:
    """(height, width, 3) uint8 of a PNG that `write_png` wrote."""
    data, at, parts = Path(path).read_bytes(), 8, []
    width = height = 0
    while at < len(data):
        length, kind = int.from_bytes(data[at:at + 4]), data[at + 4:at + 8]
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height = int.from_bytes(body[:4]), int.from_bytes(body[4:8])
        elif kind == b"IDAT":
            parts.append(body)
        at += 12 + length
    rows = np.frombuffer(zlib.decompress(b"".join(parts)), np.uint8).reshape(height, 1 + 3 * width)
    assert not rows[:, 0].any(), "filtered rows: not a picture of ours"
    return rows[:, 1:].reshape(height, width, 3)


def difference(actual: np.ndarray, expected: np.ndarray) -> tuple:
    """Share of the pixels that differ, and a picture of where."""
    if actual.shape != expected.shape:
        return 1.0, actual
    apart = (np.abs(actual.astype(int) - expected) > TOLERANCE).any(axis=2)
    picture = np.repeat(actual.mean(axis=2, keepdims=True) * 0.4, 3, axis=2).astype(np.uint8)
    picture[apart] = (255, 0, 0)
    return float(apart.mean()), picture


def made_with(about: dict | None = None) -> dict | None:
    """What the stored pictures were made with; `about` replaces it."""
    path = FOLDER / "about.json"
    if about is not None:
        FOLDER.mkdir(exist_ok=True)
        path.write_text(json.dumps(about, indent=2) + "\n")
    return json.loads(path.read_text()) if path.exists() else None


def check(path: Path, name: str, regenerate: bool) -> str:
    """Compare the picture at `path` with the stored `name`; a line saying what is wrong, or nothing."""
    stored = FOLDER / f"{name}.png"
    if regenerate:
        FOLDER.mkdir(exist_ok=True)
        write_png(stored, read_png(path) & 0xF0 | 8)  # 16 steps a channel: a third of the size
        return ""
    if not stored.exists():
        return f"{name}: no picture is stored; look at {path}, then run with --regenerate"
    share, picture = difference(read_png(path), read_png(stored))
    if share <= SHARE:
        return ""
    apart = path.with_suffix(".difference.png")
    write_png(apart, picture)
    return f"{name}: {100 * share:.2f} % of the pixels differ; see {apart}"
