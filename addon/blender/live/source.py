"""Reads a scene, whole or a few objects of it, into rows for the live tables. What was read before keeps its primitive."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from ...core import assemble, ids, layout
from ...core.conventions import Convention
from ...core.live.rows import LiveRows
from ...core.primitive_tables import PrimitiveTables
from ..extract.context import ExtractContext, Stores
from ..extract.listing import Listing
from ..extract.visibility import hidden_by_eye
from ..extract.walk import fill


@dataclass(frozen=True)
class Reading:
    """What one look at the scene found.

    Attributes
    ----------
    rows : LiveRows
        All instances of the owners that were read.
    owners : (K,) uint64 or None
        Keys of the top-level objects that were read; None: all.
    shown : frozenset of str
        Full names of all top-level objects that are shown now.
    primitives : PrimitiveTables or None
        None: nothing came to those of the last reading.
    instanced : frozenset of str
        Full names of what particle, vertex and face instancers instance, among those read.
    expanded : frozenset of str
        Full names of the top-level objects, among those read, that expand through such an instancer.
    """

    rows: LiveRows
    owners: np.ndarray | None
    shown: frozenset
    primitives: PrimitiveTables | None
    instanced: frozenset
    expanded: frozenset


class SceneSource:
    """Stores of one scene, and reading into them.

    Parameters
    ----------
    convention : Convention
    channels : tuple of core.scene.Channel
    """

    def __init__(self, convention: Convention, channels):
        self.convention, self.channels = convention, tuple(channels)
        self.stores = Stores()
        self._streams: dict = {}
        self._radii = None
        #: names of channels that some object has as a custom property
        self.carried: frozenset = frozenset()
        #: whether some level of detail is of an object that Blender does not evaluate
        self.has_unseen_levels = False
        #: whether anything could move at the last reading
        self.moves = False

    @property
    def geometry_count(self) -> int:
        return len(self.stores.geometries.meshes)

    def geometries_of(self, primitives) -> set:
        """Geometries that the primitives with these numbers show, at any level."""
        specs = self.stores.primitives.specs
        return {level.geometry for number in primitives for level in specs[number].levels}

    def knows_material(self, name: str) -> bool:
        return self.stores.materials.knows(name)

    def lacks_materials(self, data) -> bool:
        """Whether a material that was read is there no more, or under another name."""
        return not self.stores.materials.names <= {material.name_full for material in data.materials}

    def read(self, depsgraph, data, choose=None) -> Reading:
        """Read what `choose` asks for.

        Parameters
        ----------
        depsgraph : bpy.types.Depsgraph
            Evaluated.
        data : bpy.types.BlendData
        choose : callable or None
            `extract.listing.Listing` -> (N,) bool of the listed objects that are to be read, or None for all.
        """
        with _paused_gc():
            context = ExtractContext(depsgraph, lambda: data.objects, self.channels, self.stores)
            listing = Listing(context, data)
            self.carried = context.carried
            chosen = choose(listing) if choose is not None else None
            self.moves = listing.movable.any
            whole = chosen is None
            chosen = listing.shown.copy() if whole else chosen & listing.shown
            names = [listing.names[row] for row in np.flatnonzero(chosen).tolist()]
            roots = frozenset(names)
            is_root = listing.root_test(None if whole else lambda obj: obj.name_full in roots)
            duplis = fill(context, data, listing, chosen.copy(), is_root)
        self.has_unseen_levels = context.has_unseen_levels or (self.has_unseen_levels and not whole)
        shown = frozenset(listing.names) if listing.shown.all() else frozenset(
            name for name, is_shown in zip(listing.names, listing.shown.tolist()) if is_shown)
        primitives = self._primitive_tables(context.result)
        return Reading(
            self._rows(context.result), None if whole else ids.name_keys(names), shown, primitives,
            frozenset(() if duplis is None else duplis.instanced),
            frozenset(() if duplis is None else (name for name in names if duplis.roots.known(name))))

    def _primitive_tables(self, extraction) -> PrimitiveTables | None:
        if self._radii is not None and len(self._radii) == len(extraction.primitives.specs):
            return None
        tables = PrimitiveTables.of(extraction, self.convention, self._streams)
        self._radii = tables.radii
        return tables

    def _rows(self, extraction) -> LiveRows:
        rows = assemble.instance_rows(extraction.parts, self._radii, self.convention, self.channels)
        if extraction.full_precision:
            wanted = np.fromiter(extraction.full_precision, np.uint64, len(extraction.full_precision))
            rows.transforms["flags"][np.isin(rows.keys, wanted)] |= np.uint32(layout.INSTANCE_FULL_PRECISION)
        return LiveRows(rows.keys, rows.owners, rows.sources, tuple(extraction.sources), rows.transforms, rows.data)


def listed_names(depsgraph) -> tuple:
    """Names of the objects that Blender lists and of those behind a closed eye: cheap, and other ones whenever anything was
    shown or hidden. Not `Reading.shown`, which also counts instancers that hide themselves.
    """
    return [obj.name_full for obj in depsgraph.objects.values()], {obj.name_full for obj in hidden_by_eye(depsgraph.view_layer)}


@contextmanager
def _paused_gc():
    """Reading makes many short-lived objects and no cycles: collecting among them would only cost time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
