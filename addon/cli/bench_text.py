"""The GPU's culling figures as text."""

from __future__ import annotations


def gpu_text(result: dict) -> str:
    """A line for the device, one for flat culling, one for the tree; or why there is no GPU."""
    if "missing" in result:
        return result["missing"]
    flat = min(result["flat"], key=lambda entry: entry["seconds"])
    drawn = {name: min(entry["with_draws_seconds"] for entry in result[name]) for name in ("flat", "tree")}
    share = ""
    if "copy" in result:
        share = f", {result['flat_share_of_copy']:.0%} of the copy's {result['copy']['bytes_per_second'] / 1e9:.1f} GB/s"
    where = f"{result['renderer']} ({result['backend']}, {result['transport']})"
    return "\n".join([
        f"GPU, {where}, {result['instances']:,} instances, {result['visible']:,} visible",
        f"  flat {flat['seconds'] * 1e3:.3f} ms, {result['flat_bytes_per_second'] / 1e9:.1f} GB/s{share}; "
        f"numpy {result['numpy_flat_seconds'] * 1e3:.3f} ms",
        f"  with compaction and arguments: flat {drawn['flat'] * 1e3:.3f} ms, tree {drawn['tree'] * 1e3:.3f} ms: "
        f"{result['tree_times_faster']:.1f} x"])
