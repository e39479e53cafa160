"""Files written whole or not at all: a temporary name in the same folder, renamed at the end, removed on any failure."""

from __future__ import annotations

import errno
import os
import secrets
from contextlib import contextmanager
from pathlib import Path

from ..errors import OutputError

#: bytes to one system call, so that progress shows and an interrupt is heard
PIECE = 1 << 24


def check_target(path: Path) -> None:
    """Raise `OutputError` when `path` cannot become a file: its folder is missing, it is a folder or device, it is write-protected."""
    with reported(path):
        if not path.parent.is_dir():
            raise OutputError(f"The folder {path.parent} does not exist.", "Create it, or choose another output.")
        if path.is_dir():
            raise OutputError(f"{path} is a folder.", "Give a file name.")
        if path.exists():
            if not path.is_file():
                raise OutputError(f"{path} is not a regular file.", "Give another file name.")
            if not os.access(path, os.W_OK):
                raise OutputError(f"{path} is write-protected.", "Make it writable, or choose another output.")


@contextmanager
def reported(path: Path):
    """Turn an `OSError` inside into an `OutputError` of one line about `path`."""
    try:
        yield
    except OSError as error:
        reasons = {
            errno.ENOSPC: ("the disk is full", "Free some space, or choose another output."),
            errno.EDQUOT: ("the disk quota is used up", "Free some space, or choose another output."),
            errno.EFBIG: ("the file is too large for its file system", "Choose another output."),
            errno.EROFS: ("the file system is read-only", "Choose another output."),
            errno.EACCES: ("the folder is not writable", "Change its permissions, or choose another output."),
            errno.EPERM: ("the folder is not writable", "Change its permissions, or choose another output."),
            errno.ENAMETOOLONG: ("the name is too long", "Choose a shorter name."),
        }
        reason, hint = reasons.get(error.errno, (error.strerror or str(error), "Choose another output."))
        raise OutputError(f"Cannot write {path}: {reason}.", hint) from error


class Replacement:
    """Files that take their final names together, last one last. Use as a context manager: leaving it without `commit` removes them all."""

    def __init__(self):
        self._pending = []

    def __enter__(self):
        return self

    def write(self, path: Path, pieces, progress=None) -> int:
        """Write byte buffers to a temporary file that will become `path`; returns the bytes written. `progress` is called with them."""
        temporary = path.with_name(f".{path.name[:40]}.tmp-{os.getpid()}-{secrets.token_hex(3)}")
        written = 0
        with reported(path):
            with open(temporary, "xb", buffering=0) as file:
                self._pending.append((temporary, path))
                for piece in pieces:
                    data = memoryview(piece)
                    at = 0
                    while at < len(data):
                        at += file.write(data[at:at + PIECE])
                        if progress:
                            progress(written + at)
                    written += len(data)
        return written

    def commit(self) -> None:
        """Rename every temporary file, in the order written."""
        while self._pending:
            temporary, path = self._pending[0]
            with reported(path):
                os.replace(temporary, path)
            self._pending.pop(0)

    def __exit__(self, *error):
        for temporary, _ in self._pending:
            temporary.unlink(missing_ok=True)
        self._pending.clear()
