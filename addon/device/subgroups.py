"""Whether 32 threads in a row make up one subgroup, found out by trying: drivers differ, and few say so in advance."""

from __future__ import annotations

import numpy as np

from ..glsl.accessors import Binding
from .buffers import make_table
from .errors import ShaderError
from .passes.base import Pass
from .shader_library import ShaderKey, ShaderLibrary

_WORDS = 4096
#: Intel picks 8, 16 or 32 for each shader anew, so one trial says nothing about the next shader
_UNSTEADY = ("intel", "32902")


def has_ballot(library: ShaderLibrary, group_size: int = 256) -> bool:
    """True when the "ballot" mapping gives the right words here."""
    capabilities = library.capabilities
    if capabilities.is_software or any(name in f"{capabilities.vendor} {capabilities.renderer}".lower() for name in _UNSTEADY):
        return False
    table = make_table(capabilities, library.transport, "ballots", "uint", _WORDS, on_device=True)
    try:
        trial = Pass(
            library,
            ShaderKey("culling/probe_ballot.glsl", (Binding("ballots", "uint", "write", True),), group_size=group_size),
            (table,),
            _WORDS * 32,
        )
    except ShaderError:
        return False
    trial.run()
    trial.finish()
    return np.array_equal(table.read_words(), expected())


def expected() -> np.ndarray:
    """(4096,) uint32 words of culling/probe_ballot.glsl: bit k of word w is the top bit of ``(32 w + k) * 2654435761``."""
    values = (np.arange(_WORDS * 32, dtype=np.uint64) * 2654435761) & 0xFFFFFFFF
    return np.packbits(values >> 31 != 0, bitorder="little").view(np.uint32)
