"""Export's result in a few lines for people."""

from __future__ import annotations

from itertools import groupby

from ..core.findings import SEVERITIES

MAX_LINES = 10


def size(count: int) -> str:
    """Bytes as ``12.3 MB``; powers of ten, as file managers show them."""
    if count < 1000:
        return f"{count} bytes"
    value, unit = float(count), ""
    for unit in ("kB", "MB", "GB"):
        value /= 1000
        if value < 999.95:
            break
    return f"{value:.1f} {unit}"


def counted(count: int, what: str) -> str:
    """``1 instance``, ``20,000 instances``, ``2 batches``."""
    plural = what + ("es" if what.endswith("ch") else "s")
    return f"{count:,} {what if count == 1 else plural}"


def findings_lines(findings: list) -> list:
    """At most ten lines, one a code, the worst first; then how many findings they leave out.

    Parameters
    ----------
    findings : list of dict
        As `Finding.to_json` makes them.
    """
    def rank(finding):
        return SEVERITIES.index(finding["severity"]), finding["code"]

    groups = [list(group) for _, group in groupby(sorted(findings, key=rank), key=rank)]
    lines = []
    for group in groups[:MAX_LINES]:
        first, more = group[0], f" (and {len(group) - 1:,} more)" if len(group) > 1 else ""
        lines.append(f"{first['severity']}: {first['code']}: {first['subject']}{more}: {first['message']} {first.get('hint', '')}".rstrip())
    if left := sum(len(group) for group in groups[MAX_LINES:]):
        lines.append(f"... and {left:,} more; use --json")
    return lines


def export_summary(result: dict) -> str:
    """Counts, bytes, seconds and findings."""
    seconds = dict(result["seconds"])
    total = seconds.pop("total")
    stages = ", ".join(f"{stage} {value:.2f}" for stage, value in seconds.items())
    counts = [counted(result[key], what) for key, what in (("instances", "instance"), ("primitives", "primitive"), ("batches", "batch"))]
    if "triangles" in result:
        counts.append(counted(result["triangles"], "triangle"))
    return "\n".join([
        f"{result['path']}", f"  {', '.join(counts)}", f"  {size(result['bytes'])} in {total:.2f} s" + (f" ({stages})" if stages else ""),
        *(f"  {line}" for line in findings_lines(result["findings"]))])
