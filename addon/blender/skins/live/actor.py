"""One character of the session: its skin at each level of detail, where its particles lie, and its last poses."""

from __future__ import annotations

from collections import deque

import numpy as np

from ....core.skinning import pack
from ....core.skinning.lod import fold_bones, reduced_bones
from ....core.skinning.surface import SurfacePoints, on_surface, on_vertices


class Actor:
    """
    Parameters
    ----------
    uid : int
        ``Object.session_uid``.
    character : skins.character.Character
    signature : tuple
        What the object was like when it was read; another one means that it has to be read again.
    rig_settings : bytes
        The same of its armatures' bones.

    Attributes
    ----------
    name : str
        In the device: does not change with the object's.
    rest : (V, 3) float32
        Of the last frame that was read.
    poses : deque of (B, 3, 4) float64
        Of all bones, the newest first.
    level : int
        Step of the settings that is shown.
    """

    def __init__(self, uid: int, character, signature: tuple, rig_settings: bytes = b""):
        self.uid, self.character, self.signature, self.rig_settings = uid, character, signature, rig_settings
        self.name, self.rest, self.poses, self.level = str(uid), character.skin.rest, deque(maxlen=1), 0
        self._packs: dict = {}
        self._points: dict = {}

    def packed(self, detail):
        """`PackedSkin` of a `settings.Detail`; made once."""
        key = detail.influences, detail.bones
        if key not in self._packs:
            skin = self.character.skin
            if detail.bones < 1:
                used = pack(skin, detail.influences).bone_count
                skin = fold_bones(skin, reduced_bones(skin, max(1, round(detail.bones * used))))
            self._packs[key] = pack(skin, detail.influences)
        return self._packs[key]

    def points(self, settings, detail) -> SurfacePoints:
        """Where the particles lie, of all of them the first ones."""
        key = settings.spawn, settings.particles, settings.seed
        if key not in self._points:
            self._points = {key: spawn(self.character.skin, *key)}
        points = self._points[key]
        return points if detail.particles >= 1 else points.first(max(1, round(detail.particles * len(points))))

    def push(self, matrices, length: int, same_frame: bool) -> None:
        """Keep this frame's pose, and `length` in all."""
        if length != self.poses.maxlen:
            self.poses = deque(list(self.poses)[:length], maxlen=length)
        if same_frame and self.poses:
            self.poses[0] = matrices
        else:
            self.poses.appendleft(matrices)

    def pose(self, age: int) -> np.ndarray:
        """The pose `age` poses ago, or the oldest there is."""
        return self.poses[min(age, len(self.poses) - 1)]


def spawn(skin, where: str, count: int, seed: int) -> SurfacePoints:
    """At most `count` points on a skin; on vertices one each, in an order in which the first ones are spread over the mesh."""
    if where == "surface":
        return on_surface(skin.rest, skin.triangles, count, seed)
    points = on_vertices(skin.vertex_count)
    order = np.random.default_rng(seed).permutation(len(points))[:count]
    return SurfacePoints(points.vertices[order], points.barycentrics[order])


def signature_of(obj) -> tuple:
    """What of an evaluated object decides how its skin is read, as plain values: cheap, and compared at every change."""
    mesh = obj.original.data
    modifiers = tuple((m.type, m.name, m.show_viewport, m.show_render, *(armature_settings(m) if m.type == "ARMATURE" else ()))
                      for m in obj.modifiers)
    bones = tuple(armature_signature(m.object) for m in obj.modifiers if m.type == "ARMATURE" and m.object is not None)
    parent = obj.parent
    return (mesh.session_uid, len(mesh.vertices), len(mesh.polygons), tuple(obj.vertex_groups.keys()),
            parent.name_full if parent is not None else "", obj.parent_type, armature_signature(parent),
            mesh.shape_keys is not None, modifiers, bones)


def armature_settings(modifier) -> tuple:
    """What decides how an Armature modifier deforms."""
    return (modifier.object.name_full if modifier.object else "", modifier.vertex_group, modifier.invert_vertex_group,
            modifier.use_vertex_groups, modifier.use_bone_envelopes, modifier.use_deform_preserve_volume,
            modifier.use_multi_modifier)


#: of a bone, with their type and width: what its weights, its columns and its place in a level of detail are made from
BONE_SETTINGS = (("use_deform", bool, 1), ("use_envelope_multiply", bool, 1), ("bbone_segments", np.int32, 1),
                 ("bbone_mapping_mode", np.int32, 1), ("head_radius", np.float32, 1), ("tail_radius", np.float32, 1),
                 ("envelope_distance", np.float32, 1), ("envelope_weight", np.float32, 1), ("matrix_local", np.float32, 16),
                 ("length", np.float32, 1))


def rig_settings_of(obj) -> bytes:
    """What the bones of an evaluated object's armatures are set to. Costs 50 microseconds for 78 bones, so it is asked for only
    when Blender reports an armature's data.
    """
    parts = []
    for armature in (obj.parent, *(m.object for m in obj.modifiers if m.type == "ARMATURE")):
        if armature is None or armature.type != "ARMATURE":
            continue
        bones = armature.data.bones
        parts.append("\0".join(bone.parent.name if bone.parent else "" for bone in bones).encode())
        for name, dtype, width in BONE_SETTINGS:
            values = np.empty(len(bones) * width, dtype)
            bones.foreach_get(name, values)
            parts.append(values.tobytes())
    return b"".join(parts)


def armature_signature(obj) -> tuple:
    """Of an armature object; nothing for another."""
    if obj is None or obj.type != "ARMATURE":
        return ()
    posed = tuple(obj.pose.bones.keys()) if obj.pose is not None else ()
    return obj.name_full, obj.data.is_editmode, tuple(obj.data.bones.keys()), posed
