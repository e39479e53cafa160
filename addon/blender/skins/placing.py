"""Where characters stand: an object itself, and each instance of it that an instanced collection makes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .character import object_key
from .deformers import is_skinned, skinned_objects


@dataclass(frozen=True)
class Placement:
    """`key` of the object, `name` of this character, `world` (4, 4) float64 of an instance or None for the object itself."""

    key: object
    name: str
    world: np.ndarray | None = None


def placements(depsgraph) -> list:
    """`Placement` of every skinned object of the graph, then of its instances.

    Costs a look at each object; a pass over Blender's instances only where an instanced collection holds a skinned object.
    """
    out = [Placement(object_key(obj), obj.name_full) for obj in skinned_objects(depsgraph)]
    inner = {
        member.original
        for obj in depsgraph.objects
        if obj.instance_type == "COLLECTION" and obj.instance_collection is not None
        for member in obj.instance_collection.all_objects
        if member.type == "MESH"
    }
    inner = {original for original in inner if is_skinned(original.evaluated_get(depsgraph), depsgraph)}
    if not inner:
        return out
    counts: dict = {}
    for instance in depsgraph.object_instances:
        if instance.is_instance and instance.object.original in inner:
            obj = instance.object
            number = counts[obj.original] = counts.get(obj.original, 0) + 1
            out.append(Placement(object_key(obj), f"{obj.name_full} #{number}", np.array(instance.matrix_world, np.float64)))
    return out
