"""``gpuscene export``: a .blend file in, a GPUScene file out."""

from __future__ import annotations

from ..core import blendfile
from . import blender_module
from .output import check_output, print_json, print_text
from .summary import export_summary
from .tasks import run_task


def command(arguments, hosted: bool) -> int:
    """Check the input and the output, export, print the result."""
    check_output(arguments.output, arguments.force)
    if arguments.file is not None and not hosted:
        known = blender_module.installed_version()  # a bad file is named before Blender is started
        blendfile.check(arguments.file, known) if known else blendfile.read_header(arguments.file)
    result = run_task("export", {
        "source": None if arguments.file is None else str(arguments.file), "output": str(arguments.output),
        "settings": {"axes": arguments.axes, "visible": arguments.visible, "frame": arguments.frame, "container": arguments.container,
                     "scope": "collection" if arguments.collection else "scene", "collection": arguments.collection}}, hosted)
    print_json(result) if arguments.json else print_text(export_summary(result))
    return 0
