"""I20: many instances are one batch, and making them adds nothing to the file."""

import bpy
import numpy as np
import oracle
from builders import Nodes, add, fan, hair, instance, plane
from gpuscene.core import layout


def contents():
    """Number of data-blocks of every kind."""
    return {
        name: len(value) for name in dir(bpy.data) if isinstance(value := getattr(bpy.data, name), bpy.types.bpy_prop_collection)
    }


def test_i20_ten_thousand_hairs(extract):
    leaf = add("leaf", fan("leaf", 4), location=(0, 0, -50))
    ground = add("ground", plane("ground", 4, 4), location=(1, 2, 3), rotation=(20, 0, 0))
    hair(ground, "hair", 10_000, leaf)
    ground.show_instancer_for_viewport = False
    before = contents()
    data = extract()
    assert contents() == before
    assert sorted(data.instances_per_primitive().tolist()) == [10_001] and data.batch_count == 1
    oracle.assert_same(data, oracle.drawn())
    assert data["indirect_args"]["instance_count"].tolist() == [10_001]
    assert len(np.unique(data["instance_data"]["instance_id"])) == 10_001
    assert len(data.sources) <= 2


def test_i20_a_million_points(extract):
    """A 1000 x 1000 grid of points one metre apart, made by nodes, each with an instance of the leaf."""
    leaf = add("leaf", fan("leaf", 4))
    leaf.hide_viewport = True
    owner = add("owner", bpy.data.meshes.new("nothing"), location=(0, 0, 7))
    nodes = Nodes()
    grid = nodes.add("MeshGrid", Size_X=999.0, Size_Y=999.0, Vertices_X=1000, Vertices_Y=1000)
    source = nodes.add("ObjectInfo", Object=leaf, As_Instance=True)
    placed = nodes.add(
        "InstanceOnPoints", Points=grid.outputs[0], Instance=next(s for s in source.outputs if s.type == "GEOMETRY")
    )
    nodes.on(owner, placed.outputs[0])
    bpy.context.view_layer.update()
    before = contents()
    data = extract()
    assert contents() == before
    assert data.instance_count == 1_000_000 and data.primitive_count == data.batch_count == 1
    assert data["indirect_args"][0]["instance_count"] == data["batches"][0]["max_instance_count"] == 1_000_000
    position = data["instance_transforms"]["position"]
    # Grid points are every pair of half-integers within 499.5.
    cells = np.rint(position[:, :2] + 499.5).astype(np.int64)
    assert np.abs(position[:, :2] + 499.5 - cells).max() < 1e-3 and (position[:, 2] == 7).all()
    assert (np.bincount(cells[:, 0] * 1000 + cells[:, 1], minlength=1_000_000) == 1).all()
    both = layout.INSTANCE_VISIBLE | layout.INSTANCE_VALID
    assert (data["instance_transforms"]["flags"] == both).all()
    assert (data["visibility"] == 0xFFFFFFFF).all() and len(data["visibility"]) == 31250
    ids = np.sort(data["instance_data"]["instance_id"])
    assert (ids[1:] != ids[:-1]).all()
    assert data.triangle_count() == 4_000_000


def test_i20_a_collection_of_instances_of_a_collection(extract):
    """20 empties of a collection with 25 empties of one with 20 leaves: ten thousand, one batch."""
    inner, outer = (bpy.data.collections.new(name) for name in ("inner", "outer"))
    mesh = fan("leaf", 4)
    for index in range(20):
        add(f"leaf {index}", mesh, inner, location=(0, 0, index))
    for index in range(25):
        instance(f"row {index}", inner, outer, location=(0, index, 0))
    for index in range(20):
        instance(f"block {index}", outer, location=(index, 0, 0))
    before = contents()
    data = extract()
    assert contents() == before
    assert data.instances_per_primitive().tolist() == [10_000] and data.batch_count == 1
    position = np.rint(data["instance_transforms"]["position"]).astype(int)
    assert len({tuple(p) for p in position.tolist()}) == 10_000 and position.max(axis=0).tolist() == [19, 24, 19]
    assert len(np.unique(data["instance_data"]["instance_id"])) == 10_000
