"""The state of `gpu` that overlays change, put back afterwards."""

from __future__ import annotations

from contextlib import contextmanager


@contextmanager
def drawing_state():
    """Depth tested by LESS_EQUAL and not written, blended by alpha."""
    import gpu

    state = gpu.state
    before = state.depth_test_get(), state.depth_mask_get(), state.blend_get()
    state.depth_test_set("LESS_EQUAL")
    state.depth_mask_set(False)
    state.blend_set("ALPHA")
    try:
        yield
    finally:
        gpu.shader.unbind()
        state.depth_test_set(before[0])
        state.depth_mask_set(before[1])
        state.blend_set(before[2])
