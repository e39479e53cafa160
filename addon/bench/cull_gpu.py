"""GPU culling against the same GPU's copy bandwidth, and the tree against flat culling. Results are checked against numpy
before anything is timed.

Bytes are what each variant must move: 16 an instance for its sphere, 32 for the box of what passes the sphere, a bit of result
an instance; a copy moves every byte twice.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from ..core.cluster_tree import build_forest
from ..core.culling import decide, draws
from ..core.culling.bounds import InstanceBounds
from ..core.culling.camera import Camera, CullView
from ..core.culling.flat import cull_flat
from ..core.culling.gpu_records import DRAW_SLOT
from ..core.culling.gpu_tree import GpuTree
from ..core.culling.stream import BoundsStream
from ..device import capabilities as device
from ..device import timing
from ..device.buffers import make_table
from ..device.frame import GpuCuller
from ..device.passes.base import Pass
from ..device.passes.mapping import Mapping
from ..device.shader_library import ShaderKey, ShaderLibrary
from ..device.subgroups import has_ballot
from ..glsl.accessors import Binding
from .measure import seconds

_BUDGET = 0.15


def run(
    instances: int = 10_000_000,
    progress=lambda text: None,
    *,
    transport: str | None = None,
    visible_share: float = 0.05,
    cluster_size: int = 64,
    copy_bytes: int | None = None,
    budget: float = _BUDGET,
) -> dict:
    """Measure. See the module.

    Parameters
    ----------
    instances : int
    progress : callable
        Told what is going on.
    transport : {"storage", "texture"}, optional
    visible_share : float
        Of the instances, in the camera of the comparison.
    copy_bytes : int, optional
        Size of the buffers copied; default 1 GiB, 64 MiB on a software rasteriser.
    budget : float
        Seconds a measurement.

    Returns
    -------
    dict
        JSON values; seconds and bytes.

    Raises
    ------
    DeviceError
        There is no GPU.
    """
    capabilities = device.start()
    transport = capabilities.transport(transport)
    library = ShaderLibrary(capabilities, transport)
    ballot = has_ballot(library)
    result = {
        "backend": capabilities.backend,
        "renderer": capabilities.renderer,
        "transport": transport,
        "instances": instances,
        "ballot": ballot,
    }
    progress("empty dispatches")
    result["empty_dispatch_seconds"] = empty_dispatch(library, budget)
    if transport == "storage":
        result["copy"] = copy_bandwidth(
            library, copy_bytes or (64 << 20 if capabilities.is_software else 1 << 30), progress, budget
        )
    progress(f"{instances:,} instances")
    bounds = scatter(instances)
    view = view_of(bounds, visible_share)
    stream = BoundsStream.of(bounds)
    expected = cull_flat(view, stream)
    result["numpy_flat_seconds"] = min(seconds(lambda: cull_flat(view, stream)) for _ in range(3))
    del stream
    result["visible"] = len(expected)
    passing = sphere_passing(view, bounds)
    mappings = _mappings(capabilities, ballot)
    result["flat"] = flat = _variants(mappings, progress, "flat", bounds, view, expected, None, transport, budget)
    best = min(flat, key=lambda entry: entry["seconds"])
    result["flat_bytes"] = 16 * instances + 32 * passing + instances // 8
    result["flat_bytes_per_second"] = result["flat_bytes"] / best["seconds"]
    listed = min(entry["with_draws_seconds"] for entry in flat)
    if transport == "storage":
        copied = result["copy"]["bytes_per_second"]
        result["flat_share_of_copy"] = result["flat_bytes_per_second"] / copied
        result["flat_with_draws_share_of_copy"] = result["flat_bytes"] / listed / copied
    progress("building the tree")
    nodes, roots, order = build_forest(bounds, np.array([0, instances]), "spatial", cluster_size)
    tree = GpuTree.of_nodes(nodes, roots, order, row_count=instances)
    result["leaves"] = len(tree.leaf_nodes)
    result["tree"] = _variants(mappings, progress, "tree", bounds, view, expected, tree, transport, budget)
    result["tree_times_faster"] = listed / min(entry["with_draws_seconds"] for entry in result["tree"])
    return result


def _mappings(capabilities, ballot) -> list:
    if capabilities.is_software:
        return [Mapping("word", 64), Mapping("transpose", 64, 8)]
    name = "ballot" if ballot else "transpose"
    found = [Mapping(name, size, words) for size, words in ((64, 8), (128, 8), (128, 16), (256, 4), (256, 8), (256, 16))]
    single = [Mapping(name, 256, words, single_pass=True) for words in (8, 16)]
    return found + [Mapping("transpose", 256, 8), Mapping("word", 128)] + single


def _variants(mappings, progress, label, bounds, view, expected, tree, transport, budget) -> list:
    """Seconds of every mapping, culling alone and with compaction and arguments; the words checked first."""
    slots = DRAW_SLOT.empty(1)
    slots["row_count"], slots["index_count"] = len(bounds), 36
    primitive = np.zeros(len(bounds), np.uint32)
    words, rows, arguments = expected.words, expected.rows, draws.arguments(slots, expected.visible)
    out, culler = [], None
    for mapping in mappings:
        if mapping.single_pass and tree is None:
            continue
        single = ", a single pass" if mapping.single_pass else ""
        progress(f"{label}, {mapping.name}, groups of {mapping.group_size}, {mapping.words_per_subgroup} words{single}")
        entry = dataclasses.asdict(mapping)
        entry["mapping"] = entry.pop("name")
        for key, some in (("", None), ("with_draws_", slots)):
            culler = GpuCuller(
                bounds, tree=tree, draw_slots=some, primitive=primitive, mapping=mapping, transport=transport, reuse=culler
            )
            got = culler.cull(view)
            if not np.array_equal(got.words, words):
                raise AssertionError(f"{label} {mapping}: visibility differs from numpy's")
            if some is not None:
                if not np.array_equal(got.indirect_args, arguments) or not np.array_equal(np.sort(got.draw_instances), rows):
                    raise AssertionError(f"{label} {mapping}: draws differ from numpy's")
            measured = timing.measure(culler.run, culler.wait, budget)
            entry |= {
                f"{key}seconds": measured.seconds,
                f"{key}submit_seconds": measured.submit_seconds,
                f"{key}passes": len(culler.passes),
            }
        out.append(entry)
    return out


def empty_dispatch(library: ShaderLibrary, budget: float = _BUDGET) -> float:
    """Seconds of one queued dispatch that does nothing."""
    table = make_table(library.capabilities, library.transport, "target", "uint", 4, on_device=True)
    nothing = Pass(library, ShaderKey("bench/nothing.glsl", (Binding("target", "uint", "write", True),)), (table,), 64)
    return timing.measure(nothing.run, table.read_words, budget).seconds


def copy_bandwidth(library: ShaderLibrary, size: int, progress=lambda text: None, budget: float = _BUDGET) -> dict:
    """Best of several copy kernels between two buffers of `size` bytes: ``bytes_per_second`` counts bytes read and bytes
    written.
    """
    count = size // 16 // (256 * 16) * 256 * 16
    source = make_table(library.capabilities, library.transport, "source", "vec4", rows=np.zeros((count, 4), np.float32))
    target = make_table(library.capabilities, library.transport, "target", "vec4", count, on_device=True)
    small = make_table(library.capabilities, library.transport, "small", "uint", 4, on_device=True)
    bindings = (Binding("source", "vec4"), Binding("target", "vec4", "write", True))
    variants = []
    for group_size in (64, 128, 256):
        for values in (1, 2, 4, 8):
            progress(f"copy, groups of {group_size}, {values} values a thread")
            key = ShaderKey("bench/copy.glsl", bindings, group_size=group_size, defines=(("VALUES", f"{values}u"),))
            copy = Pass(library, key, (source, target), count // values)
            took = timing.measure(copy.run, small.read_words, budget, repeats=3).seconds
            variants.append(
                {"group_size": group_size, "values": values, "seconds": took, "bytes_per_second": 2 * count * 16 / took}
            )
    return {"bytes": count * 16, "bytes_per_second": max(v["bytes_per_second"] for v in variants), "variants": variants}


def scatter(count: int, seed: int = 3) -> InstanceBounds:
    """Instances of 0.5 to 2 m over a square of 4 m² each, up to 50 m high."""
    rng = np.random.default_rng(seed)
    side = 2 * np.sqrt(count)
    center = rng.random((count, 3), np.float32) * np.array([side, side, 50], np.float32)
    radius = rng.random(count, np.float32) * np.float32(1.5) + np.float32(0.5)
    half = radius[:, None] * np.float32(0.6)
    return InstanceBounds(center, radius, center - half, center + half, np.zeros(count, np.float32), np.ones(count, bool))


def view_of(bounds: InstanceBounds, share: float) -> CullView:
    """A camera in the middle that sees about `share` of the instances: its far plane is moved until it does, on a sample."""
    sample = slice(None, None, max(len(bounds) // 100_000, 1))
    few = InstanceBounds(
        *(
            np.ascontiguousarray(getattr(bounds, name)[sample])
            for name in ("center", "radius", "box_min", "box_max", "cull_radius", "drawable")
        )
    )
    low, high = 1.0, bounds.extent * 2
    for _ in range(24):
        far = (low + high) / 2
        view = _view(bounds.extent, far)
        if decide.instance_visible(view, few).mean() < share:
            low = far
        else:
            high = far
    return view


def _view(extent: float, far: float) -> CullView:
    near, scale = 0.1, 1 / np.tan(np.radians(35))
    projection = np.array(
        [
            [scale * 9 / 16, 0, 0, 0],
            [0, scale, 0, 0],
            [0, 0, -(far + near) / (far - near), -2 * far * near / (far - near)],
            [0, 0, -1, 0],
        ]
    )
    position = np.array([extent / 2, extent / 2, 25.0])
    to_view = np.eye(4)
    to_view[:3, :3] = [[1, 0, 0], [0, 0, 1], [0, -1, 0]]  # looks along +Y
    to_view[:3, 3] = -to_view[:3, :3] @ position
    return CullView.of(Camera("bench", projection @ to_view, position, True, scale / 2), extent)


def sphere_passing(view: CullView, bounds: InstanceBounds) -> int:
    """How many instances' boxes must be read."""
    passing = 0
    for start in range(0, len(bounds), 1 << 20):
        block = slice(start, start + (1 << 20))
        x, y, z = bounds.center[block].T
        passing += int(np.count_nonzero(bounds.drawable[block] & ~decide.sphere_outside(view, x, y, z, bounds.radius[block])))
    return passing


if __name__ == "__main__":
    import json
    import sys

    import bpy  # noqa: F401  (the GPU is Blender's)

    print(
        json.dumps(
            run(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000, lambda text: print(text, file=sys.stderr, flush=True)),
            indent=1,
        )
    )
