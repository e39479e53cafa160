"""Pure text: GLSL made from ``core.layout``. Nothing here may import ``bpy`` or ``gpu``."""
