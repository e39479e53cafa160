"""How long Blender itself takes to deform a mesh."""

from __future__ import annotations

import time

from .rest import evaluated_without


def modifier_milliseconds(character, depsgraph) -> float:
    """Of the armatures alone: evaluating the object with them, less evaluating it without. Never below 0.

    Both evaluations copy the mesh and run every other modifier, so the difference is the deformation.
    """
    obj = character.object(depsgraph)
    if character.by_parent or not character.armatures:
        return 0.0
    armatures = [i for i, modifier in enumerate(obj.modifiers) if modifier.type == "ARMATURE"]
    later = set(character.off_truth)
    with_them, without = (min(_once(obj, depsgraph, off) for _ in range(3)) for off in (later, later | set(armatures)))
    return max(0.0, 1000 * (with_them - without))


def _once(obj, depsgraph, off) -> float:
    started = time.perf_counter()
    with evaluated_without(obj, depsgraph, off):
        return time.perf_counter() - started
