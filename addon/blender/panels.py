"""The GPUScene tab of the 3D View's sidebar. ``draw()`` lays out properties and ready-made strings, nothing else."""

from __future__ import annotations

import bpy

from . import lists, viewmodel
from .converters import FIXED_LABELS
from .lists import CHANNEL_NAMES


class SidebarTab:
    """Mix-in: where every panel of the extension lives."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "GPUScene"


class GPUSCENE_PT_scene(SidebarTab, bpy.types.Panel):
    """What is exported, where to, and what came of it."""

    bl_label = "Scene"

    def draw(self, context):
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        group = context.scene.gpuscene
        column = layout.column()
        column.prop(group, "scope")
        if group.scope == "COLLECTION":
            column.prop(group, "collection")
        column.prop(group, "visible")
        column.prop(group, "axes")
        column.prop(group, "container")
        column.prop(group, "filepath", placeholder="Beside the .blend")
        _draw_export(layout)
        view = viewmodel.result_of(context.scene)
        if view is not None:
            _draw_result(layout, view)


def _draw_export(layout):
    progress = viewmodel.progress()
    row = layout.row()
    row.scale_y = 1.5
    if progress is None:
        row.operator("gpuscene.export", text="Export", icon="EXPORT")
    else:
        row.progress(factor=progress.fraction, text=progress.text)
        layout.label(text="Press Esc to cancel")


def _draw_result(layout, view):
    box = layout.box()
    if view.error:
        column = box.column(align=True)
        column.alert = True
        column.label(text="Export failed", icon="ERROR")
        for line in view.error:
            column.label(text=line)
        return
    row = box.row()
    row.label(text=view.headline, icon="CHECKMARK")
    row.operator("gpuscene.copy_result", text="", icon="COPYDOWN", emboss=False)
    row.operator("gpuscene.open_folder", text="", icon="FILE_FOLDER", emboss=False)
    split = box.split(factor=0.45)
    names, values = split.column(align=True), split.column(align=True)
    names.alignment = "RIGHT"
    for name, value in view.rows:
        names.label(text=name)
        values.label(text=value)
    box.label(text=view.findings_title)
    if view.findings:
        _draw_findings(box.column(align=True), view)


def _draw_findings(column, view):
    for finding in view.findings:
        row = column.row()
        row.alignment = "LEFT"
        row.alert = finding.alert
        button = row.operator("gpuscene.select_finding", text=finding.text, icon=finding.icon, emboss=False)
        button.subject, button.details = finding.subject, finding.details
    if view.more:
        column.label(text=view.more)


class GPUSCENE_PT_custom_data(SidebarTab, bpy.types.Panel):
    """The channel registry."""

    bl_label = "Custom Data"
    bl_options = {"DEFAULT_CLOSED"}
    bl_order = 10

    def draw(self, context):
        layout = self.layout
        group = context.scene.gpuscene
        if not group.channels:
            layout.label(text="Default channels are in use")
            layout.operator("gpuscene.reset_channels", text="Edit Channels", icon="GREASEPENCIL")
            return
        row = layout.row()
        row.template_list("GPUSCENE_UL_channels", "", group, "channels", group, "active_channel", rows=5)
        buttons = row.column(align=True)
        buttons.operator("gpuscene.add_channel", text="", icon="ADD")
        buttons.operator("gpuscene.remove_channel", text="", icon="REMOVE")
        buttons.separator()
        buttons.operator("gpuscene.reset_channels", text="", icon="LOOP_BACK")
        if 0 <= group.active_channel < len(group.channels):
            _draw_channel(layout, group.channels[group.active_channel])


def _draw_channel(layout, item):
    layout.use_property_split = True
    layout.use_property_decorate = False
    column = layout.column()
    column.prop(item, "index", text=f"Channel {CHANNEL_NAMES[item.index]}")
    label = column.row()
    if item.index in FIXED_LABELS:
        label.enabled = False
    label.prop(item, "label")
    column.prop(item, "source")
    if item.source == "CONSTANT":
        column.prop(item, "default", text="Value")
    else:
        column.prop(item, "name")
        column.prop(item, "component")
        column.prop(item, "default")


class GPUSCENE_PT_object(SidebarTab, bpy.types.Panel):
    """How the active object is exported."""

    bl_label = "Active Object"
    bl_options = {"DEFAULT_CLOSED"}
    bl_order = 20

    def draw(self, context):
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        obj = context.object
        if obj is None:
            layout.label(text="No active object")
            return
        group = obj.gpuscene
        layout.label(text=obj.name, icon="OBJECT_DATA")
        column = layout.column()
        column.prop(group, "full_precision")
        column.prop(group, "movable")
        layout.label(text="Levels of Detail")
        row = layout.row()
        row.template_list("GPUSCENE_UL_lods", "", group, "lods", group, "active_lod", rows=3)
        buttons = row.column(align=True)
        buttons.operator("gpuscene.add_lod", text="", icon="ADD")
        buttons.operator("gpuscene.remove_lod", text="", icon="REMOVE")
        layout.operator("gpuscene.find_lods", icon="VIEWZOOM")
        if 0 <= group.active_lod < len(group.lods):
            item = group.lods[group.active_lod]
            column = layout.column()
            column.prop(item, "object")
            column.prop(item, "screen_size")
            column.prop(group, "lod_hysteresis")


CLASSES = lists.CLASSES + (GPUSCENE_PT_scene, GPUSCENE_PT_custom_data, GPUSCENE_PT_object)
