"""The grid builder: cubic cells aligned to the world's origin; no leaf spans two cells, and blocks of 2 x 2 x 2 cells make the
levels above.

A cell depends on an instance's position and the edge alone, so a leaf is a place: what streaming by cell wants. Crowded cells are
cut into several leaves.
"""

from __future__ import annotations

import numpy as np

from . import morton
from .topology import grow

#: aim at cells half full when instances are spread evenly, since they never are
_FILL = 0.5


def cell_edge(centers, cluster_size: int) -> float:
    """Edge of the cells (scene units) at which evenly spread instances would half fill them; axes thinner than an edge count one
    cell."""
    extents = sorted((float(center.max()) - float(center.min()) for center in centers), reverse=True)
    cells = max(len(centers[0]) / (cluster_size * _FILL), 1.0)
    for axes in (3, 2, 1):
        edge = (np.prod(extents[:axes]) / cells) ** (1 / axes)
        if 0 < edge <= extents[axes - 1]:
            break
    return max(edge, extents[0] / ((1 << morton.BITS) - 2), 1e-30)  # cells must fit the code


def build_grid(instance_columns, begin, end, cluster_size: int) -> tuple:
    """(order, levels) of a binary forest over the roots' ranges of rows."""
    centers = morton.centroids(instance_columns)
    edge = cell_edge(centers, cluster_size)
    cells = []
    for center in centers:
        index = np.floor(center.astype(np.float64) / edge)
        cells.append((index - index.min()).clip(0, (1 << morton.BITS) - 1).astype(np.uint16))
    codes = morton.interleave(cells)
    # By place within each cell too, so that the pieces of a crowded cell are compact.
    within = morton.argsort_codes(morton.interleave(morton.quantise(centers)))
    order = morton.order_by_code(codes, begin, end, within)
    codes = codes[order]
    levels = grow(begin, end, lambda b, e: (e - b > cluster_size) | (codes[b] != codes[e - 1]),
                  lambda b, e, _depth: morton.split_codes(codes, b, e))
    return order, levels
