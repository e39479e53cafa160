"""What a session culls with: the GPU, or the CPU and why."""

from __future__ import annotations

from ...core.errors import LimitError
from ..errors import DeviceError, ShaderError
from .cpu_view import CpuDevice
from .scene import LiveDevice


def make_device(tables, clusters, options, transport: str | None = None):
    """A `LiveDevice`, or a `CpuDevice` whose `note` says why.

    Raises
    ------
    ShaderError, InputError
        The custom rule is wrong: the user's to mend.
    """
    if options.device == "cpu":
        return CpuDevice(tables, clusters, options, "The CPU culls, as set.")
    try:
        device = LiveDevice(tables, clusters, options, transport)
        device.view()  # compiles what culls
        return device
    except ShaderError as error:
        if options.rule.strip():
            raise
        return CpuDevice(tables, clusters, options, f"The CPU culls: {error}")
    except (DeviceError, LimitError) as error:
        return CpuDevice(tables, clusters, options, f"The CPU culls: {error}")
