"""What is worth knowing about a skin: weights that are not as they should be, and deformations that linear blending cannot say.
"""

from __future__ import annotations

import numpy as np

from ...core.findings import Finding

#: of the height: below this a skin counts as exact
TOLERANCE = 1e-4
#: vertex ids that a message names
_NAMED = 5
#: a sum of weights this far from 1 is worth a word
_SUM_TOLERANCE = 1e-3


def named(ids) -> str:
    """``vertices 3, 7, 9 and 12 more``."""
    ids = np.asarray(ids).tolist()
    first = ", ".join(str(i) for i in ids[:_NAMED])
    more = f" and {len(ids) - _NAMED:,} more" if len(ids) > _NAMED else ""
    return f"{'vertex' if len(ids) == 1 else 'vertices'} {first}{more}"


def extraction_findings(character, obj, deformers, shares, group_names, weights) -> list:
    """About weights and groups; `shares` are the armatures' `Shares`."""
    if not shares:
        return []
    name, out = character.skin.name, []
    follow = character.skin.influences.bones == character.skin.object_bone
    alone = follow & (character.skin.influences.weights >= 1 - 1e-12)
    lone = np.zeros(character.skin.vertex_count, bool)
    lone[character.skin.influences.vertices[alone]] = True
    out_of_reach = " and out of reach of every envelope" if any(d.envelopes for d in deformers) else ""
    for kind, code, what, hint in (
        ("ungrouped", "skin-no-group", "in no vertex group", "Weight them, or leave them rigid."),
        (
            "boneless",
            "skin-no-bone",
            "only in groups that no bone has the name of",
            "Rename the group to its bone, or weight them.",
        ),
        (
            "undeforming",
            "skin-non-deform",
            "weighted only to bones that do not deform",
            "Turn Deform on for the bone, or weight them to one that deforms.",
        ),
    ):
        ids = np.flatnonzero(np.logical_and.reduce([getattr(s, kind) for s in shares]) & lone)
        if len(ids):
            out.append(Finding(code, "warning", name, f"{named(ids)}: {what}{out_of_reach}; they follow the object.", hint))
    sums = np.sum([s.sums for s in shares], axis=0)
    off = (
        np.flatnonzero((sums > 0) & (np.abs(sums - 1) > _SUM_TOLERANCE) & ~lone)
        if len(shares) == 1 and shares[0].sums.any()
        else np.zeros(0, int)
    )
    if len(off):
        out.append(
            Finding(
                "skin-weight-sum",
                "info",
                name,
                f"{named(off)}: weights add up to {sums[off].min():.3g} to {sums[off].max():.3g}, normalised as Blender does.",
                "Weight Paint > Weights > Normalize All.",
            )
        )
    bones = {bone for rig in character.rigs for bone in rig.bones}
    used = set(np.unique(weights[1][weights[2] > 0]).tolist())
    masks = {d.mask for d in deformers}
    strange = [g for i, g in enumerate(group_names) if i in used and g not in bones and g not in masks]
    if strange:
        out.append(
            Finding(
                "skin-group-without-bone",
                "info",
                name,
                f"{len(strange)} vertex group(s) with weights have no bone: {', '.join(strange[:3])}"
                f"{', ...' if len(strange) > 3 else ''}; they move nothing.",
            )
        )
    return out


def linear_findings(character, obj, deformers, error, conflicts, cage) -> list:
    """What cannot be said by one linear blend, with how far off it is at this frame; and anything else that is off past the
    tolerance.
    """
    name, out = character.skin.name, []
    here = f"{error.share:.2%} of the height ({error.largest:.3g} m) off at this frame" + (
        f", most at vertex {error.worst(1)[0]}" if error.worst(1) else ""
    )

    def add(code, what, hint):
        out.append(Finding(code, "warning", name, f"{what}, which linear blending cannot reproduce: {here}.", hint))

    if any(d.preserve_volume for d in deformers):
        add(
            "skin-preserve-volume",
            "Preserve Volume (dual quaternions) is on",
            "Turn it off to see in Blender what an engine will draw.",
        )
    curved = [
        bone for d, rig in zip(deformers, character.rigs) for bone, is_curved in zip(rig.bones, rig.curved.tolist()) if is_curved
    ]
    if curved:
        add("skin-b-bone", f"bendy bone {curved[0]!r} maps vertices along its curve", "Set its Vertex Mapping to Straight.")
    if len(conflicts):
        add(
            "skin-armature-chain",
            f"{named(conflicts)}: one armature moves them after another",
            "Use one armature, Multi-Modifier, or masks that do not overlap.",
        )
    later = [m for i, m in enumerate(obj.modifiers) if m.type != "ARMATURE" and any(i > d.index for d in deformers)]
    if cage and later:
        out.append(
            Finding(
                "skin-modifiers-after",
                "warning",
                name,
                f"modifiers after the armature ({', '.join(m.name for m in later)}) change the mesh with "
                "the pose: the skin is the mesh before them.",
                "Apply them, or move them above the armature.",
            )
        )
    elif later and error.share > TOLERANCE:
        add(
            "skin-modifiers-after",
            f"modifiers after the armature ({', '.join(m.name for m in later)}) act on the posed mesh",
            "Move them above the armature, or apply them.",
        )
    if not out and not error.share <= TOLERANCE:
        add(
            "skin-not-linear",
            "something deforms the mesh beyond its armature",
            "Compare with the modifiers turned off one by one.",
        )
    return out
