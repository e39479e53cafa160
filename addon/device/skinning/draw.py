"""Draws particles from the GPU's own tables: nothing is copied, and no loop over particles runs in Python."""

from __future__ import annotations

from contextlib import contextmanager

from ...core.errors import InputError
from ...core.layout import Field as F
from ...core.layout import Record
from ...core.skinning.gpu_records import BLOCK, COLOR_MODES, SKIN_BLOCK, SKIN_CHARACTER, SKIN_POINT, SKIN_RUN
from ...glsl.accessors import Binding
from ..buffers import Uniform
from ..overlay import meshes
from ..overlay.records import OVERLAY_DRAW
from ..overlay.shaders import POINTS_PER_INSTANCE, DrawKey, DrawShaders
from ..overlay.view import view_row
from .passes import SKIN_BINDINGS

SKIN_DRAW = Record(
    "SkinDraw",
    "skin_draw",
    64,
    (
        F("offset", "vec3", "added to every particle: what is attached moves as one"),
        F("low", "float", "value of the first colour"),
        F("color", "vec4", "sRGB, of flat particles"),
        F("high", "float", "value of the last colour"),
        F("mode", "uint", "row of COLOR_MODES"),
        F("first_age", "uint", "of the poses drawn"),
        F("age_count", "uint", "poses drawn"),
        F("pixels", "float", "across a particle"),
        F("fade", "float", "how much of its colour the oldest pose loses, 0 to 1"),
        F("_pad0", "uint"),
        F("_pad1", "uint"),
    ),
    "One draw of particles.",
)
_VARYINGS = ("flat", "VEC4", "point_color"), ("no_perspective", "VEC3", "point_at")
#: value ranges of colour modes: weight error is a share, speed in metres a second
RANGES = {"weight_error": (0.0, 0.25), "speed": (0.0, 3.0)}


class SkinPainter:
    """Parameters
    ----------
    skins : SkinDevice
        Run before it is drawn, unless drawn with ``stored=False``.
    """

    def __init__(self, skins):
        self.skins = skins
        self._shaders = DrawShaders(skins.library.capabilities, skins.library.transport)
        self._blocks, self._mesh = {}, None

    def draw(
        self,
        clip_from_world,
        size,
        scale: float = 1.0,
        *,
        mode: str | None = None,
        pixels: float = 4.0,
        color=(1.0, 1.0, 1.0, 1.0),
        offset=(0.0, 0.0, 0.0),
        trails: bool = True,
        value_range=None,
        fade: float = 0.85,
        stored: bool = True,
    ) -> None:
        """Draw to the framebuffer that is bound; depth is tested and written.

        Parameters
        ----------
        clip_from_world : (4, 4) float
        size : (width, height)
            Pixels.
        scale : float
            The pixel size of the interface.
        mode : str, optional
            One of `COLOR_MODES`; that of the skins by default. "bone", "weight_error" and "speed" need the same set there.
        pixels : float
            Across a particle.
        color : (4,) sRGB
            Of mode "flat".
        offset : (3,) metres, world space
        trails : bool
            Past poses too.
        value_range : (low, high), optional
            Values of the first and the last colour.
        fade : float
            How much of its colour the oldest pose loses.
        stored : bool
            From what `run` wrote; else vertex shaders pose the particles, without storing any ("flat" and "age" alone).

        Raises
        ------
        InputError
            The mode cannot be drawn so.
        """
        skins, mode = self.skins, mode or self.skins.color_mode
        if (
            mode not in COLOR_MODES
            or (mode not in ("flat", "age", skins.color_mode))
            or (not stored and (mode not in ("flat", "age")))
        ):
            raise InputError(f"Particles cannot be drawn by {mode!r} now.", "Call set_color_mode first, and draw what is stored.")
        if not stored and (skins.uniform is not None or skins.plays_vertices):
            raise InputError("There is no bone buffer to draw from.", "Draw what is stored.")
        blocks = skins.tables.blocks.count
        if not blocks:
            return
        skins.write_run()
        row = SKIN_DRAW.empty(1)
        row["offset"], row["color"], row["pixels"], row["fade"] = offset, color, pixels * scale, fade
        row["low"], row["high"] = value_range or RANGES.get(mode, (0.0, max(skins.trail_length - 1, 1)))
        ages = skins.trail_length if trails else 1
        row["mode"], row["age_count"] = COLOR_MODES.index(mode), ages
        shader, tables = self._shader(stored)
        shader.bind()
        for table in tables:
            table.bind_for_drawing(shader)
        self._uniform(OVERLAY_DRAW, view_row(clip_from_world, size, scale)).bind(shader)
        self._uniform(SKIN_DRAW, row).bind(shader)
        skins.run_block.bind(shader)
        if self._mesh is None:
            self._mesh = meshes.batch(3 * POINTS_PER_INSTANCE)
        with _depth_state():
            self._mesh.draw_instanced(shader, instance_count=blocks * (BLOCK // POINTS_PER_INSTANCE) * ages)

    def _shader(self, stored):
        skins = self.skins
        tables = skins.tables
        bindings, used = [Binding("skin_blocks", SKIN_BLOCK, "sample")], [tables.blocks]
        if stored:
            bindings += [Binding("skin_characters", SKIN_CHARACTER, "sample"), Binding("particle_positions", "vec4", "sample")]
            used += [tables.characters, skins.outputs.particles]
            file = "skinning/draw.vert.glsl"
        else:
            bindings += [
                Binding("skin_points", SKIN_POINT, "sample"),
                *(Binding(b.name, b.element, "sample") for b in SKIN_BINDINGS),
            ]
            used += [tables.points.table, tables.characters, tables.rest.table, tables.weights.table, skins.ring.table]
            file = "skinning/draw_skinned.vert.glsl"
        key = DrawKey(
            file,
            "overlay/live_points.frag.glsl",
            _VARYINGS,
            (OVERLAY_DRAW, SKIN_DRAW, SKIN_RUN),
            tuple((b.name, b) for b in bindings),
            ()
            if stored
            else (("BONES_UNIFORM", 0), ("SKIN_SHARED", 0), *tables.variant, ("SKIN_TRAILS", int(skins.trail_length > 1))),
        )
        return self._shaders.get(key), used

    def _uniform(self, record, values):
        if record.name not in self._blocks:
            self._blocks[record.name] = Uniform(record.table, record, values)
        else:
            self._blocks[record.name].update(values)
        return self._blocks[record.name]


@contextmanager
def _depth_state():
    """Depth tested and written, blended by alpha; put back afterwards."""
    import gpu

    state = gpu.state
    before = state.depth_test_get(), state.depth_mask_get(), state.blend_get()
    state.depth_test_set("LESS_EQUAL")
    state.depth_mask_set(True)
    state.blend_set("ALPHA")
    try:
        yield
    finally:
        gpu.shader.unbind()
        state.depth_test_set(before[0])
        state.depth_mask_set(before[1])
        state.blend_set(before[2])
