"""What every part of one extraction shares: the stores it fills, and how a mesh becomes a primitive."""

from __future__ import annotations

from collections import Counter

from ...core import ids, lod
from ...core.assemble import Extraction
from ...core.findings import Finding
from ...core.primitives import GeometryStore, Level, PrimitiveStore
from ...core.scene import DEFAULT_CHANNELS
from . import channels as channel_values
from .levels import NO_LODS, LodSets
from .materials import MaterialTable, slot_materials
from .meshes import clean, own_mesh, read_mesh

#: object types that draw nothing GPUScene could hold, yet are no surprise in a scene
QUIET_TYPES = frozenset({"EMPTY", "LIGHT", "CAMERA", "ARMATURE", "LATTICE", "SPEAKER", "LIGHT_PROBE"})
#: object types whose evaluated geometry is a mesh
MESH_TYPES = frozenset({"MESH", "CURVE", "SURFACE", "FONT", "META"})


class Stores:
    """What extractions of one scene can share. Stores only grow."""

    def __init__(self):
        self.geometries, self.primitives, self.materials = GeometryStore(), PrimitiveStore(), MaterialTable()


class ExtractContext:
    """Stores and caches of one extraction.

    Parameters
    ----------
    depsgraph : bpy.types.Depsgraph
        Evaluated; its ``mode`` decides between viewport and render visibility.
    all_objects : callable
        Gives every original object, for LOD names.
    channels : tuple of core.scene.Channel
    stores : Stores, optional
        Of earlier extractions: what is found again keeps its index. None: new ones.
    """

    def __init__(self, depsgraph, all_objects, channels=DEFAULT_CHANNELS, stores=None):
        self.depsgraph = depsgraph
        self.render = depsgraph.mode == "RENDER"
        self.channels = tuple(channels)
        self.lods = LodSets(all_objects)
        stores = stores or Stores()
        self.result = Extraction(stores.geometries, stores.primitives)
        self.materials = stores.materials
        self.result.materials = self.materials.materials
        #: type of instanced object that has no mesh -> number of its instances
        self.skipped = Counter()
        self._skipped_kinds: list = []
        #: full name -> GPUScene settings (LOD list, precision, movable) of the objects that have any
        self.configured: dict = {}
        #: names that channels read and some object has as a custom property
        self.carried: frozenset = frozenset()
        #: whether a level of detail was read of an object that is not evaluated
        self.has_unseen_levels = False
        #: address of an evaluated mesh in edit mode -> an evaluated object that shows it
        self.edited: dict = {}
        self._sources: dict = {}
        self._name_keys: dict = {}
        self._geometry_of_data: dict = {}
        self._lods_of: dict = {}
        self._reported: set = set()

    def property_names(self) -> set:
        """Names of custom properties that channels may read."""
        return {c.name for c in self.channels if c.source != "constant" and c.name}

    def source(self, name: str) -> int:
        """Index of a source name, adding it."""
        index = self._sources.get(name)
        if index is None:
            index = self._sources[name] = len(self.result.sources)
            self.result.sources.append(name)
        return index

    def add_sources(self, names) -> int:
        """Append many names, each used by this caller alone; index of the first."""
        first = len(self.result.sources)
        self.result.sources.extend(names)
        return first

    def key(self, name: str):
        """Cached `ids.name_key`."""
        key = self._name_keys.get(name)
        if key is None:
            key = self._name_keys[name] = ids.name_key(name)
        return key

    def stand_in(self, kind: str) -> int:
        """A negative number in place of a primitive, for instanced objects of a type that has no mesh.

        Templates place and multiply it like any primitive; `count_skipped` counts it in the end.
        """
        if kind not in self._skipped_kinds:
            self._skipped_kinds.append(kind)
        return -1 - self._skipped_kinds.index(kind)

    def count_skipped(self, stand_in: int, count: int) -> None:
        self.skipped[self._skipped_kinds[-1 - stand_in]] += count

    def report(self, finding: Finding) -> None:
        self.result.findings.append(finding)

    def report_once(self, code, severity, subject, message, hint="") -> None:
        """A finding a (code, subject)."""
        if (code, subject) not in self._reported:
            self._reported.add((code, subject))
            self.report(Finding(code, severity, subject, message, hint))

    def geometry(self, mesh, name: str, stable_key=None):
        """Geometry index of an evaluated mesh; None (with a finding) when it has no face.

        `stable_key` caches by data-block; leave it out for temporary meshes, whose addresses are reused.
        """
        if stable_key is not None and stable_key in self._geometry_of_data:
            return self._geometry_of_data[stable_key]
        data = self._read_mesh(mesh)
        index = None
        if data is not None:
            data, bad = clean(data)
            if bad:
                self.report_once("non-finite-mesh", "error", name, f"{bad} vertices are NaN, infinite or past 1e36 m; those coordinates are 0 now.",
                                 "Repair the mesh (Mesh > Clean Up) or the modifier that makes them.")
            index = self.result.geometries.add(data)
        if stable_key is not None:
            self._geometry_of_data[stable_key] = index
        return index

    def _read_mesh(self, mesh):
        """While a mesh is edited, its evaluated copy has neither faces nor attributes: the object converts it."""
        obj = self.edited.get(mesh.as_pointer()) if self.edited else None
        if obj is None or "position" in mesh.attributes:
            return read_mesh(mesh)
        try:
            return read_mesh(obj.to_mesh())
        finally:
            obj.to_mesh_clear()

    def lod_set(self, original):
        """The `LodSet` of an original object; its findings are reported once."""
        if original is None:
            return NO_LODS
        name = original.name_full
        if name not in self._lods_of:
            lods = self._lods_of[name] = self.lods.of(original, name in self.configured)
            self.result.findings.extend(lods.findings)
        return self._lods_of[name]

    def primitive(self, mesh, obj, name: str, stable_key=None, original=None):
        """Primitive index of `mesh` as `obj` shows it; None when it has no face.

        Parameters
        ----------
        mesh : evaluated bpy.types.Mesh
        obj : evaluated object whose slots override the mesh's materials, or None
        name : str
            For the primitive and findings.
        stable_key : hashable or None
            See `geometry`.
        original : original object whose LOD set applies, or None
        """
        geometry = self.geometry(mesh, name, stable_key)
        if geometry is None:
            return None
        levels = [Level(geometry, self._materials(geometry, slot_materials(obj, mesh)), lod.NO_LIMIT)]
        lods = self.lod_set(original)
        for level_object, screen_size in zip(lods.objects, lods.screen_sizes):
            level = self._level(level_object, screen_size, name)
            if level is not None:
                levels.append(level)
        return self.result.primitives.add(name, tuple(levels), lods.hysteresis)

    def _materials(self, geometry: int, materials) -> tuple:
        slots = self.result.geometries.meshes[geometry].used_slots
        # Blender shows the last slot's material on faces whose slot does not exist.
        last = len(materials) - 1
        return tuple(self.materials.index(materials[min(s, last)] if materials else None) for s in slots)

    def _level(self, original, screen_size, name):
        evaluated = original.evaluated_get(self.depsgraph)
        if evaluated.type not in MESH_TYPES:
            self.report_once("lod-missing-mesh", "warning", name, f"LOD level {original.name!r} is no mesh; skipped.", "Use a mesh object.")
            return None
        self.has_unseen_levels |= not evaluated.is_evaluated
        if not evaluated.is_evaluated and len(original.modifiers):
            self.report_once("lod-not-evaluated", "warning", original.name_full,
                             "this LOD level is not part of the view layer, so its modifiers were not applied.",
                             "Enable its collection in the view layer (the eye icon may stay off).")
        mesh = own_mesh(evaluated)
        geometry = mesh and self.geometry(mesh, original.name_full, ("level", original.name_full))
        if geometry is None:
            self.report_once("lod-missing-mesh", "warning", name, f"LOD level {original.name!r} has no face; skipped.", "Give it faces or remove it.")
            return None
        return Level(geometry, self._materials(geometry, slot_materials(evaluated, mesh)), float(screen_size))

    def properties(self, obj, data=None, instancer=None):
        """(8,) channel values of custom properties on an evaluated object, else its data, else its instancer; None when none has any."""
        return channel_values.from_properties(channel_values.carriers(obj, data, instancer), self.channels)
