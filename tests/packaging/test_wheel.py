"""The wheel: its members, and that it reads files with neither Blender nor the checkout there."""

import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def wheel(sources, tmp_path_factory) -> Path:
    """Wheel built from a clean copy by the back end that pyproject.toml names."""
    folder = tmp_path_factory.mktemp("wheel")
    code = "import sys; from setuptools import build_meta; print(build_meta.build_wheel(sys.argv[1]))"
    done = subprocess.run([sys.executable, "-c", code, folder], cwd=sources, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / done.stdout.splitlines()[-1]


@pytest.fixture(scope="session")
def installed(wheel, tmp_path_factory) -> Path:
    """Folder that holds the unpacked wheel and its two dependencies, as site-packages would; nothing else, so no Blender."""
    site = tmp_path_factory.mktemp("site")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    for dependency in ("numpy", "tqdm"):
        package = Path(find_spec(dependency).origin).parent
        for part in (package, package.with_name(f"{dependency}.libs")):
            if part.exists():
                (site / part.name).symlink_to(part)
    return site


def run_installed(site, code):
    """Run ``code`` with only ``site`` and the standard library to import from (-S: no site-packages, no editable install)."""
    preamble = f"import sys; sys.path.insert(0, {str(site)!r})\n"
    done = subprocess.run([sys.executable, "-I", "-S", "-B", "-c", preamble + code], cwd=site.parent, capture_output=True, text=True,
                          timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_members_are_the_sources_under_the_name_gpuscene(sources, wheel):
    with zipfile.ZipFile(wheel) as archive:
        members = {name for name in archive.namelist() if ".dist-info/" not in name}
    expected = {f"gpuscene/{path.relative_to(sources / 'addon').as_posix()}" for path in (sources / "addon").rglob("*.py")}
    expected |= {f"gpuscene/{path.relative_to(sources).as_posix()}" for path in (sources / "shaders").rglob("*.glsl")}
    samples = sources / "sample_scenes"
    expected |= {f"gpuscene/{path.relative_to(sources).as_posix()}" for path in samples.rglob("*.py")}
    expected.add("gpuscene/sample_scenes/forest.blend")
    assert expected - members == set(), "add the package to [tool.setuptools] packages in pyproject.toml"
    assert members == expected


def test_every_module_outside_blender_imports_with_no_blender(installed):
    out = run_installed(installed, """
import importlib, pkgutil, gpuscene
assert importlib.util.find_spec("bpy") is None and importlib.util.find_spec("addon") is None
apart = ("gpuscene.bench.", "gpuscene.blender", "gpuscene.device", "gpuscene.sample_scenes")
for module in pkgutil.walk_packages(gpuscene.__path__, "gpuscene.", onerror=lambda name: None):
    if not module.name.startswith(apart) and not module.name.endswith("__main__"):
        importlib.import_module(module.name)
        print(module.name)
""").split()
    assert {"gpuscene.core.gltf", "gpuscene.core.layout", "gpuscene.cli", "gpuscene.paths"} <= set(out)


def test_paths_point_into_the_wheel(installed):
    out = run_installed(installed, """
from gpuscene import paths
print(paths.shaders_dir(), paths.sample_scene(), sep="\\n")
""").splitlines()
    assert out == [str(installed / "gpuscene" / "shaders"), str(installed / "gpuscene" / "sample_scenes" / "forest.blend")]


def test_the_console_script_is_the_command(wheel):
    with zipfile.ZipFile(wheel) as archive:
        entry, = (name for name in archive.namelist() if name.endswith("entry_points.txt"))
        assert archive.read(entry).decode().split() == ["[console_scripts]", "gpuscene", "=", "gpuscene.cli:main"]


def test_paths_of_the_checkout(root):
    """The editable install finds the same files in the checkout."""
    from gpuscene import paths

    assert paths.shaders_dir() == root / "shaders"
    assert paths.sample_scene() == root / "sample_scenes" / "forest.blend"


def test_a_missing_sample_scene_is_named(root):
    from gpuscene import paths
    from gpuscene.core.errors import InputError

    with pytest.raises(InputError, match="atlantis.blend is missing"):
        paths.sample_scene("atlantis")
