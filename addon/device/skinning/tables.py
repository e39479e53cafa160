"""What all characters' passes read: skins and points, uploaded once; who is where, when it changes."""

from __future__ import annotations

import numpy as np

from ...core.skinning.gpu_records import (
    BLOCK,
    SKIN_BLOCK,
    SKIN_CHARACTER,
    SKIN_HAS_BEFORE,
    SKIN_IN_ORDER,
    SKIN_POINT,
    SKIN_WIDE_INDICES,
    blocks,
)
from ..buffers import make_table
from .level_set import LevelSet
from .pool import Runs, SharedTable


class Entry:
    """A character in the tables: its `levels`, `level`, and runs of rows."""

    def __init__(self, name, levels: LevelSet):
        self.name, self.levels, self.level = name, levels, 0
        self.words, self.points = [], []
        self.pose_count, self.has_before = 0, False
        self.shown_level = None  # of the last upload: other levels have other particles
        self.origin = np.zeros(3, np.float32)

    @property
    def bone_count(self) -> int:
        """Of the current level."""
        return self.levels.bone_counts[self.level]


class CharacterTables:
    """The tables, and one `Entry` for each character by name."""

    def __init__(self, library):
        self.library, self.entries = library, {}
        self.rest = SharedTable(library, "skin_rest", "float", np.float32)
        self.weights = SharedTable(library, "skin_weights", "uint", np.uint32)
        self.points = SharedTable(library, "skin_points", SKIN_POINT, SKIN_POINT.dtype)
        self.bones, self.skinned, self.particles = Runs(), Runs(), Runs()
        self._sent = None
        self.renew()

    def add(self, name, levels: LevelSet) -> Entry:
        """Find rows for a character; nobody else's move."""
        entry = Entry(name, levels)
        entry.bones = self.bones.allocate(1 + len(levels.order))
        entry.rest = self.rest.take(levels.rest, lambda: np.ascontiguousarray(levels.rest, np.float32).reshape(-1))
        for number, level in enumerate(levels.levels):
            entry.words.append(self.weights.take(_Key.of(levels, number), lambda number=number: levels.words(number)))
            entry.points.append(self.points.take(_Key.of(levels, number), lambda number=number: levels.points(number)))
        entry.skinned = self.skinned.allocate(levels.vertex_count)
        entry.particles = self.particles.allocate(-(-levels.most_points // BLOCK) * BLOCK)
        self.entries[name] = entry
        return entry

    def remove(self, name) -> Entry:
        """Give a character's rows back."""
        entry = self.entries.pop(name)
        self.bones.release(entry.bones)
        self.rest.drop(entry.levels.rest)
        for number in range(len(entry.levels.levels)):
            self.weights.drop(_Key.of(entry.levels, number))
            self.points.drop(_Key.of(entry.levels, number))
        self.skinned.release(entry.skinned)
        self.particles.release(entry.particles)
        return entry

    @property
    def variant(self) -> tuple:
        """Defines of the shaders: what no character needs is left out of them."""
        levels = [(e.levels, number) for e in self.entries.values() for number in range(len(e.levels.levels))]
        most = max((each.influence_count(number) for each, number in levels), default=1)
        wide = {each.is_wide(number) for each, number in levels}
        ordered = {each.is_in_order(number) for each, number in levels}
        corners = 3 if any(each.is_between(number) for each, number in levels) else 1
        return (
            ("SKIN_INFLUENCES", most),
            ("SKIN_INDICES", 2 if len(wide) > 1 else int(True in wide)),
            ("SKIN_CORNERS", corners),
            ("SKIN_ORDER", 2 if len(ordered) > 1 else int(True in ordered)),
        )

    def renew(self) -> None:
        """Make the tables of who is where anew: characters came or went."""
        entries = list(self.entries.values())
        self.blocks = self._table(
            "skin_blocks", SKIN_BLOCK, blocks([e.levels.most_points for e in entries]) if entries else SKIN_BLOCK.empty(0)
        )
        self.vertex_blocks = self._table(
            "skin_blocks", SKIN_BLOCK, blocks([e.levels.vertex_count for e in entries]) if entries else SKIN_BLOCK.empty(0)
        )
        self.characters = self._table("skin_characters", SKIN_CHARACTER, self.rows())
        self._sent = None

    def rows(self) -> np.ndarray:
        """(C,) SKIN_CHARACTER as things stand."""
        out = SKIN_CHARACTER.empty(len(self.entries))
        for row, e in zip(out, self.entries.values()):
            level = e.level
            flags = (
                SKIN_WIDE_INDICES * e.levels.is_wide(level)
                | SKIN_HAS_BEFORE * e.has_before
                | SKIN_IN_ORDER * e.levels.is_in_order(level)
            )
            row["first_bone"], row["bone_count"] = e.bones.start, e.bone_count
            row["first_vertex"], row["vertex_count"] = e.rest.start // 3, e.levels.vertex_count
            row["first_word"], row["influence_count"] = e.words[level].start, e.levels.influence_count(level)
            row["first_skinned"], row["flags"] = e.skinned.start, flags
            row["first_point"], row["point_count"] = e.points[level].start, len(e.levels.levels[level].points)
            row["first_particle"], row["pose_count"] = e.particles.start, e.pose_count
            row["origin"] = e.origin
        return out

    def upload(self) -> int:
        """Send what changed; bytes."""
        sent = sum(table.upload() for table in (self.rest, self.weights, self.points))
        rows = self.rows()
        if len(rows) and (self._sent is None or self._sent != rows.tobytes()):
            self.characters.upload(rows)
            self._sent = rows.tobytes()
            sent += rows.nbytes
        return sent

    @property
    def memory(self) -> int:
        """Bytes on the GPU."""
        return 4 * sum(
            t.word_count
            for t in (self.rest.table, self.weights.table, self.points.table, self.blocks, self.vertex_blocks, self.characters)
        )

    def _table(self, name, element, rows):
        return make_table(self.library.capabilities, self.library.transport, name, element, rows=rows)


class _Key:
    """What rows of a level depend on; the same object for the same level set, kept by it."""

    @staticmethod
    def of(levels: LevelSet, number: int):
        keys = levels.__dict__.setdefault("_keys", [_Key() for _ in levels.levels])
        return keys[number]
