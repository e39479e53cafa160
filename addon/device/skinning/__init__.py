"""Skinned characters and particles on them, on the GPU: one bone buffer and one dispatch for all, and drawing from what lies
there.

Only matrices travel from frame to frame. Everything is in world space, Blender's axes. In a session and a POST_VIEW draw
handler::

    from ...device.skinning import Level, SkinDevice, SkinPainter

    skins = SkinDevice(transport=None, trail_length=5)              # DeviceError without a GPU
    skins.add("Hero", [Level(packed, points), Level(pack(far, 2), points.first(1000))])     # near to far; any time, others stay
    painter = SkinPainter(skins)                                    # keeps shaders only

    every = character.matrices(obj, depsgraph)                      # each frame, for each character: (B, 3, 4), the object last
    skins.set_level("Hero", 0)
    skins.pose("Hero", every)                                       # the device picks the bones that its levels use
    bytes_sent = skins.upload()                                     # one new pose in the ring of every character
    skins.run()                                                     # one dispatch

    painter.draw(region_data.perspective_matrix, (region.width, region.height), ui_scale,
                 mode="bone", pixels=4.0, offset=(0, 0, 0), trails=True)

    skins.set_rest("Hero", positions)      # while shape keys move: the whole rest table travels
    skins.clear_trails()                   # after a jump in time
    skins.guarded_count()                  # bone indices past their character's segment; such vertices follow the object
    skins.positions("Hero", age=0)         # (N, 3) float32, waits for the GPU
    skins.remove("Hero")

Colours (`COLOR_MODES`): "flat", "bone", "weight_error", "age", "speed" (metres a second, of the newest pose);
set_color_mode("speed", seconds_per_frame).
Modes: `SkinDevice` streams; ``SkinDevice(mode="uniform")`` gives each character a uniform block and a dispatch (at most
`MAX_UNIFORM_BONES` bones);
`BakedSkins` plays a `core.skinning.bake.Baked` texture. Matrices travel as "float32", "half" or "trs" (``matrices=``).
"""

from .baked import BakedSkins
from .draw import SkinPainter
from .level import Level
from .picture import Picture
from .skins import COLOR_MODES, MAX_UNIFORM_BONES, SkinDevice

__all__ = ["BakedSkins", "COLOR_MODES", "Level", "MAX_UNIFORM_BONES", "Picture", "SkinDevice", "SkinPainter"]
