"""What Blender said has changed since the last look: names, flags and moved matrices, nothing of Blender's."""

from __future__ import annotations

import numpy as np

from ..extract.context import QUIET_TYPES

#: an update of one of these without a flag may be a rename, and names make keys
_NAMED = frozenset({"MESH", "CURVE", "SURFACE", "FONT", "META", "EMPTY", "CURVES", "POINTCLOUD", "VOLUME", "GREASEPENCIL"})

#: what `Marks.note` looks at
_READ = ("OBJECT", "SCENE", "COLLECTION", "MATERIAL")


class Marks:
    """Pending changes of one scene.

    Attributes
    ----------
    moved : dict of str to (4, 4) float32
        Full name -> column-stored world matrix of objects of which only the transform changed.
    animated : dict of str to (4, 4) float32
        The same of objects that a change of frame evaluated again and left visible.
    movable : set of str
        Of those two, what may move by itself: it, or a parent, is animated, constrained or simulated. Constraints come and go
        with no more notice than a move.
    changed : set of str
        Full names of objects of which more changed, or something unknown.
    scene : bool
        Blender named the scene itself: objects may have come, gone, or been hidden.
    instances : bool
        What instancers show may have changed without Blender naming them: it named a collection, or a change of frame may have
        hidden or shown something.
    materials : bool
        Blender named a material that the tables do not know: a new one, or another name.
    whole : str
        Why everything is to be read; empty when it is not.
    anew : bool
        Into new stores and tables, too.
    """

    def __init__(self, whole: str = "", anew: bool = False):
        self.moved: dict = {}
        self.animated: dict = {}
        self.movable: set = set()
        self.changed: set = set()
        self.scene = self.instances = self.materials = False
        self.whole, self.anew = whole, anew

    def __bool__(self):
        return bool(self.whole or self.moved or self.animated or self.changed or self.scene or self.instances or self.materials)

    def note(self, depsgraph, knows_material, shown=frozenset(), frame_changed: bool = False) -> None:
        """Add ``depsgraph.updates``.

        Parameters
        ----------
        knows_material : callable
            Full name -> bool: whether the tables name that material.
        shown : set of str
            Names that were shown at the last reading: they are no new ones.
        """
        # Reading the updates looks at every ID there is, 3 ms for 100,000 objects; asking for types costs nothing.
        if self.whole or not any(map(depsgraph.id_type_updated, _READ)):
            return
        for update in depsgraph.updates:
            block = update.id
            kind = block.id_type
            if kind == "OBJECT":
                self._object(block, update, shown, frame_changed)
            elif kind == "SCENE":
                self.scene = True
            elif kind == "COLLECTION":
                self.instances = True
            elif kind == "MATERIAL" and not knows_material(block.name_full):
                self.materials = True

    def _object(self, obj, update, shown, frame_changed):
        name = obj.name_full
        transform, geometry, shading = update.is_updated_transform, update.is_updated_geometry, update.is_updated_shading
        if transform and not geometry and (not shading or (frame_changed and not obj.hide_viewport)):
            matrix = np.array(obj.matrix_world, np.float32).T
            if _may_move(obj):
                self.movable.add(name)
            else:
                self.movable.discard(name)
            if shading:
                self.animated[name] = matrix
            else:
                self.moved[name] = matrix
                self.animated.pop(name, None)
        elif shading and not transform and not geometry and obj.type in QUIET_TYPES:
            pass  # a light's colour, a bone's selection
        elif transform or geometry or shading:
            self.changed.add(name)
            self.instances |= frame_changed and shading
        elif obj.type not in _NAMED:
            self.scene = True
        elif name not in shown:
            self.whole = "an object has another name"
        else:  # it may have taken the name of another that was shown
            self.changed.add(name)
            self.instances = True


def _may_move(obj) -> bool:
    """What `extract.movable.Movable` says where no setting forces it."""
    data = obj.animation_data
    if data is not None and (data.action or data.nla_tracks or data.drivers):
        return True
    if len(obj.constraints) or obj.rigid_body is not None:
        return True
    parent = obj.parent
    return parent is not None and (obj.parent_type != "OBJECT" or _may_move(parent))
