"""The armatures that deform an object: its modifiers, and its parent where that deforms without one."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Deformer:
    """One armature's turn on a mesh. Holds evaluated objects: for use while the dependency graph stands.

    Attributes
    ----------
    armature : evaluated bpy.types.Object
    index : int
        In the object's modifiers; -1 for a parent.
    mask : str
        Vertex group that limits it; empty for none.
    invert : bool
        Its complement limits.
    groups, envelopes : bool
        Vertex groups, envelopes give weights.
    preserve_volume : bool
    multi : bool
        Blends with what came before the run of armature modifiers it is in.
    """

    armature: object
    index: int
    mask: str = ""
    invert: bool = False
    groups: bool = True
    envelopes: bool = False
    preserve_volume: bool = False
    multi: bool = False


def shown(depsgraph) -> str:
    """The switch that counts for modifiers in this graph."""
    return "show_render" if depsgraph.mode == "RENDER" else "show_viewport"


def deformers_of(obj, depsgraph) -> list:
    """`Deformer` in the order in which they act on an evaluated mesh object; empty for a rigid one."""
    out, switch = [], shown(depsgraph)
    parent = obj.parent
    if obj.parent_type == "ARMATURE" and parent is not None and _poses(parent):
        out.append(Deformer(parent, -1, envelopes=True))
    run = False
    for index, modifier in enumerate(obj.modifiers):
        if modifier.type != "ARMATURE":
            run = False
            continue
        if not getattr(modifier, switch) or modifier.object is None or not _poses(modifier.object):
            continue
        out.append(
            Deformer(
                modifier.object,
                index,
                modifier.vertex_group,
                modifier.invert_vertex_group,
                modifier.use_vertex_groups,
                modifier.use_bone_envelopes,
                modifier.use_deform_preserve_volume,
                run and modifier.use_multi_modifier,
            )
        )
        run = True
    return out


def _poses(armature) -> bool:
    """An armature in edit mode deforms nothing."""
    return armature.type == "ARMATURE" and not armature.data.is_editmode and armature.pose is not None


def is_skinned(obj, depsgraph) -> bool:
    """An evaluated mesh that some armature deforms, or that hangs on a bone."""
    return obj.type == "MESH" and (obj.parent_type == "BONE" or bool(deformers_of(obj, depsgraph)))


def skinned_objects(depsgraph) -> list:
    """Evaluated objects of the graph for which `is_skinned`, in its order."""
    return [obj for obj in depsgraph.objects if is_skinned(obj, depsgraph)]
