"""Why an operator is greyed out. Polls run on every redraw, so none looks at more than a bounded number of objects."""

from __future__ import annotations

from itertools import islice

import bpy

from .. import viewmodel
from ..converters import is_relative

#: Objects that can end up as triangles, by themselves or through modifiers and Geometry Nodes.
GEOMETRY_TYPES = {"MESH", "CURVE", "SURFACE", "FONT", "META", "CURVES", "POINTCLOUD", "VOLUME", "GREASEPENCIL"}
#: A poll looks at this many objects; past it the export itself says that there is nothing to write.
LOOK_AT_MOST = 256


def why_not_export(context, *, needs_path: bool = True) -> str:
    """One line saying why the scene cannot be exported now; empty when it can."""
    scene = context.scene
    if viewmodel.progress() is not None:
        return "An export is running. Press Esc to cancel it"
    if scene is None:
        return "There is no scene"
    group = scene.gpuscene
    if needs_path and not bpy.data.filepath and is_relative(group.filepath):
        return "Save the .blend first, or set an absolute output path"
    if group.scope == "COLLECTION":
        if group.collection is None:
            return "Choose the collection to export"
        objects, where = group.collection.all_objects, f"Collection {group.collection.name}"
    elif group.scope == "SELECTION":
        objects, where = context.view_layer.objects.selected, "The selection"
        if not _any(objects):
            return "Select the objects to export, or set the scope to Scene"
    else:
        objects, where = scene.objects, "The scene"
    if not _may_have_geometry(objects):
        return f"{where} holds no mesh, curve, text or other object that becomes triangles"
    return ""


def _any(objects) -> bool:
    return next(iter(objects), None) is not None


def _may_have_geometry(objects) -> bool:
    seen = 0
    for obj in islice(objects, LOOK_AT_MOST):
        seen += 1
        if obj.type in GEOMETRY_TYPES or obj.instance_type == "COLLECTION":
            return True
    return seen == LOOK_AT_MOST


def refuse(cls, reason: str) -> bool:
    """A poll's answer: True when there is no `reason`, else False with `reason` as the tooltip's last line."""
    if reason:
        cls.poll_message_set(reason)
    return not reason
