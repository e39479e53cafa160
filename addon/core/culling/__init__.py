"""Visibility culling: the exact float32 decisions, their float64 oracle, and the CPU paths.

Every keep-or-drop decision is made of float32 additions, multiplications and comparisons in a fixed order, so numpy and every
GPU (with ``precise``) agree bit by bit.
"""
