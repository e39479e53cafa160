"""What an upload cost."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Upload:
    """`bytes` sent, `seconds` of this thread (the GPU may still be at it), and whether it was `whole`."""

    bytes: int
    seconds: float
    whole: bool
