"""I21: what a script sets is exported with no update. Each test exports first, so that everything is evaluated once."""

import bpy
import numpy as np
import pytest
from builders import add, collection, fan, hair, instance, material, plane
from gpuscene.blender import registration
from gpuscene.core import layout
from mathutils import Matrix


@pytest.fixture
def registered(empty_scene):
    registration.register()
    yield
    registration.unregister()


VISIBLE = pytest.mark.parametrize("visible", ["viewport", "render"])


@VISIBLE
def test_i21_matrix_local(extract, visible):
    parent = add("parent", None, location=(10, 0, 0))
    leaf = add("leaf", fan("leaf"), parent=parent)
    extract(visible)
    leaf.matrix_local = Matrix.Translation((1, 2, 3)) @ Matrix.Diagonal((2, 2, 2, 1))
    right = np.array([[2, 0, 0, 11], [0, 2, 0, 2], [0, 0, 2, 3], [0, 0, 0, 1]])
    assert (extract(visible).world_from_local()[0] == right).all()


CHANGES = {
    "location": lambda leaf, parent: setattr(leaf, "location", (4, 5, 6)),
    "matrix_world": lambda leaf, parent: setattr(leaf, "matrix_world", Matrix.Translation((7, 8, 9))),
    "matrix_basis": lambda leaf, parent: setattr(leaf, "matrix_basis", Matrix.Translation((7, 8, 9))),
    "parent's scale": lambda leaf, parent: setattr(parent, "scale", (1, 1, 5)),
    "new parent": lambda leaf, parent: setattr(leaf, "parent", None),
    "hidden": lambda leaf, parent: (setattr(leaf, "hide_viewport", True), setattr(leaf, "hide_render", True)),
    "modifier": lambda leaf, parent: setattr(leaf.modifiers.new("array", "ARRAY"), "count", 3),
    "another mesh": lambda leaf, parent: setattr(leaf, "data", fan("other", 7)),
    "material": lambda leaf, parent: leaf.data.materials.append(material("new")),
    "object material": lambda leaf, parent: (
        setattr(parent.children[1].material_slots[0], "link", "OBJECT"),
        setattr(parent.children[1].material_slots[0], "material", material("own")),
    ),
    "removed": lambda leaf, parent: bpy.data.objects.remove(leaf),
    "added": lambda leaf, parent: add("added", leaf.data, location=(0, 0, 8)),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@VISIBLE
def test_i21_any_change(extract, check, visible, change):
    parent = add("parent", None, location=(10, 0, 0))
    leaf = add("leaf", fan("leaf"), parent=parent, location=(0, 0, 1))
    add("second", fan("second", 4, materials=[material("red")]), parent=parent)
    before = extract(visible)
    change(leaf, parent)
    after, _ = check(visible)
    assert any(before[name].tobytes() != after[name].tobytes() for name in ("instance_transforms", "indices", "batches")) or (
        before.materials != after.materials
    )


@VISIBLE
@pytest.mark.parametrize("copies", [1, 3])
@pytest.mark.parametrize("owner", ["object", "mesh"])
def test_i21_custom_property(extract, visible, copies, owner):
    mesh = fan("leaf")
    leaf, *_ = [add(f"leaf {index}", mesh) for index in range(copies)]
    assert not extract(visible)["instance_data"]["custom_data"].any()
    (leaf if owner == "object" else mesh)["gpuscene_lod_bias"] = 2.5
    data = extract(visible)
    values = {
        data.sources[s]: v for s, v in zip(data["instance_sources"], data["instance_data"]["custom_data"][:, 0, 1].tolist())
    }
    assert values == {f"leaf {index}": 2.5 if index == 0 or owner == "mesh" else 0 for index in range(copies)}


def test_i21_custom_property_of_what_instances(extract):
    group = collection("group", linked=False)
    add("inside", fan("inside"), group)
    outer = instance("outer", group)
    ground = add("ground", plane("ground"), location=(0, 0, 9))
    ground.show_instancer_for_viewport = False
    hair(ground, "hair", 5, add("leaf", fan("leaf", 5), location=(0, 0, -9)))
    extract()
    outer["gpuscene_height"], ground["gpuscene_height"] = 3, 4
    data = extract()
    heights = {}
    for source, value in zip(data["instance_sources"], data["instance_data"]["custom_data"][:, 1, 1].tolist()):
        heights.setdefault(data.sources[source], []).append(value)
    assert heights["inside"] == [3] and sorted(heights["leaf"]) == [0, 4, 4, 4, 4, 4]


def test_i21_a_driven_property_is_the_drivers(extract):
    leaf = add("leaf", fan("leaf"))
    leaf["gpuscene_lod_bias"] = 1.0
    leaf.driver_add('["gpuscene_lod_bias"]').driver.expression = "frame * 0.5"
    bpy.context.scene.frame_set(7)
    assert extract()["instance_data"]["custom_data"][0, 0, 1] == 3.5


@VISIBLE
def test_i21_settings_of_the_object(registered, extract, visible):
    mesh = fan("leaf")
    leaf, other = add("leaf", mesh), add("other", mesh, location=(5, 0, 0))
    coarse = add("coarse", fan("coarse", 2))
    extract(visible)
    leaf.gpuscene.full_precision, leaf.gpuscene.movable = True, "YES"
    level = other.gpuscene.lods.add()
    level.object = coarse
    data = extract(visible)
    flags = {data.sources[s]: int(f) for s, f in zip(data["instance_sources"], data["instance_transforms"]["flags"])}
    assert flags["leaf"] & layout.INSTANCE_FULL_PRECISION and flags["leaf"] & layout.INSTANCE_MOVABLE
    assert not flags["other"] & (layout.INSTANCE_FULL_PRECISION | layout.INSTANCE_MOVABLE)
    assert sorted(data["primitives"]["lod_count"].tolist()) == [1, 1, 2]
