"""Why Blender's Python module cannot be imported, and what to do about it."""

from __future__ import annotations

import re
import sys

#: Python that the module's wheels are made for
PYTHON = (3, 13)
#: shared library -> Debian package, for the libraries that the Linux wheel takes from the system
DEBIAN_PACKAGES = {
    "libX11.so.6": "libx11-6", "libXext.so.6": "libxext6", "libXfixes.so.3": "libxfixes3", "libXi.so.6": "libxi6",
    "libXrender.so.1": "libxrender1", "libXxf86vm.so.1": "libxxf86vm1", "libxkbcommon.so.0": "libxkbcommon0", "libSM.so.6": "libsm6",
    "libICE.so.6": "libice6", "libGL.so.1": "libgl1", "libEGL.so.1": "libegl1", "libgomp.so.1": "libgomp1",
}


def installed_version() -> tuple | None:
    """(major, minor, patch) of the installed module by its metadata, without importing it; None if unknown."""
    from importlib import metadata
    try:
        return tuple(int(part) for part in metadata.version("bpy").split(".")[:3])
    except (metadata.PackageNotFoundError, ValueError):
        return None


def explain_import_error(error: ImportError, python: tuple = tuple(sys.version_info[:2])) -> str:
    """One line: what is missing and the command that installs it."""
    if isinstance(error, ModuleNotFoundError) and error.name and error.name.split(".")[0] != "bpy":
        return f"The Python module {error.name} is missing. Install GPUScene again: pip install 'gpuscene[blender]'"
    if library := re.search(r"(lib[\w.+-]+\.so[\w.]*): cannot open shared object", str(error)):
        name = library[1]
        package = DEBIAN_PACKAGES.get(name)
        how = f"On Debian and Ubuntu: apt-get install {package}" if package else "Install the system package that has it."
        return f"Blender needs the system library {name}, which is missing. {how}"
    if python != PYTHON:
        return (f"Blender's Python module needs Python {PYTHON[0]}.{PYTHON[1]}, and this is {python[0]}.{python[1]}. "
                f"Install GPUScene under Python {PYTHON[0]}.{PYTHON[1]}: pip install 'gpuscene[blender]'")
    if isinstance(error, ModuleNotFoundError):
        return "Blender's Python module (bpy) is not installed. Install it: pip install 'gpuscene[blender]'"
    return f"Blender's Python module cannot be loaded: {error}. Install it again: pip install --force-reinstall 'gpuscene[blender]'"
