"""Cluster trees in a file's tables: what is written is read back, engines can walk it, and damage is refused."""

from dataclasses import replace

import numpy as np
import pytest
from scene_factory import make_scene

from gpuscene.core import gltf, layout
from gpuscene.core.cluster_tree import CHOICES, build, check, from_tables, to_tables, with_trees, without
from gpuscene.core.cluster_tree.tables import AUTOMATIC_SAH
from gpuscene.core.culling.bounds import instance_bounds
from gpuscene.core.errors import FormatError
from gpuscene.core.limits import NO_INDEX

LEAF = 1 << 31


def rows_below(scene, root, table):
    """Instance rows under a root, by the file's records alone, as an engine walks them."""
    nodes, rows, stack = scene["cluster_nodes"], [], [root]
    while stack:
        first, count = int(nodes["first"][stack[-1]]), int(nodes["count"][stack.pop()])
        if count & LEAF:
            rows += scene[table][first:first + (count & (LEAF - 1))].tolist()
        else:
            stack += range(first, first + count)
    return sorted(rows)


@pytest.mark.parametrize("builder", ["spatial", "sah", "grid"])
def test_a_tree_for_the_scene_and_one_for_each_primitive(builder, tmp_path):
    scene = to_tables(make_scene(900, 5, 3), builder, 16)
    gltf.write(scene, tmp_path / "scene.glb")
    back = gltf.read(tmp_path / "scene.glb")
    assert back.clusters == scene.clusters and (back.clusters.builder, back.clusters.cluster_size) == (builder, 16)
    assert rows_below(back, back.clusters.scene_cluster_root, "sorted_instances") == list(range(900))
    ids = back["instance_data"]["primitive_id"]
    for primitive in range(5):
        root = int(back["primitives"]["cluster_root"][primitive])
        assert rows_below(back, root, "primitive_sorted_instances") == np.flatnonzero(ids == primitive).tolist()
    for order, reorder in (("sorted_instances", "reorder"), ("primitive_sorted_instances", "primitive_reorder")):
        assert back[order][back[reorder]].tolist() == list(range(900)) == back[reorder][back[order]].tolist()


def test_trees_come_back_as_they_were_built(tmp_path):
    scene = make_scene(900, 5, 3)
    bounds = instance_bounds(scene)
    gltf.write(to_tables(scene, "sah", 16), tmp_path / "scene.glb")
    back = gltf.read(tmp_path / "scene.glb")
    ids = scene["instance_data"]["primitive_id"]
    for primitive in (None, *range(5)):
        rows = None if primitive is None else np.flatnonzero(ids == primitive)
        built, read = build(bounds, "sah", 16, rows=rows), from_tables(back, primitive)
        check(read, bounds)
        assert read.built_count == len(built.sorted_instances) == len(read.sorted_instances)
        if primitive is None:
            assert read.nodes.tobytes() == built.nodes.tobytes()
            assert read.sorted_instances.tobytes() == built.sorted_instances.tobytes()
            assert read.built_cost == built.built_cost
        else:
            assert sorted(read.sorted_instances.tolist()) == rows.tolist()


def test_one_primitive_shares_the_scenes_tree():
    scene = to_tables(make_scene(300, 1))
    assert scene["primitives"]["cluster_root"].tolist() == [scene.clusters.scene_cluster_root] == [0]
    assert "primitive_sorted_instances" not in scene.tables
    assert from_tables(scene, 0).nodes.tobytes() == from_tables(scene).nodes.tobytes()
    gltf.check(scene)


def test_primitives_without_instances_have_no_tree(tmp_path):
    scene = to_tables(make_scene(2, 6, 1))
    users = scene.instances_per_primitive()
    assert ((scene["primitives"]["cluster_root"] == NO_INDEX) == (users == 0)).all() and (users == 0).any()
    assert from_tables(scene, int(np.argmin(users))) is None
    gltf.check(scene)


@pytest.mark.parametrize("primitives", [0, 3])
def test_a_scene_without_instances(primitives, tmp_path):
    scene = to_tables(make_scene(0, primitives))
    gltf.write(scene, tmp_path / "scene.glb")
    tree = from_tables(gltf.read(tmp_path / "scene.glb"))
    check(tree, instance_bounds(scene))
    assert len(tree) == 1 and tree.instance_count == 0


