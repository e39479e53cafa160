"""``gpuscene snapshot``: a picture of a scene, coloured by what culling did."""

from __future__ import annotations

from .input import check_input
from .output import check_output, print_json, print_text
from .summary import size
from .tasks import run_task


def command(arguments, hosted: bool) -> int:
    """Draw and say what the colours stand for."""
    check_output(arguments.output, arguments.force, (".png",))
    check_input(arguments.file, hosted)
    frames = None if arguments.frame is None else (arguments.frame, arguments.frame, 1)
    result = run_task("snapshot", {
        "source": None if arguments.file is None else str(arguments.file), "output": str(arguments.output),
        "camera": arguments.camera, "frames": frames,
        **{name: getattr(arguments, name) for name in ("overlay", "view", "size", "cluster_size", "slices", "trails", "offset", "particles",
                                                       "particle_size", "color_by", "seed")}}, hosted)
    print_json(result) if arguments.json else print_text(snapshot_text(result))
    return 0


def snapshot_text(result: dict) -> str:
    """The file, the counts and the legend."""
    device = result["device"]
    lines = [result["path"], f"  {result['size'][0]} x {result['size'][1]}, {size(result['bytes'])}, {device['renderer']} ({device['backend']})",
             f"  frame {result['frame']}, camera {result['camera']} sees {result['visible']:,} of {result['total']:,} instances",
             *(f"  {name}: {count:,}" for name, count in result["legend"].items())]
    return "\n".join(lines)
