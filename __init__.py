"""GPUScene for Blender: the extension's entry point.

Blender imports this file at start-up and calls :func:`register`. Nothing is imported before that, neither ``bpy`` nor
``gpu``, so the checkout can be collected by pytest and read by tools with no Blender, and a start with no display works.
"""


def register():
    """Register every class, property and command, or none of them when one fails."""
    from .addon.blender import registration

    registration.register()


def unregister():
    """Take back everything :func:`register` added."""
    from .addon.blender import registration

    registration.unregister()