def test_building_again_replaces_and_none_removes():
    scene = make_scene(500, 3)
    once = to_tables(to_tables(scene, "grid", 4), "sah", 64)
    directly = to_tables(scene)
    assert set(once.tables) == set(directly.tables)
    assert all(once[name].tobytes() == directly[name].tobytes() for name in once.tables)
    for bare in (without(once), with_trees(once, "none")):
        assert bare.clusters is None and from_tables(bare) is None and set(bare.tables) == set(scene.tables)
        assert (bare["primitives"]["cluster_root"] == NO_INDEX).all()


def test_choices_of_an_export():
    scene = make_scene(200, 2)
    assert [with_trees(scene, choice, 8).clusters and with_trees(scene, choice, 8).clusters.builder for choice in CHOICES] == \
        ["sah", "spatial", "sah", "grid", None]
    assert with_trees(make_scene(AUTOMATIC_SAH + 1, 1)).clusters.builder == "spatial"
    with pytest.raises(ValueError, match="octree"):
        with_trees(scene, "octree")


def test_files_without_trees_are_read(tmp_path):
    gltf.write(make_scene(20), tmp_path / "scene.glb")
    assert gltf.read(tmp_path / "scene.glb").clusters is None


def _nodes(scene, row, **fields):
    nodes = scene["cluster_nodes"].copy()
    for name, value in fields.items():
        nodes[name][row] = value
    return replace(scene, tables=scene.tables | {"cluster_nodes": nodes})


def _table(scene, name, change):
    array = scene[name].copy()
    change(array)
    return replace(scene, tables=scene.tables | {name: array})


def _root(scene, row):
    return _table(scene, "primitives", lambda primitives: primitives["cluster_root"].__setitem__(0, row))


def _lacking(scene, *names):
    return replace(scene, tables={name: array for name, array in scene.tables.items() if name not in names})


def _swap_two_runs(scene):
    order, ids = scene["primitive_sorted_instances"].copy(), scene["instance_data"]["primitive_id"]
    a, b = np.flatnonzero(ids == 0)[0], np.flatnonzero(ids == 1)[0]
    order[[a, b]] = order[[b, a]]
    reorder = np.empty_like(order)
    reorder[order] = np.arange(len(order))
    return replace(scene, tables=scene.tables | {"primitive_sorted_instances": order, "primitive_reorder": reorder})


DAMAGE = {
    "a node that is its own child": lambda s: _nodes(s, 0, first=0),
    "children elsewhere": lambda s: _nodes(s, 0, first=2),
    "too many children": lambda s: _nodes(s, 0, count=9),
    "one child": lambda s: _nodes(s, 0, count=1),
    "a leaf in place of the root": lambda s: _nodes(s, 0, count=LEAF | 4, first=0),
    "a leaf with one instance less": lambda s: _nodes(s, _last_leaf(s), count=s["cluster_nodes"]["count"][_last_leaf(s)] - 1),
    "a leaf of another's instances": lambda s: _nodes(s, _last_leaf(s), first=0),
    "a root past the nodes": lambda s: replace(s, clusters=replace(s.clusters, scene_cluster_root=len(s["cluster_nodes"]))),
    "a root that is none": lambda s: replace(s, clusters=replace(s.clusters, scene_cluster_root=1)),
    "a primitive without a root": lambda s: _root(s, NO_INDEX),
    "a primitive with another's root": lambda s: _root(s, s["primitives"]["cluster_root"][1]),
    "no order": lambda s: _lacking(s, "sorted_instances"),
    "no order of the primitives": lambda s: _lacking(s, "primitive_sorted_instances", "primitive_reorder"),
    "no nodes": lambda s: replace(s, tables=s.tables | {"cluster_nodes": layout.CLUSTER_NODE.empty(0)}),
    "an instance in another's run": _swap_two_runs,
    "an order that is no permutation": lambda s: _table(s, "primitive_sorted_instances", lambda a: a.__setitem__(0, a[1])),
}


def _last_leaf(scene):
    return int(np.flatnonzero(scene["cluster_nodes"]["count"] >= LEAF)[-1])


@pytest.mark.parametrize("kind", list(DAMAGE))
def test_trees_that_do_not_fit_together_are_refused(kind):
    scene = to_tables(make_scene(300, 3), "sah", 8)
    gltf.check(scene)
    with pytest.raises(FormatError):
        gltf.check(DAMAGE[kind](scene))
