"""From the properties of the .blend to the plain values that ``core`` and the exporter take.

The one place where names change case: Blender's identifiers are upper case, core's lower.
"""

from __future__ import annotations

import os
from pathlib import Path

import bpy

from ..core.errors import InputError
from ..core.scene import DEFAULT_CHANNELS, Channel
from .settings import ExportSettings

#: Channels whose meaning the file format fixes: index -> label.
FIXED_LABELS = {c.index: c.label for c in DEFAULT_CHANNELS if c.index < 2}


def component_name(index: int) -> str:
    """Where channel `index` lives in the record, as a shader writes it: ``[0].x`` to ``[1].w``."""
    return f"[{index // 4}].{'xyzw'[index % 4]}"


def channels_from_scene(scene) -> tuple[Channel, ...]:
    """The scene's channel registry, sorted by index; ``DEFAULT_CHANNELS`` while its list is empty.

    Raises
    ------
    InputError
        Two channels have one index, or one that reads a property or attribute names none.
    """
    if not scene.gpuscene.channels:
        return DEFAULT_CHANNELS
    by_index = {}
    for item in scene.gpuscene.channels:
        label = FIXED_LABELS.get(item.index) or item.label or item.name or f"channel_{item.index}"
        if item.index in by_index:
            raise InputError(f"Custom data: channel {item.index} {component_name(item.index)} is listed twice, "
                             f"as {by_index[item.index].label!r} and {label!r}.", "Give one of them another number.")
        if item.source != "CONSTANT" and not item.name:
            raise InputError(f"Custom data: channel {item.index} ({label}) reads no {item.source.lower()}.",
                             "Enter its name, or make the channel a constant.")
        name = "" if item.source == "CONSTANT" else item.name
        by_index[item.index] = Channel(item.index, label, item.source.lower(), name, item.component, item.default)
    return tuple(by_index[i] for i in sorted(by_index))


def fill_channel(item, channel: Channel) -> None:
    """Write `channel` into a ``GPUSCENE_PG_channel``; the inverse of `channels_from_scene` for one item."""
    item.index, item.label, item.source = channel.index, channel.label, channel.source.upper()
    item.name, item.component, item.default = channel.name, channel.component, channel.default


def output_path(scene, filepath: str = "") -> Path:
    """The absolute file to write: `filepath`, else the scene's path, else the .blend's own name.

    A path that ends in a separator or names a folder gets the .blend's name; the suffix follows the scene's container.

    Raises
    ------
    InputError
        The path is relative to a .blend that was never saved.
    """
    text = filepath or scene.gpuscene.filepath
    if not bpy.data.filepath and is_relative(text):
        raise InputError("The .blend has not been saved, so it has no folder to write to.",
                         "Save it, or give an absolute output path.")
    path = Path(os.path.normpath(bpy.path.abspath(text))) if text else Path(bpy.data.filepath)
    if text and (text.endswith(("/", os.sep)) or path.is_dir()):
        path = path / (Path(bpy.data.filepath).stem or "untitled")
        return path.with_name(path.name + _suffix(scene, ""))
    return path.with_suffix(_suffix(scene, path.suffix)) if path.suffix in {".glb", ".gltf", ".blend"} \
        else path.with_name(path.name + _suffix(scene, ""))


def is_relative(text: str) -> bool:
    """True when `text` means a place beside the .blend."""
    return not text or text.startswith("//") or not os.path.isabs(text)


def _suffix(scene, given: str) -> str:
    container = scene.gpuscene.container
    if container == "AUTO":
        return given if given in {".glb", ".gltf"} else ".glb"
    return "." + container.lower()


def settings_from_scene(scene):
    """The scene's ``settings.ExportSettings``.

    Raises
    ------
    InputError
        The scope is a collection and none is chosen.
    """
    group = scene.gpuscene
    scope = group.scope.lower()
    if scope == "collection" and group.collection is None:
        raise InputError("The scope is a collection, but none is chosen.", "Choose one, or export the whole scene.")
    return ExportSettings(axes=group.axes.lower(), visible=group.visible.lower(), scope=scope,
                          collection=group.collection.name if scope == "collection" else None,
                          container=group.container.lower())
