"""Frame slices on the GPU: only blocks that are due are culled anew."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...glsl.accessors import Binding
from ..buffers import make_table
from ..passes.base import Pass
from ..passes.cull_tree import CullTree


class CullDue(Pass):
    """A `CullTree` that leaves blocks alone which are not due.

    Parameters
    ----------
    whole : CullTree
        Culls all.
    library : ShaderLibrary
    blocks : int
    """

    def __init__(self, whole: CullTree, library, blocks: int):
        self._due = make_table(library.capabilities, library.transport, "due_blocks", "uint", blocks)
        self.key = replace(
            whole.key,
            file="live/cull_due.glsl",
            bindings=(*whole.key.bindings, Binding("due_blocks", "uint")),
            defines=(*whole.key.defines, ("DUE_BLOCKS", f"{blocks}u")),
        )
        self.resources, self.groups = (*whole.resources, self._due), whole.groups
        self.shader = library.get(self.key) if self.groups[0] else None

    def upload(self, due: np.ndarray) -> None:
        """(B,) bool."""
        self._due.upload(np.asarray(due, np.uint32))
