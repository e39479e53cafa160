"""Full-precision transforms against 50-digit decimals, in every rotation mode, where Blender's own float32 matrix is off."""

import bpy
import numpy as np
import pytest
from builders import add, collection, fan, instance, plane
from decimal_matrix import basis, exact, from_quaternion, world
from gpuscene.blender import registration
from gpuscene.core import gltf, layout
from mathutils import Matrix, Quaternion


@pytest.fixture(autouse=True)
def registered(empty_scene):
    registration.register()
    yield
    registration.unregister()


def stored(data, index=0):
    """(4, 4) float64 for column vectors."""
    return data["full_precision_transforms"][index].reshape(4, 4).T


def relative_error(matrix, right):
    """Largest difference, over the size of the linear part and of the position."""
    right = np.array([[float(v) for v in row] for row in right])
    difference = np.abs(matrix - right)
    return max(difference[:3, :3].max() / np.abs(right[:3, :3]).max(), difference[:3, 3].max() / np.abs(right[:3, 3]).max())


def far_chain():
    """Four parents, 25 km each in turned frames, and a leaf a centimetre off the last."""
    parent = None
    for index in range(4):
        parent = add(
            f"parent {index}",
            None,
            parent=parent,
            location=(25000.123, 0.37 * index, 1 / 3),
            rotation=(0.01 * index, 0, 0.003),
            scale=(1, 1, 1),
        )
    return add("leaf", fan("leaf"), parent=parent, location=(0.01, 0.02, 0.03), rotation=(1, 2, 3))


@pytest.mark.parametrize("visible", ["viewport", "render"])
def test_a_hundred_kilometres_down_a_chain(extract, visible):
    leaf = far_chain()
    leaf.gpuscene.full_precision = True
    data = extract(visible)
    right = world(leaf)
    assert data["instance_transforms"]["flags"][0] & layout.INSTANCE_FULL_PRECISION
    assert relative_error(stored(data), right) < 1e-14
    position = np.array([float(row[3]) for row in right[:3]])
    bpy.context.view_layer.update()
    assert np.abs(np.array(leaf.matrix_world.translation) - position).max() > 1e-3, (
        "float32 would have done: the test shows nothing"
    )
    # The float32 row is the rounding of the exact matrix, not of Blender's.
    assert (data["instance_transforms"]["position"][0] == position.astype(np.float32)).all()
    assert not data.findings


