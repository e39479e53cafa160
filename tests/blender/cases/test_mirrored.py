"""I11: mirrored duplicates and mirrored collection instances."""

import numpy as np
import pytest

from builders import add, collection, fan, instance
from oracle import assert_same_matrices

MIRRORED = 1 << 3


def flags_and_determinants(data):
    mirrored = (data["instance_transforms"]["flags"] & MIRRORED) != 0
    return mirrored, np.linalg.det(data.world_from_local()[:, :3, :3].astype(float))


@pytest.mark.parametrize("visible", ["viewport", "render"])
def test_mirrored_duplicate(check, visible):
    mesh = fan("leaf", 4)
    add("plain", mesh, location=(3, 0, 0))
    add("mirrored", mesh, location=(-3, 0, 0), scale=(-1, 1, 1))
    data, _ = check(visible)
    assert data.primitive_count == 1 and data.instance_count == 2
    mirrored, determinants = flags_and_determinants(data)
    assert sorted(zip(mirrored.tolist(), determinants.tolist())) == [(False, 1.0), (True, -1.0)]
    assert_same_matrices(data.world_from_local(), [np.array([[1, 0, 0, 3], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]),
                                                   np.array([[-1, 0, 0, -3], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])])


def test_mirrored_collection_instance(check):
    group = collection("group", linked=False)
    mesh = fan("leaf", 4)
    add("inside", mesh, group, location=(1, 2, 0), scale=(1, 1, 2))
    add("inside mirrored", mesh, group, location=(0, 0, 5), scale=(1, -1, 1))
    instance("mirror", group, scale=(-1, 1, 1), location=(10, 0, 0))
    data, _ = check()
    mirrored, determinants = flags_and_determinants(data)
    # Two mirrors are none.
    assert sorted(zip(mirrored.tolist(), determinants.tolist())) == [(False, 1.0), (True, -2.0)]
    assert_same_matrices(data.world_from_local(), [np.array([[-1, 0, 0, 9], [0, 1, 0, 2], [0, 0, 2, 0], [0, 0, 0, 1]]),
                                                   np.array([[-1, 0, 0, 10], [0, -1, 0, 0], [0, 0, 1, 5], [0, 0, 0, 1]])])


@pytest.mark.parametrize("scale, mirrored", [((-1, 1, 1), True), ((-1, -1, 1), False), ((-1, -1, -1), True), ((2, 3, 4), False),
                                             ((1, -0.5, 3), True)])
def test_bounds_hold_every_vertex(check, scale, mirrored):
    add("leaf", fan("leaf", 5), location=(4, 5, 6), rotation=(20, 30, 40), scale=scale)
    data, _ = check()
    assert flags_and_determinants(data)[0].tolist() == [mirrored]
    row, primitive = data["instance_transforms"][0], data["primitives"][0]
    world = data.world_from_local()[0].astype(float)
    points = data["vertex_positions"].astype(float) @ world[:3, :3].T + world[:3, 3]
    centre = world[:3, :3] @ primitive["sphere_center"].astype(float) + world[:3, 3]
    reach = np.linalg.norm(points - centre, axis=1).max()
    assert reach <= row["bounding_radius"] * (1 + 1e-6)
    # No slack past the largest axis scale times the local radius.
    assert row["bounding_radius"] == pytest.approx(float(primitive["sphere_radius"]) * max(map(abs, scale)), rel=1e-5)
    assert (data["vertex_positions"] >= primitive["box_min"]).all() and (data["vertex_positions"] <= primitive["box_max"]).all()
