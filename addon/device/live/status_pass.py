"""The status words of a view, for overlays: `core.live.classify` on the GPU."""

from __future__ import annotations

import numpy as np

from ...core.culling.gpu_records import CULL_VIEW
from ...core.live import status
from ...core.live.classify import precision_limits
from ..buffers import Uniform, make_table
from ..passes.base import Pass
from ..passes.streams import Streams
from ..shader_library import ShaderKey
from .records import STATUS_COUNTS

_DEFINES = tuple(
    (f"STATUS_{name}", f"{getattr(status, name)}u")
    for name in (
        *("VISIBLE", "HIDDEN", "DISTANCE", "FRUSTUM", "RULE", "FREE", "LATE", "FULL"),
        *("LOD_SHIFT", "PRECISION_SHIFT", "AGE_SHIFT", "BATCH_SHIFT", "MAX_AGE"),
    )
)


class StatusPass(Pass):
    """visibility, lod_state, streams -> `status`, in culling order.

    Parameters
    ----------
    streams : LiveStreams
    culler : GpuCuller
        Whose last run is told about.
    units_per_metre : float

    Attributes
    ----------
    status : Table
        (N,) uint words, `core.live.status`.
    """

    def __init__(self, streams, culler, units_per_metre: float):
        library, mapping = streams.library, culler.mapping
        can, transport = library.capabilities, library.transport
        count, block_instances = streams.culling.count, mapping.block_words * 32
        self.status = make_table(can, transport, "status", "uint", count, on_device=True)
        self.block_ages = make_table(can, transport, "block_ages", "uint", -(-count // block_instances))
        self._ages = None
        counts = STATUS_COUNTS.empty(1)
        counts["instance_count"], counts["block_instances"] = count, block_instances
        counts["coarse_from"], counts["coarser_from"] = precision_limits(units_per_metre)
        has_lods, rule = culler.lod_state is not None, streams.culling.rule
        read = [
            *(streams.spheres, streams.boxes, streams.cull_radii, streams.rows, streams.instance_transforms),
            *([streams.instance_data] if rule is not None else []),
            *(streams.lod_inputs, streams.lod_batches, self.block_ages, culler.visibility),
            *([culler.lod_state] if has_lods else []),
        ]
        key = ShaderKey(
            "live/status.glsl",
            (*map(Streams.binding, read), Streams.binding(self.status, "write")),
            (("cull_view", CULL_VIEW), ("status_counts", STATUS_COUNTS)),
            mapping.group_size,
            (
                *_DEFINES,
                ("GROUPED", int(streams.grouped)),
                ("HAS_LODS", int(has_lods)),
                ("HAS_RULE", int(rule is not None)),
                ("LOCAL_PLANES", int(can.is_software)),
            ),
            user=streams.culling.user,
        )
        super().__init__(library, key, (*read, self.status, culler.view, Uniform("status_counts", STATUS_COUNTS, counts)), count)

    def classify(self, block_ages: np.ndarray) -> None:
        """Queue it. `block_ages` (B,) integer: frames since the answer of each block of visibility words; negative: never."""
        ages = np.asarray(block_ages, np.int64)
        if len(ages) and (self._ages is None or not np.array_equal(ages, self._ages)):
            self._ages = ages.copy()
            self.block_ages.upload(np.where((ages < 0) | (ages > status.MAX_AGE), status.MAX_AGE, ages).astype(np.uint32))
        self.run()
        self.finish()
