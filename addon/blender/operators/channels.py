"""Edit the scene's list of custom-data channels."""

from __future__ import annotations

import bpy

from ...core.limits import CUSTOM_CHANNELS
from ...core.scene import DEFAULT_CHANNELS, Channel
from ..converters import fill_channel
from ..properties import read_again
from .poll import refuse


def _fill_defaults(group):
    group.channels.clear()
    for channel in DEFAULT_CHANNELS:
        fill_channel(group.channels.add(), channel)


def _free_indices(group) -> list[int]:
    used = {item.index for item in group.channels}
    return [i for i in range(CUSTOM_CHANNELS) if i not in used]


class GPUSCENE_OT_add_channel(bpy.types.Operator):
    """The first addition turns the defaults, which an empty list means, into rows that can be edited."""

    bl_idname = "gpuscene.add_channel"
    bl_label = "Add Channel"
    bl_description = ("Add a custom-data channel on the first free number. A list that is still empty is filled with the default "
                      "channels first, so that none of them is lost")
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        full = len(context.scene.gpuscene.channels) >= CUSTOM_CHANNELS
        return refuse(cls, f"All {CUSTOM_CHANNELS} channels of an instance are in use" if full else "")

    def execute(self, context):
        group = context.scene.gpuscene
        if not group.channels:
            _fill_defaults(group)
        index = next(iter(_free_indices(group)), 0)
        fill_channel(group.channels.add(), Channel(index, f"channel_{index}", "attribute", f"gpuscene_channel_{index}"))
        group.active_channel = len(group.channels) - 1
        return {"FINISHED"}


class GPUSCENE_OT_remove_channel(bpy.types.Operator):
    """Remove the active row."""

    bl_idname = "gpuscene.remove_channel"
    bl_label = "Remove Channel"
    bl_description = ("Remove the active channel; instances then carry 0 there. "
                      "Removing the last one brings back the default channels")
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        group = context.scene.gpuscene
        has_active = 0 <= group.active_channel < len(group.channels)
        return refuse(cls, "" if has_active else "Select a channel in the list; the default channels cannot be removed")

    def execute(self, context):
        group = context.scene.gpuscene
        group.channels.remove(group.active_channel)
        read_again()
        group.active_channel = max(0, min(group.active_channel, len(group.channels) - 1))
        return {"FINISHED"}


class GPUSCENE_OT_reset_channels(bpy.types.Operator):
    """Fill the list with ``DEFAULT_CHANNELS``."""

    bl_idname = "gpuscene.reset_channels"
    bl_label = "Default Channels"
    bl_description = ("Replace the list by the default channels, as rows to edit: cull radius, LOD bias, "
                      "animation phase and height")
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return refuse(cls, "" if context.scene else "There is no scene")

    def execute(self, context):
        group = context.scene.gpuscene
        _fill_defaults(group)
        group.active_channel = 0
        return {"FINISHED"}


CLASSES = (GPUSCENE_OT_add_channel, GPUSCENE_OT_remove_channel, GPUSCENE_OT_reset_channels)
