"""What Blender's own build puts into the extension's zip, and that Blender finds it valid."""

import re
import shutil
import tomllib
import zipfile

TEXTS = {"blender_manifest.toml", "__init__.py", "LICENSE", "README.md", "CHANGELOG.md"}


def members(package):
    with zipfile.ZipFile(package) as archive:
        return sorted(archive.namelist())


def expected(sources):
    """The three texts beside the manifest and the entry point, and every file of the two folders that run in Blender."""
    files = (path.relative_to(sources) for path in sources.rglob("*") if path.is_file())
    return sorted(path.as_posix() for path in files if path.as_posix() in TEXTS or path.parts[0] in ("addon", "shaders"))


def test_the_zip_holds_the_code_and_nothing_else(sources, extension_zip):
    assert members(extension_zip) == expected(sources)


def test_the_zip_holds_what_it_cannot_run_without(extension_zip):
    names = set(members(extension_zip))
    assert {"blender_manifest.toml", "__init__.py", "LICENSE", "addon/__init__.py", "addon/blender/registration.py"} <= names


def test_what_a_working_folder_gathers_stays_out(sources, extension_tool, tmp_path):
    """Caches, backups, builds, environments and earlier zips change nothing."""
    folder = tmp_path / "working folder"
    shutil.copytree(sources, folder)
    for name in (
        "addon/__pycache__/layout.cpython-313.pyc", "addon/.DS_Store", ".venv/lib/x.py", ".venv-52/x.py", ".git/config",
        ".pytest_cache/x", "gpuscene-0.1.0.zip", "addon/core/scene.blend1", "build/lib/x.py", "dist/x.whl", "docs/x.md",
        "gpuscene.egg-info/PKG-INFO", "tests/clients/node_modules/x.js", "sample_scenes/forest.blend2", ".hypothesis/x",
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"x")
    package = tmp_path / "again.zip"
    extension_tool("build", "--source-dir", folder, "--output-filepath", package)
    assert members(package) == expected(sources)


def test_blender_finds_folder_and_zip_valid(sources, extension_zip, extension_tool):
    for what in (sources, extension_zip):
        said = extension_tool("validate", what)
        assert not re.search("warning|error", said, re.IGNORECASE), said


def test_the_manifest_says_what_the_owner_asked_for(sources):
    manifest = tomllib.loads((sources / "blender_manifest.toml").read_text())
    assert manifest["id"] == "gpuscene"
    assert manifest["schema_version"] == "1.0.0"
    assert manifest["blender_version_min"] == "5.2.0"
    assert manifest["license"] == ["SPDX:GPL-3.0-or-later"]
    assert list(manifest["permissions"]) == ["files"]
    project = tomllib.loads((sources / "pyproject.toml").read_text())["project"]
    assert manifest["version"] == project["version"]
