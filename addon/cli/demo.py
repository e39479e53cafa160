"""``gpuscene demo``: export the sample forest and print where the result is."""

from __future__ import annotations

from ..paths import sample_scene
from .output import check_output, make_folder, print_json, print_text
from .summary import export_summary
from .tasks import run_task


def command(arguments, hosted: bool) -> int:
    """Export sample_scenes/forest.blend to DIR/forest.glb."""
    source = sample_scene("forest")
    make_folder(arguments.output)
    output = arguments.output / "forest.glb"
    check_output(output, replace=True)
    result = run_task("export", {"source": str(source), "output": str(output), "settings": {}}, hosted)
    print_json(result) if arguments.json else print_text(export_summary(result))
    return 0
