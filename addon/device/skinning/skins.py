"""All characters and their particles on the GPU."""

from __future__ import annotations

import numpy as np

from ...core.errors import InputError, LimitError
from ...core.skinning.gpu_records import COLOR_MODES, MAX_UNIFORM_BONES, SKIN_RUN
from ..buffers import Uniform
from ..capabilities import start
from ..shader_library import ShaderLibrary
from .bones import BoneRing
from .level_set import LevelSet
from .outputs import Outputs
from .passes import SkinPasses
from .tables import CharacterTables
from .uniform import UniformPoses

#: "vertices": each vertex is moved once and particles lie between; "particles": each particle moves its corners itself, one
#: dispatch
METHODS = ("auto", "vertices", "particles")
#: a GPU moves fewer corners than this in less time than a second dispatch takes
FEW_CORNERS = 500_000
MODES = ("streamed", "uniform")


class SkinDevice:
    """See the package.

    Parameters
    ----------
    transport : {"storage", "texture"}, optional
        None: the best there is.
    trail_length : int
        Poses kept on the GPU, 1 to 64; particles are drawn from all.
    matrices : {"float32", "half", "trs"}
        How they travel: 48, 24 or 40 bytes a bone.
    mode : {"streamed", "uniform"}
    method : {"auto", "vertices", "particles"}

    Raises
    ------
    DeviceError
        There is no GPU.
    """

    def __init__(
        self,
        transport: str | None = None,
        trail_length: int = 1,
        matrices: str = "float32",
        mode: str = "streamed",
        method: str = "auto",
    ):
        capabilities = start()
        if mode not in MODES or method not in METHODS:
            raise InputError(f"There is no mode {mode!r} or no method {method!r}.", f"Choose of {MODES} and of {METHODS}.")
        if not 1 <= trail_length <= 64 or (mode == "uniform" and (trail_length > 1 or matrices != "float32")):
            raise InputError(
                f"{trail_length} poses as {matrices} cannot be had with mode {mode}.",
                "Choose 1 to 64 poses, with mode uniform 1 as float32.",
            )
        self.library = ShaderLibrary(capabilities, capabilities.transport(transport))
        self.trail_length, self.mode, self.method = trail_length, mode, method
        self.tables = CharacterTables(self.library)
        self.ring = BoneRing(self.library, trail_length, matrices)
        self.outputs = Outputs(self.library, trail_length)
        self.passes = SkinPasses(self)
        self.plays_vertices = False
        self.uniform = UniformPoses(self) if mode == "uniform" else None
        self.pose_rows = np.zeros((0, 3, 4), np.float32)
        self.run_row = SKIN_RUN.empty(1)
        self.run_block = Uniform("skin_run", SKIN_RUN, self.run_row)
        self.color_mode, self.seconds = "flat", 1 / 24
        self._sets, self._changed = {}, True
        self._travelling_changed = True

    # Who is there

    def add(self, name, levels) -> None:
        """A new character. Raises ``ValueError`` for a name that is there, `LimitError` for one that does not fit.

        Parameters
        ----------
        name : hashable
        levels : sequence of Level
            Near to far.
        """
        if name in self.tables.entries:
            raise ValueError(f"{name!r} is there already")
        key = tuple((id(level.packed), id(level.points)) for level in levels)
        found = self._sets.get(key)
        if found is None:
            found = self._sets[key] = [LevelSet(levels), 0]
        if self.mode == "uniform" and len(found[0].order) > MAX_UNIFORM_BONES:
            raise LimitError(
                f"bones of {name!r} in a uniform block", len(found[0].order), MAX_UNIFORM_BONES, "Use the streamed mode."
            )
        entry = self.tables.add(name, found[0])
        entry.set_key = key
        found[1] += 1
        self._changed = True

    def remove(self, name) -> None:
        """A character less; ``KeyError`` for one that is not there."""
        entry = self.tables.remove(name)
        found = self._sets[entry.set_key]
        found[1] -= 1
        if not found[1]:
            del self._sets[entry.set_key]
        self._changed = True

    def __contains__(self, name) -> bool:
        return name in self.tables.entries

    def __len__(self) -> int:
        return len(self.tables.entries)

    def packed(self, name):
        """PackedSkin of a character's current level."""
        entry = self.tables.entries[name]
        return entry.levels.levels[entry.level].packed

    def set_level(self, name, level: int) -> None:
        """Which level of detail a character has; levels past its last are the last."""
        entry = self.tables.entries[name]
        level = max(0, min(level, len(entry.levels.levels) - 1))
        if level != entry.level:
            before, entry.level = entry.bone_count, level
            if entry.bone_count > before:
                entry.pose_count = 0  # its other bones did not travel
            self._travelling_changed = True

    # Every frame

    def pose(self, name, matrices) -> None:
        """A character's pose: (B, 3, 4) world-from-rest of all bones, the object's own last."""
        entry = self.tables.entries[name]
        if entry.bones.stop > len(self.pose_rows):
            self._settle_rows()
        own = self.pose_rows[entry.bones.rows]
        own[0] = matrices[-1]
        own[1:] = np.asarray(matrices)[entry.levels.order]
        if self.ring.matrices == "half":
            entry.origin = own[0, :, 3].copy()

    def set_rest(self, name, rest) -> None:
        """(V, 3) rest positions of a character, and of those that share its skin, while shape keys move."""
        entry = self.tables.entries[name]
        self.tables.rest.write(entry.rest, np.ascontiguousarray(rest, np.float32).reshape(-1))

    def upload(self) -> int:
        """One new pose of every character to the GPU. Returns the bytes that travelled."""
        self._settle()
        entries = self.tables.entries.values()
        for entry in entries:
            entry.has_before = entry.pose_count > 0 and entry.shown_level == entry.level
            entry.pose_count, entry.shown_level = min(entry.pose_count + 1, self.trail_length), entry.level
        sent = self.tables.upload()
        if self.uniform is not None:
            return sent + self.uniform.upload()
        if len(self._owners):
            origins = np.array([e.origin for e in entries], np.float64)[self._owners] if self.ring.matrices == "half" else None
            sent += self.ring.push(self.pose_rows, origins)
        return sent

    def run(self) -> None:
        """Queue the passes: particles of all characters at all ages."""
        self._settle()
        self.write_run()
        self.passes.run()

    def set_color_mode(self, mode: str, seconds: float = 1 / 24) -> None:
        """What particles carry to be coloured by, from the next run on; `seconds` lie between two poses."""
        if mode not in COLOR_MODES:
            raise InputError(f"There is no colour mode {mode!r}.", f"Choose of {', '.join(COLOR_MODES)}.")
        self.color_mode, self.seconds = mode, seconds
        self.passes.forget()

    def clear_trails(self) -> None:
        """Forget past poses."""
        for entry in self.tables.entries.values():
            entry.pose_count, entry.has_before = 0, False

    # What came out; these wait for the GPU

    def positions(self, name, age: int = 0) -> np.ndarray:
        """(N, 3) float32 of a character's particles, `age` poses ago."""
        return self._particles(name, age)[:, :3]

    def values(self, name, age: int = 0) -> np.ndarray:
        """(N,) float32 that they are coloured by."""
        return self._particles(name, age)[:, 3]

    def vertices(self, name, age: int = 0) -> np.ndarray:
        """(V, 3) float32 of a character's vertices; of method "vertices" alone."""
        entry = self.tables.entries[name]
        first = age * self.outputs.skinned_rows + entry.skinned.start
        return self.outputs.skinned.read().reshape(-1, 4)[first : first + entry.levels.vertex_count, :3]

    def guarded_count(self) -> int:
        """How many bone indices point past their character's segment, over all vertices at their current level."""
        self._settle()
        self.write_run()
        return self.passes.guarded_count()

    def wait(self) -> None:
        """Return when all that is queued is done."""
        self.passes.wait()

    @property
    def particle_count(self) -> int:
        """At the current levels, of one pose."""
        return sum(len(e.levels.levels[e.level].points) for e in self.tables.entries.values())

    @property
    def memory(self) -> int:
        """Bytes on the GPU."""
        return self.tables.memory + self.ring.memory + self.outputs.memory + (self.uniform.memory if self.uniform else 0)

    @property
    def shares_vertices(self) -> bool:
        """Whether vertices are moved once, in a pass of their own."""
        if self.mode == "uniform":
            return False
        if self.method != "auto":
            return self.method == "vertices"
        entries = self.tables.entries.values()
        corners = sum(len(e.levels.levels[e.level].points) * (3 if e.levels.is_between(e.level) else 1) for e in entries)
        if not self.library.capabilities.is_software and corners < FEW_CORNERS:
            return False
        return corners > sum(e.levels.vertex_count for e in entries) + self.particle_count // 4

    # Inside

    def _particles(self, name, age):
        entry = self.tables.entries[name]
        first = age * self.outputs.particle_rows + entry.particles.start
        return self.outputs.particles.read().reshape(-1, 4)[first : first + len(entry.levels.levels[entry.level].points)]

    def _settle_rows(self):
        """Room for all bones on the CPU and the GPU; a table that becomes smaller has lost past poses."""
        before = self.ring.rows
        if self.ring.resize(self.tables.bones.extent):
            if self.ring.rows < before:
                self.clear_trails()
            self._changed = True
            rows = np.zeros((self.ring.rows, 3, 4), np.float32)
            kept = min(len(self.pose_rows), len(rows))
            rows[:kept] = self.pose_rows[:kept]
            self.pose_rows = rows
            if self.ring.is_direct:
                self.ring.table.upload(rows)

    def _settle(self):
        self._settle_rows()
        if self._changed:
            self.tables.renew()
            self.passes.forget()
        if self.outputs.resize(self.tables.particles.extent, self.tables.skinned.extent if self.shares_vertices else 0):
            self.passes.forget()
        if self._changed or self._travelling_changed:
            counts = np.array([e.bone_count + 1 for e in self.tables.entries.values()], np.int64)
            firsts = np.array([e.bones.start for e in self.tables.entries.values()], np.int64)
            self._owners = np.repeat(np.arange(len(counts)), counts)
            within = np.arange(len(self._owners)) - np.repeat(np.cumsum(counts) - counts, counts)
            self.ring.set_travelling(np.repeat(firsts, counts) + within, self._owners, self.tables.characters)
        self._changed = self._travelling_changed = False

    def _run_values(self, row):
        """What a kind of its own has otherwise."""

    def write_run(self) -> None:
        """The constants of passes and draws, as things stand."""
        row = self.run_row
        row["block_count"], row["vertex_block_count"] = self.tables.blocks.count, self.tables.vertex_blocks.count
        row["age_count"], row["ring_length"], row["newest"] = self.trail_length, self.ring.length, self.ring.newest
        row["bone_rows"], row["skinned_rows"], row["particle_rows"] = (
            self.ring.rows,
            self.outputs.skinned_rows,
            self.outputs.particle_rows,
        )
        row["color_mode"], row["per_second"] = COLOR_MODES.index(self.color_mode), 1 / self.seconds if self.seconds > 0 else 0
        self._run_values(row)
        if row.tobytes() != getattr(self, "_run_sent", None):
            self.run_block.update(row)
            self._run_sent = row.tobytes()
