"""The first bytes of a .blend: enough to refuse a file with one clear line before Blender is started.

Two headers exist. Until 4.x it has 12 bytes: ``BLENDER``, ``-`` or ``_`` (pointer size 8 or 4), ``v`` or ``V`` (little or big
endian), three digits of version (``503`` is 5.3). From 5.0 on: ``BLENDER``, two digits of header size (17), ``-``, two digits of
file format version (01), ``v``, four digits of version. The file may be compressed as a whole, by gzip before 3.0, by zstd since.
Cost: one small read.
"""

from __future__ import annotations

import gzip
import re
import stat
import zlib
from dataclasses import dataclass
from pathlib import Path

from .errors import InputError

ZSTD_MAGIC, GZIP_MAGIC = b"\x28\xb5\x2f\xfd", b"\x1f\x8b"
#: the greatest file format version that Blender 5.x reads
FILE_FORMAT_VERSION = 1
_HEADER_BYTES = 17
_OLD = re.compile(rb"BLENDER([-_])([vV])(\d)(\d\d)")
_NEW = re.compile(rb"BLENDER(\d\d)-(\d\d)([vV])(\d\d)(\d\d)")


@dataclass(frozen=True)
class BlendHeader:
    """What the header says.

    Attributes
    ----------
    version : tuple of int or None
        (major, minor) of the Blender that wrote the file; None if it is compressed by zstd and no decoder is at hand.
    compression : {"", "gzip", "zstd"}
    big_endian : bool
    pointer_bytes : int
    format_version : int
        0 for the 12-byte header.
    """

    version: tuple | None
    compression: str = ""
    big_endian: bool = False
    pointer_bytes: int = 8
    format_version: int = 0


def read_header(path: str | Path) -> BlendHeader:
    """Read the header of `path`. Raises `InputError` when it is missing, unreadable, or no .blend."""
    path = Path(path)
    if path.is_dir():
        raise InputError(f"{path} is a folder.", "Name a .blend file.")
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # a pipe would never answer
            raise InputError(f"{path} is not a regular file.", "Name a .blend file.")
        with open(path, "rb") as file:
            start = file.read(1 << 16)
    except FileNotFoundError:
        raise InputError(f"{path} does not exist.", "Check the path.") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.", "Check its permissions.") from None
    if not start:
        raise InputError(f"{path} is empty (0 bytes).", "Restore it from a backup, such as the .blend1 file beside it.")
    compression, head = _decompress(path, start)
    if head is None:
        return BlendHeader(None, compression)
    if match := _NEW.match(head):
        size, format_version, endian, major, minor = match.groups()
        return BlendHeader((int(major), int(minor)), compression, endian == b"V", 8, int(format_version))
    if match := _OLD.match(head):
        pointer, endian, major, minor = match.groups()
        return BlendHeader((int(major), int(minor)), compression, endian == b"V", 8 if pointer == b"-" else 4)
    if head.startswith(b"BLENDER"):
        raise InputError(f"{path} has a damaged .blend header: {head[:_HEADER_BYTES]!r}.", "Restore it from a backup.")
    raise InputError(f"{path} is not a .blend file.", "Name a file saved by Blender.")


def check(path: str | Path, blender_version: tuple) -> BlendHeader:
    """Read the header and refuse what the running Blender cannot read whole.

    Parameters
    ----------
    path : path
    blender_version : tuple of int
        (major, minor, ...) of the Blender that will open the file.

    Raises
    ------
    InputError
        As `read_header`; or the file is from a newer Blender (it would open with loss of data), or big-endian.
    """
    header = read_header(path)
    have = tuple(blender_version[:2])
    if header.big_endian:
        raise InputError(f"{path} is big-endian, as PowerPC machines wrote, and Blender 5 no longer reads that.",
                         "Open and save it in Blender 4.5 or older first.")
    if header.format_version > FILE_FORMAT_VERSION:
        raise InputError(f"{path} is in a newer file format (version {header.format_version}) than this Blender {_dotted(have)} reads.",
                         "Use a newer Blender.")
    if header.version and header.version > have:
        raise InputError(f"{path} is from Blender {_dotted(header.version)}, newer than this Blender {_dotted(have)}, which would lose data.",
                         f"Use Blender {_dotted(header.version)} or newer.")
    return header


def _dotted(version: tuple) -> str:
    return ".".join(map(str, version))


def _decompress(path: Path, start: bytes) -> tuple:
    """(compression, first bytes of the content or None if they cannot be had here)."""
    damaged = InputError(f"{path} is damaged: its compressed data cannot be read.", "Restore it from a backup.")
    if start.startswith(GZIP_MAGIC):
        try:
            with gzip.open(path) as file:
                return "gzip", file.read(_HEADER_BYTES)
        except (OSError, EOFError, zlib.error):
            raise damaged from None
    if start.startswith(ZSTD_MAGIC):
        try:
            import zstandard  # comes with Blender and its Python module; Python 3.13 itself has none
        except ImportError:
            return "zstd", None
        try:
            with zstandard.ZstdDecompressor().stream_reader(start, read_across_frames=True) as reader:
                head = reader.read(_HEADER_BYTES)
        except zstandard.ZstdError:
            raise damaged from None
        if not head:
            raise damaged
        return "zstd", head
    return "", start[:_HEADER_BYTES]
