"""I18: every type of object, instanced by a collection and by Geometry Nodes.

What renders as a mesh is one, the rest is skipped and counted.
"""

import bpy
import oracle
import pytest
from builders import add, collection, fan, instance, points, scatter

COPIES = 3


def curve():
    data = bpy.data.curves.new("tube", "CURVE")
    data.dimensions, data.bevel_depth = "3D", 0.1
    spline = data.splines.new("POLY")
    spline.points.add(2)
    for point, co in zip(spline.points, [(0, 0, 0), (1, 0, 0.3), (1, 2, 0)]):
        point.co = (*co, 1)
    return data


def wire():
    data = curve()
    data.bevel_depth = 0
    return data


def text():
    data = bpy.data.curves.new("text", "FONT")
    data.body, data.extrude = "Gp", 0.05
    return data


def surface():
    data = bpy.data.curves.new("surface", "SURFACE")
    data.dimensions = "3D"
    for row in range(4):
        spline = data.splines.new("NURBS")
        spline.points.add(3)
        for index, point in enumerate(spline.points):
            point.co = (index, row, 0.3 * index * row, 1)
            point.select = True
    holder = add("surface maker", data)
    bpy.context.view_layer.objects.active = holder
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.curve.make_segment()
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.data.objects.remove(holder)
    return data


def metaball():
    data = bpy.data.metaballs.new("ball")
    data.elements.new().radius = 1
    data.elements.new().co = (0.8, 0.2, 0)
    data.resolution = data.render_resolution = 0.4
    return data


RENDERED = {"CURVE": curve, "FONT": text, "SURFACE": surface, "META": metaball}
OTHERS = {
    "LIGHT": lambda: bpy.data.lights.new("light", "POINT"),
    "EMPTY": lambda: None,
    "CAMERA": lambda: bpy.data.cameras.new("camera"),
    "ARMATURE": lambda: bpy.data.armatures.new("rig"),
    "LATTICE": lambda: bpy.data.lattices.new("lattice"),
    "SPEAKER": lambda: bpy.data.speakers.new("speaker"),
    "LIGHT_PROBE": lambda: bpy.data.lightprobes.new("probe", "SPHERE"),
    "VOLUME": lambda: bpy.data.volumes.new("volume"),
    "POINTCLOUD": lambda: bpy.data.pointclouds.new("points"),
    "CURVES": lambda: bpy.data.hair_curves.new("hair"),
    "GREASEPENCIL": lambda: bpy.data.grease_pencils.new("pencil"),
}


def skipped(data):
    """Type -> the number that the finding begins with."""
    return {f.subject: f.message.split()[0] for f in data.findings if f.code == "skipped-instances"}


def scene_with(kind, data, way):
    """`COPIES` instances of that data beside a leaf, by a collection or by Geometry Nodes; the object is not shown itself."""
    group = collection("group", linked=False)
    obj = add("thing", data, group, location=(0.5, 0, 0))
    assert obj.type == kind
    if way == "collection":
        add("leaf", fan("leaf", 4), group)
        for index in range(COPIES):
            instance(f"copy {index}", group, location=(0, 5 * index, 0))
    else:
        owner = add("owner", points("points", [(0, 5 * index, 0) for index in range(COPIES)]))
        scatter(owner, obj if way == "object info" else group)
        add("leaf", fan("leaf", 4))


@pytest.mark.parametrize("visible", ["viewport", "render"])
@pytest.mark.parametrize("way", ["collection", "object info", "collection info"])
@pytest.mark.parametrize("kind", RENDERED)
def test_i18_made_into_meshes(check, kind, way, visible):
    scene_with(kind, RENDERED[kind](), way)
    data, expected = check(visible)
    shown = [one for one in expected if one.triangles != 4]
    assert data.instance_count == len(expected)
    # Blender draws instanced metaballs nowhere but in their own object: they are skipped, with their count.
    assert len(shown) == (0 if kind == "META" else COPIES)
    assert skipped(data) == ({"meta": str(COPIES)} if kind == "META" else {})


@pytest.mark.parametrize("kind", RENDERED)
def test_i18_by_themselves(check, kind):
    """Twice in Blender's list of what it draws, once in ours."""
    add("thing", RENDERED[kind](), location=(1, 2, 3))
    data, expected = check()
    assert data.instance_count == len(expected) == 1
    assert data.sources[data["instance_sources"][0]] == "thing"


@pytest.mark.parametrize("way", ["collection", "object info"])
@pytest.mark.parametrize("kind", OTHERS)
def test_i18_skipped_and_counted(check, kind, way):
    scene_with(kind, OTHERS[kind](), way)
    data, _ = check()
    assert data.instance_count == (COPIES if way == "collection" else 1)
    assert skipped(data) == {kind.lower().replace("_", " "): str(COPIES)}
    assert {f.severity for f in data.findings} == {"info"}


@pytest.mark.parametrize("way", ["collection", "object info"])
def test_i18_a_curve_without_thickness(check, way):
    scene_with("CURVE", wire(), way)
    data, _ = check()
    assert data.instance_count == (COPIES if way == "collection" else 1)
    assert skipped(data) == {"curve": str(COPIES)}


def test_i18_all_at_once(check):
    group = collection("group", linked=False)
    for index, (kind, make) in enumerate((RENDERED | OTHERS).items()):
        add(f"thing {kind}", make(), group, location=(10 * index, 0, 0))
    for index in range(2):
        instance(f"copy {index}", group, location=(0, 20 * index, 0), rotation=(0, 0, 30))
    data, expected = check()
    assert set(oracle.counts_by_object(expected)) == {"thing CURVE", "thing FONT", "thing SURFACE"}
    assert skipped(data) == {kind.lower().replace("_", " "): "2" for kind in [*OTHERS, "META"]}
