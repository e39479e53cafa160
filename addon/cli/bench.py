"""``gpuscene bench``: measure, and print the figures."""

from __future__ import annotations

from .output import print_json, print_text
from .tasks import run_task


def command(arguments, hosted: bool) -> int:
    """Run the benchmark with Blender at hand where it needs it."""
    what = arguments.bench
    settings = {name: value for name, value in vars(arguments).items() if name in ("instances", "peers", "device", "particles")}
    if what not in ("export", "viewport", "skin") and settings.get("device", "cpu") == "cpu":  # needs no Blender
        from .output import progress_bar
        from .tasks import TASKS
        with progress_bar() as progress:
            answer = TASKS[f"bench_{what}"](settings, progress)
    else:
        answer = run_task(f"bench_{what}", settings, hosted)
    print_json(answer["result"]) if arguments.json else print_text(answer["text"])
    return 0
