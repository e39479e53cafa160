"""Whether a graphics driver answers, asked in a child process: Blender 5.2 and 5.3 end with a segmentation fault in ``gpu.init()`` when none does.

Only Linux without a display needs asking: elsewhere the system brings a driver, and a Blender with a window has one already.
"""

from __future__ import annotations

import subprocess
import sys

_CHILD = """
import ctypes, sys
def egl():
    lib = ctypes.CDLL("libEGL.so.1")
    lib.eglGetDisplay.restype = ctypes.c_void_p
    lib.eglGetDisplay.argtypes = [ctypes.c_void_p]
    lib.eglInitialize.argtypes = [ctypes.c_void_p] * 3
    display = lib.eglGetDisplay(None)
    return bool(display) and bool(lib.eglInitialize(display, None, None))
def vulkan():
    lib = ctypes.CDLL("libvulkan.so.1")
    info = (ctypes.c_uint64 * 8)(1)
    instance = ctypes.c_void_p()
    lib.vkCreateInstance.argtypes = [ctypes.c_void_p] * 3
    lib.vkEnumeratePhysicalDevices.argtypes = [ctypes.c_void_p] * 3
    count = ctypes.c_uint32()
    return (lib.vkCreateInstance(info, None, ctypes.byref(instance)) == 0
            and lib.vkEnumeratePhysicalDevices(instance, ctypes.byref(count), None) == 0 and count.value > 0)
why = []
for probe in (egl, vulkan):
    try:
        if probe():
            sys.exit(0)
        why.append(probe.__name__ + ": no driver answers")
    except OSError as error:
        why.append(str(error))
print("; ".join(why))
sys.exit(1)
"""


def missing_driver() -> str:
    """Why ``gpu.init()`` must not be called; empty when it may."""
    if not sys.platform.startswith("linux"):
        return ""
    try:
        done = subprocess.run([sys.executable, "-c", _CHILD], capture_output=True, text=True, timeout=30, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired):
        return ""  # cannot be asked: let Blender try
    if done.returncode == 0:
        return ""
    return done.stdout.strip() or "the driver ended the process that asked for it"
