"""Templates: what one object, collection or geometry set puts into the scene, in its own local space.

A template is a list of `entries.Entry`, one a primitive; instancing it is a matrix product with each. Collections and Geometry Nodes nest by
composing templates, so a million points times a reference is a few numpy calls. The products are those of Blender's own
instance generators: point @ object-local for object references, point @ -offset @ object-world for collections.
"""

from __future__ import annotations

import numpy as np

from ...core import ids, layout, transforms
from . import channels as channel_values
from .context import MESH_TYPES, QUIET_TYPES, ExtractContext
from .entries import IDENTITY, Entry, instanced, merged
from .meshes import geometry_set, own_mesh
from .visibility import has_other_geometry, hidden_as_instance, shows_itself, visible_objects

#: Blender expands nested instances down to this level; the object at the top is on level 0
LAST_LEVEL = 6


class Templates:
    """Builds and caches templates of one extraction.

    Blender stops expanding past `LAST_LEVEL`, so what a template holds depends on the level it is placed on, but only near the end: each is
    cached once, together with the number of levels it needs, and rebuilt for a level where it needs more than are left.
    """

    def __init__(self, context: ExtractContext, movable):
        """`movable`: callable, evaluated object -> bool."""
        self.context = context
        self.movable = movable
        #: (object, shown) -> (entries, levels needed); (object, shown, level) -> entries cut short there
        self._cache: dict = {}
        # Of the template being built: the deepest level it expands on, and whether it was cut short.
        self._deepest, self._cut = -1, False

    def of_object(self, obj, level=0, instanced_by=None) -> list:
        """Entries of an evaluated object in its own local space: its mesh, then what it instances. Cached."""
        shown = not hidden_as_instance(obj) or (instanced_by is None and obj.type == "MESH")
        entries = self._cached(obj, level, shown)
        if instanced_by is not None and shown and obj.type != "MESH" and not entries:
            return [Entry.single(self.context.stand_in(obj.type), 0)]
        return entries

    def _cached(self, obj, level, shown) -> list:
        key = obj.name_full, shown
        if key in self._cache:
            entries, needed = self._cache[key]
            if level + needed <= LAST_LEVEL + 1:
                self._deepest = max(self._deepest, level + needed - 1)
                return entries
        if (*key, level) in self._cache:
            self._cut = True
            return self._cache[*key, level]
        outer = self._deepest, self._cut
        self._deepest, self._cut = level - 1, False
        entries = self._build(obj, level, shown)
        if self._cut:
            self._cache[*key, level] = entries
        else:
            self._cache[key] = entries, self._deepest - level + 1
        self._deepest, self._cut = max(outer[0], self._deepest), outer[1] or self._cut
        return entries

    def _expands(self, obj, level) -> bool:
        """Whether Blender expands what `obj` instances on `level`."""
        if level > LAST_LEVEL:
            self._cut = True
            self.context.report_once("nested-too-deep", "warning", obj.name_full,
                                     f"its instances are nested past {LAST_LEVEL + 1} levels; Blender does not show them, and they are left out.",
                                     "Make the innermost levels real (Object > Apply > Make Instances Real, or Realize Instances).")
            return False
        self._deepest = max(self._deepest, level)
        return True

    def _build(self, obj, level, shown) -> list:
        """`shown`: whether the object's own mesh is."""
        context, entries = self.context, []
        # Something else can still instance a hidden object: then its own mesh is shown, but not what it instances.
        hidden = obj.hide_render if context.render else obj.hide_viewport
        if obj.type == "MESH" and not any(m.type == "NODES" for m in obj.modifiers):
            if shown:
                entries = self._own_mesh(obj, obj.data, ("data", obj.data.as_pointer()), context.properties(obj, obj.data))
        elif obj.type == "EMPTY" and obj.instance_type == "COLLECTION" and obj.instance_collection:
            if not hidden and self._expands(obj, level):
                entries = instanced(self.of_collection(obj.instance_collection, obj, level), IDENTITY[None], np.zeros(1, np.uint64),
                                    properties=context.properties(obj))
        elif obj.type not in QUIET_TYPES and obj.type != "EMPTY":
            geometry = geometry_set(obj)
            mesh = obj.data if geometry is None and obj.type == "MESH" else geometry and geometry.mesh
            # Only a mesh object's own mesh is itself; that of any other type is an instance.
            if mesh is not None and shown and (obj.type == "MESH" or not hidden and self._expands(obj, level)):
                entries = self._own_mesh(obj, mesh, None, context.properties(obj, obj.data))
            if geometry is not None and not hidden:
                entries += self._instances(geometry, obj, level, context.properties(obj), obj.type)
            if not entries and obj.type not in MESH_TYPES:
                context.report_once("skipped-type", "info", obj.name_full, f"{obj.type.lower().replace('_', ' ')} objects have no mesh; skipped.",
                                    "Convert it to a mesh to export it.")
        return merged(entries, layout.INSTANCE_MOVABLE if self.movable(obj) else 0)

    def own_only(self, obj) -> list:
        """Entries of an object's own mesh alone, for instancers that Blender itself expands."""
        if obj.type not in MESH_TYPES:
            return []
        mesh = own_mesh(obj)
        return [] if mesh is None else self._own_mesh(obj, mesh, None, self.context.properties(obj, obj.data))

    def _own_mesh(self, obj, mesh, stable_key, properties) -> list:
        if not shows_itself(obj, self.context.render):
            return []
        context, name = self.context, obj.name_full
        primitive = context.primitive(mesh, obj, name, stable_key, obj.original)
        if primitive is None:
            # An instancer's own mesh is often empty on purpose; an object that shows nothing at all is worth a word.
            if not any(m.type == "NODES" for m in obj.modifiers):
                report_empty(context, name, mesh)
            return []
        return [Entry.single(primitive, context.source(name), properties)]

    def of_collection(self, collection, instancer, level) -> list:
        """Entries of a collection that is expanded on `level`, about its instance offset.

        What is hidden inside it stays out; what the view layer excludes does not matter.
        """
        offset = np.eye(4, dtype=np.float32)
        offset[3, :3] = -np.array(collection.instance_offset, np.float32)
        entries = []
        for obj in visible_objects(collection, self.context.render):
            if obj == instancer or self.context.lods.is_coarser_level(obj):
                continue
            world = np.array(obj.matrix_world.transposed(), np.float32)
            placed = transforms.compose(offset.T, world[None])
            key = np.array([self.context.key(obj.name_full)])
            entries += instanced(self.of_object(obj, level + 1, instancer), placed, key)
        return merged(entries)

    def _instances(self, geometry, obj, level, properties, own=None) -> list:
        """Entries of a geometry set's instances, expanded on `level`. `own`: the type of object whose geometry set this is, None when nested."""
        pointcloud = geometry.instances_pointcloud()
        if pointcloud is None or not len(pointcloud.points) or not self._expands(obj, level):
            return []
        if has_other_geometry(geometry, own):
            # Blender numbers such geometry on this level, and the instances on the next.
            level += 1
            if not self._expands(obj, level):
                return []
        count = len(pointcloud.points)
        columns = np.empty((count, 4, 4), np.float32)
        pointcloud.attributes["instance_transform"].data.foreach_get("value", columns.reshape(-1))
        attributes = channel_values.from_attributes(pointcloud, self.context.channels)
        self._report_unmapped(pointcloud, obj)
        keys = point_keys(pointcloud)
        references = geometry.instance_references()
        handles = np.zeros(count, np.int32)
        if len(references) > 1:
            pointcloud.attributes[".reference_index"].data.foreach_get("value", handles)
        entries = []
        for index, reference in enumerate(references):
            template = self._of_reference(reference, obj, level)
            if not template:
                continue
            if len(references) == 1:
                entries += instanced(template, columns, keys, attributes, properties)
            else:
                rows = np.flatnonzero(handles == index)
                if rows.size:
                    entries += instanced(template, columns[rows], keys[rows], None if attributes is None else attributes[rows], properties)
        return entries

    def _of_reference(self, reference, obj, level) -> list:
        kind = type(reference).__name__
        if kind == "GeometrySet":
            if not self._expands(obj, level + 1):
                return []
            context, entries = self.context, []
            name = reference.name or obj.name_full
            if reference.mesh is not None and not hidden_as_instance(obj):
                original = context.lods.named(name) if reference.name else None
                primitive = context.primitive(reference.mesh, None, name, None, original)
                if primitive is not None:
                    entries.append(Entry.single(primitive, context.source(obj.name_full)))
            return entries + self._instances(reference, obj, level + 1, None)
        if kind == "Collection":
            return self.of_collection(reference, obj, level + 1) if self._expands(obj, level + 1) else []
        if kind == "NoneType":
            return []
        if self.context.lods.is_coarser_level(reference):
            return []
        key = np.array([self.context.key(reference.name_full)])
        return instanced(self.of_object(reference, level + 1, obj), IDENTITY[None], key)

    def _report_unmapped(self, pointcloud, obj) -> None:
        mapped = {c.name for c in self.context.channels if c.source == "attribute"}
        names = sorted(a.name for a in pointcloud.attributes
                       if not a.name.startswith(".") and a.name not in channel_values.BUILT_IN and a.name not in mapped)
        if names:
            self.context.report_once("unmapped-property", "info", obj.name_full,
                                     f"instance attributes not mapped to a custom-data channel: {', '.join(names)}.",
                                     "Map them in the Custom Data panel, or ignore this.")


def report_empty(context, name, mesh) -> None:
    """The finding of a mesh with no face."""
    context.report_once("empty-mesh", "warning", name,
                        f"the evaluated mesh has {len(mesh.vertices)} vertices, {len(mesh.edges)} edges and no face; no primitive made.",
                        "Give it faces, or leave it out of the exported collection.")


def point_keys(pointcloud) -> np.ndarray:
    """(N,) uint64: the ``id`` attribute where there is one, else the index."""
    count = len(pointcloud.points)
    identity = pointcloud.attributes.get("id")
    if identity is None or identity.data_type != "INT":
        return np.arange(count, dtype=np.uint64)
    values = np.empty(count, np.int32)
    identity.data.foreach_get("value", values)
    return ids.unique_within(values)
