"""Shaders that draw what culling decided over the 3D view: boxes, points, cluster nodes and lines, straight from GPU tables."""
