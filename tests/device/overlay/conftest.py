"""Pictures of overlays with a known matrix, and where a plain float64 projection puts what is in them."""

import gpu
import numpy as np
import pytest
from gpuscene.core.culling.gpu_records import INSTANCE_BOX
from gpuscene.device.buffers import make_table
from gpuscene.device.overlay import Overlay

NEAR, FAR, COTANGENT = 0.5, 200.0, 1.5


class Studio:
    """A camera at the origin that looks along -z, a picture, and an overlay that draws into it."""

    def __init__(self, device, transport, size=(160, 120)):
        self.device, self.transport, self.size = device, transport, size
        self.overlay = Overlay(transport)
        self.target = gpu.types.GPUOffScreen(*size)

    def perspective(self, eye=(0, 0, 0)):
        """(4, 4) float64, from its definition: no function of the project."""
        matrix = np.zeros((4, 4))
        matrix[0, 0], matrix[1, 1] = COTANGENT * self.size[1] / self.size[0], COTANGENT
        matrix[2, 2], matrix[2, 3], matrix[3, 2] = -(FAR + NEAR) / (FAR - NEAR), -2 * FAR * NEAR / (FAR - NEAR), -1
        matrix[:, 3] -= matrix[:, :3] @ eye
        return matrix

    def orthographic(self, half_height=10.0):
        width = half_height * self.size[0] / self.size[1]
        matrix = np.diag([1 / width, 1 / half_height, -2 / (FAR - NEAR), 1.0])
        matrix[2, 3] = -(FAR + NEAR) / (FAR - NEAR)
        return matrix

    def pixel(self, matrix, points):
        """(..., 2) float64: column and row (from below) of world points."""
        clip = np.concatenate([points, np.ones((*np.shape(points)[:-1], 1))], axis=-1) @ matrix.T
        return (clip[..., :2] / clip[..., 3:] * 0.5 + 0.5) * self.size

    def depth(self, z):
        """Of the depth buffer, at a distance of `z` before the eye."""
        return 0.5 + 0.5 * ((FAR + NEAR) / (FAR - NEAR) - 2 * FAR * NEAR / (FAR - NEAR) / z)

    def table(self, name, element, rows):
        return make_table(self.device, self.transport, name, element, rows=rows)

    def boxes(self, low, high):
        rows = INSTANCE_BOX.empty(len(low))
        rows["box_min"], rows["box_max"] = low, high
        return self.table("boxes", INSTANCE_BOX, rows)

    def spheres(self, centers, radius=0.5):
        return self.table("spheres", "vec4", np.column_stack((centers, np.full(len(centers), radius))).astype("f4"))

    def status(self, words):
        return self.table("status", "uint", np.asarray(words, np.uint32))

    def picture(self, matrix, *draws, depth=1.0, scale=1.0, background=(0, 0, 0, 1)):
        """(H, W, 4) uint8, bottom row first: what the calls in `draws` draw over a background of this depth."""
        with self.target.bind():
            gpu.state.active_framebuffer_get().clear(color=background, depth=depth)
            with self.overlay.view(matrix, self.size, scale):
                for draw in draws:
                    draw(self.overlay)
            pixels = np.frombuffer(self.target.texture_color.read(), np.uint8)
        return pixels.reshape(self.size[1], self.size[0], 4)

    def at(self, picture, matrix, points):
        """(..., 4) int: the picture's colour where points are."""
        column, row = np.moveaxis(np.floor(self.pixel(matrix, points)).astype(int), -1, 0)
        return picture[row, column].astype(int)


@pytest.fixture
def studio(device, transport):
    studio = Studio(device, transport)
    yield studio
    studio.target.free()


@pytest.fixture(scope="session")
def is_color():
    """Whether (..., 4) uint8 pixels have an sRGB colour (3 or 4,) of 0 to 1, to one step."""
    return lambda pixels, rgb: (np.abs(np.asarray(pixels, int)[..., :3] - np.round(np.asarray(rgb)[:3] * 255)) <= 1).all(axis=-1)


@pytest.fixture(scope="session")
def is_shade():
    """Whether (..., 4) uint8 pixels have an sRGB colour or a darker one of its kind, down to 0.3 of it: the dark halos of lines
    that pass by lie over it.
    """
    def check(pixels, rgb):
        pixels, rgb = np.asarray(pixels, float)[..., :3], np.asarray(rgb)[:3] * 255
        share = pixels @ rgb / (rgb @ rgb)
        return (share > 0.3) & (np.abs(pixels - share[..., None] * rgb) <= 2).all(axis=-1)

    return check
