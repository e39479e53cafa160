"""LOD sets in a scene: an explicit list on the object, or siblings named ``_LOD0``, ``_LOD1``, ..."""

from __future__ import annotations

from dataclasses import dataclass

from ...core import lod
from ...core.findings import Finding
from ...core.limits import MAX_LODS


@dataclass(frozen=True)
class LodSet:
    """The coarser levels of an object: `objects` (original ``bpy.types.Object``), `screen_sizes`, `hysteresis`, `findings`."""

    objects: tuple = ()
    screen_sizes: tuple = ()
    hysteresis: float = lod.DEFAULT_HYSTERESIS
    findings: tuple = ()


NO_LODS = LodSet()


def may_be_level(names: str) -> bool:
    """False when no name in the text can be a ``_LODn`` name: one cheap look at many names joined."""
    return "_lod" in names.lower()


class LodSets:
    """Answers for one file: which coarser levels belong to an object, and which objects are such a level themselves.

    `objects`: callable giving all original objects (``bpy.data.objects``); called on the first name that looks like a level.
    """

    def __init__(self, objects):
        self._objects = objects
        self._index: dict | None = None

    def of(self, obj, configured: bool) -> LodSet:
        """The set of an original object; `NO_LODS` for most. `configured`: it may have an explicit list."""
        if configured and len(obj.gpuscene.lods):
            return self._explicit(obj, obj.gpuscene)
        parts = lod.split_name(obj.name)
        if not parts or parts[1] != 0:
            return NO_LODS
        base, _level, copy = parts
        levels = dict(self._levels(base, obj.library, copy))
        levels[0] = obj
        if len(levels) == 1:
            return NO_LODS
        numbers = sorted(levels)
        sizes = [lod.default_screen_size(n) for n in numbers]
        return LodSet(tuple(levels[n] for n in numbers[1:MAX_LODS]), tuple(sizes[1:MAX_LODS]), lod.DEFAULT_HYSTERESIS,
                      tuple(lod.check_levels(obj.name_full, numbers, sizes)))

    def named(self, name: str):
        """The original object of a ``_LOD0`` name, or None: geometry sets carry only the name of what they came from."""
        parts = lod.split_name(name)
        return self._levels(parts[0], None, parts[2]).get(0) if parts and parts[1] == 0 else None

    def is_coarser_level(self, obj) -> bool:
        """True for ``X_LOD1`` and on where ``X_LOD0`` exists: shown through LOD 0's primitive, not as an instance of its own."""
        parts = lod.split_name(obj.name)
        return bool(parts) and parts[1] > 0 and 0 in self._levels(parts[0], obj.library, parts[2])

    def _levels(self, base, library, copy) -> dict:
        if self._index is None:
            self._index = {}
            for obj in self._objects():
                parts = lod.split_name(obj.name) if may_be_level(obj.name) else None
                if parts:
                    self._index.setdefault((parts[0].lower(), obj.library), {}).setdefault(parts[2], {})[parts[1]] = obj
        copies = self._index.get((base.lower(), library), {})
        return {**copies.get("", {}), **copies.get(copy, {})}

    def _explicit(self, obj, settings) -> LodSet:
        entries = [(e.object, e.screen_size) for e in settings.lods]
        findings = []
        if any(e is None for e, _ in entries):
            findings.append(Finding("lod-missing-mesh", "warning", obj.name_full, "a level of the LOD list names no object; skipped.",
                                    "Choose an object or remove the entry."))
        entries = [(e, s) for e, s in entries if e is not None and e != obj]
        findings += lod.check_levels(obj.name_full, list(range(len(entries) + 1)), [lod.NO_LIMIT, *(s for _, s in entries)])
        entries = sorted(entries, key=lambda e: -e[1])[:MAX_LODS - 1]
        return LodSet(tuple(e for e, _ in entries), tuple(s for _, s in entries), settings.lod_hysteresis, tuple(findings))
