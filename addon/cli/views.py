"""Scenes and cameras that the culling commands work on, from a .blend (in Blender) or a GPUScene file (anywhere)."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from ..core import gltf
from ..core.culling.camera import Camera
from ..core.errors import InputError
from ..core.scene import SceneData


class Frame(NamedTuple):
    """One frame of a scene: its number, its tables, and the camera whose view is culled."""

    number: int
    scene: SceneData
    camera: Camera


def is_stored(path) -> bool:
    """True for a GPUScene file, False for a .blend (or None: the loaded one)."""
    return path is not None and Path(path).suffix.lower() in (".glb", ".gltf")


def choose_camera(cameras, name: str | None, where: str) -> Camera:
    """The camera of that name; without a name the first, which is the scene's own. Raises `InputError` listing those there are."""
    if not cameras:
        raise InputError(f"{where} has no camera.", "Add one in Blender (Add > Camera), and export again if it is a .glb.")
    if name is None:
        return cameras[0]
    for camera in cameras:
        if camera.name == name:
            return camera
    listed = ", ".join(camera.name for camera in cameras[:20]) + (f" and {len(cameras) - 20} more" if len(cameras) > 20 else "")
    raise InputError(f"{where} has no camera named {name!r}.", f"There are: {listed}.")


def stored_frame(path, name: str | None, frames=None) -> Frame:
    """The one frame of a GPUScene file."""
    scene = gltf.read(path)
    number = scene.metadata.get("frame")
    number = number if type(number) is int else 0
    if frames is not None and tuple(frames[:2]) != (number, number):
        raise InputError(f"{Path(path).name} holds one frame, {number}.", "Ask for no other, or give the .blend.")
    return Frame(number, scene, choose_camera(scene.cameras, name, Path(path).name))


def blend_frames(source, name: str | None, frames=None):
    """Generator of the frames of a .blend (None: the loaded file): goes to each, extracts the scene anew. The scene's own frame is put back.

    Parameters
    ----------
    frames : (first, last, step) or None
        None: the current frame.
    """
    import bpy

    from ..blender.export import ExportSettings, extract_scene, open_blend

    if source is not None:
        open_blend(source)
    scene = bpy.context.scene
    where = Path(source).name if source is not None else bpy.path.basename(bpy.data.filepath) or "The loaded file"
    before = scene.frame_current, scene.frame_subframe
    numbers = [before[0]] if frames is None else range(frames[0], frames[1] + 1, frames[2])
    try:
        for number in numbers:
            if frames is not None:
                scene.frame_set(number)
            data = extract_scene(bpy.context, ExportSettings())
            yield Frame(number, data, choose_camera(data.cameras, name, where))
    finally:
        if frames is not None:
            scene.frame_set(before[0], subframe=before[1])
