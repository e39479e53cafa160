"""``gpuscene bench export``: measure, and print the figures."""

from __future__ import annotations

from .output import print_json, print_text
from .tasks import run_task


def command(arguments, hosted: bool) -> int:
    """Run ``bench.export`` with Blender at hand."""
    answer = run_task("bench_export", {"instances": arguments.instances, "peers": arguments.peers}, hosted)
    print_json(answer["result"]) if arguments.json else print_text(answer["text"])
    return 0
