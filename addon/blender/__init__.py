"""The part that runs inside Blender: extraction, panel, operators. Imports ``bpy``; nothing below ``core`` imports this."""
