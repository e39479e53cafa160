"""Which meshes and which primitives count as the same."""

from dataclasses import replace

import numpy as np
import pytest
from gpuscene.core.primitives import GeometryStore, Level, PrimitiveStore
from hypothesis import given
from hypothesis import strategies as st
from mesh_factory import flat_shaded, grid, one_ulp_off

MESH = grid(6, 5, slots=2)


def moved(mesh, name, index, by):
    array = getattr(mesh, name).copy()
    array[index] += by
    return replace(mesh, **{name: array})


@given(st.integers(0, 1 << 30), st.sampled_from([1e-3, 1.0, 1e4]), st.sampled_from([0.0, 100.0]))
def test_one_ulp_on_every_float_is_the_same_mesh(seed, size, offset):
    mesh = replace(MESH, positions=MESH.positions * np.float32(size) + np.float32(offset * size))
    store = GeometryStore()
    assert [store.add(m) for m in (mesh, one_ulp_off(mesh, seed), one_ulp_off(mesh, seed + 1))] == [0, 0, 0]
    assert store.meshes == [mesh] and store.meshes[0] is mesh


DIFFERENT = {
    "one vertex a thousandth of the extent away": moved(MESH, "positions", 7, 6e-3),
    "a hundredth larger": replace(MESH, positions=MESH.positions * np.float32(1.01)),
    "mirrored, which keeps the root mean square": replace(MESH, positions=MESH.positions * np.array([-1, 1, 1], np.float32)),
    "flat shaded": flat_shaded(MESH),
    "one corner's normal": moved(MESH, "corner_normals", 3, 0.01),
    "one UV": moved(MESH, "corner_uvs", 3, 1e-3),
    "no UVs": replace(MESH, corner_uvs=None),
    "one face in another slot": moved(MESH, "face_materials", 0, 1),
    "a corner at another vertex": moved(MESH, "corner_vertices", 0, 1),
    "wound from another corner": replace(
        MESH, corner_vertices=np.roll(MESH.corner_vertices.reshape(-1, 4), 1, axis=1).reshape(-1)
    ),
    "a vertex more": replace(MESH, positions=np.concatenate([MESH.positions, MESH.positions[:1]])),
    "other faces from the same corners": replace(MESH, face_starts=np.r_[0, 3, MESH.face_starts[2:]].astype(np.int32)),
}


@pytest.mark.parametrize("other", DIFFERENT.values(), ids=DIFFERENT)
def test_what_looks_different_stays_apart(other):
    store = GeometryStore()
    assert [store.add(MESH), store.add(other), store.add(one_ulp_off(other)), store.add(one_ulp_off(MESH))] == [0, 1, 1, 0]


def test_many_meshes_of_one_topology():
    store = GeometryStore()
    sizes = np.linspace(1, 2, 50, dtype=np.float32)
    for _ in range(2):
        assert [store.add(replace(MESH, positions=MESH.positions * size)) for size in sizes] == list(range(50))


def test_a_mesh_of_nothing_but_the_origin():
    flat = replace(MESH, positions=np.zeros_like(MESH.positions))
    store = GeometryStore()
    assert [store.add(flat), store.add(MESH), store.add(flat)] == [0, 1, 0]


def test_primitives_are_shared_by_levels_materials_and_hysteresis():
    store = PrimitiveStore()
    fine, other_material, coarse = Level(0, (1, 2), 9.0), Level(0, (1, 3), 9.0), Level(1, (1,), 0.25)
    calls = [
        ("A", (fine,), 0.1),
        ("B", (fine,), 0.1),
        ("C", (other_material,), 0.1),
        ("D", (fine, coarse), 0.1),
        ("E", (fine, Level(1, (1,), 0.2)), 0.1),
        ("F", (fine,), 0.2),
        ("G", (fine, coarse), 0.1),
    ]
    assert [store.add(*call) for call in calls] == [0, 0, 1, 2, 3, 4, 2]
    assert [s.name for s in store.specs] == ["A", "C", "D", "E", "F"]
    assert store.specs[2].levels == (fine, coarse)
