"""Vertex streams and bounding spheres, against sets and loops."""

from dataclasses import replace

import numpy as np
import pytest
from gpuscene.core.geometry import bounding_sphere, vertex_streams
from hypothesis import given
from hypothesis import strategies as st
from mesh_factory import flat_shaded, grid


def corner_bytes(mesh):
    """What each corner is to the GPU, as bytes: position, normal, UV."""
    columns = [mesh.positions[mesh.corner_vertices], mesh.corner_normals]
    if mesh.corner_uvs is not None:
        columns.append(np.stack([mesh.corner_uvs[:, 0], np.float32(1) - mesh.corner_uvs[:, 1]], axis=1))
    return [row.tobytes() for row in np.concatenate(columns, axis=1).astype(np.float32)]


def stream_bytes(streams, uvs):
    columns = [streams.positions, streams.normals] + ([streams.uvs] if uvs else [])
    return [row.tobytes() for row in np.concatenate(columns, axis=1)]


def assert_same_triangles(mesh):
    """Triangles read from the streams are those of the mesh, slot by slot in the mesh's order; no vertex is spare."""
    streams = vertex_streams(mesh)
    corners, vertices = corner_bytes(mesh), stream_bytes(streams, mesh.corner_uvs is not None)
    slot_of = mesh.face_materials[mesh.triangle_faces]
    at = 0
    for slot, first, count in streams.sections:
        wanted = [
            tuple(corners[c] for c in triangle) for triangle, s in zip(mesh.triangle_corners.tolist(), slot_of) if s == slot
        ]
        drawn = streams.triangles.reshape(-1)[first : first + count].reshape(-1, 3)
        assert [tuple(vertices[v] for v in triangle) for triangle in drawn.tolist()] == wanted
        assert first == at and count == 3 * len(wanted) > 0
        at += count
    assert at == streams.triangles.size
    assert [s for s, _, _ in streams.sections] == sorted(set(slot_of.tolist())) == list(mesh.used_slots)
    # Corners apart only by their vertex number stay apart, so that an index always leads back to one vertex.
    assert len(vertices) == len(set(zip(mesh.corner_vertices.tolist(), corners)))
    return streams


@pytest.mark.parametrize(
    "mesh", [grid(), grid(uvs=False), grid(slots=3), flat_shaded(grid(5, 5, slots=2))], ids=["uv", "no uv", "slots", "flat"]
)
def test_triangles_survive_merging(mesh):
    assert_same_triangles(mesh)


def test_smooth_corners_merge_and_flat_ones_do_not():
    smooth, flat = grid(4, 3), flat_shaded(grid(4, 3))
    assert len(vertex_streams(smooth).positions) == 5 * 4
    assert len(vertex_streams(flat).positions) == 4 * 3 * 4


def test_first_vertices_come_first():
    streams = vertex_streams(grid(2, 1))
    assert streams.triangles.reshape(-1)[:6].tolist() == [0, 1, 2, 0, 2, 3]


def test_uvs_are_turned_top_down_and_missing_ones_are_zero():
    mesh = grid(1, 1)
    mesh = replace(mesh, corner_uvs=np.array([[0, 0], [1, 0], [1, 0.25], [0, 2]], np.float32))
    assert vertex_streams(mesh).uvs.tolist() == [[0, 1], [1, 1], [1, 0.75], [0, -1]]
    assert not vertex_streams(grid(1, 1, uvs=False)).uvs.any()


def test_a_slot_gap_makes_no_empty_section():
    mesh = grid(2, 2)
    mesh = replace(mesh, face_materials=np.array([7, 0, 7, 0], np.int32))
    assert vertex_streams(mesh).sections == ((0, 0, 12), (7, 12, 12))


@given(st.data())
def test_any_corners(data):
    """Few distinct values, so that merging and not merging both happen, with both zeros among them."""
    columns, rows = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 3))
    mesh = grid(columns, rows, slots=data.draw(st.integers(1, 3)))
    seed = data.draw(st.integers(0, 1 << 30))
    values = np.array([0.0, -0.0, 1.0, np.nextafter(np.float32(1), np.float32(2)), 0.5], np.float32)
    rng = np.random.default_rng(seed)
    normals = rng.choice(values, mesh.corner_normals.shape)
    uvs = None if data.draw(st.booleans()) else rng.choice(np.array([0, 0.25, 1], np.float32), (len(normals), 2))
    assert_same_triangles(replace(mesh, corner_normals=normals, corner_uvs=uvs))


def test_vertices_whose_number_and_normal_differ_in_the_same_bits_stay_apart():
    """Vertex 0 with 0x3f3504f3 and vertex 7 with 0x3f3504f4 in a normal: a roof at 45 degrees with one ulp of noise.

    0 ^ 7 equals the one xor the other.
    """
    mesh = grid(7, 1, uvs=False)
    half = np.array([0x3F3504F3, 0x3F3504F4], np.uint32).view(np.float32)
    normals = np.stack(
        [
            half[(mesh.corner_vertices == 7).astype(int)],
            np.zeros(len(mesh.corner_vertices)),
            np.full(len(mesh.corner_vertices), half[0]),
        ],
        axis=1,
    )
    streams = assert_same_triangles(replace(mesh, corner_normals=normals.astype(np.float32)))
    assert len(streams.positions) == 16


@given(st.lists(st.tuples(*[st.floats(-1e6, 1e6, width=32)] * 3), min_size=1, max_size=40))
def test_the_sphere_holds_every_point(points):
    points = np.array(points, np.float32)
    centre, radius = bounding_sphere(points)
    distances = np.sqrt(((points.astype(np.float64) - centre.astype(np.float64)) ** 2).sum(axis=1))
    assert (distances <= radius).all()
    half_diagonal = np.linalg.norm(points.astype(np.float64).max(axis=0) - points.min(axis=0)) / 2
    # At worst the box's own sphere; its centre is rounded to float32.
    assert radius <= half_diagonal * (1 + 1e-6) + np.abs(points).max() * 1e-6 + 1e-30


@pytest.mark.parametrize(
    ("points", "centre", "radius"),
    [
        ([(1, 2, 3)], (1, 2, 3), 0),
        ([(-1, 0, 0), (3, 0, 0)], (1, 0, 0), 2),
        ([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], (0, 0, 0), 3**0.5),
    ],
)
def test_spheres_by_hand(points, centre, radius):
    found, size = bounding_sphere(np.array(points, np.float32))
    assert found.tolist() == list(centre) and size == pytest.approx(radius, rel=1e-6, abs=1e-30)
