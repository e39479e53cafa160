"""Scene extraction: one pass over an evaluated dependency graph, copied out into plain arrays.

Nothing returned from here holds anything of Blender's. `walk` goes over the objects, `templates` expands collection and Geometry Nodes
instances, `duplis` reads what only Blender can expand (particles, vertices, faces), `meshes` and `materials` read data.
"""
