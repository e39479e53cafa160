"""Live tables by hand: slots, the hide path, layouts, and scenes that show what an export shows."""

import numpy as np
import pytest
from gpuscene.core import gltf, ids, layout
from gpuscene.core.assemble import Extraction, Part, assemble
from gpuscene.core.conventions import PRESETS
from gpuscene.core.culling.lod_select import LodInputs
from gpuscene.core.live.primitives import select, trimmed
from gpuscene.core.live.rows import LiveRows
from gpuscene.core.live.slots import Dirty, Segments
from gpuscene.core.live.tables import LiveTables
from live_factory import MATERIALS, MESHES, custom, key_of, make_objects, make_tables, matrix, rows_of, store

BLENDER = PRESETS["blender"]


def test_segments_give_the_lowest_hole_then_headroom():
    """16 and 3 rows: room for 16 + 16 // 8 + 1 = 19 and 3 + 0 + 1 = 4."""
    segments = Segments([16, 3])
    assert (segments.first.tolist(), segments.capacity.tolist(), segments.total) == ([0, 19], [19, 4], 23)
    assert segments.fill([16, 3]).tolist() == [*range(16), 19, 20, 21]
    assert segments.free_counts().tolist() == [3, 1]
    segments.release(np.array([7, 20, 2]), np.array([0, 1, 0]))
    segments.release(np.array([5]), np.array([0]))
    assert segments.hole_count == 4 and segments.free_counts().tolist() == [6, 2]
    assert segments.take(np.array([0, 1, 0])).tolist() == [2, 20, 5]
    assert segments.take(np.array([1, 0, 0, 0])).tolist() == [22, 7, 16, 17]
    assert segments.hole_count == 0 and segments.free_counts().tolist() == [1, 0]
    assert segments.primitive_ids().tolist() == [0] * 19 + [1] * 4


@pytest.mark.parametrize("capacity", [8, 1000])
def test_dirty_slots_are_given_once_in_order(capacity):
    dirty = Dirty(capacity)
    for slots in ([5, 3], [], [3, 7], [5]):
        dirty.add(np.array(slots, np.int64))
    assert dirty.take().tolist() == [3, 5, 7] and dirty.take().tolist() == []
    for _ in range(2000):
        dirty.add([6, 1])
    assert sum(map(len, dirty._parts)) <= 2 * capacity + 1024 + 2  # what nobody takes does not pile up
    assert dirty.take().tolist() == [1, 6]


def arrays(tables) -> dict:
    found = {name: getattr(tables, name) for name in ("transforms", "data", "keys", "owners", "sources", "alive")}
    bounds = ("center", "radius", "box_min", "box_max", "cull_radius", "drawable")
    return found | {f"bounds {name}": getattr(tables.bounds, name) for name in bounds}


def test_hiding_touches_the_flag_alone():
    tables, objects = make_tables()
    owner = list(objects)[7]
    before = {name: array.copy() for name, array in arrays(tables).items()}
    kept = arrays(tables)
    slots = [tables.slot_of_key(key_of(owner, child)) for child in objects[owner]]
    version, layout_version = tables.version, tables.layout_version
    assert tables.hide(ids.name_key(owner)) == len(slots) and tables.hide(ids.name_key(owner)) == 0
    assert all(array is kept[name] for name, array in arrays(tables).items())
    before["transforms"]["flags"][slots] -= layout.INSTANCE_VISIBLE
    before["bounds drawable"][slots] = False
    assert all(array.tobytes() == before[name].tobytes() for name, array in arrays(tables).items())
    assert (tables.version, tables.layout_version) == (version + 1, layout_version)
    assert tables.take_dirty().tolist() == sorted(slots)


def test_hidden_rows_are_shown_in_their_slots():
    tables, objects = make_tables()
    extraction, primitives = store()
    hidden = list(objects)[3:6]
    owners = ids.name_keys(hidden)
    before = arrays(tables)["transforms"].tobytes()
    slots = tables.slots_of(owners)
    count = tables.count
    assert tables.hide(owners) == tables.hidden_count == count - tables.count == len(slots)
    changes = tables.apply(rows_of({name: objects[name] for name in hidden}, extraction, primitives), owners)
    assert changes == (0, 0, len(slots), 0) and np.array_equal(tables.slots_of(owners), slots)
    assert tables.transforms.tobytes() == before and tables.hidden_count == 0


