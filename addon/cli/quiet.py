"""Keep what Blender prints away from what the command prints.

Blender's C code writes to file descriptors 1 and 2, past Python's ``sys.stdout``: "Read blend: ..." on the first, and lines of the
graphics drivers on the second.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import sys

#: lines of stderr that say nothing about the scene: driver chatter, and Blender's notes on its own environment
NOISE = re.compile(r"EGL Error|libEGL|MESA|mesa|Vulkan|vulkan|VK_|ALSA|AL lib|Gtk-|dbus|XDG_RUNTIME_DIR|PipeWire|pulse"
                   r"|TBBmalloc|Color management|^\s*$|^\d\d:\d\d\.\d+ +(gpu|wm|ghost|color_management)\b")


def flush_c():
    """Flush the C library's own buffers, which Python does not see."""
    with contextlib.suppress(Exception):
        (ctypes.cdll.ucrtbase if sys.platform == "win32" else ctypes.CDLL(None)).fflush(None)


@contextlib.contextmanager
def blender_stdout_dropped():
    """Send descriptor 1 to nowhere within; to stderr when debugging. What C had buffered before goes there too."""
    from .output import debugging

    sys.stdout.flush()
    saved = os.dup(1)
    sink = os.dup(2) if debugging() else os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(sink, 1)
        yield
    finally:
        sys.stdout.flush()
        flush_c()  # while descriptor 1 still leads nowhere
        os.dup2(saved, 1)
        os.close(saved)
        os.close(sink)


def worth_showing(stderr: str) -> list:
    """The lines of Blender's stderr that are not noise."""
    return [line for line in stderr.splitlines() if not NOISE.search(line)]
