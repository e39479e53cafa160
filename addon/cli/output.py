"""What the command prints: one error line, one JSON document, a progress bar on a terminal, and whole files."""

from __future__ import annotations

import contextlib
import json
import math
import os
import sys
from pathlib import Path

from ..core.errors import OutputError
from ..core.gltf.output import Replacement, check_target


def debugging() -> bool:
    """True when GPUSCENE_DEBUG asks for tracebacks and for everything Blender prints."""
    return os.environ.get("GPUSCENE_DEBUG", "0") not in ("", "0")


def print_error(message: str) -> int:
    """``gpuscene: error: MESSAGE`` as one line on stderr. Returns 1, the exit code."""
    with contextlib.suppress(OSError):  # with stderr gone too, the exit code is all there is
        print(f"gpuscene: error: {' '.join(message.split())}", file=sys.stderr, flush=True)
    return 1


def print_json(value: dict, stream=None):
    """One JSON document and a line end, pure ASCII, so that any locale can carry it. Numpy scalars are taken as numbers; what
    JSON has no number for, infinity and NaN, is null.
    """
    _print(json.dumps(_finite(value), indent=2, default=lambda scalar: scalar.item(), allow_nan=False), stream or sys.stdout)


def _finite(value):
    if isinstance(value, dict):
        return {key: _finite(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def print_text(text: str, stream=None):
    """Text that any locale can carry: what it cannot encode is printed as a backslash escape."""
    stream = stream or sys.stdout
    encoding = getattr(stream, "encoding", None) or "ascii"
    _print(text.encode(encoding, "backslashreplace").decode(encoding), stream)


def _print(text: str, stream):
    """Print and flush; into a closed stream (None) silently. Raises `OutputError` where a stream is full, `BrokenPipeError` where nobody reads on."""
    try:
        print(text, file=stream, flush=True)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(f"The result cannot be printed: {error.strerror}.", "What was exported stays.") from None


@contextlib.contextmanager
def progress_bar():
    """``progress(fraction, text)``, or None when stderr is no terminal or tqdm is not there (it is not in Blender)."""
    try:
        from tqdm import tqdm
    except ImportError:
        tqdm = None
    if tqdm is None or sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    with tqdm(total=100, leave=False, file=sys.stderr, bar_format="{desc:<28}{bar}{percentage:4.0f}% {elapsed}") as bar:
        def progress(fraction: float, text: str):
            bar.set_description_str(text, refresh=False)
            bar.n = max(bar.n, round(100 * fraction))
            bar.refresh()
        yield progress


def check_output(path: Path, replace: bool, suffixes: tuple = (".glb", ".gltf")):
    """Refuse at once, before any work, an output that cannot be written, or that exists and may not be replaced. Raises `OutputError`."""
    if path.suffix.lower() not in suffixes:
        ends = f"in neither {suffixes[0]} nor {suffixes[1]}" if len(suffixes) > 1 else f"not in {suffixes[0]}"
        raise OutputError(f"{path} ends {ends}.", f"Name the output with {'one of them' if len(suffixes) > 1 else 'it'}.")
    check_target(path)
    if path.exists() and not replace:
        raise OutputError(f"{path} exists.", "Choose another output, or give --force to replace it.")
    if not os.access(path.parent, os.W_OK):
        raise OutputError(f"The folder {path.parent} is not writable.", "Change its permissions, or choose another.")


def make_folder(path: Path):
    """Make a folder and its parents. Raises `OutputError`."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"The folder {path} cannot be made: {error.strerror}.", "Choose another.") from None


def write_text(path: Path, text: str):
    """Write a text file whole or not at all. Raises `OutputError`."""
    write_bytes(path, text.encode())


def write_bytes(path: Path, data: bytes):
    """Write a file whole or not at all. Raises `OutputError`."""
    check_target(path)
    with Replacement() as replacement:
        replacement.write(path, [data])
        replacement.commit()


def version() -> str:
    """The version from the extension's manifest, or from the installed package."""
    import tomllib
    from importlib import metadata

    manifest = Path(__file__).resolve().parents[2] / "blender_manifest.toml"
    if manifest.is_file():
        return tomllib.loads(manifest.read_text(encoding="utf-8"))["version"]
    return metadata.version("gpuscene")
