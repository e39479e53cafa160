"""Delta records: scattered, they make the tables before a change into the tables after it."""

import numpy as np
import pytest
from gpuscene.core import ids, limits
from gpuscene.core.culling.gpu_streams import boxes, cull_radii, lod_streams, spheres
from gpuscene.core.culling.lod_select import LodInputs
from gpuscene.core.live.clusters import LiveClusters
from gpuscene.core.live.delta import LIVE_UPDATE, Jitter, gather
from gpuscene.core.live.options import LiveOptions
from live_factory import key_of, make_tables, matrix, rows_of, store


def test_offsets():
    assert LIVE_UPDATE.stride % 16 == 0
    at = LIVE_UPDATE.offsets
    expected = {"x_axis": 0, "flags": 60, "instance_id": 64, "custom_data": 80, "sphere": 112, "box_min": 128, "cull_radius": 140,
                "box_max": 144, "lod_scale": 156, "slot": 160, "culling_position": 164}
    assert {name: at[name] for name in expected} == expected


def streams(tables, clusters) -> dict:
    """All that is uploaded, in the order that it has on the GPU."""
    order, radii = clusters.order, cull_radii(tables.bounds, clusters.order)
    return {"transforms": tables.transforms.copy(), "data": tables.data.copy(), "spheres": spheres(tables.bounds, order),
            "boxes": boxes(tables.bounds, order), "radii": np.zeros(len(order), np.float32) if radii is None else radii,
            "lods": lod_streams(LodInputs.of(tables.capacity_scene(), tables.options.lod_bias), order)[1]}


def scatter(streams, records) -> None:
    """What the pass does, a record at a time."""
    for record in records:
        slot, position = int(record["slot"]), int(record["culling_position"])
        if slot == limits.NO_INDEX:
            continue
        for table in ("transforms", "data"):
            for name in streams[table].dtype.names:
                if not name.startswith("_"):
                    streams[table][name][slot] = record[name]
        streams["spheres"][position] = record["sphere"]
        streams["boxes"]["box_min"][position], streams["boxes"]["box_max"][position] = record["box_min"], record["box_max"]
        streams["radii"][position], streams["lods"]["scale"][position] = record["cull_radius"], record["lod_scale"]


@pytest.mark.parametrize("axes", ["blender", "unity"])
def test_scattered_records_are_the_change(axes):
    tables, objects = make_tables(60, axes=axes, options=LiveOptions(lod_bias=0.5, cull_distance=20, cluster_size=4))
    clusters = LiveClusters(tables.bounds, tables.options, tables.alive)
    names = list(objects)
    gpu = streams(tables, clusters)
    extraction, primitives = store(6, tables.convention)
    layout_version = tables.layout_version
    tables.hide(ids.name_key(names[3]))
    tables.remove(ids.name_keys(names[10:14]))
    edited = {names[20]: {0: (objects[names[20]][0][0], 77), 2: (objects[names[10]][0][0], 78)}, names[11]: objects[names[11]]}
    tables.apply(rows_of(edited, extraction, primitives, tables.convention), ids.name_keys([*edited]))
    channels = np.full((1, 8), np.nan, np.float32)
    channels[0, :2] = 1e-42, -1.5  # a denormal cull radius, and a LOD bias
    tables.patch([tables.slot_of_key(key_of(names[30], 0))], matrix(50)[None], channels)
    assert tables.layout_version == layout_version
    slots = tables.take_dirty()
    records = gather(tables, clusters, slots, 64)
    assert len(records) == 64 and np.count_nonzero(records["slot"] != limits.NO_INDEX) == len(slots) > 10
    scatter(gpu, records)
    for name, expected in streams(tables, clusters).items():
        assert gpu[name].tobytes() == expected.tobytes(), name


def test_without_clusters_slots_are_positions():
    tables, _ = make_tables()
    records = gather(tables, None, [5, 2])
    assert len(records) == 2 and records["slot"].tolist() == records["culling_position"].tolist() == [5, 2]


def test_jitter_is_the_largest_lag_in_metres():
    """In Unreal's axes a unit is a centimetre."""
    tables, objects = make_tables(axes="unreal")
    names = list(objects)
    slots = [tables.slot_of_key(key_of(name, 0)) for name in names[:3]]
    jitter = Jitter(tables)
    for slot, distance in zip(slots, (3.0, 0.25)):
        moved = np.eye(4, dtype=np.float32)[None]
        # Back to Blender's axes, where y points the other way, and on by `distance` metres.
        moved[0, 3, :3] = tables.transforms["position"][slot] * (0.01, -0.01, 0.01) + (0, distance, 0)
        tables.patch([slot], moved)
    assert jitter.measure(tables, slots) == pytest.approx(3, rel=1e-5)
    jitter.uploaded(tables, slots[:1])
    assert jitter.measure(tables, slots) == pytest.approx(0.25, rel=1e-4)
    tables.hide(ids.name_key(names[1]))
    assert jitter.measure(tables, slots) == 0 and jitter.measure(tables, []) == 0
    # What comes into sight was drawn nowhere.
    jitter.uploaded(tables, slots)
    tables.transforms["position"][slots[1]] += 100
    tables.bounds.drawable[slots[1]] = True
    assert jitter.measure(tables, slots) == 0
