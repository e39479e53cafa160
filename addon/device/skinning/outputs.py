"""What passes write: vertices and particles of all characters, at each age."""

from __future__ import annotations

from ...core.skinning.gpu_records import BLOCK
from ..buffers import make_table


class Outputs:
    """
    Attributes
    ----------
    particles : Table of vec4
        World position, and what it is coloured by; w below 0: no particle. Row ``age * particle_rows + i``.
    before : Table of vec4 or None
        The same of the run before, where speed is asked for.
    skinned : Table of vec4
        World position of each vertex. Row ``age * skinned_rows + i``.
    """

    def __init__(self, library, ages: int, skinned_ages: int | None = None):
        self.library, self.ages, self._skinned_ages = library, ages, skinned_ages or ages
        self.particle_rows = self.skinned_rows = 0
        self.particles, self.before = self._table("particle_positions", BLOCK * ages), None
        self.skinned = self._table("skinned_positions", self._skinned_ages)

    def resize(self, particles: int, skinned: int) -> bool:
        """Room for so many rows at each age; True when tables are others."""
        changed = False
        if particles > self.particle_rows or self.particle_rows > 2 * particles + 4 * BLOCK:
            self.particle_rows, changed = particles, True
            self.particles, self.before = self._table("particle_positions", max(particles, 1) * self.ages), None
        if skinned > self.skinned_rows or self.skinned_rows > 2 * skinned + 4 * BLOCK:
            self.skinned_rows, changed = skinned, True
            self.skinned = self._table("skinned_positions", max(skinned, 1) * self._skinned_ages)
        return changed

    def alternate(self) -> None:
        """What was written last becomes `before`."""
        if self.before is None:
            self.before = self._table("particles_before", self.particles.count)
        self.particles, self.before = self.before, self.particles
        self.particles.name, self.before.name = "particle_positions", "particles_before"

    @property
    def memory(self) -> int:
        """Bytes on the GPU."""
        return 4 * sum(table.word_count for table in (self.particles, self.before, self.skinned) if table is not None)

    def _table(self, name, count):
        return make_table(self.library.capabilities, self.library.transport, name, "vec4", count)
