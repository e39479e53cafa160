"""Assembly: parts in any order become rows grouped by primitive, with every table in step."""

from dataclasses import replace

import numpy as np
import pytest
from gpuscene.core import gltf, layout, limits, lod
from gpuscene.core.assemble import Extraction, Part, assemble
from gpuscene.core.conventions import PRESETS
from gpuscene.core.errors import LimitError
from gpuscene.core.findings import Finding
from gpuscene.core.primitives import Level
from gpuscene.core.scene import Channel, Material
from hypothesis import given
from hypothesis import strategies as st
from mesh_factory import grid
from scene_factory import rotations

VISIBLE, VALID, MOVABLE = layout.INSTANCE_VISIBLE, layout.INSTANCE_VALID, layout.INSTANCE_MOVABLE
BLENDER = PRESETS["blender"]
MESHES = (grid(4, 3, slots=2), grid(2, 2), grid(1, 1, uvs=False))


def extraction(sources=("A", "B", "C"), levels=1, meshes=MESHES):
    """One primitive a mesh, each with `levels` LODs: the mesh itself, then the others in turn."""
    result = Extraction(materials=[Material("red"), Material("blue")], sources=list(sources))
    for mesh in meshes:
        result.geometries.add(mesh)
    for index in range(len(meshes)):
        chain = []
        for level in range(levels):
            geometry = (index + level) % len(meshes)
            materials = tuple(range(len(meshes[geometry].used_slots)))
            chain.append(Level(geometry, materials, lod.default_screen_size(level)))
        result.primitives.add(f"Primitive {index}", tuple(chain), 0.05)
    return result


def columns_of(count, rng, position=None):
    out = np.zeros((count, 4, 4), np.float32)
    out[:, :3, :3] = rotations(rng, count).transpose(0, 2, 1)
    out[:, 3, :3] = rng.uniform(-10, 10, (count, 3)) if position is None else position
    out[:, 3, 3] = 1
    return out


def part(primitive, count, seed=0, **members):
    rng = np.random.default_rng(seed)
    return Part(
        primitive, columns_of(count, rng), rng.integers(0, 1 << 63, count).astype(np.uint64), members.pop("sources", 0), **members
    )


def assert_in_step(data):
    """Rows grouped by primitive, ascending; draws that start at their primitive's first row with all of its rows at LOD 0."""
    ids = data["instance_data"]["primitive_id"]
    assert (np.diff(ids.astype(np.int64)) >= 0).all()
    for batch, args in zip(data["batches"], data["indirect_args"]):
        rows = np.flatnonzero(ids == batch["primitive_id"])
        assert batch["max_instance_count"] == len(rows)
        assert args["instance_count"] == (len(rows) if batch["lod_index"] == 0 else 0)
        if len(rows):
            assert args["first_instance"] == rows[0] and rows[-1] - rows[0] == len(rows) - 1
    assert data["instance_index"].tolist() == list(range(data.instance_count))
    gltf.check(data)


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 7)), max_size=12), st.integers(1, 3), st.sampled_from(sorted(PRESETS))
)
def test_any_order_of_parts(pairs, levels, axes):
    scene = extraction(levels=levels)
    for seed, (primitive, count) in enumerate(pairs):
        scene.parts.append(part(primitive, count, seed, sources=seed % 3))
    before = [(p.primitive, p.columns.copy(), p.sources) for p in scene.parts]
    data = assemble(scene, PRESETS[axes])
    assert_in_step(data)
    change = PRESETS[axes].target_from_blender()
    expected = sorted(
        (primitive, source, tuple(np.round((change @ column.T @ np.linalg.inv(change)).reshape(-1), 3) + 0.0))
        for primitive, columns, source in before
        for column in columns.astype(np.float64)
    )
    found = sorted(
        (int(p), int(s), tuple(np.round(m.reshape(-1), 3) + 0.0))
        for p, s, m in zip(
            data["instance_data"]["primitive_id"], data["instance_sources"], data.world_from_local().astype(np.float64)
        )
    )
    assert [f[:2] for f in found] == [e[:2] for e in expected]
    if expected:
        # Rounding to 1e-3 can go either way; sorting is by the first column, so compare as sums.
        assert np.sum([f[2] for f in found], axis=0) == pytest.approx(np.sum([e[2] for e in expected], axis=0), abs=0.3)