def test_the_last_free_slot_and_one_more():
    """16 rows of one primitive leave 3 free: the third goes in, the fourth makes a layout of 20 + 20 // 8 + 1 = 23 slots."""
    extraction, primitives = store()
    objects = {f"Object {i}": {0: (1, 10 + i)} for i in range(16)}
    tables = LiveTables.build(rows_of(objects, extraction, primitives), primitives, BLENDER)
    assert (tables.capacity, len(tables.primitives), tables.primitives.names) == (19, 1, ("Primitive 1",))
    scene = tables.capacity_scene()
    for number in range(16, 20):
        new = {f"Object {number}": {0: (1, 10 + number)}}
        before = tables.layout_version, tables.transforms
        assert tables.apply(rows_of(new, extraction, primitives), ids.name_keys([*new])) == (1, 0, 0, 0)
        grown = number == 19
        assert (tables.layout_version - before[0], tables.transforms is not before[1]) == (grown, grown)
        assert tables.take_dirty().tolist() == ([] if grown else [number])
    assert tables.capacity == 23 and tables.count == 20 and tables.capacity_scene() is not scene


def test_a_primitive_comes_into_use_and_goes_out_of_it():
    extraction, primitives = store()
    objects = {"A": {0: (1, 10)}, "B": {0: (1, 11)}}
    tables = LiveTables.build(rows_of(objects, extraction, primitives), primitives, BLENDER)
    changes = tables.apply(rows_of({"A": {0: (4, 10)}}, extraction, primitives), ids.name_keys(["A"]))
    assert changes == (1, 1, 0, 0) and tables.primitives.names == ("Primitive 1", "Primitive 4")
    assert tables.data["primitive_id"].tolist() == [0, 0, 1, 1] and tables.alive.tolist() == [True, False, True, False]
    tables.apply(rows_of({"B": {0: (0, 11)}}, extraction, primitives), ids.name_keys(["B"]))
    assert tables.primitives.names == ("Primitive 4", "Primitive 0")
    # Back again, within the segment: no new layout.
    version = tables.layout_version
    tables.apply(rows_of({"B": {0: (4, 11)}}, extraction, primitives), ids.name_keys(["B"]))
    assert tables.layout_version == version and tables.data["primitive_id"][tables.slot_of_key(key_of("B", 0))] == 0


def test_a_store_that_grew():
    extraction, primitives = store(3)
    tables = LiveTables.build(rows_of({"A": {0: (1, 10)}}, extraction, primitives), primitives, BLENDER)
    grown, more = store(6)
    tables.apply(rows_of({"B": {0: (5, 11)}}, grown, more), ids.name_keys(["B"]), more)
    assert tables.primitives.names == ("Primitive 1", "Primitive 5") and tables.count == 2


def test_fragmentation_counts_holes_alone():
    tables, objects = make_tables(30)
    names = list(objects)
    total = tables.count
    gone = sum(len(objects[name]) for name in names[:10])
    assert tables.fragmentation == 0 and tables.capacity > total
    assert tables.remove(ids.name_keys(names[:10])) == gone and tables.remove(ids.name_keys(names[:10])) == 0
    assert tables.fragmentation == gone / total
    tables.compact()
    assert tables.fragmentation == 0 and tables.count == total - gone


def test_bytes_count_not_values():
    """-0.0 for 0.0 is a change; a NaN for itself is none."""
    extraction, primitives = store()
    rows = rows_of({"A": {0: (1, 2)}, "B": {0: (1, 11)}}, extraction, primitives)
    rows.data["custom_data"][:, 1, 3] = np.nan
    tables = LiveTables.build(rows, primitives, BLENDER)
    assert tables.apply(rows) == (0, 0, 0, 2)
    assert rows.transforms["position"][rows.transforms["position"] == 0].size == 3
    rows.transforms["position"][rows.transforms["position"] == 0] = -0.0
    assert tables.apply(rows) == (0, 0, 1, 1) and tables.take_dirty().tolist() == [tables.slot_of_key(key_of("A", 0))]
    rows.data["lightmap_index"][1] = 4
    assert tables.apply(rows) == (0, 0, 1, 1) and tables.data["lightmap_index"][tables.slot_of_key(rows.keys[1])] == 4
    slots = tables.slot_of_key(rows.keys)
    columns = np.stack([matrix(3 if n == 0 else 11) for n in (rows.owners != ids.name_key("A"))])
    assert tables.patch(slots, columns) == 0
    columns[0, 3, 0] = 0.0
    assert tables.patch(slots, columns) == 1


