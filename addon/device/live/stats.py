"""What a view submits, from its indirect arguments."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class ViewStats:
    """
    Attributes
    ----------
    visible : int
        Instances.
    lod_counts : tuple of int
        The same by LOD, finest first.
    triangles : int
        Of all draws.
    draw_arguments : int
        Rows of `indirect_args`.
    draw_count : int
        How many of those draw anything.
    """

    visible: int
    lod_counts: tuple
    triangles: int
    draw_arguments: int
    draw_count: int


class ArgumentReader:
    """Reads `indirect_args` of one set of draws.

    Parameters
    ----------
    slots : (D,) DRAW_SLOT
    scene : SceneData
    """

    def __init__(self, slots: np.ndarray, scene):
        # The materials of a LOD share its run of instances: those are counted in its first batch.
        of = scene["batches"][slots["batch"]]
        first = scene["primitives"]["first_lod"][of["primitive_id"]] + of["lod_index"]
        self._counted = np.flatnonzero(slots["batch"] == scene["lods"]["first_batch"][first])
        self._level = of["lod_index"][self._counted].astype(np.int64)
        self.levels = int(scene["primitives"]["lod_count"].max(initial=1))

    def read(self, arguments: np.ndarray) -> ViewStats:
        """From (D,) ``indirect_args``."""
        instances = arguments["instance_count"].astype(np.int64)
        by_lod = np.bincount(self._level, instances[self._counted], self.levels).astype(np.int64)
        triangles = int((instances * (arguments["index_count"].astype(np.int64) // 3)).sum())
        return ViewStats(int(by_lod.sum()), tuple(by_lod.tolist()), triangles, len(arguments), int(np.count_nonzero(instances)))
