"""LOD selection and the reset of its memory."""

from __future__ import annotations

from ...core.culling.gpu_records import CULL_COUNTS, CULL_VIEW
from ..shader_library import ShaderKey, ShaderLibrary
from .base import Pass
from .mapping import Mapping
from .streams import Streams


class SelectLod(Pass):
    """visibility, spheres, lod_inputs, lod_switches, lod_state -> lod_masks, lod_state.

    Parameters
    ----------
    read : sequence of Table
        visibility or row_visibility (in drawing order), spheres, lod_inputs, lod_switches; positions when drawing order is not
        the spheres'.
    """

    def __init__(self, library: ShaderLibrary, read, lod_state, lod_masks, view, counts, mapping: Mapping, words: int):
        shared = (
            ""
            if mapping.name == "word"
            else "".join(f"shared uint {name}[{mapping.group_size // 4}];\n" for name in ("shared_masks", "shared_state"))
        )
        key = ShaderKey(
            "culling/lod.glsl",
            (*map(Streams.binding, read), Streams.binding(lod_state, "update"), Streams.binding(lod_masks, "write")),
            (("cull_view", CULL_VIEW), ("cull_counts", CULL_COUNTS)),
            mapping.group_size,
            (
                *mapping.defines,
                ("LOAD_VISIBILITY(w)", f"load_{read[0].name}(w)"),
                ("HAS_POSITIONS", int(any(t.name == "positions" for t in read))),
            ),
            shared,
        )
        super().__init__(library, key, (*read, lod_state, lod_masks, view, counts), mapping.threads(words))


class FadeLod(Pass):
    """What `SelectLod` reads, and its lod_state -> lod_fade."""

    def __init__(self, library: ShaderLibrary, read, lod_state, lod_fade, view, counts, group_size: int):
        key = ShaderKey(
            "culling/lod_fade.glsl",
            (*map(Streams.binding, (*read, lod_state)), Streams.binding(lod_fade, "write")),
            (("cull_view", CULL_VIEW), ("cull_counts", CULL_COUNTS)),
            group_size,
            (
                ("LOAD_VISIBILITY(w)", f"load_{read[0].name}(w)"),
                ("HAS_POSITIONS", int(any(t.name == "positions" for t in read))),
            ),
        )
        super().__init__(library, key, (*read, lod_state, lod_fade, view, counts), lod_fade.count)


class Reset(Pass):
    """-> lod_state of no LOD, indirect_args of no instance."""

    def __init__(self, library: ShaderLibrary, lod_state, draw_slots, indirect_args, counts, group_size: int):
        bindings, tables = [], []
        for table, access in ((lod_state, "write"), (draw_slots, "read"), (indirect_args, "write")):
            if table is not None:
                bindings.append(Streams.binding(table, access))
                tables.append(table)
        key = ShaderKey(
            "culling/reset.glsl",
            tuple(bindings),
            (("cull_counts", CULL_COUNTS),),
            group_size,
            (("HAS_LODS", int(lod_state is not None)), ("HAS_DRAWS", int(draw_slots is not None))),
        )
        super().__init__(library, key, (*tables, counts), max((table.count for table in tables), default=0))
