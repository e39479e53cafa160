"""What an upload cost."""

from __future__ import annotations

from dataclasses import dataclass

#: by transport: past this share of changed slots, uploading everything is no slower. Measured on llvmpipe at 1,000,000 instances,
#: processor time of the scatter over that of everything: storage 0.50 at a share of 0.2, 0.86 at 0.3, 0.99 at 0.4, 1.15 at 0.5;
#: texture 0.41 at 0.2, 0.63 at 0.3, 0.8 at 0.4 and 0.5 (`gpuscene bench update` compares them by the clock)
FULL_UPLOAD_SHARE = {"storage": 0.4, "texture": 0.5}


@dataclass(frozen=True)
class Upload:
    """`bytes` sent, `seconds` of this thread (the GPU may still be at it), and whether it was `whole`."""

    bytes: int
    seconds: float
    whole: bool
