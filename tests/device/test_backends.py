"""The same tests once more on the other back end: the module takes OpenGL when it finds no Vulkan driver (Blender 5.2 has taken
it already).
"""

import os
import re
import subprocess
import sys

import pytest
from pathlib import Path

OPENGL = {"VK_DRIVER_FILES": "/nonexistent"}


def test_vulkan_is_tested_where_it_can_be(device, lacking):
    import bpy

    if bpy.app.version < (5, 3):
        pytest.skip("Blender 5.2 takes OpenGL")
    if not os.environ.get("VK_DRIVER_FILES") and device.backend != "VULKAN":
        lacking("GPU", "no Vulkan driver answers (Debian: mesa-vulkan-drivers)")


def test_all_again_on_opengl(device, root):
    if device.backend != "VULKAN":
        pytest.skip("this run is on OpenGL already")
    here = Path(__file__).parent.relative_to(root)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        str(here),
        "-p",
        "no:cacheprovider",
        f"--ignore={here / 'test_backends.py'}",
        "--deselect",
        f"{here}/test_flat.py::test_the_largest_count_of_c5",
        "--ignore",
        f"{here}/test_capabilities.py",
    ]
    done = subprocess.run(
        command, cwd=root, env=os.environ | OPENGL, capture_output=True, text=True, timeout=900, stdin=subprocess.DEVNULL
    )
    assert done.returncode == 0, f"{done.stdout[-6000:]}\n{done.stderr[-2000:]}"
    assert int(re.search(r"(\d+) passed", done.stdout)[1]) > 100


def test_that_run_is_on_opengl(run_python, device):
    if device.backend != "VULKAN":
        pytest.skip("this run is on OpenGL already")
    out = run_python("import bpy\nfrom gpuscene.device import capabilities\nprint(capabilities.start().backend)", **OPENGL)
    assert out.strip().endswith("OPENGL")
