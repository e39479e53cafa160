"""check: one wrong value in one row of any table is found, and the message names the table."""

import numpy as np
import pytest
from gpuscene.core import gltf, layout
from gpuscene.core.errors import FormatError
from gpuscene.core.scene import SceneData
from scene_factory import make_scene

NONE = 0xFFFFFFFF


def altered(scene, table, change, **replace):
    """`scene` with one table replaced by ``change(copy)`` (or the copy changed in place)."""
    array = scene[table].copy()
    result = change(array)
    tables = dict(scene.tables) | {table: array if result is None else result}
    return SceneData(tables, scene.convention, **({"primitive_names": scene.primitive_names, "sources": scene.sources,
                                                   "materials": scene.materials} | replace))


def put(field, row, value):
    def change(array):
        (array if field is None else array[field])[row] = value
    return change


@pytest.mark.parametrize(("table", "change"), [
    ("instance_data", lambda a: a[:-1]), ("instance_sources", lambda a: a[:-1]), ("visibility", lambda a: a[:0]), ("visibility", lambda a: np.append(a, a)),
    ("instance_index", put(None, 3, 20)), ("instance_sources", put(None, 3, 50)), ("instance_data", put("primitive_id", 19, 3)),
    ("instance_data", put("primitive_id", 0, 2)), ("instance_data", put("primitive_id", 19, NONE)),
    ("instance_transforms", put("position", 4, (0, np.nan, 0))), ("instance_transforms", put("z_axis", 4, (np.inf, 0, 0))),
    ("instance_transforms", put("bounding_radius", 4, -np.inf)), ("instance_data", put("custom_data", (4, 1, 3), np.nan)),
    ("primitives", put("lod_count", 1, 0)), ("primitives", put("lod_count", 1, 9)), ("primitives", put("first_lod", 2, 5)),
    ("primitives", put("first_lod", 0, NONE)), ("primitives", put("first_index", 1, 3)), ("primitives", put("index_count", 1, 3)),
    ("primitives", put("base_vertex", 1, 0)), ("primitives", put("vertex_count", 1, 23)), ("primitives", put("vertex_count", 2, 500)),
    ("primitives", put("material_index", 0, 2)), ("primitives", put("cluster_root", 0, 0)), ("primitives", put("sphere_radius", 0, np.nan)),
    ("primitives", put("lod_screen_sizes", (0, 1), np.inf)), ("lods", put("index_count", 1, 500)), ("lods", put("first_index", 1, NONE)),
    ("lods", put("first_batch", 1, 10)), ("lods", put("batch_count", 1, NONE)), ("lods", put("base_vertex", 1, 100)), ("lods", put("screen_size_in", 1, np.nan)),
    ("batches", put("primitive_id", 0, 3)), ("batches", put("primitive_id", 0, 1)), ("batches", put("lod_index", 0, 2)), ("batches", put("material_index", 0, 2)),
    ("batches", lambda a: a[:-1]), ("indirect_args", lambda a: a[:-1]), ("indirect_args", put("index_count", 0, 21)),
    ("indirect_args", put("index_count", 0, 17)), ("indirect_args", put("index_count", 0, NONE)), ("indirect_args", put("first_index", 0, NONE)),
    ("indirect_args", put("first_index", 2, 0)), ("indirect_args", put("base_vertex", 0, -1)), ("indirect_args", put("base_vertex", 0, 24)),
    ("indirect_args", put("instance_count", 0, 21)), ("indirect_args", put("first_instance", 0, NONE)),
    ("indices", put(None, 0, 24)), ("indices", put(None, 167, NONE)), ("indices", put(None, 60, 100)), ("indices", lambda a: a[:-3]),
    ("vertex_positions", put(None, (5, 1), np.nan)), ("vertex_normals", put(None, (5, 1), np.inf)), ("vertex_uvs", put(None, (5, 1), np.nan)),
    ("vertex_normals", lambda a: a[:-1]), ("vertex_uvs", lambda a: a[1:]), ("vertex_positions", lambda a: a[:-1]),
])
def test_one_wrong_value_is_found(table, change):
    scene = make_scene(20, 3)
    gltf.check(scene)
    with pytest.raises(FormatError, match="^Forest: ") as caught:
        gltf.check(altered(scene, table, change), "Forest")
    assert "\n" not in str(caught.value)
    assert any(word in str(caught.value) for word in (table, "primitives", "lods", "batches", "indirect_args", "vertex_"))


