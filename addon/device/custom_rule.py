"""A user's own rule for what is kept: a small GLSL function run on what passed every other test."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from .. import paths
from ..core.errors import InputError
from . import rule_text


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

    Raises
    ------
    InputError
        For what a compiler would not survive, or would report as an error elsewhere (`rule_text.check`).
    """

    text: str
    name: str = "custom rule"

    def __post_init__(self):
        rule_text.check(self.text, self.name, paths.shaders_dir())

    @classmethod
    def load(cls, path: Path | str) -> "CustomRule":
        """From a file, or by the name of a rule that GPUScene ships (``below_camera``)."""
        shipped = paths.shaders_dir() / "culling" / "rules" / f"{path}.glsl"
        path = shipped if shipped.is_file() else Path(path)
        try:
            return cls(path.read_text(encoding="utf-8-sig"), path.name)
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
            raise InputError(f"The rule {path} cannot be read: {reason}.", "Give a GLSL file, or below_camera.") from error

    @property
    def parts(self) -> tuple:
        """(name, text) parts for a shader, the user's own in a part of its own so that its lines count from 1."""
        before = ("instances", '#include "include/instances.glsl"')
        text = rule_text.without_comments(self.text).rstrip()
        if rule_text.is_function(text):
            return before, (self.name, text)
        # The body ends on the user's last line, so that what is missing there is reported there.
        end = "\n}" if text.rsplit("\n", 1)[-1].lstrip().startswith("#") else " }"  # a directive takes all of its line
        return before, (self.name, f"{rule_text.SIGNATURE}\n{{"), (self.name, text + end)
