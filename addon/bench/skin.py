"""Skinning: Blender's own modifier, numpy, and the GPU on the same characters."""

from __future__ import annotations

from ..core.skinning.blend import blend_packed
from .measure import seconds
from .skin_scene import BONES, blender_seconds, character, crowd

#: vertices of the mesh on which Blender's modifier is timed
LARGE = 150_000


def run(particles: int = 10_000_000, gpu: bool = True, progress=lambda text: None, transport: str | None = None) -> dict:
    """Measure; JSON values, seconds and bytes. Raises ``DeviceError`` when `gpu` is asked for and there is none."""
    progress("Blender's modifier")
    large = character(rings=LARGE // 6)
    packed, buffer = crowd(1, large)
    rows = buffer.rows[buffer[0].rows]
    result = {
        "bones": BONES,
        "vertices": large.vertex_count,
        "blender_seconds": blender_seconds(large),
        "numpy_seconds": min(seconds(lambda: blend_packed(packed[0], rows)) for _ in range(5)),
    }
    if gpu:
        from . import skin_gpu

        found = result["gpu"] = skin_gpu.run(large, particles, progress, transport)
        found["times_faster_than_blender"] = result["blender_seconds"] / found["vertices_seconds"]
    return result


def format_table(result: dict) -> str:
    """The figures as lines."""
    ms = 1000
    lines = [
        f"{result['vertices']:,} vertices, {result['bones']} bones: Blender's modifier {result['blender_seconds'] * ms:.3f} ms, "
        f"numpy {result['numpy_seconds'] * ms:.3f} ms"
    ]
    gpu = result.get("gpu")
    if gpu is None:
        return "\n".join(lines)
    if "missing" in gpu:
        return "\n".join([*lines, gpu["missing"]])
    empty, upload, draw = gpu["empty_dispatch_seconds"], gpu["upload"], gpu["draw"]
    first, single = (gpu[f"particles_{name}_seconds"] * ms for name in ("vertices", "particles"))
    times = {name: gpu[f"{name}_seconds"] * ms for name in ("vertices", "character", "many", "one", "many_uniform", "particles")}
    lines += [
        f"{gpu['renderer']} ({gpu['backend']}, {gpu['transport']})",
        f"  empty dispatch {empty * 1e6:.1f} us",
        f"  {result['vertices']:,} particles on those vertices {times['vertices']:.4f} ms: "
        f"{gpu['vertices_seconds'] / empty:.1f} empty dispatches, {gpu['times_faster_than_blender']:.1f} times faster than Blender",
        f"  150,000 particles between vertices {times['character']:.4f} ms: {gpu['character_seconds'] / empty:.1f} empty dispatches",
        f"  {gpu['many_count']} characters of {gpu['many_particles']:,} particles in one dispatch {times['many']:.4f} ms, "
        f"{gpu['many_seconds'] / gpu['one_seconds']:.1f} times one ({times['one']:.4f} ms); "
        f"each with a uniform block and a dispatch {times['many_uniform']:.4f} ms",
        f"  a frame's upload for {upload['characters']} characters: {upload['float32']:,} bytes, half {upload['half']:,}, "
        f"translation, quaternion and scale {upload['trs']:,}; {upload['seconds'] * ms:.3f} ms of Python",
    ]
    for kind, each in gpu["baked"].items():
        lines.append(
            f"  baked {kind} texture, {each['frames']} frames: {each['seconds'] * ms:.4f} ms, {each['bytes_per_frame']} bytes a frame, "
            f"{each['memory'] / 1e6:.1f} MB"
        )
    lines += [
        f"  posing and drawing 150,000: stored {draw['stored_seconds'] * ms:.3f} ms, "
        f"in the vertex shader {draw['vertex_shader_seconds'] * ms:.3f} ms",
        f"  {gpu['particles']:,} particles {times['particles']:.3f} ms, {gpu['particles_bytes'] / gpu['particles_seconds'] / 1e9:.1f} GB/s "
        f"(vertices first {first:.3f} ms, in one dispatch {single:.3f} ms)",
    ]
    if "copy" in gpu:
        lines.append(
            f"  {gpu['particles_times_copy']:.2f} times what their bytes take at the copy bandwidth, "
            f"{gpu['copy']['bytes_per_second'] / 1e9:.1f} GB/s"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    import json
    import sys

    import bpy  # noqa: F401  (the GPU is Blender's)

    found = run(
        int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000, progress=lambda text: print(text, file=sys.stderr, flush=True)
    )
    print(json.dumps(found, indent=1))
    print(format_table(found), file=sys.stderr)
