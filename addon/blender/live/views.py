"""Cameras of 3D Views, and what the session keeps for each view. Matrices in, `Camera` out; nothing of Blender's is kept."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ...core.conventions import PRESETS, Convention
from ...core.culling.camera import Camera, CullView
from ...core.live.options import LiveOptions
from .settings import OverlayOptions

BLENDER = PRESETS["blender"]


@dataclass(frozen=True)
class ViewSettings:
    """What decides whose view culls, and what is shown.

    Attributes
    ----------
    camera : {"view", "scene", "frozen"}
    update_every : int
        Frames from one upload to the next; 1: every frame.
    overlay : OverlayOptions
    """

    camera: str = "view"
    update_every: int = 1
    overlay: OverlayOptions = OverlayOptions()


def settings_of(scene) -> tuple:
    """(LiveOptions, ViewSettings) of the scene's properties; defaults while the extension is not registered."""
    if not hasattr(scene, "gpuscene_live"):
        return LiveOptions(), ViewSettings()
    from .properties import options_of, overlay_of

    group = scene.gpuscene_live
    return options_of(scene), ViewSettings(group.camera.lower(), group.update_every, overlay_of(scene))


@dataclass
class ViewState:
    """One 3D View.

    Attributes
    ----------
    key : int
        ``RegionView3D.as_pointer()``.
    camera : Camera
        That culled last.
    source : {"view", "scene", "frozen"}
        Where it came from: "view" also where the scene has no camera.
    cull_view : CullView
    live : LiveView or CpuView
        Results; of the session's device.
    culled_for : tuple or None
        What the results depend on; the same again costs no dispatch. None: nothing was culled yet.
    frame : int
        The session's frame in which it was culled last.
    measured : core.live.metrics.FrameStats or None
        The figures read last: of an earlier frame while `unread` is there.
    unread : callable or None
        Reads those of the last cull, which waits for the GPU, and returns them.
    slices : core.schedule.blocks.BlockSlices or None
    published : tuple or None
        What the texts shown for it were made from.
    """

    key: int
    camera: Camera | None = None
    source: str = "view"
    cull_view: CullView | None = None
    live: object = None
    culled_for: tuple | None = None
    frame: int = 0
    measured: object = None
    unread: object = field(default=None, repr=False)
    slices: object = field(default=None, repr=False)
    published: tuple | None = field(default=None, repr=False)

    @property
    def stats(self):
        """`FrameStats` of the last cull, read now if nobody has asked yet; None before the first."""
        if self.unread is not None:
            read, self.unread = self.unread, None
            self.measured = read()
        return self.measured

    @property
    def is_pending(self) -> bool:
        """Some blocks still show an older answer."""
        return self.slices is not None and not self.slices.is_settled


def camera_of_matrices(window_matrix, view_matrix, clip=None, convention: Convention = BLENDER, name: str = "3D View") -> Camera:
    """What a view with these matrices sees.

    Parameters
    ----------
    window_matrix : (4, 4)
        Clip from view space, as ``RegionView3D.window_matrix``.
    view_matrix : (4, 4)
        View from world space.
    clip : (near, far) or None
        Of a perspective view: Blender's matrix is rounded to float32, in which a far clip of 1e6 is at infinity.
    convention : Convention
        Axes and units of the result.

    Returns
    -------
    Camera
        Without a frustum, and with a note, where a matrix is of no use.
    """
    projection, view = np.array(window_matrix, np.float64), np.array(view_matrix, np.float64)
    if not (is_usable(projection) and is_usable(view)):
        return Camera(name, None, np.zeros(3), note=f"The matrix of {name} is flat or not finite: nothing is outside its view.")
    is_perspective = bool(projection[3, 3] == 0)
    if clip is not None and is_perspective and clip[1] > clip[0] > 0:
        near, far = map(float, clip)
        projection[2] = 0, 0, -(far + near) / (far - near), -2 * far * near / (far - near)
    to_target = convention.target_from_blender()
    world_from_view = np.linalg.inv(view)
    factor = projection[1, 1] / 2 / (1 if is_perspective else convention.units_per_metre)
    return Camera(name, projection @ view @ np.linalg.inv(to_target), (to_target @ world_from_view[:, 3])[:3], is_perspective,
                  float(factor))


def is_usable(matrix) -> bool:
    """Whether a (4, 4) matrix can be turned back. Blender's are not where a camera is flat, far past all numbers, or NaN."""
    matrix = np.asarray(matrix, np.float64)
    if not np.isfinite(matrix).all():
        return False
    try:
        with np.errstate(all="ignore"):
            return bool(np.isfinite(np.linalg.inv(matrix)).all())
    except np.linalg.LinAlgError:
        return False


def camera_of_region(space, region_data, scene, convention: Convention = BLENDER) -> Camera:
    """What a 3D View shows, as it was drawn last: perspective, orthographic, through a camera, or one of a quad view.

    Parameters
    ----------
    space : bpy.types.SpaceView3D
    region_data : bpy.types.RegionView3D
    scene : bpy.types.Scene
    """
    clip = space.clip_start, space.clip_end
    if region_data.view_perspective == "CAMERA":
        camera = space.camera if space.use_local_camera else scene.camera
        is_camera = camera is not None and camera.type == "CAMERA"
        clip = (camera.data.clip_start, camera.data.clip_end) if is_camera else None
    return camera_of_matrices(region_data.window_matrix, region_data.view_matrix, clip, convention)


def camera_of_context(context, session) -> Camera:
    """What the 3D View of `context` shows, in the axes of the session's tables."""
    return camera_of_region(context.space_data, context.region_data, context.scene, session.convention)


def open_views(window_manager) -> set:
    """Keys of all regions that show 3D Views in open windows, those of quad views too."""
    found = set()
    for window in window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                space = area.spaces.active
                found.add(space.region_3d.as_pointer())
                found.update(quad.as_pointer() for quad in space.region_quadviews)
    return found


def constants_of(view: CullView) -> bytes:
    """The bytes that a view's results depend on."""
    return b"".join((view.outer.tobytes(), view.inner.tobytes(), view.position.tobytes(), np.float32(view.lod_factor).tobytes(),
                     bytes([view.is_perspective])))
