"""File > Export > GPUScene (.glb)."""

from __future__ import annotations

import bpy

CLASSES = ()


def _draw_export_item(self, _context):
    self.layout.operator("gpuscene.export_file", text="GPUScene (.glb)")


def attach():
    bpy.types.TOPBAR_MT_file_export.append(_draw_export_item)


def detach():
    bpy.types.TOPBAR_MT_file_export.remove(_draw_export_item)
