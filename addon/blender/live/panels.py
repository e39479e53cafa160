"""The sidebar's panels of the live scene. ``draw()`` lays out properties and the ready strings of `model`, nothing else."""

from __future__ import annotations

import bpy

from . import model
from .state import running
from ..panels import SidebarTab


class LivePanel(SidebarTab):
    """Mix-in: closed until wanted."""

    bl_options = {"DEFAULT_CLOSED"}


def _settings(layout):
    layout.use_property_split = True
    layout.use_property_decorate = False
    return layout.column()


class GPUSCENE_PT_live(SidebarTab, bpy.types.Panel):
    """Start, stop, whose view culls, how often."""

    bl_label = "Live"
    bl_order = 1

    def draw(self, context):
        layout = self.layout
        live, group = running(), context.scene.gpuscene_live
        row = layout.row()
        row.scale_y = 1.5
        if live is None:
            row.operator("gpuscene.live_toggle", text="Start", icon="PLAY")
        else:
            row.operator("gpuscene.live_toggle", text="Stop", icon="PAUSE")
        _draw_lines(layout, model.error(), alert=True)
        view = model.of_context(context)
        if view is not None:
            _draw_lines(layout, view.notes)
        column = _settings(layout)
        column.prop(group, "camera")
        frozen = group.camera == "FROZEN"
        column.operator("gpuscene.live_freeze", text="Unfreeze" if frozen else "Freeze", icon="FREEZE", depress=frozen)
        column.separator()
        column.prop(group, "update_every")
        column.prop(group, "slices")
        _draw_recording(layout)
        row = layout.row(align=True)
        row.operator("gpuscene.live_refresh", icon="FILE_REFRESH")
        row.operator("gpuscene.live_compact", icon="FULLSCREEN_EXIT")
        row.operator("gpuscene.live_reset", text="Reset", icon="LOOP_BACK")


def _draw_recording(layout):
    recording = model.recording()
    if recording is None:
        layout.operator("gpuscene.live_record", icon="REC")
    else:
        layout.progress(factor=recording.fraction, text=recording.text)
        layout.label(text="Press Esc to end it")


def _draw_lines(layout, lines, alert=False):
    if not lines:
        return
    column = layout.column(align=True)
    column.alert = alert
    for number, line in enumerate(lines):
        column.label(text=line, icon="BLANK1" if number else "ERROR" if alert else "INFO")


class GPUSCENE_PT_culling(LivePanel, bpy.types.Panel):
    """What decides; acts at once."""

    bl_label = "Culling"
    bl_order = 2

    def draw(self, context):
        group = context.scene.gpuscene_live
        column = _settings(self.layout)
        column.prop(group, "cluster_size")
        column.prop(group, "bounds_scale")
        column.prop(group, "cull_distance")
        column.separator()
        column.prop(group, "lod_bias")
        row = column.row(heading="Forced LOD")
        row.prop(group, "use_forced_lod", text="")
        value = row.row()
        value.enabled = group.use_forced_lod
        value.prop(group, "forced_lod", text="")
        column.separator()
        column.prop(group, "rule")
        if group.rule == "TEXT":
            column.template_ID(group, "rule_text", new="text.new", open="text.open")
            if group.rule_text is None:
                column.label(text="No text yet: no rule acts", icon="INFO")
        view = model.of_context(context)
        if view is not None:
            _draw_lines(column, view.rule_error, alert=True)
        column.separator()
        column.prop(group, "group_size")
        column.prop(group, "device")


class GPUSCENE_PT_overlay(LivePanel, bpy.types.Panel):
    """What is drawn over the view."""

    bl_label = "Overlay"
    bl_order = 3

    def draw(self, context):
        layout = self.layout
        group = context.scene.gpuscene_live
        grid = layout.grid_flow(columns=3, align=True, row_major=True, even_columns=True)
        for name in ("show_instances", "show_clusters", "show_frustum", "show_legend", "show_dashboard", "show_plot"):
            grid.prop(group, name, toggle=True)
        column = _settings(layout)
        instances = column.column()
        instances.active = group.show_instances
        instances.prop(group, "mode")
        instances.prop(group, "shape")
        instances.use_property_split = False
        instances.label(text="Show Visible and Culled")
        flow = instances.grid_flow(columns=2, align=True, row_major=True, even_columns=True)
        flow.prop(group, "reasons")
        clusters = column.column(align=True)
        clusters.active = group.show_clusters
        clusters.prop(group, "first_level", text="Cluster Level")
        clusters.prop(group, "last_level")


class GPUSCENE_PT_dashboard(LivePanel, bpy.types.Panel):
    """Measurements, red ones first, each with what to do about it."""

    bl_label = "Dashboard"
    bl_order = 4

    def draw(self, context):
        layout = self.layout
        view = model.of_context(context)
        if view is None:
            layout.label(text="Press Start to measure")
            return
        model.watch_figures()
        if view.has_old_rows:
            model.redraw_views()  # which measures, now that somebody looks
            if view.measured_frame is not None:
                layout.label(text=f"As of frame {view.measured_frame}", icon="INFO")
        column = layout.column(align=True)
        column.label(text=view.headline)
        column.label(text=view.device)
        column = layout.column(align=True)
        for row in view.rows:
            part = column.column(align=True)
            part.alert = row.level == "bad"
            _draw_pair(part, row.label, row.value, row.icon)
            for text in row.advice:
                part.label(text=text)


def _draw_pair(layout, name, value, icon="NONE"):
    row = layout.row()
    row.label(text=name, icon=icon)
    end = row.row()
    end.alignment = "RIGHT"
    end.label(text=value)


class GPUSCENE_PT_explain(LivePanel, bpy.types.Panel):
    """Why one instance is drawn or not."""

    bl_label = "Explain"
    bl_order = 5

    def draw(self, _context):
        layout = self.layout
        row = layout.row(align=True)
        row.operator("gpuscene.explain_pick", text="Pick", icon="EYEDROPPER")
        row.operator("gpuscene.explain_active", text="Active Object", icon="OBJECT_DATA")
        view = model.explained()
        if view is None:
            layout.label(text="No instance explained yet")
            return
        box = layout.box()
        row = box.row()
        column = row.column(align=True)
        for number, line in enumerate(view.subject):
            column.label(text=line, icon="BLANK1" if number else "HIDE_OFF" if view.drawn else "HIDE_ON")
        row.operator("gpuscene.explain_copy", text="", icon="COPYDOWN", emboss=False)
        column = box.column(align=True)
        column.alert = not view.drawn
        for line in view.reason:
            column.label(text=line)
        if view.remedy:
            column = box.column(align=True)
            for line in view.remedy:
                column.label(text=line)
        if view.is_stale:
            layout.label(text="Culled again since: pick anew", icon="INFO")
        tests = layout.column(align=True)
        for test in view.tests:
            for number, line in enumerate(test.text):
                tests.label(text=line, icon="BLANK1" if number else "CHECKMARK" if test.passed else "X")


CLASSES = (GPUSCENE_PT_live, GPUSCENE_PT_culling, GPUSCENE_PT_overlay, GPUSCENE_PT_dashboard, GPUSCENE_PT_explain)
