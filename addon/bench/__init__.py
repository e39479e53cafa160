"""Benchmarks: ratios measured in one run against Blender's own exporters or the bare read of the same data.

Nothing here is used by an export. Times are wall-clock medians; memory is the kernel's peak of this process.
"""
