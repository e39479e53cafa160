"""The walk over a dependency graph's objects.

Objects that share an evaluated mesh have no modifier of their own, so they are read in bulk: matrices by one `foreach_get`, no Python
work an object beyond a handful of attribute reads. All others go through `Templates`.
"""

from __future__ import annotations

import numpy as np

from ...core import ids, layout
from ...core.assemble import Part
from ...core.errors import InputError
from ...core.findings import Finding
from . import channels as channel_values
from .context import QUIET_TYPES, ExtractContext
from .duplis import DupliPass, any_needed
from .listing import Listing
from .precision import world_matrix
from .templates import Templates, report_empty


def walk(context: ExtractContext, data, wanted=None) -> None:
    """Fill ``context.result`` from its dependency graph.

    Parameters
    ----------
    context : ExtractContext
    data : bpy.types.BlendData
    wanted : callable or None
        Evaluated top-level object -> bool: the scope. None takes all.
    """
    listing = Listing(context, data)
    chosen = listing.chosen(wanted)
    nothing = not chosen.any()
    fill(context, data, listing, chosen, listing.root_test(wanted))
    if nothing and not context.result.parts:
        raise InputError("There is nothing in scope to export.", "Check visibility, or choose another scope.")
    if not context.result.parts:
        context.report(Finding("nothing-to-draw", "error", context.depsgraph.scene.name,
                               "no object in scope has a mesh with a face; the file has no instances.",
                               "Check visibility, or choose another scope."))
    for kind, count in sorted(context.skipped.items()):
        context.report(Finding("skipped-instances", "info", kind.lower().replace("_", " "),
                               f"{count} instanced object(s) of this type have no mesh; skipped."))


def fill(context: ExtractContext, data, listing: Listing, chosen, is_root) -> DupliPass | None:
    """Add the parts of what is `chosen`, (N,) bool; none is no error. Takes `chosen` over.

    `is_root`: evaluated object -> bool, whether its instances are wanted where only Blender can expand them. Returns the pass that
    read those, None where the file has none.
    """
    objects, names, columns, movable = listing.objects, listing.names, listing.columns, listing.movable
    duplis = None
    if any_needed(data, listing.instance_types):
        duplis = DupliPass(context, is_root, movable)
        context.result.parts += duplis.parts
    templates = Templates(context, movable)
    # Where some object hides its own mesh as an instancer, objects are looked at one by one.
    for rows in _shared_data(objects, chosen) if listing.all_shown else ():
        if len(rows) == len(objects):
            _shared_part(context, objects, names, columns, movable, listing.with_levels)
        else:
            _shared_part(context, [objects[r] for r in rows], [names[r] for r in rows], columns[rows], movable,
                         listing.with_levels)
        chosen[rows] = False
    for row in np.flatnonzero(chosen).tolist():
        obj = objects[row]
        if obj.type in QUIET_TYPES and not (obj.type == "EMPTY" and obj.instance_type == "COLLECTION"):
            continue
        if duplis is not None and obj in duplis.roots:
            # Its instances came from the pass; its own mesh is still to be read.
            entries = templates.own_only(obj)
        else:
            entries = templates.of_object(obj)
        _place(context, obj, columns[row], entries)
    return duplis


def _shared_data(objects, chosen) -> list:
    """Row arrays of chosen objects that share an evaluated mesh and are shown as it is."""
    rows = np.flatnonzero(chosen)
    datas = [objects[row].data for row in rows.tolist()]
    identity = np.array(list(map(id, datas)), np.uint64)
    order = np.argsort(identity, kind="stable")
    ordered = identity[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]][:len(rows)])
    groups = []
    for start, stop in zip(starts.tolist(), [*starts[1:].tolist(), len(rows)]):
        group, count = rows[order[start:stop]], stop - start
        first = objects[group[0]]
        if count > 1 and first.type == "MESH" and first.data is not None:
            groups.append(group)
    # Identities are addresses: by them, the order of primitives would change from export to export.
    return sorted(groups, key=lambda group: group[0])


