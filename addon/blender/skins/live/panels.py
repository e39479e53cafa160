"""The Skins panel. ``draw()`` lays out properties and the ready strings of `model`, nothing else."""

from __future__ import annotations

import bpy

from ...panels import SidebarTab
from . import model
from .state import running


class GPUSCENE_PT_skins(SidebarTab, bpy.types.Panel):
    """Which objects, start, stop, and what came of it."""

    bl_label = "Skins"
    bl_order = 6
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout = self.layout
        group, view = context.scene.gpuscene_skins, model.view()
        row = layout.row()
        row.template_list("GPUSCENE_UL_skins", "", group, "items", group, "active", rows=3)
        buttons = row.column(align=True)
        buttons.operator("gpuscene.skins_add", text="", icon="ADD")
        buttons.operator("gpuscene.skins_remove", text="", icon="REMOVE")
        row = layout.row()
        row.scale_y = 1.5
        stopped = running() is None
        row.operator("gpuscene.skins_toggle", text="Start" if stopped else "Stop", icon="PLAY" if stopped else "PAUSE")
        _draw_lines(layout, model.error(), "ERROR", alert=True)
        if view is None:
            return
        _draw_lines(layout, view.notes, "INFO")
        layout.operator("gpuscene.skins_measure", icon="DRIVER_DISTANCE")
        column = layout.column(align=True)
        for name, value in view.rows:
            _draw_pair(column, name, value)
        item = group.items[group.active] if group.active < len(group.items) else None
        said = view.characters.get(item.object.session_uid) if item is not None and item.object is not None else None
        if said is not None:
            _draw_character(layout.box(), item.object.name, said)


def _draw_character(box, name, said):
    box.label(text=name, icon="ARMATURE_DATA")
    column = box.column(align=True)
    for label, value in said.rows or (("", said.short),):
        _draw_pair(column, label, value)
    for finding in said.findings:
        _draw_lines(box, finding, "ERROR", alert=said.alert)


def _draw_lines(layout, lines, icon, alert=False):
    if not lines:
        return
    column = layout.column(align=True)
    column.alert = alert
    for number, line in enumerate(lines):
        column.label(text=line, icon="BLANK1" if number else icon)


def _draw_pair(layout, name, value):
    row = layout.row()
    row.label(text=name)
    end = row.row()
    end.alignment = "RIGHT"
    end.label(text=value)


class SkinsPart(SidebarTab):
    """Mix-in: below Skins, closed until wanted."""

    bl_parent_id = "GPUSCENE_PT_skins"
    bl_options = {"DEFAULT_CLOSED"}

    def settings(self):
        self.layout.use_property_split = True
        self.layout.use_property_decorate = False
        return self.layout.column()


class GPUSCENE_PT_skin_particles(SkinsPart, bpy.types.Panel):
    """How many, where, in which colours."""

    bl_label = "Particles"
    bl_options = set()

    def draw(self, context):
        group = context.scene.gpuscene_skins
        column = self.settings()
        for name in ("particles", "spawn", "seed", "size"):
            column.prop(group, name)
        column.separator()
        column.prop(group, "color")
        if group.color == "PLAIN":
            column.prop(group, "plain")
        if group.color == "SPEED":
            column.prop(group, "top_speed")
        row = column.row(heading="Trails")
        row.prop(group, "use_trails", text="")
        value = row.row()
        value.enabled = group.use_trails
        value.prop(group, "trail", text="")
        column.separator()
        column.prop(group, "offset")


class GPUSCENE_PT_skin_quality(SkinsPart, bpy.types.Panel):
    """Influences, matrices, device."""

    bl_label = "Skinning"

    def draw(self, context):
        group = context.scene.gpuscene_skins
        column = self.settings()
        column.row().prop(group, "influences", expand=True)
        column.prop(group, "matrix_format")
        column.prop(group, "device")


class GPUSCENE_PT_skin_lod(SkinsPart, bpy.types.Panel):
    """Less for what is far, and what that costs in accuracy."""

    bl_label = "Level of Detail"

    def draw_header(self, context):
        self.layout.prop(context.scene.gpuscene_skins, "use_lod", text="")

    def draw(self, context):
        group, view = context.scene.gpuscene_skins, model.view()
        column = self.settings()
        column.active = group.use_lod
        for name in ("two_influences", "one_influence", "fewer_bones", "bone_share", "fewer_particles", "particle_share"):
            column.prop(group, name)
        if view is None or not view.steps:
            self.layout.label(text="Start and Measure show the errors")
            return
        column = self.layout.column(align=True)
        column.label(text="Largest error of all characters")
        for label, value in view.steps:
            _draw_pair(column, label, value)


CLASSES = (GPUSCENE_PT_skins, GPUSCENE_PT_skin_particles, GPUSCENE_PT_skin_quality, GPUSCENE_PT_skin_lod)
