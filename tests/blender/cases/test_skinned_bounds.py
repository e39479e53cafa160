"""Case C4: bounds, tree and culling follow the pose of a skinned mesh."""

import bpy
import numpy as np
import pytest
from builders import add
from gpuscene.core.cluster_tree import build
from gpuscene.core.culling.bounds import instance_bounds
from gpuscene.core.culling.camera import CullView
from gpuscene.core.culling.projection import camera, perspective
from gpuscene.core.culling.traverse import cull_tree


@pytest.fixture
def root_bone():
    """The pose bone of a cube of side 2 at the origin, all of which it carries. A second cube stands at x = -30."""
    bpy.ops.mesh.primitive_cube_add(size=2)
    skin = bpy.context.object
    rig = add("rig", bpy.data.armatures.new("rig"))
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    bone = rig.data.edit_bones.new("root")
    bone.head, bone.tail = (0, 0, 0), (0, 1, 0)  # along Y without roll: the bone's axes are the world's
    bpy.ops.object.mode_set(mode="OBJECT")
    skin.vertex_groups.new(name="root").add(range(8), 1.0, "REPLACE")
    skin.modifiers.new("rig", "ARMATURE").object = rig
    add("other", skin.data.copy(), location=(-30, 0, 0))
    return rig.pose.bones["root"]


def seen(data, x):
    """(N,) bool: what a narrow camera sees around (x, 0, 0)."""
    bounds = instance_bounds(data)
    looking = camera("c", perspective(0.1, 1, 0.1, 100), (x, -40, 0), (x, 0, 0))
    return cull_tree(CullView.of(looking, bounds.extent), bounds, build(bounds, cluster_size=1)).visible


@pytest.mark.parametrize("x", [0.0, 10.0, 1000.0])
def test_bounds_follow_the_pose(extract, root_bone, x):
    """The cube stands at [x - 1, x + 1] then, and nowhere else."""
    root_bone.location.x = x
    data = extract()
    bounds = instance_bounds(data)
    (row,) = np.flatnonzero(bounds.center[:, 0] > -20)
    assert np.allclose(bounds.box_min[row], (x - 1, -1, -1), atol=1e-3) and np.allclose(bounds.box_max[row], (x + 1, 1, 1), atol=1e-3)
    assert bounds.radius[row] == pytest.approx(3**0.5, rel=2e-3)
    assert np.flatnonzero(seen(data, x)).tolist() == [row]
    assert not seen(data, 0.0 if x else 10.0).any()
    assert np.flatnonzero(seen(data, -30.0)).tolist() == [1 - row]
