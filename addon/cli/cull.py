"""``gpuscene cull``: what cameras see, by every path there is, and whether they agree."""

from __future__ import annotations

import csv
import io

from ..core.errors import InputError
from ..core.limits import MAX_LODS
from .input import check_input
from .info import columns
from .output import check_output, print_error, print_json, print_text, write_text
from .tasks import run_task
from .views import is_stored, stored_frame

_FIELDS = ("frame", "total", "visible", "nodes_tested", "instances_tested", "mismatches", "false_negatives", "ms")


def command(arguments, hosted: bool) -> int:
    """Cull, print, and answer 1 when two paths differ or something visible was dropped."""
    if arguments.csv is not None:
        check_output(arguments.csv, arguments.force, (".csv",))
    check_input(arguments.file, hosted)
    stored = is_stored(arguments.file)
    choices = {name: getattr(arguments, name) for name in ("cluster_size", "lod_bias", "lod", "group_size")} | {"rule": _rule(arguments)}
    settings = {"device": arguments.device, "slices": arguments.slices}
    if stored and arguments.device == "cpu":
        from .culling import Choices, cull_frames
        frame = stored_frame(arguments.file, arguments.camera, arguments.frames)
        result = cull_frames([frame], 1, **settings, choices=Choices(**choices))
    else:
        result = run_task("cull", {"source": None if arguments.file is None else str(arguments.file), "camera": arguments.camera,
                                   "frames": arguments.frames, "choices": choices, **settings}, hosted)
    if arguments.csv is not None:
        write_text(arguments.csv, csv_text(result))
    print_json(result) if arguments.json else print_text(cull_text(result))
    wrong = sum(row["mismatches"] + row["false_negatives"] for row in result["frames"])
    if wrong and arguments.slices == 1:
        return print_error(f"{wrong:,} instances are culled wrongly or differently by two paths. Please report it with the file.")
    return 0


def _rule(arguments):
    """(text, name) of the custom rule, None without one. Raises `InputError`."""
    if arguments.device == "cpu" and (arguments.rule or arguments.group_size):
        name, verb = ("--rule", "runs") if arguments.rule else ("--group-size", "is for what runs")
        raise InputError(f"{name} {verb} on the GPU.", "Give --device gpu or both.")
    if arguments.rule is None:
        return None
    from ..device.custom_rule import CustomRule
    rule = CustomRule.load(arguments.rule)
    return rule.text, rule.name


def csv_text(result: dict) -> str:
    """A row for each frame; LOD counts in eight columns."""
    out = io.StringIO()
    extra = [key for key in result["frames"][0] if key not in (*_FIELDS, "lod_counts")]
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*_FIELDS, *extra, *(f"lod_{level}" for level in range(MAX_LODS))])
    for row in result["frames"]:
        counts = row["lod_counts"] + [0] * (MAX_LODS - len(row["lod_counts"]))
        writer.writerow([*(row[key] for key in _FIELDS), *(row[key] for key in extra), *counts])
    return out.getvalue()


def cull_text(result: dict) -> str:
    """The frames as a table, then the sums."""
    rows, device = result["frames"], result["device"]
    names = [key for key in rows[0] if key != "frame"]
    table = columns([("frame", *(name.replace("_", " ") for name in names)),
                     *((str(row["frame"]), *(_cell(row[name]) for name in names)) for row in rows)])
    lines = [f"{device['renderer']} ({device['backend']}), camera {result['camera']}, clusters of {result['cluster_size']}", *table]
    if result["note"]:
        lines.insert(1, f"note: {result['note']}")
    wrong = {name: sum(row[name] for row in rows) for name in ("mismatches", "false_negatives")}
    late = f", seen late by refreshing in {result['slices']} slices" if result["slices"] > 1 else ""
    counts = f"{wrong['mismatches']:,} mismatches, {wrong['false_negatives']:,} false negatives"
    lines.append(f"{len(rows):,} frame{'s' * (len(rows) != 1)}: {counts}{late}")
    return "\n".join(lines)


def _cell(value) -> str:
    if isinstance(value, list):
        return " ".join(f"{count:,}" for count in value)
    return f"{value:,.3f}" if isinstance(value, float) else f"{value:,}"
