"""The GPU, through Blender's ``gpu`` module only: no ``bpy``. Nothing here touches the GPU when imported.

`capabilities.start` comes first; then a `shader_library.ShaderLibrary`, tables (`buffers`), passes, and `frame.GpuCuller`,
which runs them.
"""
