"""Uploads into tables that passes write as well: through a texture they cannot be uploaded to, so a pass copies them there."""

from __future__ import annotations

import numpy as np

from ...glsl.accessors import Binding
from ..buffers import Uniform, make_table
from ..passes.base import Pass
from ..shader_library import ShaderKey, ShaderLibrary
from .records import STATUS_COUNTS

_GROUP_SIZE = 64


class Filler:
    """Fills tables that were made with ``on_device``, whole.

    Attributes
    ----------
    dispatches : int
        Made so far.
    """

    def __init__(self, library: ShaderLibrary):
        self._library, self._passes, self.dispatches = library, {}, 0

    def fill(self, table, rows: np.ndarray) -> int:
        """Replace all rows of `table`; bytes uploaded."""
        if self._library.transport == "storage":
            table.upload(rows)
            return rows.nbytes
        words = np.ascontiguousarray(rows).reshape(-1).view(np.uint32)
        if not len(words):
            return 0
        if id(table) not in self._passes:
            self._passes[id(table)] = self._make(table, words)
        staging, copy = self._passes[id(table)]
        staging.upload(words)
        copy.run()
        Pass.finish()
        self.dispatches += 1
        return words.nbytes

    def _make(self, table, words):
        staging = make_table(self._library.capabilities, "texture", "uploaded_words", "uint", rows=words)
        counts = STATUS_COUNTS.empty(1)
        counts["copy_words"] = len(words)
        key = ShaderKey(
            "live/copy_words.glsl",
            (Binding("uploaded_words", "uint"), Binding(table.name, "uint", "write", True)),
            (("status_counts", STATUS_COUNTS),),
            _GROUP_SIZE,
            (("STORE_COPIED(w, word)", f"store_{table.name}(w, word)"),),
        )
        resources = (staging, table, Uniform("status_counts", STATUS_COUNTS, counts))
        return staging, Pass(self._library, key, resources, len(words))
