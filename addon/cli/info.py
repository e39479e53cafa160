"""``gpuscene info``: what is in a file. Needs no Blender."""

from __future__ import annotations

from ..core.gltf import read_info
from .output import print_json, print_text
from .summary import counted, size


def command(arguments, hosted: bool) -> int:
    """Read, verify unless told not to, and print."""
    info = read_info(arguments.file, verify=arguments.verify)
    print_json(info) if arguments.json else print_text(info_text(info))
    return 0


def columns(rows: list) -> list:
    """Rows of strings as aligned lines: the first column to the left, the others to the right; line ends carry no spaces."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join([row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]).rstrip()
            for row in rows]


def info_text(info: dict) -> str:
    """The result of `read_info` as text."""
    axes = info["axes"]
    counts = ", ".join(counted(info[key], word) for key, word in (
        ("instances", "instance"), ("primitives", "primitive"), ("batches", "batch"), ("materials", "material")))
    lines = [
        info["path"],
        f"  format {info['version']}, {size(info['bytes'])}, {'checksums right' if info['verified'] else 'checksums not looked at'}",
        f"  axes {axes['name']}: {axes['up']} up, {axes['handedness']}-handed, {axes['units_per_metre']:g} units a metre",
        f"  {counts}",
        f"  {counted(info['triangles'], 'triangle')} stored, {info['drawn_triangles']:,} drawn",
        "", *columns([("table", "rows", "stride", "size"),
                      *((name, f"{table['count']:,}", str(table["stride"]), size(table["bytes"])) for name, table in info["tables"].items())]),
    ]
    if info["top_primitives"]:
        lines += ["", *columns([("most used primitive", "instances", "triangles", "LODs"),
                                *((row["name"], f"{row['instances']:,}", f"{row['triangles']:,}", str(row["lods"]))
                                  for row in info["top_primitives"])])]
    if info["findings"]:
        lines += ["", *columns([("finding", "count"), *((code, f"{count:,}") for code, count in info["findings"].items())])]
    return "\n".join(lines)
