"""What an upload cost."""

from __future__ import annotations

from dataclasses import dataclass

#: by transport: past this share of changed slots, uploading everything is no slower. On llvmpipe (Vulkan, 1,000,000 instances,
#: medians of three runs of `gpuscene bench update`) the scatter took of everything's time, with 10, 20, 30, 40, 50 % changed:
#: storage 30, 68, 110, 105, 117 %; texture 26, 48, 70, 96, 109 %
FULL_UPLOAD_SHARE = {"storage": 0.25, "texture": 0.4}


@dataclass(frozen=True)
class Upload:
    """`bytes` sent, `seconds` of this thread (the GPU may still be at it), and whether it was `whole`."""

    bytes: int
    seconds: float
    whole: bool
