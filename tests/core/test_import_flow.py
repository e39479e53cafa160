"""The architecture, held by the imports themselves: core <- glsl <- device <- blender <- cli, relative imports only, bpy and gpu in their places."""

import ast
from pathlib import Path

import pytest

ADDON = Path(__file__).resolve().parents[2] / "addon"
#: what each package may import of ours
ALLOWED = {
    "core": {"core"},
    "glsl": {"core", "glsl"},
    "device": {"core", "glsl", "device", "paths"},
    "blender": {"core", "glsl", "device", "blender", "cli"},  # cli: registration hands Blender the command
    "cli": {"core", "glsl", "device", "blender", "bench", "cli", "paths"},
    "bench": {"core", "glsl", "device", "blender", "bench"},
}
#: Blender's modules each package may import
BLENDER_MODULES = {"core": set(), "glsl": set(), "device": {"gpu", "mathutils"}, "blender": {"bpy", "bpy_extras", "bmesh", "blf", "gpu", "gpu_extras", "mathutils"}, "cli": {"bpy"}, "bench": {"bpy"}}
HOST = {"bpy", "bpy_extras", "bmesh", "gpu", "gpu_extras", "mathutils", "blf"}
FILES = sorted(p for package in ALLOWED for p in (ADDON / package).rglob("*.py"))


def imports(path):
    """(level, dotted module, names) of every import in a file, also those inside functions."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            yield node.level, node.module or "", [alias.name for alias in node.names]
        elif isinstance(node, ast.Import):
            for alias in node.names:
                yield 0, alias.name, []


def targets(path, level, module, names):
    """Packages under addon/ that a relative import reaches."""
    base = path.relative_to(ADDON).parts[:-1]
    base = base[:len(base) - (level - 1)]
    reached = [*base, *module.split(".")] if module else list(base)
    return {reached[0]} if reached else {name for name in names if name != "__version__"}


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ADDON)))
def test_imports_flow_one_way(path):
    package = path.relative_to(ADDON).parts[0]
    for level, module, names in imports(path):
        if level:
            assert targets(path, level, module, names) <= ALLOWED[package], f"{path.name} imports {'.' * level}{module} {names}"
        else:
            root = module.split(".")[0]
            assert root not in ("addon", "gpuscene"), f"{path.name} imports {module} by its absolute name"
            if root in HOST:
                assert root in BLENDER_MODULES[package], f"{path.name} imports {module}"


def test_the_rules_cover_every_package():
    assert {p.name for p in ADDON.iterdir() if p.is_dir() and (p / "__init__.py").exists()} == set(ALLOWED)
