"""Culling against the float64 oracle: 2,000 cameras over five scenes; nothing that is seen is ever dropped."""

import numpy as np
import pytest
from cull_scenes import SCENES, cull_scene, random_camera
from gpuscene.core.cluster_tree import build
from gpuscene.core.culling.bounds import instance_bounds
from gpuscene.core.culling.camera import CullView
from gpuscene.core.culling.cull_tree import prepare
from gpuscene.core.culling.decide import instance_visible
from gpuscene.core.culling.flat import cull_flat
from gpuscene.core.culling.oracle import exact_bounds, truth
from gpuscene.core.culling.stream import BoundsStream
from gpuscene.core.culling.traverse import cull_tree

#: cameras of each scene; 2,000 in all
CAMERAS = {"one": 500, "few": 700, "town": 430, "far away": 350, "large": 20}


@pytest.mark.parametrize("name", SCENES)
def test_every_path_keeps_what_the_oracle_sees_and_little_else(name):
    scene = cull_scene(name)
    bounds, exact = instance_bounds(scene), exact_bounds(scene)
    stream, tree = BoundsStream.of(bounds), prepare(build(bounds, "spatial", 32), bounds)
    rng = np.random.default_rng(5)
    seen = dropped = kept_by_margin = 0
    for number in range(CAMERAS[name]):
        camera = random_camera(rng, exact.center.mean(axis=0), SCENES[name][1], number)
        view, true = CullView.of(camera, bounds.extent), truth(camera, exact)
        flat = cull_flat(view, stream).visible
        traversal = ("breadth", "depth", "hybrid")[number % 3]
        np.testing.assert_array_equal(cull_tree(view, bounds, tree, traversal).visible, flat)
        assert not (true.visible & ~flat).any(), (number, true.slack[true.visible & ~flat])
        assert not (flat & ~true.may_be_kept(view, bounds, exact)).any(), (number, true.slack[flat & ~true.visible])
        seen, dropped = seen + np.count_nonzero(flat), dropped + np.count_nonzero(~flat & exact.drawable)
        kept_by_margin += np.count_nonzero(flat & ~true.visible)
    assert seen and dropped  # the cameras do look somewhere, and not at everything
    # The margin is small: one in ten thousand of what is kept, but for scenes far from the origin.
    assert kept_by_margin <= max(1, (1e-2 if name == "far away" else 1e-4) * seen)


@pytest.mark.parametrize("name", ["few", "far away"])
def test_instances_that_just_touch_a_plane_are_kept(name):
    """Each camera gets its near, left and top plane moved to graze an instance's box and sphere, to the last bit of float64."""
    scene = cull_scene(name, cull_radius=False)
    bounds, exact = instance_bounds(scene), exact_bounds(scene)
    rng, grazed = np.random.default_rng(9), 0
    for number in range(150):
        camera = random_camera(rng, exact.center.mean(axis=0), SCENES[name][1], 4 * number)
        if camera.clip_from_world is None:
            continue
        slack = truth(camera, exact).planes
        row = rng.choice(np.flatnonzero(exact.drawable))
        for plane in (0, 3, 4):
            # Row 3 of the matrix plus or minus another is a plane: shift the other so that the plane's slack at the instance
            # is 0 or a hair above it.
            matrix, sign = camera.clip_from_world.copy(), (1 if plane in (0, 4) else -1)
            length = np.linalg.norm((matrix[3] + sign * matrix[plane // 2])[:3])
            matrix[plane // 2, 3] -= sign * length * (slack[plane, row] - 1e-13 * np.abs(exact.center).max())
            moved = type(camera)(camera.name, matrix, camera.position, camera.is_perspective, camera.screen_factor)
            true, flat = truth(moved, exact), instance_visible(CullView.of(moved, bounds.extent), bounds)
            assert abs(true.planes[plane, row]) < 1e-9 * max(1, np.abs(exact.center).max())
            assert not (true.visible & ~flat).any()
            grazed += bool(true.visible[row])
    assert grazed > 10


def test_a_mesh_far_from_its_own_origin_is_not_lost():
    """Off-origin geometry: the coordinates cancel, their rounding does not."""
    scene = cull_scene("few", cull_radius=False)
    tables, offset = dict(scene.tables), np.float32(1e6)
    tables["primitives"] = scene["primitives"].copy()
    tables["instance_transforms"] = scene["instance_transforms"].copy()
    for field in ("sphere_center", "box_min", "box_max"):
        tables["primitives"][field] += offset
    moved = sum(tables["instance_transforms"][axis].astype(np.float64) for axis in ("x_axis", "y_axis", "z_axis")) * float(offset)
    tables["instance_transforms"]["position"] = tables["instance_transforms"]["position"] - moved
    scene = type(scene)(tables)
    bounds, exact = instance_bounds(scene), exact_bounds(scene)
    assert np.abs(exact.center).max() < 100 < np.abs(tables["instance_transforms"]["position"]).max()
    rows = exact.drawable  # the others have no bounds to speak of
    assert (bounds.box_min <= exact.box_min)[rows].all() and (bounds.box_max >= exact.box_max)[rows].all()
    assert (np.linalg.norm(bounds.center - exact.center, axis=1) + exact.radius <= bounds.radius.astype(np.float64))[rows].all()
    rng = np.random.default_rng(3)
    for number in range(200):
        camera = random_camera(rng, exact.center.mean(axis=0), 5, number)
        kept = instance_visible(CullView.of(camera, bounds.extent), bounds)
        assert not (truth(camera, exact).visible & ~kept).any()
