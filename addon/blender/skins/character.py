"""One deformed object as a `Skin`, with what linear blending cannot say about it, measured against Blender's own evaluated
mesh.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import bpy
import numpy as np

from ...core.errors import InputError
from ...core.findings import Finding
from ...core.skinning.blend import linear_blend
from ...core.skinning.chain import after, masked, mixed, unmoved
from ...core.skinning.error import SkinError, character_height
from ...core.skinning.matrices import world_from_rest
from ...core.skinning.skin import NO_PARENT, Skin
from .deformers import deformers_of
from .findings import TOLERANCE, extraction_findings, linear_findings, named
from .rest import RestMesh, positions_without, read_corners, read_positions, read_rest
from .rig import Rig, read_deform, read_rig
from .shape_keys import keyed_positions
from .shares import armature_shares, mask_of
from .weights import read_weights


@dataclass(frozen=True)
class Character:
    """A skin and how to read its pose. Arrays and names only.

    Attributes
    ----------
    skin : Skin
    key : str or tuple
        Of the object in ``bpy.data.objects``; with its library's path for a linked one.
    rigs : tuple of Rig
        One for each armature's turn, in order.
    armatures : tuple of str
        Full names.
    off_rest, off_truth : tuple of int
        Modifiers left out of the rest mesh, and of what it is compared with.
    by_parent : bool
        The parent deforms the object, without a modifier.
    moving_rest : bool
        Shape keys or other modifiers may change the rest mesh from frame to frame.
    findings : tuple of Finding
    """

    skin: Skin
    key: object
    rigs: tuple
    armatures: tuple
    off_rest: tuple
    off_truth: tuple
    by_parent: bool
    moving_rest: bool
    findings: tuple = ()

    def object(self, depsgraph):
        """The evaluated object, also one that only an instanced collection holds. Raises `InputError` when the scene has it no
        longer.
        """
        original = bpy.data.objects.get(self.key)
        evaluated = None if original is None else original.evaluated_get(depsgraph)
        if evaluated is None or not evaluated.is_evaluated:
            raise InputError(f"{self.skin.name!r} is no longer in the scene.", "Start again.")
        return evaluated

    def matrices(self, obj, depsgraph, world=None) -> np.ndarray:
        """(B, 3, 4) float64 world-from-rest matrices of this frame, the object's own last.

        `world` (4, 4) places an instance of the object elsewhere. Raises `InputError` when the rig is another than it was.
        """
        own = np.array(obj.matrix_world, np.float64)
        deformers = deformers_of(obj, depsgraph)
        if tuple(d.armature.name_full for d in deformers) != self.armatures:
            raise InputError(f"The armatures of {self.skin.name!r} have changed.", "Start again.")
        parts = []
        for deformer, rig in zip(deformers, self.rigs):
            armature = deformer.armature
            if tuple(armature.pose.bones.keys()) != rig.bones:
                raise InputError(f"The bones of {armature.name_full!r} have changed.", "Start again.")
            parts.append(world_from_rest(np.array(armature.matrix_world, np.float64), read_deform(armature, rig), own))
        out = np.concatenate([*parts, own[None, :3]])
        if world is not None:
            placed = np.asarray(world, np.float64) @ np.linalg.pinv(own)
            out = np.einsum("ij,bjk->bik", placed[:3, :3], out)
            out[:, :, 3] += placed[:3, 3]
        return out

    def rest(self, obj, depsgraph) -> np.ndarray:
        """(V, 3) float32 rest positions of this frame. Raises `InputError` when the mesh has another number of vertices than
        it had.
        """
        rest = keyed_positions(obj, depsgraph) if self.by_parent else positions_without(obj, depsgraph, self.off_rest)
        if len(rest) != self.skin.vertex_count:
            raise InputError(
                f"{self.skin.name!r} has {len(rest):,} vertices now, not {self.skin.vertex_count:,}.", "Start again."
            )
        return rest

    def truth(self, obj, depsgraph) -> np.ndarray:
        """(V, 3) float64 world positions as Blender deforms them."""
        positions = positions_without(obj, depsgraph, self.off_truth) if self.off_truth else read_positions(obj.data)
        world = np.array(obj.matrix_world, np.float64)
        return positions.astype(np.float64) @ world[:3, :3].T + world[:3, 3]


def read_character(obj, depsgraph) -> Character:
    """Read an evaluated mesh object that armatures deform (or that is rigid: then its only bone is itself)."""
    deformers = deformers_of(obj, depsgraph)
    rest, off_rest, off_truth, by_parent, cage = _rest_mesh(obj, depsgraph, deformers)
    rigs = [read_rig(d.armature) for d in deformers]
    firsts = np.cumsum([0, *(rig.column_count for rig in rigs)])
    object_bone = int(firsts[-1])
    names = [group.name for group in obj.vertex_groups]
    own, count = np.array(obj.matrix_world, np.float64), len(rest.positions)
    influences, base, conflicts, shares = unmoved(count, object_bone), None, np.zeros(0, np.int64), []
    for deformer, rig, first in zip(deformers, rigs, firsts.tolist()):
        into = np.linalg.pinv(np.array(deformer.armature.matrix_world, np.float64)) @ own
        share = armature_shares(deformer, rig, first, object_bone, names, rest.weights, rest.positions, into)
        shares.append(share)
        mask = mask_of(deformer, names, rest.weights, count)
        if deformer.multi:
            whole = after(base, share.influences, object_bone)
            shown = np.ones(count) if mask is None else mask
            influences = mixed(influences, whole.influences, shown)
            conflicts = np.union1d(conflicts, whole.conflicts[shown[whole.conflicts] > 0])
        else:
            base = influences
            composed = after(influences, masked(share.influences, mask, object_bone), object_bone)
            influences, conflicts = composed.influences, np.union1d(conflicts, composed.conflicts)
    skin = Skin(
        obj.name_full,
        rest.positions,
        rest.triangles,
        influences,
        _bone_names(deformers, rigs),
        np.r_[_parents(rigs, firsts), NO_PARENT].astype(np.int32),
    )
    moving = obj.original.data.shape_keys is not None or any(m.type != "ARMATURE" for m in obj.modifiers)
    character = Character(
        skin, object_key(obj), tuple(rigs), tuple(d.armature.name_full for d in deformers), off_rest, off_truth, by_parent, moving
    )
    error = measure(character, obj, depsgraph)
    findings = [
        *extraction_findings(character, obj, deformers, shares, names, rest.weights),
        *linear_findings(character, obj, deformers, error, conflicts, cage),
    ]
    return replace(character, findings=tuple(findings))


def object_key(obj):
    """What finds an object in ``bpy.data.objects`` again."""
    original = obj.original
    return original.name if original.library is None else (original.name, original.library.filepath)


def measure(character: Character, obj, depsgraph, influences=None) -> SkinError:
    """Float64 linear blending with unlimited influences (or `influences`) against Blender, at this frame."""
    truth = character.truth(obj, depsgraph)
    rest = character.rest(obj, depsgraph) if character.moving_rest else character.skin.rest
    ours = linear_blend(rest, influences or character.skin.influences, character.matrices(obj, depsgraph))
    return SkinError.of(ours, truth, character_height(truth))


def dropped_findings(character: Character, packed, obj, depsgraph) -> list:
    """At most one `Finding`: what it costs at this frame that `packed` keeps fewer influences than there are."""
    kept, most = packed.influence_count, int(character.skin.influences.counts.max(initial=0))
    if most <= kept:
        return []
    error = measure(character, obj, depsgraph, packed.influences)
    if error.share <= TOLERANCE:
        return []
    many = np.flatnonzero(character.skin.influences.counts > kept)
    message = (f"{named(many)}: up to {most} influences, of which the strongest {kept} stay: {error.share:.2%} of the height "
               f"({error.largest:.3g} m) off at this frame, most at vertex {error.worst(1)[0]}.")
    return [Finding("skin-influences-dropped", "info", character.skin.name, message, "Weight Paint > Weights > Limit Total.")]


def _rest_mesh(obj, depsgraph, deformers) -> tuple:
    """(RestMesh, off_rest, off_truth, by_parent, cage); `cage`: modifiers after the armature had to be left out."""
    armatures = {d.index for d in deformers if d.index >= 0}
    others = {i for i, m in enumerate(obj.modifiers) if m.type != "ARMATURE"}
    if deformers and deformers[0].index < 0:
        mesh = obj.original.data
        mesh.calc_loop_triangles()
        triangles = np.empty((len(mesh.loop_triangles), 3), np.int32)
        mesh.loop_triangles.foreach_get("vertices", triangles.reshape(-1))
        rest = RestMesh(keyed_positions(obj, depsgraph), read_corners(mesh), triangles, read_weights(mesh))
        return rest, (), tuple(sorted(others)), True, bool(others)
    rest = read_rest(obj, depsgraph, sorted(armatures))
    if len(rest.positions) == len(obj.data.vertices) and np.array_equal(rest.corners, read_corners(obj.data)):
        return rest, tuple(sorted(armatures)), (), False, False
    later = {i for i in others if i > min(armatures)} if armatures else set()
    off = tuple(sorted(armatures | later))
    return read_rest(obj, depsgraph, off), off, tuple(sorted(later)), False, True


def _bone_names(deformers, rigs) -> tuple:
    """Names of all columns, with the armature's before them where there is more than one; the object's is empty."""
    if len(rigs) == 1:
        return (*rigs[0].column_names(), "")
    return (*(f"{d.armature.name_full}/{name}" for d, rig in zip(deformers, rigs) for name in rig.column_names()), "")


def _parents(rigs, firsts) -> np.ndarray:
    parts = [
        np.where(rig.column_parents() >= 0, rig.column_parents() + first, NO_PARENT) for rig, first in zip(rigs, firsts.tolist())
    ]
    return np.concatenate(parts) if parts else np.zeros(0, np.int32)
