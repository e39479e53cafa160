"""``gpuscene export``: a .blend file in, a GPUScene file out."""

from __future__ import annotations

from pathlib import Path

from ..core.errors import InputError
from .input import check_input
from .output import check_output, print_json, print_text
from .summary import export_summary
from .tasks import run_task


def command(arguments, hosted: bool) -> int:
    """Check the input and the output, export, print the result."""
    check_output(written_path(arguments.output, arguments.container), arguments.force)
    check_input(arguments.file, hosted)
    if arguments.visible == "render" and (arguments.skins or arguments.skin_frames is not None):
        raise InputError("Skins are read in the viewport's visibility.", "Leave --visible render out.")
    result = run_task("export", {
        "source": None if arguments.file is None else str(arguments.file), "output": str(arguments.output),
        "settings": {"axes": arguments.axes, "visible": arguments.visible, "frame": arguments.frame, "container": arguments.container,
                     "clusters": arguments.clusters, "cluster_size": arguments.cluster_size, "replace": arguments.force,
                     "skins": arguments.skins or arguments.skin_frames is not None, "skin_frames": arguments.skin_frames,
                     "scope": "scene" if arguments.collection is None else "collection", "collection": arguments.collection or ""}}, hosted)
    print_json(result) if arguments.json else print_text(export_summary(result))
    return 0


def written_path(output: Path, container: str) -> Path:
    """The file that an export writes, as far as it can be told beforehand: a container that is asked for wins over the suffix."""
    suffix = output.suffix.lower()
    follows = container == "auto" or suffix == f".{container}" or suffix not in (".glb", ".gltf")
    return output if follows else output.with_suffix(f".{container}")
