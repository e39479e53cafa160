"""Which objects may move: animated, driven, constrained, simulated, or below such an object."""

from __future__ import annotations

from operator import attrgetter

import numpy as np


class Movable:
    """Callable: evaluated object -> bool. `any` is False when nothing in the scene moves, so that bulk code can skip the question."""

    def __init__(self, data, objects, configured, has_physics: bool):
        """`data`: bpy.types.BlendData; `objects`: its objects as a list, among which all parents are; `configured`: full name ->
        settings of those that have any; `has_physics`: the scene has a rigid-body world."""
        self._animated = {obj.name_full for obj in filter(attrgetter("animation_data"), objects) if _is_animated(obj.animation_data)}
        self._forced = {name: settings.movable == "YES" for name, settings in configured.items() if settings.movable != "AUTO"}
        self._memo: dict = {}
        self.any = bool(self._animated or self._forced or has_physics) or _follows_others(data, objects)

    def __call__(self, obj) -> bool:
        if not self.any:
            return False
        if self._forced and obj.name_full in self._forced:
            return self._forced[obj.name_full]
        return self._moves(obj)

    def _moves(self, obj) -> bool:
        name = obj.name_full
        if name not in self._memo:
            self._memo[name] = False
            self._memo[name] = (name in self._animated or len(obj.constraints) > 0 or obj.rigid_body is not None
                                or (obj.parent is not None and (obj.parent_type != "OBJECT" or self._moves(obj.parent))))
        return self._memo[name]


def _follows_others(data, objects) -> bool:
    """Whether some object is constrained, or below a bone or a vertex. Blender gives parent types in bulk, and of constraints
    nothing but the list itself: asked for last, 0.3 microseconds an object.
    """
    kinds = np.zeros(len(objects), np.int32)
    data.objects.foreach_get("parent_type", kinds)
    if kinds.any():  # 0: below the whole object, or none
        return True
    return next(filter(attrgetter("constraints"), objects), None) is not None


def _is_animated(data) -> bool:
    return bool(data.action or data.nla_tracks or data.drivers)