@pytest.mark.parametrize("count", [0, 1, 31, 32, 33, 1000])
def test_visibility_bits(count):
    scene = extraction()
    hidden = np.arange(count) % 3 == 1
    flags = np.where(hidden, 0, VISIBLE).astype(np.uint32)
    scene.parts.append(part(0, count, flags=flags))
    scene.parts[0].columns[::7, 0] = 0  # flattened: not valid
    words = assemble(scene, BLENDER)["visibility"]
    assert words.dtype == np.uint32 and len(words) == -(-count // 32)
    for row in range(len(words) * 32):
        shown = row < count and row % 3 != 1 and row % 7 != 0
        assert int(words[row // 32]) >> (row % 32) & 1 == shown, row


def test_every_level_is_left_where_the_next_is_entered():
    data = assemble(extraction(levels=3), BLENDER)
    for primitive in data["primitives"]:
        rows = data["lods"][primitive["first_lod"] : primitive["first_lod"] + primitive["lod_count"]]
        assert rows["screen_size_in"].tolist() == [np.float32(lod.NO_LIMIT), 0.25, 0.125]
        assert rows["screen_size_out"].tolist() == [0.25, 0.125, 0]
        assert primitive["lod_screen_sizes"].tolist() == [np.float32(lod.NO_LIMIT), 0.25, 0.125, 0]
        assert rows["hysteresis"].tolist() == [np.float32(0.05)] * 3


def test_batches_draw_the_mesh_they_name():
    """LOD 0 of primitive 0 is the 4 x 3 grid in two slots: 6 faces each. Its LOD 1 is the 2 x 2 grid."""
    data = assemble(extraction(levels=2), BLENDER)
    rows = [tuple(int(v) for v in b) for b in data["batches"]]
    assert rows[:3] == [(0, 0, 0, 0), (0, 0, 1, 0), (0, 1, 0, 0)]
    args = data["indirect_args"]
    assert args["index_count"][:3].tolist() == [36, 36, 24]
    points = data["vertex_positions"][data["indices"][args["first_index"][2] :][:24] + args["base_vertex"][2]]
    expected = MESHES[1].positions[MESHES[1].corner_vertices[MESHES[1].triangle_corners.reshape(-1)]]
    assert (points == expected).all()


def test_bounds_cover_every_level():
    small, large = grid(1, 1), replace(grid(4, 3), positions=grid(4, 3).positions * np.float32(3))
    data = assemble(extraction(levels=2, meshes=(small, large)), BLENDER)
    points = np.concatenate([small.positions, large.positions]).astype(np.float64)
    for row in data["primitives"]:
        assert row["box_min"] == pytest.approx(points.min(axis=0)) and row["box_max"] == pytest.approx(points.max(axis=0))
        assert (np.linalg.norm(points - row["sphere_center"], axis=1) <= row["sphere_radius"]).all()


@pytest.mark.parametrize("axes", ["unreal", "unity", "gltf"])
def test_triangles_face_outwards_in_their_own_handedness(axes):
    """The target's own hand rule is the same algebraic cross product: mirrored axes therefore need the winding reversed."""
    data = assemble(extraction(), PRESETS[axes])
    args = data["indirect_args"]
    for row in range(len(args)):
        indices = (
            data["indices"][args["first_index"][row] :][: args["index_count"][row]].reshape(-1, 3) + args["base_vertex"][row]
        )
        a, b, c = (data["vertex_positions"][indices[:, k]].astype(np.float64) for k in range(3))
        facing = np.einsum("ij,ij->i", np.cross(b - a, c - a), data["vertex_normals"][indices[:, 0]])
        assert (facing > 0).all()


def test_an_outer_matrix_goes_in_front():
    scene = extraction()
    outer = np.eye(4)
    outer[:3] = [[0, -2, 0, 1], [2, 0, 0, 2], [0, 0, 2, 3]]
    scene.parts += [part(0, 3, 5), part(0, 4, 6, outer=outer)]
    inner = scene.parts[1].columns.transpose(0, 2, 1).astype(np.float64)
    world = assemble(scene, BLENDER).world_from_local()
    assert world[3:] == pytest.approx(outer @ inner, abs=1e-5)


def test_custom_data_takes_set_values_and_defaults():
    channels = (Channel(0, "cull_radius", default=50), Channel(1, "lod_bias"), Channel(6, "wind", default=0.5))
    scene = extraction()
    values = np.full((2, 8), np.nan, np.float32)
    values[0, 0], values[1, 6], values[1, 3] = 7, 9, np.inf
    scene.parts += [part(1, 1, 1), part(0, 2, 2, custom=values)]
    custom = assemble(scene, BLENDER, channels)["instance_data"]["custom_data"].reshape(-1, 8)
    assert custom.tolist() == [[7, 0, 0, 0, 0, 0, 0.5, 0], [50, 0, 0, 0, 0, 0, 9, 0], [50, 0, 0, 0, 0, 0, 0.5, 0]]


def test_flags_and_findings_by_source():
    scene = extraction()
    first, second = part(0, 4, 1, sources=1, flags=VISIBLE | MOVABLE), part(1, 3, 2, sources=np.array([2, 2, 0], np.uint32))
    first.columns[0, 1] = 0
    first.columns[1, 1] = 0
    first.columns[2, 2, 0] = np.nan
    second.columns[1, :3, :3] = [[1, 0, 0], [1, 1, 0], [0, 0, 1]]
    scene.findings.append(Finding("empty-mesh", "warning", "Z", "z", ""))
    scene.parts += [first, second]
    data = assemble(scene, BLENDER)
    assert (
        data["instance_transforms"]["flags"].tolist()
        == [VISIBLE | MOVABLE] * 3 + [VISIBLE | MOVABLE | VALID] + [VISIBLE | VALID] * 3
    )
    found = {(f.code, f.subject): f.message.split()[0] for f in data.findings}
    assert found == {("empty-mesh", "Z"): "z", ("zero-scale", "B"): "2", ("non-finite", "B"): "1", ("shear", "C"): "1"}


def test_the_shear_finding_gives_the_error_of_the_nearest_trs():
    """x and y at 45 degrees, all of length 1: the best rotation has the pair symmetric about it; scales by projection."""
    scene = extraction()
    scene.parts.append(part(0, 1))
    half = np.sqrt(0.5)
    scene.parts[0].columns[0] = [[1, 0, 0, 0], [half, half, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    message = assemble(scene, BLENDER).findings[0].message
    # Frame turned by -22.5 degrees: each axis leans 22.5 degrees out of it and keeps cos 22.5 of its length.
    turn, lean = np.radians(-22.5), np.cos(np.radians(22.5))
    nearest = lean * np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    matrix = np.array([[1, half], [0, half]])
    corners = np.array([(1, 1), (1, -1)]).T
    error = np.linalg.norm((matrix - nearest) @ corners, axis=0).max()
    size = np.sqrt((np.linalg.norm(matrix @ corners, axis=0) ** 2 + 1).max())
    assert f"{error / size:.1%}" in message


def test_full_precision_rows_in_row_order():
    scene = extraction()
    scene.parts += [part(2, 2, 1), part(0, 2, 2)]
    keys = [int(scene.parts[0].keys[1]), int(scene.parts[1].keys[0])]
    far = np.eye(4)
    far[:3, 3] = [1e8 + 0.125, 2, 3]
    near = np.eye(4)
    near[:3, 3] = [0.1, 0.2, 0.3]
    scene.full_precision = {keys[0]: far, keys[1]: near}
    data = assemble(scene, PRESETS["unreal"])
    flagged = data["instance_transforms"]["flags"] & layout.INSTANCE_FULL_PRECISION != 0
    assert flagged.tolist() == [True, False, False, True]  # primitive 0 comes first
    table = data["full_precision_transforms"].reshape(-1, 4, 4)
    assert table[0, 3].tolist() == pytest.approx([10, -20, 30, 1]) and table[1, 3].tolist() == [1e10 + 12.5, -200, 300, 1]
    gltf.check(data)


def test_no_part_at_all():
    data = assemble(extraction(), BLENDER)
    assert (data.instance_count, data.primitive_count, len(data["visibility"])) == (0, 3, 0)
    assert data["indirect_args"]["instance_count"].tolist() == [0] * data.batch_count
    gltf.check(data)
    empty = assemble(Extraction(), BLENDER)
    assert empty.primitive_count == empty.batch_count == len(empty["vertex_positions"]) == len(empty["indices"]) == 0


@pytest.mark.parametrize(
    ("name", "what"),
    [("MAX_INSTANCES", "instances"), ("MAX_PRIMITIVES", "primitives"), ("MAX_VERTICES", "vertices"), ("MAX_INDICES", "indices")],
)
def test_one_past_a_limit(monkeypatch, name, what):
    scene = extraction()
    scene.parts.append(part(0, 5))
    data = assemble(extraction(), BLENDER)
    counts = {"instances": 5, "primitives": 3, "vertices": len(data["vertex_positions"]), "indices": len(data["indices"])}
    monkeypatch.setattr(limits, name, counts[what])
    scene = extraction()
    scene.parts.append(part(0, 5))
    assemble(scene, BLENDER)
    monkeypatch.setattr(limits, name, counts[what] - 1)
    with pytest.raises(LimitError, match=f"{what}: .* past the limit"):
        assemble(scene, BLENDER)
