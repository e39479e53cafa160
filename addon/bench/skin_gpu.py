"""Skinning on the GPU against its own copy bandwidth, an empty dispatch, and Blender's modifier. Bits are checked against
numpy before anything is timed.

A particle moves 32 bytes: 16 of where it is on the skin are read, 16 of where it is now are written; the vertices it lies
between are few and stay in
caches. A copy moves every byte twice.
"""

from __future__ import annotations

import numpy as np

from ..core.skinning import Skin, pack
from ..core.skinning.bake import bake
from ..core.skinning.blend import blend_packed
from ..core.skinning.gpu_records import snapped
from ..core.skinning.surface import SurfacePoints, on_surface, on_vertices
from ..device import capabilities as device
from ..device import timing
from ..device.shader_library import ShaderLibrary
from ..device.skinning import BakedSkins, Level, Picture, SkinDevice, SkinPainter
from .cull_gpu import copy_bandwidth, empty_dispatch
from .skin_scene import BONES, character, pose

_BUDGET = 0.1
#: particles compared with numpy, of each measurement
_CHECKED = 200_000
PARTICLE_BYTES = 32
#: of the crowd
MANY, MANY_PARTICLES = 64, 10_000
CHARACTER_PARTICLES = 150_000
#: rings of a character of 10,002 vertices
_RINGS = 1667


def run(large: Skin, particles: int, progress=lambda text: None, transport: str | None = None) -> dict:
    """Measure; JSON values, seconds and bytes.

    Parameters
    ----------
    large : Skin
        The mesh on which Blender's modifier was timed; a particle on each vertex.
    particles : int
        Of the great measurement.
    transport : {"storage", "texture"}, optional

    Raises
    ------
    DeviceError
        There is no GPU.
    """
    capabilities = device.start()
    transport = capabilities.transport(transport)
    library = ShaderLibrary(capabilities, transport)
    out = {"backend": capabilities.backend, "renderer": capabilities.renderer, "transport": transport}
    progress("empty dispatches")
    out["empty_dispatch_seconds"] = empty_dispatch(library, _BUDGET)
    if transport == "storage":
        out["copy"] = copy_bandwidth(library, 64 << 20 if capabilities.is_software else 1 << 30, progress, _BUDGET)
    small = character(rings=_RINGS)
    progress(f"particles on {large.vertex_count:,} vertices")
    out["vertices_seconds"] = _crowd_seconds(1, large, on_vertices(large.vertex_count), transport, "particles")
    some = on_surface(small.rest, small.triangles, CHARACTER_PARTICLES, 1)
    for method in ("particles", "vertices"):
        progress(f"{CHARACTER_PARTICLES:,} particles between vertices, method {method}")
        out[f"character_{method}_seconds"] = _crowd_seconds(1, small, some, transport, method)
    out["character_seconds"] = min(out["character_particles_seconds"], out["character_vertices_seconds"])
    progress(f"{MANY} characters")
    few = some.first(MANY_PARTICLES)
    out |= {"many_count": MANY, "many_particles": MANY_PARTICLES}
    crowds = [_checked(count, small, few, transport, "particles") for count in (1, MANY)]
    crowds.append(_checked(MANY, small, few, transport, "auto", mode="uniform"))
    for name, best in zip(("one", "many", "many_uniform"), _best(crowds)):
        out[f"{name}_seconds"] = best
    out["upload"] = _upload(transport, small, few)
    out["baked"] = {kind: _baked(kind, small, few, progress) for kind in ("vertex", "bone")}
    out["draw"] = _draw(small, some, transport, progress)
    out["particles"], out["particles_bytes"] = particles, PARTICLE_BYTES * particles
    points = on_surface(small.rest, small.triangles, particles, 1)
    for method in ("vertices", "particles"):
        progress(f"{particles:,} particles, method {method}")
        out[f"particles_{method}_seconds"] = _crowd_seconds(1, small, points, transport, method)
    out["particles_seconds"] = min(out["particles_vertices_seconds"], out["particles_particles_seconds"])
    if "copy" in out:
        out["particles_times_copy"] = out["particles_seconds"] * out["copy"]["bytes_per_second"] / out["particles_bytes"]
    return out


def _crowd(count: int, skin: Skin, points: SurfacePoints, **how) -> SkinDevice:
    """`count` characters of one skin, posed differently, uploaded."""
    skins, level = SkinDevice(**how), Level(pack(skin), points)
    for number in range(count):
        skins.add(number, [level])
        skins.pose(number, pose(BONES, number))
    skins.upload()
    return skins


