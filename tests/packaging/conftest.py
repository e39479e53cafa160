"""A clean copy of the sources to build from, and the extension installed from its zip."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest


def source_files(root: Path) -> list[str]:
    """Paths of the project's own files, relative to ``root``: what git tracks, or would with the next ``git add``."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=root, check=True,
                            capture_output=True, text=True).stdout
    return sorted(name for name in listed.split("\0") if name and (root / name).is_file())


@pytest.fixture(scope="session")
def sources(root, tmp_path_factory) -> Path:
    """Copy of the project's own files, so that a build neither sees nor leaves anything in the checkout."""
    copy = tmp_path_factory.mktemp("sources")
    for name in source_files(root):
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / name, copy / name)
    return copy


@pytest.fixture(scope="session")
def extension_tool():
    """Blender's own ``extension`` command (build, validate), as Blender runs it: ``extension_tool("build", ...)`` -> output."""
    bpy = pytest.importorskip("bpy", reason="Blender's Python module is not installed")
    script = Path(bpy.utils.system_resource("SCRIPTS"), "addons_core", "bl_pkg", "cli", "blender_ext.py")

    def run(*arguments):
        done = subprocess.run([sys.executable, script, *map(str, arguments)], capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    return run


@pytest.fixture(scope="session")
def extension_zip(sources, extension_tool, tmp_path_factory) -> Path:
    """The extension, built by Blender."""
    package = tmp_path_factory.mktemp("zip") / "gpuscene.zip"
    extension_tool("build", "--source-dir", sources, "--output-filepath", package)
    return package
