"""Flat culling: every instance tested."""

from __future__ import annotations

from ...core.culling.gpu_records import CULL_COUNTS, CULL_VIEW
from ..shader_library import ShaderKey, ShaderLibrary
from .base import Pass
from .streams import Streams

#: name -> (MAPPING, instances to a thread)
MAPPINGS = {"word": (0, 32), "transpose": (1, 32), "ballot": (2, 8)}


class CullFlat(Pass):
    """spheres (+ boxes, cull_radii, rule inputs) -> visibility.

    Parameters
    ----------
    streams : Streams
    view, counts : Uniform
    visibility : Table
    mapping : {"word", "transpose", "ballot"}
        How threads share the work; "ballot" needs 32-wide subgroups (`subgroups.has_ballot`).
    words_per_subgroup : int
        "ballot" only: words, and so instances a thread, between 1 and 32.
    """

    def __init__(self, library: ShaderLibrary, streams: Streams, view, counts, visibility, mapping: str, group_size: int = 64,
                 words_per_subgroup: int = MAPPINGS["ballot"][1]):
        number, per_thread = MAPPINGS[mapping]
        per_thread = words_per_subgroup if mapping == "ballot" else per_thread
        defines = (*streams.defines, ("MAPPING", number), ("WORDS_PER_SUBGROUP", f"{per_thread}u"))
        key = ShaderKey("culling/cull_flat.glsl", (*streams.bindings, streams.binding(visibility, "write")),
                        (("cull_view", CULL_VIEW), ("cull_counts", CULL_COUNTS)), group_size, defines,
                        f"shared uint shared_bits[{group_size}];\n" if mapping == "transpose" else "", user=streams.user)
        words = max(-(-streams.count // 32), 0)
        threads = words if mapping == "word" else -(-words // per_thread) * 32
        super().__init__(library, key, (*streams.tables, visibility, view, counts), threads)
