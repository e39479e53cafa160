"""Draw a scene offscreen: every batch with one instanced draw, lines on top. OpenGL and Vulkan; textures only, so Blender 5.2 too."""

from __future__ import annotations

import numpy as np

from ..core import picture_cameras
from ..core.limits import NO_INDEX
from ..core.overlay import widen
from ..paths import shaders_dir
from . import capabilities

_INSTANCES_PER_ROW = 1024
_BACKGROUND = (0.84, 0.88, 0.93, 1.0)
_DEFAULT_COLOR = (0.8, 0.8, 0.8, 1.0)


def draw(scene, camera, rows, boxes, lod, tint, lines, size, samples: int = 2, after=None) -> np.ndarray:
    """A picture.

    Parameters
    ----------
    scene : SceneData
    camera : Camera
        With a frustum, fitted to `size`.
    rows : (K,) integer
        Instances to draw.
    boxes : (B, 3), (B, 3) float
        World boxes that hold them, and what else must not be cut off at the near plane.
    lod : (K,) uint8
        Which LOD of each.
    tint : (K, 4) float32
        As `overlay.tints` makes them.
    lines : list of (segments, colour, width)
        As `overlay.tree_lines` makes them.
    size : (width, height) in pixels
    samples : int
        Drawn this many times wider and higher, then averaged; less where the GPU has no such picture.
    after : callable, optional
        ``after(camera, size, samples)`` draws what comes after the meshes; `size` is the wider picture's.

    Returns
    -------
    (height, width, 3) uint8
        sRGB, top row first.

    Raises
    ------
    DeviceError
        There is no GPU.
    """
    can = capabilities.start()
    import gpu

    camera = picture_cameras.tightened(camera, *boxes)
    samples = max(1, min(samples, can.max_texture_size // max(size)))
    wide = tuple(side * samples for side in size)
    target = gpu.types.GPUOffScreen(*wide, format="RGBA8")
    try:
        with target.bind():
            frame = gpu.state.active_framebuffer_get()
            frame.clear(color=_BACKGROUND, depth=1.0)
            gpu.state.depth_test_set("LESS_EQUAL")
            gpu.state.depth_mask_set(True)
            gpu.state.blend_set("NONE")
            _draw_meshes(gpu, scene, camera, rows, lod, tint)
            if after is not None:
                after(camera, wide, samples)
            gpu.state.depth_mask_set(False)
            gpu.state.blend_set("ALPHA")
            _draw_lines(gpu, camera, lines, wide, samples)
            gpu.shader.unbind()
            pixels = np.frombuffer(target.texture_color.read(), np.uint8).reshape(size[1], samples, size[0], samples, 4)
            pixels = pixels[..., :3].copy()
            gpu.state.depth_test_set("NONE")
            gpu.state.blend_set("NONE")
    finally:
        target.free()
    return ((pixels.sum(axis=(1, 3), dtype=np.uint32) + samples * samples // 2) // (samples * samples)).astype(np.uint8)[::-1]


def _shader(gpu, name, constants, inputs, varyings, sampler=None, defines=()):
    info, interface = gpu.types.GPUShaderCreateInfo(), gpu.types.GPUStageInterfaceInfo(f"{name}_interface")
    for kind, constant in constants:
        info.push_constant(kind, constant)
    for slot, (kind, attribute) in enumerate(inputs):
        info.vertex_in(slot, kind, attribute)
    for how, kind, varying in varyings:
        getattr(interface, how)(kind, varying)
    if sampler:
        info.sampler(0, "FLOAT_2D", sampler)
    for key, value in defines:
        info.define(key, value)
    info.vertex_out(interface)
    info.fragment_out(0, "VEC4", "color")
    folder = shaders_dir() / "overlay"
    info.vertex_source((folder / f"{name}.vert.glsl").read_text())
    info.fragment_source((folder / f"{name}.frag.glsl").read_text())
    return gpu.shader.create_from_info(info)


def _instance_texture(gpu, scene, camera, rows, tint):
    """Four texels an instance, relative to the camera; subtracting in float64 keeps what float32 positions have."""
    transforms = scene["instance_transforms"][rows]
    height = max(-(-len(rows) // _INSTANCES_PER_ROW), 1)
    texels = np.zeros((height * _INSTANCES_PER_ROW, 4, 4), np.float32)
    position = transforms["position"].astype(np.float64) - camera.position
    for row, axis in enumerate(("x_axis", "y_axis", "z_axis")):
        texels[:len(rows), row, :3], texels[:len(rows), row, 3] = transforms[axis], position[:, row]
    texels[:len(rows), 3] = tint
    buffer = gpu.types.Buffer("FLOAT", texels.size, texels.reshape(-1))
    return gpu.types.GPUTexture((4 * _INSTANCES_PER_ROW, height), format="RGBA32F", data=buffer)


def _draw_meshes(gpu, scene, camera, rows, lod, tint):
    rows = np.asarray(rows)
    if not len(rows):
        return
    primitive = scene["instance_data"]["primitive_id"][rows].astype(np.int64)
    order = np.argsort(primitive * 16 + lod, kind="stable")
    rows, tint, keys = rows[order], tint[order], (primitive * 16 + lod)[order]
    shader = _shader(gpu, "snapshot_mesh",
                     (("MAT4", "clip_from_eye"), ("VEC4", "base_color"), ("VEC4", "eye"), ("VEC4", "sun"), ("VEC4", "up")),
                     (("VEC3", "position"), ("VEC3", "normal")),
                     (("smooth", "VEC3", "from_eye"), ("smooth", "VEC3", "world_normal"), ("flat", "VEC4", "tint")),
                     "instances", (("INSTANCES_PER_ROW", str(_INSTANCES_PER_ROW)),))
    texture = _instance_texture(gpu, scene, camera, rows, tint)
    shader.bind()
    move = np.eye(4)
    move[:3, 3] = camera.position
    shader.uniform_float("clip_from_eye", _matrix(camera.clip_from_world @ move))
    directions = scene.convention.directions(np.array([[-0.45, -0.6, 0.66], [0.0, 0.0, 1.0]]))
    sun = directions[0] / np.linalg.norm(directions[0])
    shader.uniform_float("eye", picture_cameras.eye(camera))
    shader.uniform_float("sun", (*sun, 0.0))
    shader.uniform_float("up", (*directions[1], 0.0))
    shader.uniform_sampler("instances", texture)
    starts = np.flatnonzero(np.diff(keys, prepend=-1))
    for start, stop in zip(starts.tolist(), [*starts[1:].tolist(), len(keys)]):
        for batch, color in _batches(gpu, scene, int(keys[start]) >> 4, int(keys[start]) & 15):
            shader.uniform_float("base_color", color)
            batch.draw_instanced(shader, instance_start=start, instance_count=stop - start)
    gpu.shader.unbind()  # before it is freed: another one made in its place in memory would pass for bound already


def _batches(gpu, scene, primitive, level):
    """(GPUBatch, colour) of each material of one LOD."""
    lod = scene["lods"][int(scene["primitives"]["first_lod"][primitive]) + level]
    first, count = int(lod["first_index"]), int(lod["index_count"])
    if not count:
        return
    indices = scene["indices"][first:first + count]
    base, used = int(lod["base_vertex"]), int(indices.max()) + 1
    layout = gpu.types.GPUVertFormat()
    for name in ("position", "normal"):
        layout.attr_add(id=name, comp_type="F32", len=3, fetch_mode="FLOAT")
    vertices = gpu.types.GPUVertBuf(layout, used)
    for name, table in (("position", "vertex_positions"), ("normal", "vertex_normals")):
        vertices.attr_fill(name, np.ascontiguousarray(scene[table][base:base + used]))
    for row in range(int(lod["first_batch"]), int(lod["first_batch"]) + int(lod["batch_count"])):
        args, material = scene["indirect_args"][row], int(scene["batches"]["material_index"][row])
        start, number = int(args["first_index"]) - first, int(args["index_count"])
        if number:
            triangles = gpu.types.GPUIndexBuf(type="TRIS", seq=np.ascontiguousarray(indices[start:start + number]).reshape(-1, 3))
            color = _DEFAULT_COLOR if material == NO_INDEX else scene.materials[material].base_color
            yield gpu.types.GPUBatch(type="TRIS", buf=vertices, elem=triangles), tuple(color)


def _draw_lines(gpu, camera, lines, size, samples):
    parts = [widen(segments, camera.clip_from_world, color, width * samples, size) for segments, color, width in lines]
    parts = [part for part in parts if len(part[0])]
    if not parts:
        return
    positions, colors = (np.concatenate(arrays) for arrays in zip(*parts))
    shader = _shader(gpu, "snapshot_line", (), (("VEC4", "clip_position"), ("VEC4", "vertex_color")), (("flat", "VEC4", "line_color"),))
    layout = gpu.types.GPUVertFormat()
    for name in ("clip_position", "vertex_color"):
        layout.attr_add(id=name, comp_type="F32", len=4, fetch_mode="FLOAT")
    vertices = gpu.types.GPUVertBuf(layout, len(positions))
    vertices.attr_fill("clip_position", positions)
    vertices.attr_fill("vertex_color", colors)
    gpu.types.GPUBatch(type="TRIS", buf=vertices).draw(shader)
    gpu.shader.unbind()


def _matrix(values):
    from mathutils import Matrix
    return Matrix(values.tolist())
