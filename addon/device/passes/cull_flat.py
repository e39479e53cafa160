"""Flat culling: every instance tested."""

from __future__ import annotations

from ...core.culling.gpu_records import CULL_COUNTS, CULL_VIEW
from ..shader_library import ShaderKey, ShaderLibrary
from .base import Pass
from .mapping import Mapping
from .streams import Streams


class CullFlat(Pass):
    """spheres (+ boxes, cull_radii, rule inputs) -> visibility, block_counts.

    Parameters
    ----------
    streams : Streams
    view, counts : Uniform
    visibility, block_counts : Table
    mapping : Mapping
        How threads share the work.
    """

    def __init__(self, library: ShaderLibrary, streams: Streams, view, counts, visibility, block_counts, mapping: Mapping):
        key = ShaderKey(
            "culling/cull_flat.glsl",
            (*streams.bindings, streams.binding(visibility, "write"), streams.binding(block_counts, "write")),
            (("cull_view", CULL_VIEW), ("cull_counts", CULL_COUNTS)),
            mapping.group_size,
            (*streams.defines, *mapping.culling_defines),
            mapping.shared,
            user=streams.user,
        )
        super().__init__(
            library, key, (*streams.tables, visibility, block_counts, view, counts), mapping.threads(streams.word_count)
        )
