"""Scenes and cameras for the culling tests, from a seed."""

import numpy as np
from gpuscene.core import layout
from gpuscene.core.culling.camera import Camera
from gpuscene.core.culling.projection import camera, orthographic, perspective
from gpuscene.core.scene import SceneData
from scene_factory import make_scene

#: name -> (instances, spread of positions, offset of the whole scene)
SCENES = {"one": (1, 1, 0), "few": (33, 5, 0), "town": (2048, (300, 300, 10), 0), "far away": (2000, 40, 50_000),
          "large": (300_000, (2000, 2000, 30), 0)}


def cull_scene(name: str, cull_radius=True) -> SceneData:
    """One of `SCENES`; a third of its instances have a cull radius, a quarter are hidden or invalid."""
    count, spread, offset = SCENES[name]
    rng = np.random.default_rng(len(name) * 7919 + count)
    scene = make_scene(count, 3, seed=count, lods=3, hidden=count > 1)
    transforms, data = scene["instance_transforms"].copy(), scene["instance_data"].copy()
    transforms["position"] = rng.uniform(-1, 1, (count, 3)) * spread + offset
    # make_scene's radius is the nearest float32, which may be below the true one; extraction rounds up by a millionth.
    transforms["bounding_radius"] *= np.float32(1.000001)
    limits = rng.uniform(1, 2 * np.max(spread), count) * (rng.random(count) < 1 / 3) if cull_radius else 0
    data["custom_data"][:, 0, 0], data["custom_data"][:, 0, 1] = limits, rng.normal(size=count) * 0.5
    return SceneData({**scene.tables, "instance_transforms": transforms, "instance_data": data}, scene.convention,
                     scene.primitive_names, scene.sources,
                     scene.materials, scene.channels, scene.findings, scene.metadata)


def with_flags(scene: SceneData, flags) -> SceneData:
    transforms = scene["instance_transforms"].copy()
    transforms["flags"] = flags
    return SceneData({**scene.tables, "instance_transforms": transforms}, scene.convention, scene.primitive_names, scene.sources)


def drawable_flags(count):
    return np.full(count, layout.INSTANCE_VISIBLE | layout.INSTANCE_VALID, "u4")


def random_camera(rng, center, spread, number=0) -> Camera:
    """Perspective, orthographic, shifted, portrait, extreme clips or panoramic, in or around the scene, in turn."""
    spread = float(np.max(spread))
    eye = center + rng.normal(size=3) * spread * rng.choice([0.1, 0.5, 1, 3])
    target = center + rng.normal(size=3) * spread * 0.5
    aspect, shift = rng.choice([16 / 9, 1, 9 / 16, 4]), rng.uniform(-0.5, 0.5, 2) * (number % 3 == 0)
    near, far = (1e-4, 1e6) if number % 7 == 0 else (0.1 * rng.uniform(0.1, 2), spread * rng.uniform(0.3, 6))
    if number % 11 == 0:
        far = np.inf
    if number % 50 == 49:
        return Camera("panoramic", None, eye, True, 0.5, "A panoramic camera has no frustum.")
    if number % 4 == 1:
        return camera("ortho", orthographic(spread * rng.uniform(0.05, 2), aspect, near, spread * 6 if np.isinf(far) else far,
                                            shift), eye, target)
    return camera("perspective", perspective(2 * np.tan(rng.uniform(0.05, 2.6) / 2), aspect, near, far, shift), eye, target)
