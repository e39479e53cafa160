"""Cheaper skins for far characters: fewer influences a vertex, and fewer bones, children folded into their parents."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .skin import NO_PARENT, Skin


def fewer_influences(skin: Skin, limit: int) -> Skin:
    """The strongest `limit` influences of each vertex, renormalised."""
    return replace(skin, influences=skin.influences.strongest(limit))


def fold_bones(skin: Skin, keep) -> Skin:
    """Weights of bones that are not in `keep`, (B,) bool, go to their nearest kept ancestor, or to the object where there is
    none.

    Bones keep their numbers; the object is always kept.
    """
    return replace(skin, influences=skin.influences.mapped(fold_targets(skin.parents, keep)))


def fold_targets(parents, keep) -> np.ndarray:
    """(B,) int32: where each bone's weights go, given `parents` and `keep`; the last bone is the object."""
    targets = np.arange(len(parents), dtype=np.int32)
    last = len(parents) - 1
    for bone in range(last):
        at, steps = bone, 0
        while at != NO_PARENT and not keep[at] and steps <= last:  # bounded: a loop of parents, which no rig has, would never end
            at, steps = int(parents[at]), steps + 1
        targets[bone] = at if at != NO_PARENT and keep[at] else last
    return targets


def reduced_bones(skin: Skin, count: int) -> np.ndarray:
    """(B,) bool: at most `count` bones to keep, the object not counted.

    Bones without children among those left fold first, the one with the shortest reach before others, of equals the higher
    number: fingers go before hands, hands before arms. Reach is the farthest that a turn of the bone can carry a vertex: its
    weight, together with what has folded into the bone, times its distance from the joint.
    """
    keep = np.ones(skin.bone_count, bool)
    parents, last = skin.parents, skin.object_bone
    children = np.bincount(parents[parents >= 0], minlength=skin.bone_count)
    bones = skin.influences.bones.copy()  # those left, into which others have folded
    reach = np.array([_reach(skin, bones, bone) for bone in range(last)])
    for _ in range(max(0, last - count)):
        leaves = np.flatnonzero(keep[:-1] & (children[:-1] == 0))
        leaf = int(leaves[np.lexsort((-leaves, reach[leaves]))[0]])
        keep[leaf] = False
        parent = int(parents[leaf])
        bones[bones == leaf] = parent if parent != NO_PARENT else last
        if parent != NO_PARENT:
            children[parent] -= 1
            reach[parent] = _reach(skin, bones, parent)
    return keep


def _reach(skin: Skin, bones, bone: int) -> float:
    """Metres, of `bone`, given the bone that each influence has now. The joint is taken to lie where the mesh goes over from the
    parent: the mean of the vertices that both move, else of those that the parent moves.
    """
    vertices, weights = skin.influences.vertices, skin.influences.weights

    def of(which):
        mine = bones == which
        return np.bincount(vertices[mine], weights[mine], minlength=skin.vertex_count)

    own = of(bone)
    parent = int(skin.parents[bone])
    others = of(parent if parent != NO_PARENT else skin.object_bone)
    for share in (own * others, others, own):
        if share.any():
            joint = share @ skin.rest / share.sum()
            moved = np.flatnonzero(own)
            return float((own[moved] * np.linalg.norm(skin.rest[moved] - joint, axis=1)).max(initial=0.0))
    return 0.0