def _shared_part(context, objects, names, columns, movable, with_levels) -> None:
    """Parts of objects that share one evaluated mesh: one a distinct set of materials and LOD levels."""
    mesh = objects[0].data
    stable_key = ("data", mesh.as_pointer())
    if context.geometry(mesh, names[0], stable_key) is None:
        report_empty(context, names[0], mesh)
        return
    configured = [i for i, name in enumerate(names) if name in context.configured] if context.configured else ()
    variants = _variants(context, objects, mesh, with_levels or bool(configured))
    owners = ids.name_keys(names)
    keys = ids.combine(owners, np.uint64(0))
    first_source = context.add_sources(names)
    custom = _properties(context, objects, mesh)
    flags = np.full(len(objects), layout.INSTANCE_VISIBLE, np.uint32)
    if movable.any:
        flags[np.fromiter(map(movable, objects), bool, len(objects))] |= np.uint32(layout.INSTANCE_MOVABLE)
    for index in configured:
        if context.configured[names[index]].full_precision:
            _full_precision(context, objects[index], keys[index:index + 1], np.eye(4)[None], columns[index:index + 1])
    for rows, representative in variants:
        primitive = context.primitive(mesh, representative, representative.name_full, stable_key, representative.original)
        whole = len(rows) == len(objects)
        context.result.parts.append(Part(
            primitive, columns if whole else columns[rows], keys if whole else keys[rows],
            (first_source + rows).astype(np.uint32), None if custom is None else custom[rows], flags[rows],
            owners=owners if whole else owners[rows]))


def _variants(context, objects, mesh, with_lods) -> list:
    """(rows, representative) groups of objects that look the same: same object-level materials, same LOD set."""
    materials = mesh.materials
    if not len(materials) and not len(objects[0].material_slots):
        signature = [None] * len(objects)
    elif len(materials) == 1:
        # The one slot is the active one, so this is the material shown, whichever link it has.
        shown = [o.active_material for o in objects]
        signature = list(map(id, shown))  # of the list's own references, so that no two alive share one
    else:
        signature = [tuple((s.link, s.material and s.material.name_full) for s in o.material_slots) for o in objects]
    groups: dict = {}
    if not with_lods and signature.count(signature[0]) == len(signature):
        return [(np.arange(len(objects)), objects[0])]
    for row, (obj, look) in enumerate(zip(objects, signature)):
        lods = None
        if with_lods:
            found = context.lod_set(obj.original)
            lods = (found.objects, found.screen_sizes, found.hysteresis)
        groups.setdefault((look, lods), []).append(row)
    return [(np.array(rows), objects[rows[0]]) for rows in groups.values()]


def _properties(context, objects, mesh):
    """(N, 8) channel values of custom properties, or None when no object has one."""
    data = objects[0].original.data
    if not context.carried and not any(name in data for name in context.property_names()):
        return None
    values = channel_values.unset(len(objects))
    for row, obj in enumerate(objects):
        found = context.properties(obj, mesh)
        if found is not None:
            values[row] = found
    return values


def _place(context, obj, column, entries) -> None:
    """Top-level instances of a template: its entries under the object's world matrix."""
    if not entries:
        return
    name_key = context.key(obj.name_full)
    precise = obj.name_full in context.configured and context.configured[obj.name_full].full_precision
    for entry in entries:
        if entry.primitive < 0:
            context.count_skipped(entry.primitive, len(entry.keys))
        elif precise:
            part = entry.part(name_key, np.matmul(entry.columns, column))
            _full_precision(context, obj, part.keys, entry.columns.transpose(0, 2, 1), part.columns)
            context.result.parts.append(part)
        elif entry.is_whole:
            context.result.parts.append(entry.part(name_key, column[None].copy()))  # the object's bits, as the bulk path has them
        else:
            context.result.parts.append(entry.part(name_key, entry.columns, column.T))


def _full_precision(context, obj, keys, local, columns) -> None:
    """Record float64 matrices for `keys` and put their float32 rounding into `columns`; a finding where the chain cannot be composed.

    `local`: (K, 4, 4) matrices below the object (rows as usual); `columns`: (K, 4, 4) column-stored world matrices, updated.
    """
    world = world_matrix(obj)
    if world is None:
        context.report_once("full-precision", "warning", obj.name_full,
                            "a constraint, a rigid body, or a bone, vertex or path parent stands in the chain: Blender's float32 matrix was used.",
                            "Remove it, or parent to an object.")
        world = np.array(obj.matrix_world, np.float64)
    for index, key in enumerate(keys.tolist()):
        matrix = world @ local[index].astype(np.float64)
        context.result.full_precision[key] = matrix
        columns[index] = matrix.T.astype(np.float32)
