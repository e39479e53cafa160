"""``gpuscene tree``: how good a scene's cluster tree is, and which cluster size suits it."""

from __future__ import annotations

from .info import columns
from .input import check_input
from .output import print_json, print_text
from .tasks import run_task
from .views import is_stored


def command(arguments, hosted: bool) -> int:
    """Measure where the scene is: a GPUScene file needs no Blender."""
    check_input(arguments.file, hosted)
    settings = {"source": None if arguments.file is None else str(arguments.file), "sweep": arguments.sweep,
                "cluster_size": arguments.cluster_size, "builder": arguments.builder}
    if is_stored(arguments.file):
        from ..core import gltf
        result = measure(gltf.read(arguments.file), settings)
    else:
        result = run_task("tree", settings, hosted)
    if arguments.json:
        print_json(result)
    else:
        print_text(sweep_text(result) if arguments.sweep else builders_text(result))
    return 0


def measure(scene, settings: dict, progress=None) -> dict:
    """The result of `sweep.sweep` or of `sweep.builders`."""
    from . import sweep

    if settings["sweep"]:
        return sweep.sweep(scene, tuple(settings["sweep"]), settings["builder"], progress)
    return sweep.builders(scene, settings["cluster_size"])


def sweep_text(result: dict) -> str:
    """A row for each cluster size, then what to take."""
    fields = ("nodes", "depth", "build_ms", "nodes_tested", "submitted", "cpu_cost", "gpu_cost")
    table = columns([("cluster size", *(field.replace("_", " ") for field in fields)),
                     *((str(row["cluster_size"]), *(_number(row[field]) for field in fields)) for row in result["sizes"])])
    best, seen = result["recommended"], f"{_number(result['visible'])} visible on average of {result['views']} views"
    return "\n".join([f"{result['instances']:,} instances, {seen}, {result['builder']} trees", *table,
                      f"CPU-bound target: clusters of {best['cpu_bound']}. GPU-bound target: clusters of {best['gpu_bound']}.",
                      f"Cost in box tests. {result['cost_model']}"])


def builders_text(result: dict) -> str:
    """A row for each builder."""
    fields = ("build_ms", "sah_cost", "overlap", "depth", "nodes", "leaves", "leaf_fill")
    table = columns([("builder", *(field.replace("_", " ") for field in fields)),
                     *((name, *(_number(row[field]) for field in fields)) for name, row in result["builders"].items())])
    return "\n".join([f"{result['instances']:,} instances, clusters of {result['cluster_size']}", *table])


def _number(value) -> str:
    return f"{value:,.2f}" if isinstance(value, float) else f"{value:,}"
