"""Instances only Blender can expand: particles, and vertex and face instancing.

Their generators have no bulk interface, so one pass over ``depsgraph.object_instances`` reads them, about 2 microseconds an instance. It
runs only when the file has such an instancer, and is used only for the top-level objects whose instances involve one.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from ...core import ids, layout
from ...core.assemble import Part
from .context import MESH_TYPES, ExtractContext
from .meshes import geometry_set, own_mesh
from .templates import report_empty
from .visibility import visible_objects

_PARTICLE_INSTANCERS = frozenset({"OBJECT", "COLLECTION"})


def any_needed(data, instance_types) -> bool:
    """True when the file (``bpy.data``) holds an instancer of these kinds at all. `instance_types`: see `read_instance_types`."""
    return any(p.users and p.render_type in _PARTICLE_INSTANCERS for p in data.particles) or bool(instance_types & {"VERTS", "FACES"})


def read_instance_types(data, originals) -> set:
    """Identifiers of every ``instance_type`` in the file but NONE. Bulk read, no loop over objects."""
    if not originals:
        return set()
    values = np.zeros(len(originals), np.int32)
    data.objects.foreach_get("instance_type", values)
    names = {item.value: item.identifier for item in originals[0].bl_rna.properties["instance_type"].enum_items}
    return {names[value] for value in np.flatnonzero(np.bincount(values)).tolist()} - {"NONE"}


class DupliRoots:
    """Which evaluated objects expand, at any depth, through one of these instancers."""

    def __init__(self, render: bool):
        self.render = render
        self._memo: dict = {}

    def __contains__(self, obj) -> bool:
        name = obj.name_full
        if name not in self._memo:
            self._memo[name] = False  # cuts cycles
            self._memo[name] = self._is_root(obj)
        return self._memo[name]

    def known(self, name: str) -> bool:
        """True when the object of that full name was asked about, and expands so."""
        return self._memo.get(name, False)

    def _is_root(self, obj) -> bool:
        if obj.instance_type in ("VERTS", "FACES"):
            return True
        if any(s.settings.render_type in _PARTICLE_INSTANCERS for s in obj.particle_systems):
            return True
        if obj.instance_type == "COLLECTION" and obj.instance_collection:
            return any(child in self for child in visible_objects(obj.instance_collection, self.render))
        if any(m.type == "NODES" for m in obj.modifiers):
            return self._references(geometry_set(obj))
        return False

    def _references(self, geometry) -> bool:
        if geometry is None:
            return False
        for reference in geometry.instance_references():
            kind = type(reference).__name__
            if kind == "GeometrySet":
                if self._references(reference):
                    return True
            elif kind == "Collection":
                if any(child in self for child in visible_objects(reference, self.render)):
                    return True
            elif kind != "NoneType" and reference in self:
                return True
        return False


class DupliPass:
    """One pass over ``object_instances``: the parts of every dupli root."""

    def __init__(self, context: ExtractContext, wanted, movable):
        """`wanted`: callable, top-level evaluated object -> bool, the export's scope."""
        self.context, self.movable = context, movable
        self.roots = DupliRoots(context.render)
        self.parts: list = []
        #: full names of everything that some root instances, of any type
        self.instanced: set = set()
        self._read(wanted)

    def _read(self, wanted):
        context = self.context
        instances = context.depsgraph.object_instances
        count = len(instances)
        matrices = np.empty((count, 4, 4), np.float32)
        instances.foreach_get("matrix_world", matrices.reshape(-1))
        paths = np.empty((count, 8), np.int32)
        instances.foreach_get("persistent_id", paths.reshape(-1))
        rows, looks, of_root, primitives = defaultdict(list), {}, {}, {}
        for row, instance in enumerate(instances):
            if not instance.is_instance:
                continue
            obj, root = instance.object, instance.parent
            if root.name_full not in of_root:
                of_root[root.name_full] = root in self.roots and wanted(root)
            if not of_root[root.name_full]:
                continue
            self.instanced.add(obj.name_full)
            if not instance.show_self:
                continue
            if obj.type != "MESH":
                # FONT, CURVE, SURFACE and META come once more as a MESH item when they draw.
                if obj.type not in MESH_TYPES or own_mesh(obj) is None:
                    context.skipped[obj.type] += 1
                continue
            if context.lods.is_coarser_level(obj.original):
                continue
            primitive = self._primitive(instance, obj, primitives)
            if primitive is None:
                continue
            key = primitive, obj.name_full, root.name_full
            if key not in looks:
                looks[key] = context.properties(obj, obj.data, root), layout.INSTANCE_VISIBLE | (
                    layout.INSTANCE_MOVABLE if self.movable(root) or self.movable(obj) else 0)
            rows[key].append(row)
        for key, chosen in rows.items():
            self.parts.append(self._part(*key, *looks[key], matrices[chosen], paths[chosen]))

    def _primitive(self, instance, obj, cache):
        mesh = obj.data
        slots = tuple(s.material.name_full if s.material else "" for s in obj.material_slots if s.link == "OBJECT")
        key = (mesh.as_pointer(), obj.name_full, slots)
        if key not in cache:
            # Items that carry geometry of their own (Geometry Nodes, curves) come with the instancer as their object.
            own = instance.instance_object is not None and instance.instance_object.data == mesh
            cache[key] = self.context.primitive(mesh, obj, obj.name_full, None, obj.original if own else None)
            if cache[key] is None:
                report_empty(self.context, obj.name_full, mesh)
        return cache[key]

    def _part(self, primitive, name, root_name, properties, flags, matrices, paths) -> Part:
        context = self.context
        keys = np.broadcast_to(context.key(root_name), len(paths))
        for column in paths.T:
            keys = ids.combine(keys, column.astype(np.int64).view(np.uint64))
        keys = ids.combine(keys, context.key(name))
        custom = None if properties is None else np.broadcast_to(properties, (len(paths), len(properties)))
        return Part(primitive, matrices, keys, context.source(name), custom, flags, owners=context.key(root_name))
