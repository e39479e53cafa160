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

    Bones without children among those left fold first, the one that moves least of the mesh (its weights added up) before
    others, of equals the higher number: fingers go before hands, hands before arms.
    """
    moves = np.bincount(skin.influences.bones, skin.influences.weights, minlength=skin.bone_count)
    keep = np.ones(skin.bone_count, bool)
    parents = skin.parents
    children = np.bincount(parents[parents >= 0], minlength=skin.bone_count)
    for _ in range(max(0, skin.bone_count - 1 - count)):
        leaves = np.flatnonzero(keep[:-1] & (children[:-1] == 0))
        leaf = int(leaves[np.lexsort((-leaves, moves[leaves]))[0]])
        keep[leaf] = False
        parent = int(parents[leaf])
        if parent != NO_PARENT:
            children[parent] -= 1
            moves[parent] += moves[leaf]
    return keep
