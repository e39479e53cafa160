"""``gpuscene export``: a .blend file in, a GPUScene file out."""

from __future__ import annotations

from .input import check_input
from .output import check_output, print_json, print_text
from .summary import export_summary
from .tasks import run_task


def command(arguments, hosted: bool) -> int:
    """Check the input and the output, export, print the result."""
    check_output(arguments.output, arguments.force)
    check_input(arguments.file, hosted)
    result = run_task("export", {
        "source": None if arguments.file is None else str(arguments.file), "output": str(arguments.output),
        "settings": {"axes": arguments.axes, "visible": arguments.visible, "frame": arguments.frame, "container": arguments.container,
                     "clusters": arguments.clusters, "cluster_size": arguments.cluster_size,
                     "scope": "collection" if arguments.collection else "scene", "collection": arguments.collection}}, hosted)
    print_json(result) if arguments.json else print_text(export_summary(result))
    return 0
