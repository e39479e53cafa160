"""Pure data: stdlib and numpy only. Nothing here may import ``bpy`` or ``gpu``."""
