"""The GPU tier: runs in the bpy module on whatever back end this Blender takes; test_backends.py runs it again on OpenGL."""

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="the device tier needs Blender's Python module")

import gpu  # noqa: E402
from gpuscene.device import capabilities  # noqa: E402


@pytest.fixture(scope="session")
def device(request):
    """`Capabilities`; skips (in continuous integration: fails) without a GPU."""
    why = capabilities.why_none()
    if why:
        request.getfixturevalue("lacking")("GPU", why)
    return capabilities.start()


@pytest.fixture(params=["storage", "texture"] if hasattr(gpu.types, "GPUStorageBuf") else ["texture"])
def transport(request, device):
    """Each transport that this Blender has: storage buffers came with 5.3."""
    return request.param


@pytest.fixture
def rng():
    return np.random.default_rng(20)
