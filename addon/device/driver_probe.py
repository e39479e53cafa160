"""Whether a graphics driver answers, asked in a child process: Blender 5.2 and 5.3 end with a segmentation fault in
``gpu.init()`` when none does.

Only Linux without a display needs asking: elsewhere the system brings a driver, and a Blender with a window has one already.
"""

from __future__ import annotations

import subprocess
import sys

_CHILD = """
import ctypes, sys
def egl():
    lib = ctypes.CDLL("libEGL.so.1")
    lib.eglGetDisplay.restype = lib.eglGetProcAddress.restype = ctypes.c_void_p
    lib.eglGetDisplay.argtypes, lib.eglGetProcAddress.argtypes = [ctypes.c_void_p], [ctypes.c_char_p]
    lib.eglInitialize.argtypes = [ctypes.c_void_p] * 3
    works = lambda display: bool(display) and bool(lib.eglInitialize(display, None, None))
    by_platform, devices = lib.eglGetProcAddress(b"eglGetPlatformDisplayEXT"), lib.eglGetProcAddress(b"eglQueryDevicesEXT")
    if by_platform:
        by_platform = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_uint, ctypes.c_void_p, ctypes.c_void_p)(by_platform)
        if works(by_platform(0x31DD, None, None)):  # surfaceless
            return True
        found, count = (ctypes.c_void_p * 16)(), ctypes.c_int()
        if devices:
            query = ctypes.CFUNCTYPE(ctypes.c_uint, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(devices)
            query(16, found, ctypes.byref(count))
        if any(works(by_platform(0x313F, found[i], None)) for i in range(count.value)):
            return True
    return works(lib.eglGetDisplay(None))
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
for probe in (egl, vulkan)[:int(sys.argv[1])]:
    try:
        if probe():
            sys.exit(0)
        why.append(probe.__name__ + ": no driver answers")
    except OSError as error:
        why.append(str(error))
print("; ".join(why))
sys.exit(1)
"""


def missing_driver(vulkan: bool) -> str:
    """Why ``gpu.init()`` must not be called; empty when it may. `vulkan`: this Blender takes Vulkan by itself (5.3), else
    OpenGL through EGL alone.
    """
    if not sys.platform.startswith("linux"):
        return ""
    try:
        done = subprocess.run(
            [sys.executable, "-c", _CHILD, "2" if vulkan else "1"],
            capture_output=True,
            text=True,
            timeout=30,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""  # cannot be asked: let Blender try
    if done.returncode == 0:
        return ""
    return done.stdout.strip() or "the driver ended the process that asked for it"
