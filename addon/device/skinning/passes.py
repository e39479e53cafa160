"""The compute passes of a `SkinDevice`, made anew when its tables are others."""

from __future__ import annotations

import numpy as np

from ...core.layout import BONE
from ...core.skinning.gpu_records import BLOCK, BONE_BLOCK, SKIN_BLOCK, SKIN_CHARACTER, SKIN_POINT, SKIN_RUN
from ...glsl.accessors import Binding
from ..buffers import make_table
from ..passes.base import Pass
from ..shader_library import ShaderKey

SKIN_BINDINGS = (
    Binding("skin_characters", SKIN_CHARACTER),
    Binding("skin_rest", "float"),
    Binding("skin_weights", "uint"),
    Binding("bones", BONE),
)


class Target:
    """A table bound for writing."""

    def __init__(self, table):
        self.bind = table.bind_for_writing


class SkinPasses:
    """Parameters
    ----------
    skins : SkinDevice
    """

    def __init__(self, skins):
        self.skins = skins
        self._small = make_table(skins.library.capabilities, skins.library.transport, "target", "uint", 4, on_device=True)
        self.forget()

    def forget(self) -> None:
        """Make everything anew at the next run: a table is another one, or another colour is asked for."""
        self._made = {}
        self._values = None

    def run(self) -> None:
        """Queue all."""
        skins = self.skins
        if not len(skins):
            return
        speed = skins.color_mode == "speed"
        if speed:
            skins.outputs.alternate()
        for each in self._passes(id(skins.outputs.particles) if speed else None):
            each.run()
        Pass.finish()

    def wait(self) -> None:
        self._small.read_words()

    def guarded_count(self) -> int:
        """A pass of its own, so that the others need no counter."""
        skins = self.skins
        if not skins.tables.vertex_blocks.count:
            return 0
        counts = self._table("guarded", "uint", skins.tables.vertex_blocks.count * BLOCK, on_device=True)
        key = ShaderKey(
            "skinning/count_guarded.glsl",
            (Binding("skin_blocks", SKIN_BLOCK), *SKIN_BINDINGS, Binding("guarded", "uint", "write", True)),
            (("skin_run", SKIN_RUN),),
            BLOCK,
            (("BONES_UNIFORM", 0), *self._variant),
        )
        tables = skins.tables
        resources = (
            tables.vertex_blocks,
            tables.characters,
            tables.rest.table,
            tables.weights.table,
            skins.ring.table,
            counts,
            skins.run_block,
        )
        Pass(skins.library, key, resources, counts.count).run()
        Pass.finish()
        return int(counts.read_words().sum(dtype=np.int64))

    @property
    def _variant(self) -> tuple:
        return *self.skins.tables.variant, ("SKIN_TRAILS", int(self.skins.trail_length > 1))

    def list(self) -> tuple:
        """The passes of one run, in order."""
        return self._passes(None)

    def _passes(self, key):
        if key not in self._made:
            self._made[key] = self._make()
        return self._made[key]

    def _make(self) -> tuple:
        skins = self.skins
        tables, outputs, ages = skins.tables, skins.outputs, skins.trail_length
        common = tables.characters, tables.rest.table, tables.weights.table, skins.ring.table
        if skins.uniform is not None:
            return skins.uniform.passes(self)
        made = []
        if skins.shares_vertices and not skins.plays_vertices:
            key = ShaderKey(
                "skinning/vertices.glsl",
                (Binding("skin_blocks", SKIN_BLOCK), *SKIN_BINDINGS, Binding("skinned_positions", "vec4", "write")),
                (("skin_run", SKIN_RUN),),
                BLOCK,
                (("BONES_UNIFORM", 0), *self._variant),
            )
            made.append(
                Pass(
                    skins.library,
                    key,
                    (tables.vertex_blocks, *common, Target(outputs.skinned), skins.run_block),
                    tables.vertex_blocks.count * BLOCK * ages,
                )
            )
        key, resources = self.points_key(skins.shares_vertices, False, skins.plays_vertices)
        made.append(Pass(skins.library, key, (*resources, skins.run_block), tables.blocks.count * BLOCK * ages))
        return tuple(made)

    def points_key(self, shared: bool, uniform: bool, baked: bool = False) -> tuple:
        """(ShaderKey, tables) of the particles' pass."""
        skins = self.skins
        tables, outputs = skins.tables, skins.outputs
        bindings, resources = [Binding("skin_blocks", SKIN_BLOCK)], [tables.blocks]
        if dict(tables.variant)["SKIN_ORDER"] != 1:
            bindings.append(Binding("skin_points", SKIN_POINT))
            resources.append(tables.points.table)
        skin = SKIN_BINDINGS[:1] if shared else SKIN_BINDINGS[:-1] if uniform else SKIN_BINDINGS
        bindings += skin
        resources += [tables.characters, tables.rest.table, tables.weights.table, skins.ring.table][: len(skin)]
        if shared:
            bindings.append(Binding("skinned_positions", "vec4"))
            resources.append(outputs.skinned)
        has_values = skins.color_mode in ("bone", "weight_error")
        if has_values:
            bindings.append(Binding("skin_values", "float"))
            resources.append(self._values_table())
        if skins.color_mode == "speed":
            bindings.append(Binding("particles_before", "vec4"))
            resources.append(outputs.before)
        bindings.append(Binding("particle_positions", "vec4", "write"))
        resources.append(Target(outputs.particles))
        uniforms = (("skin_run", SKIN_RUN), *((("bone_block", BONE_BLOCK),) if uniform else ()))
        defines = (
            ("SKIN_SHARED", int(shared)),
            ("SKIN_BAKED", int(baked)),
            ("BONES_UNIFORM", int(uniform)),
            ("SKIN_VALUES", int(has_values)),
            ("SKIN_SPEED", int(skins.color_mode == "speed")),
            *self._variant,
        )
        return ShaderKey(
            "skinning/particles.glsl",
            tuple(bindings),
            uniforms,
            BLOCK,
            defines,
            structs=((BONE,) if uniform else ()) + ((SKIN_POINT,) if dict(tables.variant)["SKIN_ORDER"] == 1 else ()),
        ), tuple(resources)

    def _values_table(self):
        if self._values is None:
            rows = np.zeros(len(self.skins.tables.points.rows), np.float32)
            done = set()
            for entry in self.skins.tables.entries.values():
                for number, segment in enumerate(entry.points):
                    if segment.start not in done or not segment.count:
                        done.add(segment.start)
                        rows[segment.rows] = entry.levels.values(number, self.skins.color_mode)
            self._values = self._table("skin_values", "float", rows=rows)
        return self._values

    def _table(self, name, element, count=None, rows=None, on_device=False):
        return make_table(
            self.skins.library.capabilities, self.skins.library.transport, name, element, count, rows, on_device=on_device
        )
