"""Catching what Blender prints while it compiles a shader: the exception itself only says "see console"."""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import contextmanager


@contextmanager
def captured_output():
    """Redirect file descriptors 1 and 2 for a while: ``with captured_output() as log: ...; log()`` is the text.

    Blender writes from C, so Python's ``sys.stdout`` does not see it. Where the descriptors cannot be moved (closed, or a host
    without them) the text is empty.
    """
    text = []
    try:
        saved = [(fd, os.dup(fd)) for fd in (1, 2)]
    except OSError:
        yield lambda: ""
        return
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    with tempfile.TemporaryFile() as file:
        for fd, _ in saved:
            os.dup2(file.fileno(), fd)
        try:
            yield lambda: "".join(text)
        finally:
            for fd, copy in saved:
                os.dup2(copy, fd)
                os.close(copy)
            file.seek(0)
            text.append(file.read().decode("utf-8", "replace"))
