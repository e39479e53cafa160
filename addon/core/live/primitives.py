"""Some primitives of a store: their tables with everything renumbered, and geometry trimmed to what they use."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..cluster_tree.tree import ragged
from ..limits import NO_INDEX
from ..primitive_tables import PrimitiveTables


def select(store: PrimitiveTables, wanted) -> PrimitiveTables:
    """Rows `wanted` (K,) of ``primitives`` in that order, with their LODs, batches and draw arguments; geometry and materials
    as they are, shared with `store`.
    """
    wanted = np.asarray(wanted, np.int64)
    tables = store.tables
    primitives = tables["primitives"][wanted]
    lod_counts = primitives["lod_count"].astype(np.int64)
    lods = tables["lods"][ragged(primitives["first_lod"].astype(np.int64), lod_counts)]
    batch_counts = lods["batch_count"].astype(np.int64)
    batch_rows = ragged(lods["first_batch"].astype(np.int64), batch_counts)
    batches, arguments = tables["batches"][batch_rows], tables["indirect_args"][batch_rows]
    primitives["first_lod"] = np.cumsum(lod_counts) - lod_counts
    lods["first_batch"] = np.cumsum(batch_counts) - batch_counts
    batches["primitive_id"] = np.repeat(np.repeat(np.arange(len(wanted)), lod_counts), batch_counts)
    rows = {"primitives": primitives, "lods": lods, "batches": batches, "indirect_args": arguments}
    return replace(store, tables=tables | rows, names=tuple(store.names[i] for i in wanted.tolist()))


def trimmed(some: PrimitiveTables) -> PrimitiveTables:
    """The same primitives with no more geometry and materials than they use: geometry in the order of first use, materials by
    name.
    """
    return _trim_materials(_trim_geometry(some))


def _trim_geometry(some):
    tables, vertex_starts, index_starts = dict(some.tables), some.vertex_starts, some.index_starts
    used = np.searchsorted(vertex_starts, tables["lods"]["base_vertex"].astype(np.int64), "right") - 1
    # Distinct, in the order of first use.
    kept, first, place = np.unique(used, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    kept, place = kept[order], rank[place]
    vertices, indices = np.diff(vertex_starts)[kept], np.diff(index_starts)[kept]
    vertex_rows, index_rows = ragged(vertex_starts[kept], vertices), ragged(index_starts[kept], indices)
    for name in ("vertex_positions", "vertex_normals", "vertex_uvs"):
        tables[name] = tables[name][vertex_rows]
    tables["indices"] = tables["indices"][index_rows]
    new_vertex, new_index = (np.concatenate([[0], np.cumsum(sizes)]) for sizes in (vertices, indices))
    vertex_shift, index_shift = (new_vertex[:-1] - vertex_starts[kept])[place], (new_index[:-1] - index_starts[kept])[place]
    lods, arguments, primitives = (tables[name].copy() for name in ("lods", "indirect_args", "primitives"))
    batches_of = lods["batch_count"].astype(np.int64)
    for rows, of_lod in ((lods, np.arange(len(lods))), (arguments, np.repeat(np.arange(len(lods)), batches_of)),
                         (primitives, primitives["first_lod"].astype(np.int64))):
        rows["base_vertex"] = rows["base_vertex"].astype(np.int64) + vertex_shift[of_lod]
        rows["first_index"] = rows["first_index"].astype(np.int64) + index_shift[of_lod]
    tables |= {"lods": lods, "indirect_args": arguments, "primitives": primitives}
    return replace(some, tables=tables, vertex_starts=new_vertex, index_starts=new_index)


def _trim_materials(some):
    batches, primitives = some.tables["batches"].copy(), some.tables["primitives"].copy()
    used = np.unique(batches["material_index"])
    used = sorted(used[used != NO_INDEX].tolist(), key=lambda i: (some.materials[i].name, repr(some.materials[i])))
    new_of = np.full(len(some.materials) + 1, NO_INDEX, np.uint32)  # the last one stands for none
    new_of[used] = np.arange(len(used))
    for rows in (batches, primitives):
        rows["material_index"] = new_of[np.minimum(rows["material_index"], len(some.materials))]
    return replace(some, tables=some.tables | {"batches": batches, "primitives": primitives},
                   materials=tuple(some.materials[i] for i in used))
