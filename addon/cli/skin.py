"""``gpuscene skin``: skinned characters as bone matrices, and how far they are from what Blender shows."""

from __future__ import annotations

from ..core.errors import InputError
from .info import columns
from .input import check_input
from .output import check_output, print_error, print_json, print_text
from .summary import counted, findings_lines, size
from .tasks import run_task
from .views import is_stored


def command(arguments, hosted: bool) -> int:
    """Measure, print, and answer 1 when the GPU puts something elsewhere."""
    if is_stored(arguments.file):
        raise InputError(f"{arguments.file} holds no rig.", "Give the .blend: what is exported is posed already.")
    if arguments.bake is not None:
        check_output(arguments.bake, arguments.force, (".exr",))
        check_output(arguments.bake.with_suffix(".json"), arguments.force, (".json",))
    check_input(arguments.file, hosted)
    result = run_task(
        "skin",
        {
            "source": None if arguments.file is None else str(arguments.file),
            "frames": arguments.frames,
            "influences": arguments.influences,
            "particles": arguments.particles,
            "seed": arguments.seed,
            "compare": arguments.compare,
            "bake": None if arguments.bake is None else str(arguments.bake.resolve()),
            "bake_kind": arguments.bake_kind,
            "device": arguments.device,
        },
        hosted,
    )
    print_json(result) if arguments.json else print_text(skin_text(result))
    wrong = (
        0
        if result["gpu"] is None
        else sum(result["gpu"][key] for key in ("vertex_mismatches", "particle_mismatches", "past_segment"))
    )
    return (
        print_error(f"{wrong:,} vertices or particles are elsewhere on the GPU. Please report it with the file.") if wrong else 0
    )


def skin_text(result: dict) -> str:
    """A row for each character, then the comparison, the sums and the findings."""
    rows = [
        ("character", "vertices", "bones", "used", "influences", "bytes/frame", "error", "of height", "unlimited", "at frame")
    ]
    for row in result["characters"]:
        rows.append(
            (
                row["name"],
                f"{row['vertices']:,}",
                f"{row['bones_total']:,}",
                f"{row['bones_used']:,}",
                f"{row['influences_most']}",
                f"{row['bytes_per_frame']:,}",
                _metres(row["error"]),
                f"{row['error_share']:.2e}",
                f"{row['unlimited_share']:.2e}",
                str(row["worst_frame"]),
            )
        )
    lines = [*columns(rows)]
    if result["compare"]:
        table = [("way", "bytes/frame", "memory", "bones", "error", "of height", "ms on the CPU")]
        table += [
            (
                way["name"],
                f"{way['bytes_per_frame']:,}",
                size(way["memory"]),
                f"{way['bones']:,}",
                _metres(way["error"]),
                f"{way['error_share']:.2e}",
                f"{way['ms']:.3f}",
            )
            for way in result["compare"]
        ]
        lines += ["", *columns(table)]
    if result["compare_gpu"]:
        table = [("way on the GPU", "bytes/frame", "memory", "error", "of height", "ms")]
        table += [
            (
                way["name"],
                f"{way['bytes_per_frame']:,}",
                size(way["memory"]),
                _metres(way["error"]),
                f"{way['error_share']:.2e}",
                f"{way['ms']:.4f}",
            )
            for way in result["compare_gpu"]
        ]
        lines += ["", *columns(table)]
    if result["particles"]:
        lines += [
            "",
            f"{result['particles']['count']:,} particles, farthest from the skin {_metres(result['particles']['error'])}",
        ]
    if result["gpu"]:
        gpu = result["gpu"]
        times = ", ".join(f"{name} {ms:.3f} ms" for name, ms in gpu["ms"].items())
        lines += [
            "",
            f"{gpu['renderer']} ({gpu['backend']}): "
            f"{gpu['vertex_mismatches'] + gpu['particle_mismatches']:,} mismatches with the CPU, "
            f"{gpu['past_segment']:,} reads past a segment; a frame takes {times}",
        ]
    if result["baked"]:
        baked = result["baked"]
        lines += [
            "",
            f"{baked['path']}: {baked['kind']} texture, {baked['width']:,} x {baked['height']:,}, {size(baked['bytes'])}",
        ]
    frames = counted(result["frame_count"], "frame")
    lines += [
        "",
        f"{counted(len(result['characters']), 'character')}, {frames}: {size(result['bytes_per_frame'])} a frame; "
        "Blender deforms them in "
        f"{result['blender_ms']:.3f} ms, float32 blending on the CPU takes {result['ms']:.3f} ms",
    ]
    lines += findings_lines(result["findings"])
    return "\n".join(lines)


def _metres(value: float) -> str:
    return f"{value:.2e} m"
