"""Shader text from files and includes, with a map from the compiler's line numbers back to the author's.

Every part starts with ``#line``, numbered from a base of its own (part 3 counts from 300,001). Whatever Blender puts before
our text, and whichever driver reports the error, the number alone says which file and which line is meant.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from ..core.errors import InputError

#: lines to a part; a longer part would run into the next one's numbers
PART = 100_000
_INCLUDE = re.compile(r'^\s*#include\s+"([^"]+)"\s*$')
#: ``python_shader.glsl:300003:12: Error: text``, as Blender prints the log of every driver; columns are not always there
_MESSAGE = re.compile(r"[\w.]+:(\d+)(?::\d+)?: (Error|Warning|Note): (.*)")


@dataclass
class Assembly:
    """Text in the making: `add_file` and `add_text` in order, then `text` and `locate`.

    Attributes
    ----------
    folder : Path
        ``shaders/``; includes are named from here.
    """

    folder: Path
    names: list = field(default_factory=lambda: ["generated"])
    _lines: list = field(default_factory=list)
    _included: set = field(default_factory=set)

    def add_text(self, name: str, text: str) -> None:
        """A part by itself, e.g. a user's rule; it may include files too."""
        self.names.append(name)
        part = len(self.names) - 1
        self._mark(part, 1)
        for at, line in enumerate(text.splitlines(), 1):
            include = _INCLUDE.match(line)
            if include:
                self.add_file(include[1])
                self._mark(part, at + 1)
            else:
                self._lines.append(line)

    def add_file(self, name: str) -> None:
        """A file below `folder` and what it includes; each file once. Raises ``InputError`` if one is missing."""
        if name in self._included:
            return
        self._included.add(name)
        path = self.folder / name
        try:
            text = path.read_text(encoding="utf-8")
        except OSError as error:
            raise InputError(f"Shader file {name} is missing ({path}).", "Install GPUScene again.") from error
        self.add_text(name, text)

    @property
    def text(self) -> str:
        return "\n".join(self._lines) + "\n"

    def locate(self, line: int) -> tuple:
        """Compiler's line number -> (part name, line in it); ("", line) for text that is not ours."""
        part, within = divmod(line, PART)
        return (self.names[part], within) if 0 < part < len(self.names) else ("", line)

    def messages(self, log: str) -> list:
        """Errors in a compiler's log as (part name, line, text), in its order, without repeats."""
        found = [(*self.locate(int(line)), text.strip()) for line, kind, text in _MESSAGE.findall(log) if kind == "Error"]
        return list(dict.fromkeys(found))

    def _mark(self, part: int, line: int) -> None:
        self._lines.append(f"#line {part * PART + line}")
