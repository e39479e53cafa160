"""Relative shape keys mixed from their blocks: needed where an object's parent deforms it, a deformation that Blender cannot
leave out.
"""

from __future__ import annotations

import numpy as np

from .weights import read_weights


def keyed_positions(obj, depsgraph) -> np.ndarray:
    """(V, 3) float32 vertices of an evaluated object's own mesh under its shape keys, before every modifier.

    Absolute keys are not mixed: the mesh's own vertices are given.
    """
    mesh = obj.original.data
    out = np.empty((len(mesh.vertices), 3), np.float32)
    if len(out):
        mesh.attributes["position"].data.foreach_get("vector", out.reshape(-1))
    keys = mesh.shape_keys
    if keys is None or not keys.use_relative:
        return out
    evaluated = keys.evaluated_get(depsgraph)
    blocks = evaluated.key_blocks
    basis = _points(evaluated.reference_key, len(out))
    if obj.show_only_shape_key:
        return _points(blocks[obj.active_shape_key_index], len(out))
    mixed, weights = basis.astype(np.float64), None
    for block in blocks:
        if block.mute or block.value == 0 or block == evaluated.reference_key:
            continue
        offset = _points(block, len(out)).astype(np.float64) - _points(block.relative_key, len(out))
        group = obj.vertex_groups.get(block.vertex_group) if block.vertex_group else None
        if group is not None:
            weights = read_weights(mesh) if weights is None else weights
            offset *= group_weights(weights, group.index, len(out))[:, None]
        mixed += block.value * offset
    return mixed.astype(np.float32)


def group_weights(weights, group: int, vertex_count: int) -> np.ndarray:
    """(V,) float64: each vertex's weight in one group; 0 where it is not in it. `weights` is `read_weights`' result."""
    vertices, groups, values = weights
    out = np.zeros(vertex_count)
    rows = groups == group
    out[vertices[rows]] = values[rows]
    return out


def _points(block, count) -> np.ndarray:
    out = np.empty((count, 3), np.float32)
    block.data.foreach_get("co", out.reshape(-1))
    return out
