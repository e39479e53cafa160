"""Bounds, scenes and cameras from seeds, for comparing the GPU with numpy."""

import dataclasses

import numpy as np
from gpuscene.core.culling.bounds import InstanceBounds, instance_bounds
from gpuscene.core.culling.camera import Camera, CullView
from scene_factory import make_scene


def random_bounds(count, seed=0, *, hidden=True, limited=True) -> InstanceBounds:
    """Boxes of 0.1 to 3 within 100 of the origin; a tenth hidden, a third with a cull radius."""
    rng = np.random.default_rng(seed)
    center = rng.uniform(-100, 100, (count, 3)).astype("f4")
    radius = rng.uniform(0.1, 3, count).astype("f4")
    half = (radius[:, None] * rng.uniform(0.3, 0.9, (count, 3))).astype("f4")
    limit = np.where(rng.random(count) < 0.3, rng.uniform(1, 150, count), 0).astype("f4") if limited else np.zeros(count, "f4")
    return InstanceBounds(center, radius, center - half, center + half, limit, rng.random(count) < (0.9 if hidden else 2))


def camera(seed=0, reach=50.0, far=200.0, half_angle=0.7, perspective=True, back=None) -> Camera:
    """Somewhere within `reach`, looking anywhere; `back`: from the origin, so far behind it (negative: before it)."""
    rng = np.random.default_rng(seed)
    rotation, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    rotation[0] *= np.linalg.det(rotation)
    position = rng.uniform(-reach, reach, 3) if back is None else rotation[2] * back
    to_view = np.eye(4)
    to_view[:3, :3], to_view[:3, 3] = rotation, -rotation @ position
    near, scale = 0.1, 1 / np.tan(half_angle)
    if perspective:
        last = [[0, 0, -(far + near) / (far - near), -2 * far * near / (far - near)], [0, 0, -1, 0]]
        projection = np.array([[scale, 0, 0, 0], [0, scale, 0, 0], *last])
    else:
        projection = np.array(
            [[1 / reach, 0, 0, 0], [0, 1 / reach, 0, 0], [0, 0, -2 / (far - near), -(far + near) / (far - near)], [0, 0, 0, 1]]
        )
    return Camera("camera", projection @ to_view, position, perspective, scale / 2 if perspective else 0.5 / reach)


def view(bounds, seed=0, **options) -> CullView:
    return CullView.of(camera(seed, **options), bounds.extent)


def scene_of(count, primitives=5, seed=0, lods=4, **options):
    """A random scene with cull radii and LOD biases that leave most of it to see; and its bounds."""
    scene = make_scene(count, primitives, seed=seed, lods=lods, **options)
    data = scene["instance_data"].copy()
    rng = np.random.default_rng(seed + 1)
    data["custom_data"][:, 0, 0] = np.where(rng.random(count) < 0.3, rng.uniform(1, 20, count), 0)
    data["custom_data"][:, 0, 1] = rng.uniform(-1, 1, count)
    data["custom_data"][:, 1, 1] = rng.uniform(-20, 20, count)
    scene = dataclasses.replace(scene, tables={**scene.tables, "instance_data": data})
    return scene, instance_bounds(scene)
