"""A user's own rule for what is kept: a small GLSL function run on what passed every other test."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from .. import paths
from ..core.errors import InputError

_SIGNATURE = "bool custom_rule(InstanceTransform transform, InstanceData data, CullView view)"
_DEFINED = re.compile(r"\bcustom_rule\s*\(")


@dataclass(frozen=True)
class CustomRule:
    """GLSL with ``bool custom_rule(InstanceTransform transform, InstanceData data, CullView view)``, or only that function's
    body.

    True keeps the instance. The records are those of the file (docs/format.md); `view` has the planes, ``position``, ``up`` and
    ``units_per_metre``.
    ``world_from_local_point`` and its like of include/instances.glsl can be called.

    Attributes
    ----------
    text : str
    name : str
        Named in errors, with the line in `text`.
    """

    text: str
    name: str = "custom rule"

    @classmethod
    def load(cls, path: Path | str) -> "CustomRule":
        """From a file, or by the name of a rule that GPUScene ships (``below_camera``)."""
        shipped = paths.shaders_dir() / "culling" / "rules" / f"{path}.glsl"
        path = shipped if shipped.is_file() else Path(path)
        try:
            return cls(path.read_text(encoding="utf-8"), path.name)
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
            raise InputError(f"The rule {path} cannot be read: {reason}.", "Give a GLSL file, or below_camera.") from error

    @property
    def parts(self) -> tuple:
        """(name, text) parts for a shader, the user's own in a part of its own so that its lines count from 1."""
        before = ("instances", '#include "include/instances.glsl"')
        if _DEFINED.search(re.sub(r"//[^\n]*|/\*.*?\*/", "", self.text, flags=re.DOTALL)):
            return before, (self.name, self.text)
        return before, ("rule head", f"{_SIGNATURE}\n{{"), (self.name, self.text), ("rule tail", "}")