def test_a_source_or_an_owner_may_change():
    extraction, primitives = store()
    rows = rows_of({"A": {0: (1, 10), 1: (1, 11)}}, extraction, primitives)
    tables = LiveTables.build(rows, primitives, BLENDER)
    other = LiveRows(rows.keys, rows.owners, rows.sources, ("renamed",), rows.transforms, rows.data)
    assert tables.apply(other) == (0, 0, 2, 0) and [tables.names[i] for i in tables.sources[tables.alive]] == ["renamed"] * 2
    assert tables.slots_of(rows.owners[0]).tolist() == sorted(tables.slot_of_key(rows.keys))
    owners = rows.owners.copy()
    owners[1] = 77
    assert tables.apply(LiveRows(rows.keys, owners, rows.sources, ("renamed",), rows.transforms, rows.data)) == (0, 0, 1, 1)
    assert tables.slots_of(77).tolist() == [tables.slot_of_key(rows.keys[1])]
    assert tables.slots_of(rows.owners[0]).tolist() == [tables.slot_of_key(rows.keys[0])]


def test_the_same_rows_again_after_others_came_and_went():
    extraction, primitives = store()
    objects = make_objects(10)
    rows = rows_of(objects, extraction, primitives)
    tables = LiveTables.build(rows, primitives, BLENDER)
    assert tables.apply(rows) == tables.apply(rows) == (0, 0, 0, len(rows))
    name = list(objects)[4]
    tables.remove(ids.name_key(name))
    assert tables.apply(rows) == (len(objects[name]), 0, 0, len(rows) - len(objects[name]))
    new = rows_of({"New": {0: (0, 9)}}, extraction, primitives)
    tables.apply(new, new.owners)
    assert tables.apply(rows) == (0, 1, 0, len(rows)) and tables.count == len(rows)


def test_two_rows_of_one_key_are_refused():
    extraction, primitives = store()
    rows = rows_of({"A": {0: (1, 10), 1: (1, 11)}}, extraction, primitives)
    tables = LiveTables.build(rows, primitives, BLENDER)
    rows.keys[:] = 5
    for call in (lambda: tables.apply(rows), lambda: LiveTables.build(rows, primitives, BLENDER)):
        with pytest.raises(ValueError, match="same key"):
            call()


def test_ids_that_clash_are_told_apart_in_the_scene():
    """Keys 1 and 1 << 32 both fold to 1."""
    extraction, primitives = store()
    rows = rows_of({"A": {0: (1, 10), 1: (1, 11)}}, extraction, primitives)
    rows.keys[:] = 1, 1 << 32
    alone = LiveRows(rows.keys[:1], rows.owners[:1], rows.sources[:1], rows.names, rows.transforms[:1], rows.data[:1])
    tables = LiveTables.build(alone, primitives, BLENDER)
    tables.apply(rows)
    expected = ids.instance_ids(np.sort(rows.keys))
    assert tables.scene()["instance_data"]["instance_id"].tolist() == expected.tolist() and len(set(expected.tolist())) == 2


def test_nothing_at_all():
    extraction, primitives = store()
    tables = LiveTables.build(rows_of({}, extraction, primitives), primitives, BLENDER)
    assert (tables.capacity, tables.count, tables.fragmentation, len(tables.take_dirty())) == (0, 0, 0, 0)
    assert tables.slots_of(1).tolist() == [] and tables.slot_of_key(1) == -1 and tables.hide(1) == tables.remove(1) == 0
    assert tables.scene().instance_count == tables.capacity_scene().instance_count == 0
    tables.compact()
    rows = rows_of({"A": {0: (1, 10)}}, extraction, primitives)
    assert tables.apply(rows) == (1, 0, 0, 0) and tables.count == 1
    assert tables.apply(rows_of({}, extraction, primitives)) == (0, 1, 0, 0) and tables.count == 0


def triangles(scene) -> dict:
    """(primitive's LOD thresholds, LOD, material) -> sorted world triangles of every draw's instances, float32."""
    out = {}
    world = scene.world_from_local()
    ids_ = scene["instance_data"]["primitive_id"]
    for batch, args in zip(scene["batches"], scene["indirect_args"]):
        corners = scene["indices"][args["first_index"]:][:args["index_count"]].astype(np.int64) + args["base_vertex"]
        points = np.c_[scene["vertex_positions"][corners], np.ones(len(corners), np.float32)]
        rows = np.flatnonzero(ids_ == batch["primitive_id"])
        lod = scene["lods"][scene["primitives"]["first_lod"][batch["primitive_id"]] + batch["lod_index"]]
        key = (int(batch["lod_index"]), scene.materials[batch["material_index"]].name,
               *(float(lod[name]) for name in ("screen_size_in", "screen_size_out", "hysteresis")))
        found = out.setdefault(key, [])
        found += [(points @ world[row].T)[:, :3].tobytes() for row in rows]
        assert batch["max_instance_count"] == len(rows) and args["instance_count"] == (0 if batch["lod_index"] else len(rows))
        assert args["first_instance"] == rows[0] and len(rows) == rows[-1] - rows[0] + 1
    return {key: sorted(value) for key, value in out.items()}


