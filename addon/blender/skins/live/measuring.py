"""How far a character is from what Blender shows, at the frame that is shown: by the very weights and matrices that are drawn."""

from __future__ import annotations

from dataclasses import dataclass

from ....core.skinning.blend import blend_packed, linear_blend
from ....core.skinning.error import SkinError, character_height
from ....core.skinning.matrices import decode, encode


@dataclass(frozen=True)
class Measured:
    """Attributes
    ----------
    frame : float
    shown : SkinError
        At the level that is drawn.
    unlimited : SkinError
        With all influences in float64: what linear blending itself cannot do.
    steps : dict
        Label -> SkinError of each single step of the level of detail.
    """

    frame: float
    shown: SkinError
    unlimited: SkinError
    steps: dict


def measure(actor, obj, depsgraph, settings) -> Measured:
    """Of `actor`, whose evaluated object is `obj`.

    Evaluates the mesh once more where modifiers follow the armature: not within a redraw.
    """
    character = actor.character
    truth = character.truth(obj, depsgraph)
    rest = character.rest(obj, depsgraph) if character.moving_rest else character.skin.rest
    every = character.matrices(obj, depsgraph)
    height = character_height(truth)

    def error(detail):
        packed, origin = actor.packed(detail), every[-1, :, 3]
        travelled = decode(encode(packed.matrices(every), settings.matrix_format, origin), settings.matrix_format, origin)
        return SkinError.of(blend_packed(packed, travelled, rest), truth, height)

    return Measured(depsgraph.scene.frame_current_final, error(settings.steps()[actor.level][1]),
                    SkinError.of(linear_blend(rest, character.skin.influences, every), truth, height),
                    {label: error(detail) for label, detail in settings.levels().items()})
