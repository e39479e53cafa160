"""Errors of the GPU side."""

from __future__ import annotations

from ..core.errors import GpuSceneError


class DeviceError(GpuSceneError):
    """There is no usable GPU, or it cannot hold the data. The CPU path still works."""


class ShaderError(GpuSceneError):
    """A shader does not compile.

    Attributes
    ----------
    places : list of (str, int, str)
        Part name (a file below shaders/, or what the user calls the rule), line in it, message.
    log : str
        The compiler's whole output.
    """

    def __init__(self, message: str, hint: str, places: list, log: str):
        self.places, self.log = places, log
        super().__init__(message, hint)
