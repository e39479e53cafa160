"""What the GPU is and can do, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass

from .driver_probe import missing_driver
from .errors import DeviceError

#: work-group sizes that every pass can be built with
GROUP_SIZES = (64, 128, 256)


@dataclass(frozen=True)
class Capabilities:
    """
    Attributes
    ----------
    backend : {"OPENGL", "VULKAN", "METAL"}
    renderer, vendor, version : str
        As the driver names itself.
    transports : tuple of {"storage", "texture"}
        How tables can travel, best first. Storage buffers came with Blender 5.3.
    is_software : bool
        A rasteriser on the CPU (llvmpipe, lavapipe, SwiftShader): other kernels are faster there.
    max_groups : int
        Work groups along one axis of a dispatch.
    max_texture_size : int
        Texels along one axis.
    """

    backend: str
    renderer: str
    vendor: str
    version: str
    transports: tuple
    is_software: bool
    max_groups: int
    max_texture_size: int

    def transport(self, wanted: str | None = None) -> str:
        """`wanted`, or the best there is. Raises ``DeviceError`` if this Blender lacks it."""
        if wanted is not None and wanted not in self.transports:
            raise DeviceError(
                f"This Blender has no {wanted} transport.",
                "Storage buffers need Blender 5.3; leave the choice out for the best there is.",
            )
        return wanted or self.transports[0]


_started: Capabilities | None = None


def start() -> Capabilities:
    """Start the GPU if need be (in background Blender has none by itself) and describe it. Later calls only see that it is still there.

    Raises
    ------
    DeviceError
        There is no GPU; the message says why.
    """
    global _started
    if _started is None:
        _started = _start()
    else:
        import gpu

        _check_context(gpu)
    return _started


def why_none() -> str:
    """Why there is no GPU, in one line; empty when there is one."""
    try:
        start()
    except DeviceError as error:
        return str(error)
    return ""


def _start() -> Capabilities:
    try:
        import gpu
    except ImportError as error:
        raise DeviceError("There is no GPU without Blender.", "Run inside Blender or install its Python module (bpy).") from error
    if not _is_running(gpu):
        missing = missing_driver(vulkan=hasattr(gpu.types, "GPUStorageBuf"))
        if missing:
            raise DeviceError(
                f"There is no GPU: {missing}.",
                "Install a driver (Debian: libegl1 and mesa-vulkan-drivers run on the CPU), or use --device cpu.",
            )
        if not hasattr(gpu, "init"):
            raise DeviceError("This Blender has no GPU in background mode.", "Use Blender 5.2 or newer, or one with a window.")
        try:
            gpu.init()
        except Exception as error:
            raise DeviceError(f"The GPU did not start: {error}.", "Update the driver, or use --device cpu.") from error
    _check_context(gpu)
    return _describe(gpu)


def _check_context(gpu) -> None:
    """In background, a render that drew grease pencil leaves the process without a context, and nothing gives it one again."""
    try:
        gpu.types.GPUTexture((1, 1), format="R32UI")
    except (RuntimeError, SystemError) as error:
        raise DeviceError("Blender has no GPU context left: a render in this process took it.", "Start again, and use the GPU first.") from error


def _is_running(gpu) -> bool:
    try:
        return gpu.platform.backend_type_get() not in ("NONE", "UNKNOWN")
    except SystemError:
        return False


def _describe(gpu) -> Capabilities:
    renderer, vendor, version = gpu.platform.renderer_get(), gpu.platform.vendor_get(), gpu.platform.version_get()
    software = any(
        name in f"{renderer} {version}".lower() for name in ("llvmpipe", "lavapipe", "swiftshader", "softpipe", "warp")
    )
    transports = ("storage", "texture") if hasattr(gpu.types, "GPUStorageBuf") else ("texture",)
    return Capabilities(
        gpu.platform.backend_type_get(),
        renderer,
        vendor,
        version,
        transports,
        software,
        min(gpu.capabilities.max_work_group_count_get(axis) for axis in (0, 1)),
        gpu.capabilities.max_texture_size_get(),
    )