def test_by_hand(extract):
    """Four times 25000.5 and a leaf at 2^-10: both are float32 numbers; their sum is not."""
    parent = None
    for index in range(4):
        parent = add(f"parent {index}", None, parent=parent, location=(25000.5, 0, 0))
    leaf = add("leaf", fan("leaf"), parent=parent, location=(2**-10, 0, 0))
    leaf.gpuscene.full_precision = True
    data = extract()
    assert stored(data).tolist() == [[1, 0, 0, 100002.0009765625], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    assert data["instance_transforms"]["position"][0][0] == 100002


MODES = ["XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX", "QUATERNION", "AXIS_ANGLE"]


@pytest.mark.parametrize("mode", MODES)
def test_every_rotation_mode_with_deltas(extract, mode):
    obj = add("leaf", fan("leaf"), location=(1e5, 2e4, 3), scale=(1.5, -0.5, 2))
    obj.rotation_mode = mode
    obj.rotation_euler, obj.rotation_quaternion, obj.rotation_axis_angle = (
        (0.3, -1.2, 2.5),
        (0.3, -0.5, 0.7, 1.9),
        (2.1, 1, -2, 0.5),
    )
    obj.delta_location, obj.delta_scale = (0.001, 0.002, 0.003), (2, 3, 0.1)
    obj.delta_rotation_euler, obj.delta_rotation_quaternion = (0.1, 0.2, -0.4), (0.9, 0.1, 0.2, 0.3)
    obj.gpuscene.full_precision = True
    data = extract()
    assert relative_error(stored(data), world(obj)) < 1e-14
    # And what is composed is what Blender composes, up to its float32.
    blender = np.array(obj.matrix_world)
    assert stored(data)[:3, :3] == pytest.approx(blender[:3, :3], abs=1e-5)
    assert stored(data)[:3, 3] == pytest.approx(blender[:3, 3], abs=0.02)


@pytest.mark.parametrize(
    ("mode", "attribute", "value"),
    [("QUATERNION", "rotation_quaternion", (0, 0, 0, 0)), ("AXIS_ANGLE", "rotation_axis_angle", (1, 0, 0, 0))],
)
def test_rotations_of_no_length(extract, mode, attribute, value):
    obj = add("leaf", fan("leaf"), location=(1, 2, 3))
    obj.rotation_mode = mode
    setattr(obj, attribute, value)
    obj.gpuscene.full_precision = True
    data = extract()
    assert stored(data) == pytest.approx(np.array(obj.matrix_world), abs=1e-6)


def test_mathutils_agrees_about_the_order_of_euler_angles():
    """The oracle's own convention, checked by Blender's mathutils."""
    for mode in MODES[:6]:
        obj = add(mode)
        obj.rotation_mode, obj.rotation_euler = mode, (0.3, -1.2, 2.5)
        right = obj.rotation_euler.to_matrix()
        assert np.array([[float(v) for v in row[:3]] for row in basis(obj)[:3]]) == pytest.approx(np.array(right), abs=1e-6)
    q = Quaternion((0.3, -0.5, 0.7, 1.9)).normalized()
    assert np.array([[float(v) for v in row[:3]] for row in from_quaternion(exact(q))[:3]]) == pytest.approx(
        np.array(q.to_matrix()), abs=1e-6
    )


def test_a_parent_inverse_is_part_of_the_chain(extract):
    parent = add("parent", None, location=(70000.7, 5, 6), rotation=(0, 0, 30), scale=(2, 2, 2))
    leaf = add("leaf", fan("leaf"), parent=parent, location=(3, 4, 5))
    bpy.context.view_layer.update()
    leaf.matrix_parent_inverse = parent.matrix_world.inverted() @ Matrix.Translation((0, 0, 0.001))
    leaf.gpuscene.full_precision = True
    # The leaf ends 3 metres from the origin, 70 km out and back: that costs five digits.
    assert relative_error(stored(extract()), world(leaf)) < 1e-11


def test_in_other_axes_and_through_the_file(extract, tmp_path):
    leaf = far_chain()
    leaf.gpuscene.full_precision = True
    data = extract(axes="unreal")
    x, y, z = (float(row[3]) for row in world(leaf)[:3])
    assert stored(data)[:3, 3] == pytest.approx([100 * x, -100 * y, 100 * z], rel=1e-14)
    gltf.write(data, tmp_path / "out.glb")
    assert (gltf.read(tmp_path / "out.glb")["full_precision_transforms"] == data["full_precision_transforms"]).all()


def test_only_chosen_objects_among_linked_duplicates_and_instances(extract):
    mesh = fan("leaf")
    for index in range(4):
        add(f"leaf {index}", mesh, location=(1e5 + index, 0, 0)).gpuscene.full_precision = index in (1, 2)
    group = collection("group", linked=False, offset=(0, 0, 1))
    add("inside", fan("inside", 5), group, location=(0, 0.5, 0))
    add("inside 2", mesh, group, location=(0, 0, 2))
    far = instance("far", group, location=(1e5 + 0.01, 0, 0))
    far.gpuscene.full_precision = True
    data = extract()
    flagged = np.flatnonzero(data["instance_transforms"]["flags"] & layout.INSTANCE_FULL_PRECISION)
    names = [data.sources[s] for s in data["instance_sources"][flagged]]
    assert sorted(names) == ["inside", "inside 2", "leaf 1", "leaf 2"]
    x = float(np.float32(1e5 + 0.01))
    positions = {name: tuple(stored(data, i)[:3, 3].tolist()) for i, name in enumerate(names)}
    assert positions == {"inside": (x, 0.5, -1), "inside 2": (x, 0, 1), "leaf 1": (100001, 0, 0), "leaf 2": (100002, 0, 0)}


def followed_path():
    curve = bpy.data.curves.new("path", "CURVE")
    curve.dimensions, curve.use_path, curve.eval_time = "3D", True, 50
    spline = curve.splines.new("POLY")
    spline.points.add(2)
    spline.points[1].co, spline.points[2].co = (5, 0, 0, 1), (5, 5, 0, 1)
    return curve


def obstacle(kind, leaf, parent):
    if kind == "constraint":
        leaf.constraints.new("COPY_LOCATION").target = add("target", None, location=(7, 8, 9))
    elif kind == "constraint above":
        parent.constraints.new("COPY_LOCATION").target = add("target", None, location=(7, 8, 9))
    elif kind == "vertex":
        leaf.parent = add("ground", plane("ground", size=8), location=(1, 1, 1))
        leaf.parent_type, leaf.parent_vertices[0] = "VERTEX", 3
    elif kind == "path":
        leaf.parent = add("path", followed_path(), location=(1, 1, 1))
    elif kind == "bone":
        rig = leaf.parent = add("rig", bpy.data.armatures.new("rig"), location=(1, 1, 1))
        bpy.context.view_layer.objects.active = rig
        bpy.ops.object.mode_set(mode="EDIT")
        rig.data.edit_bones.new("bone").tail = (0, 0, 2)
        bpy.ops.object.mode_set(mode="OBJECT")
        leaf.parent_type, leaf.parent_bone = "BONE", "bone"
    else:
        bpy.ops.rigidbody.world_add()
        with bpy.context.temp_override(object=leaf, active_object=leaf, selected_objects=[leaf]):
            bpy.ops.rigidbody.object_add()


@pytest.mark.parametrize("kind", ["constraint", "constraint above", "vertex", "path", "bone", "rigid body"])
def test_what_cannot_be_composed_takes_blenders_matrix_and_says_so(extract, kind):
    parent = add("parent", None, location=(1, 2, 3))
    leaf = add("leaf", fan("leaf"), parent=parent, location=(4, 5, 6), rotation=(10, 20, 30))
    obstacle(kind, leaf, parent)
    leaf.gpuscene.full_precision = True
    data = extract()
    row = [data.sources[s] for s in data["instance_sources"]].index("leaf")
    bpy.context.view_layer.update()
    right = np.array(leaf.matrix_world, np.float64)
    assert np.abs(right[:3, 3] - (5, 7, 9)).max() > 0.5 or kind == "rigid body", "the obstacle changes nothing"
    assert (stored(data) == right).all()
    assert (data.world_from_local()[row] == right).all()
    assert [(f.code, f.severity, f.subject) for f in data.findings if f.code == "full-precision"] == [
        ("full-precision", "warning", "leaf")
    ]


def test_no_number_at_all_still_writes(extract, tmp_path):
    leaf = add("leaf", fan("leaf"))
    leaf.location.x = float("nan")
    leaf.gpuscene.full_precision = True
    data = extract()
    assert [f.code for f in data.findings] == ["non-finite"]
    gltf.write(data, tmp_path / "out.glb")
    assert not gltf.read(tmp_path / "out.glb")["instance_transforms"]["flags"][0] & layout.INSTANCE_VALID