@pytest.mark.parametrize("change", [{"sources": ()}, {"primitive_names": ("a",)}, {"materials": ()}])
def test_names_and_materials_that_are_missing(change):
    scene = make_scene(20, 3)
    with pytest.raises(FormatError):
        gltf.check(altered(scene, "lods", lambda a: None, **change))


@pytest.mark.parametrize(("table", "array"), [
    ("full_precision_transforms", np.zeros((1, 16))), ("sorted_instances", np.arange(19, dtype="u4")),
    ("reorder", np.full(20, 20, "u4")), ("bone_remap", np.zeros(4, "u4"))])
def test_an_optional_table_that_does_not_fit(table, array):
    with pytest.raises(FormatError, match=table):
        gltf.check(make_scene(20, extra_tables={table: array}))


def test_orders_that_are_no_inverses_and_a_tree_that_leaves_its_tables():
    order = np.arange(20, dtype="u4")
    with pytest.raises(FormatError, match="inverse"):
        gltf.check(make_scene(20, extra_tables={"sorted_instances": order, "reorder": order[::-1].copy()}))
    for count in (21 | layout.CLUSTER_LEAF, 2):
        nodes = layout.TABLES["cluster_nodes"].empty(1)
        nodes["count"] = count
        with pytest.raises(FormatError, match="cluster_nodes row 0"):
            gltf.check(make_scene(20, extra_tables={"sorted_instances": order, "cluster_nodes": nodes}))


def test_full_precision_rows_are_counted_by_flag():
    gltf.check(make_scene(20, full_precision=4))


def test_lods_that_share_indices_and_lods_that_are_empty_are_fine():
    scene = make_scene(20, 1, lods=2)
    lods, args = scene["lods"].copy(), scene["indirect_args"].copy()
    lods[1]["first_index"], lods[1]["index_count"], lods[1]["base_vertex"] = lods[0]["first_index"], lods[0]["index_count"], 0
    args["first_index"][2:], args["index_count"][2:], args["base_vertex"][2:] = args["first_index"][:2], args["index_count"][:2], 0
    shared = dict(scene.tables) | {"lods": lods, "indirect_args": args}
    gltf.check(SceneData(shared, primitive_names=("a",), sources=scene.sources, materials=scene.materials))
    lods[1]["index_count"] = 0
    args["index_count"][2:], args["first_index"][2:] = 0, lods[1]["first_index"]
    gltf.check(SceneData(shared, primitive_names=("a",), sources=scene.sources, materials=scene.materials))


def test_overlapping_lods_are_refused_before_any_is_scanned():
    """A million LODs over the same indices would be a long wait."""
    scene = make_scene(20, 2, lods=2)
    lods, args, primitives = (scene[t].copy() for t in ("lods", "indirect_args", "primitives"))
    lods["index_count"] += 3
    args["index_count"][lods["first_batch"] + lods["batch_count"] - 1] += 3
    primitives["index_count"] += 3
    tables = dict(scene.tables) | {"lods": lods, "indirect_args": args, "primitives": primitives,
                                   "indices": np.append(scene["indices"], np.zeros(3, "u4"))}
    with pytest.raises(FormatError, match="overlap"):
        gltf.check(SceneData(tables, primitive_names=scene.primitive_names, sources=scene.sources, materials=scene.materials))


@pytest.mark.parametrize(("instances", "primitives"), [(0, 0), (0, 3), (1, 1), (33, 1)])
def test_small_scenes_pass(instances, primitives):
    gltf.check(make_scene(instances, primitives))
