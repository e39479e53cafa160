"""Skins from the evaluated scene: rest meshes, weights and bone matrices, by bulk reads, and how far linear blending is from
what Blender shows.

`character` reads one object; what it returns holds arrays and names only. `pose` reads the matrices of a frame.
"""
