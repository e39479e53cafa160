"""GPUScene: Blender scenes as the tables a GPU-driven renderer reads.

Installed by pip this package is called ``gpuscene``; inside the Blender extension it is ``<extension>.addon``.
Only relative imports are used below this point, so both names work.
"""
