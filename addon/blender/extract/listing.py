"""What a dependency graph lists, before anything is read from it: which objects count, and the bulk facts about them."""

from __future__ import annotations

import numpy as np

from .configured import carried_properties, configured_objects
from .duplis import read_instance_types
from .levels import may_be_level
from .movable import Movable
from .visibility import hidden_by_eye, listed_objects


class Listing:
    """Top-level objects of an evaluated dependency graph.

    Attributes
    ----------
    objects : list of evaluated bpy.types.Object
    names : list of str
        Full names.
    columns : (N, 4, 4) float32, column-stored
        World matrices.
    shown : (N,) bool
        Not behind a closed eye, and not the coarser level of another object.
    hidden : set of original objects behind a closed eye
    all_shown : bool
        Every instancer of the file shows itself.
    with_levels : bool
        Some name may be one of a LOD set.
    level_names : set
        Full names of objects that explicit lists name as levels of another.
    instance_types : set
        `duplis.read_instance_types`.
    movable : Movable
    """

    def __init__(self, context, data):
        """`context`: ExtractContext, whose `configured` and `carried` are set. `data`: bpy.types.BlendData."""
        depsgraph = context.depsgraph
        originals = data.objects.values()
        self.instance_types = read_instance_types(data, originals)
        self.objects, self.columns, self.all_shown = listed_objects(depsgraph, data, originals, self.instance_types, context.render)
        if any(mesh.is_editmode for mesh in data.meshes):
            # Those hidden by the eye nobody edits now: they stay what Blender's own pass makes of them, faceless.
            context.edited = {obj.data.as_pointer(): obj for obj in self.objects
                              if obj.type == "MESH" and obj.data.is_editmode and obj.original.visible_get(view_layer=depsgraph.view_layer)}
        self.names = [o.name_full for o in self.objects]
        context.configured = configured_objects(originals)
        context.carried = carried_properties(originals, context.property_names())
        self.level_names = {entry.object.name_full for settings in context.configured.values() for entry in settings.lods
                            if entry.object is not None}
        self.hidden = set() if context.render else hidden_by_eye(depsgraph.view_layer)
        self.movable = Movable(data, originals, context.configured, depsgraph.scene_eval.rigidbody_world is not None)
        self.with_levels = may_be_level("\n".join(self.names))
        self.shown = np.ones(len(self.objects), bool)
        if self.hidden:
            self.shown &= self._mask(lambda obj: obj.original not in self.hidden)
        if self.with_levels:
            self.shown &= self._mask(lambda obj: not context.lods.is_coarser_level(obj.original))

    def _mask(self, test) -> np.ndarray:
        return np.fromiter(map(test, self.objects), bool, len(self.objects))

    def chosen(self, wanted=None) -> np.ndarray:
        """(N,) bool: shown and `wanted` (a test on evaluated objects; None takes all)."""
        return self.shown.copy() if wanted is None else self.shown & self._mask(wanted)

    def root_test(self, wanted=None):
        """A test on evaluated objects: not behind a closed eye, and `wanted`."""
        return lambda obj: (not self.hidden or obj.original not in self.hidden) and (wanted is None or wanted(obj))