@pytest.mark.parametrize("axes", ["blender", "unreal"])
def test_the_scene_shows_what_an_export_shows(axes):
    """Triangle by triangle, through whatever the tables point to."""
    convention = PRESETS[axes]
    extraction, primitives = store(6, convention)
    objects = make_objects(12)
    tables = LiveTables.build(rows_of(objects, extraction, primitives, convention), primitives, convention)
    parts = [Part(primitive, matrix(seed)[None].copy(), np.array([key_of(owner, child)], np.uint64), 0, custom(seed)[None])
             for owner, children in objects.items() for child, (primitive, seed) in children.items()]
    export = assemble(Extraction(extraction.geometries, extraction.primitives, list(MATERIALS), ["x"], parts), convention)
    scene = tables.scene()
    gltf.check(scene)
    assert triangles(scene) == triangles(export)
    assert [m.name for m in scene.materials] == ["ash", "moss", "wood"]
    assert scene["instance_data"]["primitive_id"].tolist() == sorted(scene["instance_data"]["primitive_id"])
    mine, theirs = ({int(row["instance_id"]): row["custom_data"].tobytes() for row in data["instance_data"]} for data in (scene, export))
    assert mine == theirs


def test_the_scene_knows_nothing_of_how_the_store_came_about():
    objects = make_objects(12)
    mirrored = {owner: {c: (5 - primitive, seed) for c, (primitive, seed) in children.items()}
                for owner, children in objects.items()}
    extraction, primitives = store()
    other, backwards = store(backwards=True)
    one = LiveTables.build(rows_of(objects, extraction, primitives), primitives, BLENDER).scene()
    two = LiveTables.build(rows_of(mirrored, other, backwards), backwards, BLENDER).scene()
    assert primitives.names == backwards.names[::-1] and primitives.materials == backwards.materials[::-1]
    first, second = ({name: array.tobytes() for name, array in scene.tables.items()} for scene in (one, two))
    assert first == second
    assert (one.materials, one.sources, one.primitive_names) == (two.materials, two.sources, two.primitive_names)


def test_geometry_is_trimmed_to_what_is_used():
    """Primitive 5 shows mesh 1 alone, primitive 1 too: one geometry. Primitive 3 has LODs of meshes 3 and 0."""
    _, primitives = store()
    one = trimmed(select(primitives, [5, 1]))
    sizes = np.diff(primitives.vertex_starts)
    assert len(one.tables["vertex_positions"]) == sizes[1] and one.vertex_starts.tolist() == [0, sizes[1]]
    assert one.names == ("Primitive 5", "Primitive 1") and [m.name for m in one.materials] == ["ash", "moss"]
    assert one.tables["batches"]["primitive_id"].tolist() == [0, 1]
    three = trimmed(select(primitives, [3]))
    assert three.vertex_starts.tolist() == [0, sizes[3], sizes[3] + sizes[0]]
    assert len(three.tables["indices"]) == 3 * sum(len(MESHES[i].triangle_corners) for i in (3, 0))


def test_the_capacity_scene_follows():
    tables, objects = make_tables()
    scene = tables.capacity_scene()
    assert scene is tables.capacity_scene() and scene.instance_count == tables.capacity
    slot = int(np.flatnonzero(tables.alive)[4])
    tables.patch([slot], matrix(99)[None])
    assert scene.world_from_local()[slot].T.tobytes() == matrix(99).tobytes()
    assert LodInputs.of(scene).primitive.tolist() == tables.segments.primitive_ids().tolist()
    assert scene["batches"]["max_instance_count"].tolist() == tables.segments.capacity[scene["batches"]["primitive_id"]].tolist()


def test_arrivals_are_slots_that_another_row_has():
    tables, objects = make_tables()
    first, second = list(objects)[:2]
    assert tables.take_arrivals().tolist() == []
    owner = ids.name_key(first)
    slots = tables.slots_of(owner)
    rows = rows_of({first: objects[first]}, *store())
    tables.hide(owner)
    tables.apply(rows, [owner])
    assert tables.take_arrivals().tolist() == []  # hidden, and shown again
    tables.remove(owner)
    tables.apply(rows, [owner])
    assert tables.take_arrivals().tolist() == tables.slots_of(owner).tolist() == slots.tolist()
    tables.remove(ids.name_key(second))
    assert tables.take_arrivals().tolist() == []
    tables.apply(rows_of({second: objects[second]}, *store()), [ids.name_key(second)])
    tables.compact()
    assert tables.take_arrivals().tolist() == []  # another layout: everything is made anew