def _check(skins, name, packed, matrices, points, what: str) -> None:
    """Raises ``AssertionError`` where the first particles are not numpy's."""
    some = points.first(min(len(points), _CHECKED))
    expected = snapped(some).at(blend_packed(packed, packed.matrices(matrices)))
    if not np.array_equal(skins.positions(name)[: len(some)], expected):
        raise AssertionError(f"{what}: the GPU's particles are not numpy's")


def _best(devices, times: int = 3) -> list:
    """The least of several measurements of each, in turns, as Blender's time is the least of several: other work on the
    machine only adds.
    """
    found = [[timing.measure(skins.run, skins.wait, _BUDGET, repeats=3).seconds for skins in devices] for _ in range(times)]
    return [min(each) for each in zip(*found)]


def _crowd_seconds(*what, **how) -> float:
    """Seconds to pose all particles once, the pose being on the GPU."""
    return _best([_checked(*what, **how)], 2)[0]


def _checked(count: int, skin: Skin, points: SurfacePoints, transport: str, method: str, mode: str = "streamed") -> SkinDevice:
    """A crowd whose particles are numpy's."""
    skins = _crowd(count, skin, points, transport=transport, method=method, mode=mode)
    skins.run()
    for number in {0, count - 1}:
        _check(skins, number, skins.packed(number), pose(BONES, number), points, f"{count} characters, {method}, {mode}")
    return skins


def _upload(transport: str, skin: Skin, points: SurfacePoints) -> dict:
    """What travels in a frame of 12 characters, by format."""
    out = {"characters": 12}
    for matrices in ("float32", "half", "trs"):
        skins = _crowd(12, skin, points, transport=transport, matrices=matrices)
        out[matrices] = skins.upload()

    def frame():
        for number in range(12):
            skins.pose(number, matrices)
        skins.upload()

    skins, matrices = _crowd(12, skin, points, transport=transport), pose(BONES, 1.0)
    out["seconds"] = timing.measure(frame, skins.wait, _BUDGET, repeats=3).submit_seconds
    return out


def _baked(kind: str, skin: Skin, points: SurfacePoints, progress, frames: int = 24) -> dict:
    """Seconds and bytes of one character that plays a texture."""
    progress(f"a baked texture, {kind}")
    packed = pack(skin)
    poses = [packed.matrices(pose(BONES, frame)) for frame in range(frames)]
    pictures = poses if kind == "bone" else [blend_packed(packed, matrices) for matrices in poses]
    count = packed.bone_count if kind == "bone" else skin.vertex_count
    skins = BakedSkins(bake(kind, np.stack(pictures), range(frames), [("one", count)]), {"one": Level(packed, points)})
    skins.upload()
    skins.set_frame(5)
    skins.run()
    _check(skins, "one", packed, pose(BONES, 5), points, f"baked {kind}")
    return {
        "frames": frames,
        "memory": skins.memory,
        "bytes_per_frame": skins.upload(),
        "seconds": timing.measure(skins.run, skins.wait, _BUDGET, repeats=3).seconds,
    }


def _draw(skin: Skin, points: SurfacePoints, transport: str, progress) -> dict:
    """Drawing what is stored, with the pass that stores it, against posing in the vertex shader."""
    progress("drawing")
    skins = _crowd(1, skin, points, transport=transport, method="particles")
    painter, picture = SkinPainter(skins), Picture((512, 512))
    clip_from_world = np.array([[0.5, 0, 0, 0], [0, 0, 1.0, -0.9], [0, 0.1, 0, 0], [0, 0, 0, 1]])

    def draw(stored):
        if stored:
            skins.run()
        with picture:
            painter.draw(clip_from_world, picture.size, mode="flat", pixels=1.0, stored=stored)

    out, pictures = {}, []
    for name, stored in (("stored", True), ("vertex_shader", False)):
        draw(stored)
        pictures.append(picture.read())
        out[f"{name}_seconds"] = timing.measure(lambda stored=stored: draw(stored), skins.wait, _BUDGET, repeats=3).seconds
    if not np.array_equal(*pictures) or not pictures[0][..., :3].any():
        raise AssertionError("stored particles and those posed in the vertex shader make different pictures")
    return out
