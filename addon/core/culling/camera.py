"""Cameras, their frustum planes, and the float32 constants that both CPU and GPU cull with.

Planes come from the rows of ``clip_from_world`` (Gribb and Hartmann 2001), normalised in float64. `CullView` rounds them to
float32
once and widens each by a margin larger than any rounding error of the test, so that the float32 test never drops what the
float64 one keeps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

#: relative rounding error of the plane test: 4 products and 4 sums in float32, and the rounding of the plane and of the bounds
#: themselves
_MARGIN = 2.0 ** -20


@dataclass(frozen=True)
class Camera:
    """A camera in the axes and units of the scene it looks at.

    Attributes
    ----------
    name : str
    clip_from_world : (4, 4) float64 or None
        OpenGL clip space (-w <= z <= w), for column vectors. None: no frustum (panoramic); everything within distance is kept.
    position : (3,) float64
    is_perspective : bool
    screen_factor : float
        Screen size of a sphere is ``2 * radius * screen_factor / distance`` (perspective) or ``2 * radius * screen_factor``
        (orthographic), as a share of the view's height.
    note : str
        Why there is no frustum; empty otherwise.
    """

    name: str
    clip_from_world: np.ndarray | None
    position: np.ndarray
    is_perspective: bool = True
    screen_factor: float = 1.0
    note: str = ""

    def planes(self) -> np.ndarray:
        """(6, 4) float64: left, right, bottom, top, near, far; unit normals pointing in; inside where n.p + d >= 0. (0, 4) for
        no frustum.
        """
        if self.clip_from_world is None:
            return np.zeros((0, 4))
        m = np.asarray(self.clip_from_world, np.float64)
        planes = np.stack([m[3] + m[0], m[3] - m[0], m[3] + m[1], m[3] - m[1], m[3] + m[2], m[3] - m[2]])
        lengths = np.linalg.norm(planes[:, :3], axis=1, keepdims=True)
        # An infinite far plane has no normal: it keeps everything.
        return np.where(lengths > 0, planes / np.where(lengths > 0, lengths, 1), (0, 0, 0, 1))


@dataclass(frozen=True)
class CullView:
    """Per-frame constants of culling, identical on CPU and GPU.

    Attributes
    ----------
    outer : (P, 4) float32
        Planes moved outwards by the margin: a box or sphere wholly behind one is dropped.
    inner : (P, 4) float32
        Planes moved inwards by the margin: a box wholly before all of them is kept without looking at its instances.
    position : (3,) float32
        Of the camera.
    margins : (P,) float64
        Distance by which each of `outer` lies outside its true plane, in scene units: twice it bounds how far behind that
        plane something
        can lie and still be kept (spheres and boxes are themselves conservative).
    lod_factor : float32
        ``(2 * screen_factor) ** 2``.
    is_perspective : bool
    """

    outer: np.ndarray
    inner: np.ndarray
    position: np.ndarray
    margins: np.ndarray
    lod_factor: np.float32
    is_perspective: bool

    @classmethod
    def of(cls, camera: Camera, extent: float) -> "CullView":
        """`extent`: ``InstanceBounds.extent``; a plane's margin scales with it and with the plane's distance from the origin."""
        planes = camera.planes()
        margins = _MARGIN * np.maximum(float(extent) * 2 + np.abs(planes[:, 3]), 1e-30)
        outer, inner = planes.copy(), planes.copy()
        outer[:, 3] += margins
        inner[:, 3] -= margins
        return cls(outer.astype(np.float32), inner.astype(np.float32), np.asarray(camera.position, np.float32), margins,
                   np.float32((2.0 * camera.screen_factor) ** 2), camera.is_perspective)
