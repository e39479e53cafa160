"""What an upload cost."""

from __future__ import annotations

from dataclasses import dataclass

#: by transport: past this share of changed slots, uploading everything is faster (`gpuscene bench update` compares them)
FULL_UPLOAD_SHARE = {"storage": 0.4, "texture": 0.5}


@dataclass(frozen=True)
class Upload:
    """`bytes` sent, `seconds` of this thread (the GPU may still be at it), and whether it was `whole`."""

    bytes: int
    seconds: float
    whole: bool
