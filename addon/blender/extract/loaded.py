"""What the file itself lacks once it is open: libraries that are gone, and drivers that were not allowed to run."""

from __future__ import annotations

import bpy

from ...core.findings import Finding


def loaded_findings(data) -> list:
    """Findings about `data` (bpy.types.BlendData) as a whole. Costs nothing for a file without libraries and blocked drivers."""
    return [*_missing(data), *_blocked(data)]


def _missing(data) -> list:
    """One finding a library that is gone, and one for each object or collection that a library no longer has."""
    findings = [Finding("missing-library", "error", library.filepath,
                        "the linked file is missing, and with it what the scene takes from it.",
                        "Put it back, or relocate it in the Outliner (Blender File view).")
                for library in data.libraries if library.is_missing]
    if data.libraries:
        findings += [Finding("missing-linked-data", "error", block.name,
                             f"no longer in the linked file {block.library.filepath}.", "Link it again.")
                     for blocks in (data.collections, data.objects) for block in blocks
                     if block.library is not None and block.is_missing and not block.library.is_missing]
    return findings


def _blocked(data) -> list:
    """Where Blender refused a driver's Python, its value is the one saved in the file."""
    if not bpy.app.autoexec_fail or not bpy.app.autoexec_fail_message.startswith("Driver"):
        return []
    blocks = (*data.objects, *data.shape_keys, *data.materials, *data.node_groups)
    names = sorted(block.name for block in blocks if block.animation_data is not None
                   and any(not curve.driver.is_valid for curve in block.animation_data.drivers))
    return [Finding("driver-not-run", "warning", name,
                    "a driver is a Python script, and scripts are disabled: its saved value was used.",
                    "Bake it, or use an expression that needs no Python.") for name in names or ["the file"]]
