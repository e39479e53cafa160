"""The input file of a command, looked at before Blender is started."""

from __future__ import annotations

from ..core import blendfile
from . import blender_module
from .views import is_stored


def check_input(path, hosted: bool) -> None:
    """Raise `InputError` for a .blend that is missing, damaged or too new. GPUScene files are checked when they are read."""
    if path is None or hosted or is_stored(path):
        return
    known = blender_module.installed_version()
    blendfile.check(path, known) if known else blendfile.read_header(path)
