"""write then read gives the same scene, byte for byte."""

import json
import mmap

import numpy as np
import pytest
from gpuscene.core import gltf, layout
from gpuscene.core.conventions import PRESETS, Convention
from gpuscene.core.findings import Finding
from gpuscene.core.scene import Channel, Material
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scene_factory import make_scene

NASTY = ("é", "木/林", "🌲🌳 \"quoted\" \\back", "a\tb\nc", "", " ", "x" * 200, "\x00\x1f", "\u2028", "</script>", "..", "a.001")


def assert_same(a, b):
    assert list(a.tables) == list(b.tables)
    for name, array in a.tables.items():
        assert (b[name].dtype, b[name].shape, b[name].tobytes()) == (array.dtype, array.shape, array.tobytes()), name
    for field in ("convention", "primitive_names", "sources", "materials", "channels", "findings"):
        assert getattr(b, field) == getattr(a, field), field
    assert dict(b.metadata) == dict(a.metadata)


@given(data=st.data(), seed=st.integers(0, 1000), instances=st.integers(0, 70), primitives=st.integers(1, 4), materials=st.integers(0, 3),
       axes=st.sampled_from(sorted(PRESETS)), suffix=st.sampled_from([".glb", ".gltf"]))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
def test_random_scenes(tmp_path, data, seed, instances, primitives, materials, axes, suffix):
    text = st.text(max_size=20) | st.sampled_from(NASTY)
    values = st.recursive(st.none() | st.booleans() | st.integers(-2**60, 2**60) | st.floats(allow_nan=False, allow_infinity=False) | text,
                          lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3), max_leaves=8)
    scene = make_scene(
        instances, primitives, seed, axes=axes, materials=materials, lods=1 + seed % 5, full_precision=min(instances, seed % 3),
        sources=data.draw(st.lists(text, min_size=1, max_size=5)), names=data.draw(st.lists(text, min_size=primitives, max_size=primitives)),
        findings=data.draw(st.lists(st.builds(Finding, text, st.sampled_from(["error", "warning", "info"]), text, text, text), max_size=3)),
        metadata=data.draw(st.dictionaries(text, values, max_size=3)))
    path = tmp_path / f"scene{suffix}"
    result = gltf.write(scene, path)
    assert result.bytes == sum(p.stat().st_size for p in result.paths) and result.path == path
    assert_same(scene, gltf.read(path))


def test_a_hundred_thousand_source_names_survive(tmp_path):
    sources = [f"{NASTY[i % len(NASTY)]}.{i}" for i in range(100_000)]
    gltf.write(make_scene(sources=sources), tmp_path / "a.glb")
    assert gltf.read(tmp_path / "a.glb").sources == tuple(sources)


def test_names_that_are_no_utf8_survive(tmp_path):
    """Python hands undecodable bytes of a name over as lone surrogates."""
    name = b"caf\xe9".decode("utf-8", "surrogateescape")
    gltf.write(make_scene(sources=[name, "木"]), tmp_path / "a.glb")
    assert gltf.read(tmp_path / "a.glb").sources == (name, "木")


def test_every_optional_table_of_the_layout_survives(tmp_path):
    count = 9
    tables = {name: np.frombuffer(np.random.default_rng(1).bytes(record.stride * count), record.dtype.base).reshape(count, *record.dtype.shape)
              for name, record in layout.TABLES.items()
              if name in ("bones", "skin_vertices", "grass_blades", "grass_nodes")}
    order = np.random.default_rng(2).permutation(20).astype("u4")
    tables |= {"sorted_instances": order, "reorder": np.argsort(order).astype("u4"), "bone_remap": np.array([0, 0xFFFFFFFF, 8], "u4")}
    nodes = layout.TABLES["cluster_nodes"].empty(2)
    nodes["first"], nodes["count"] = (1, 0), (1, 20 | layout.CLUSTER_LEAF)
    scene = make_scene(extra_tables=tables | {"cluster_nodes": nodes})
    gltf.write(scene, tmp_path / "a.glb")
    assert_same(scene, gltf.read(tmp_path / "a.glb"))


@pytest.mark.parametrize("array", [
    np.array([(1, (2, 3, 4)), (5, (6, 7, 8))], [("id", "<u4"), ("axis", "<f4", 3)]),
    np.array([(7, [[1] * 4, [2] * 4])], np.dtype({"names": ["a", "b"], "formats": ["<f8", ("<f4", (2, 4))], "offsets": [0, 16], "itemsize": 64})),
    np.arange(12, dtype="<f4").reshape(4, 3), np.arange(5, dtype="<u4"), np.zeros(0, "<f4"), np.arange(6, dtype="<i4").reshape(3, 2)])
def test_tables_of_later_versions_come_along(tmp_path, array):
    scene = make_scene(extra_tables={"wind_field": array})
    gltf.write(scene, tmp_path / "a.glb")
    assert_same(scene, gltf.read(tmp_path / "a.glb"))


def test_a_table_of_unknown_types_comes_as_raw_rows(tmp_path):
    array = np.arange(24, dtype=np.int16).reshape(4, 6)
    gltf.write(make_scene(extra_tables={"odd": array}), tmp_path / "a.glb")
    read = gltf.read(tmp_path / "a.glb")["odd"]
    assert read.dtype == np.uint8 and read.shape == (4, 12) and read.tobytes() == array.tobytes()


def test_custom_axes_materials_and_channels(tmp_path):
    scene = make_scene()
    axes = Convention("houdini", (0, 2, 1), (1, 1, -1), 10.0, "+Y", "+Z")
    materials = (Material("木", (0.1, 0.2, 0.3, 0.4), 1.0, 0.0, False), Material("", (0, 0, 0, 1)))
    other = type(scene)(scene.tables, axes, scene.primitive_names, scene.sources, materials, (Channel(7, "wind", "attribute", "w", 2, 0.5),))
    gltf.write(other, tmp_path / "a.glb")
    assert_same(other, gltf.read(tmp_path / "a.glb"))


def test_reading_maps_the_file_and_copies_nothing(tmp_path):
    gltf.write(make_scene(), tmp_path / "a.glb")
    for verify in (True, False):
        scene = gltf.read(tmp_path / "a.glb", verify=verify)
        for array in scene.tables.values():
            base = array
            while isinstance(base, np.ndarray):
                assert not base.flags.writeable
                base = base.base
            assert isinstance(base, mmap.mmap) or isinstance(base.obj, mmap.mmap)


def test_the_same_scene_gives_the_same_bytes_and_a_read_scene_can_replace_its_own_file(tmp_path):
    path = tmp_path / "a.glb"
    gltf.write(make_scene(), path)
    before = path.read_bytes()
    gltf.write(gltf.read(path), path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("suffix", [".glb", ".gltf"])
def test_info_counts_what_is_there(tmp_path, suffix):
    scene = make_scene(instances=40, primitives=3, lods=3, findings=[
        Finding("shear", "warning", "A", "x"), Finding("shear", "warning", "B", "x"), Finding("zero-scale", "error", "A", "x")])
    result = gltf.write(scene, tmp_path / f"a{suffix}")
    info = json.loads(json.dumps(gltf.read_info(result.path)))
    ids = scene["instance_data"]["primitive_id"].tolist()
    assert (info["instances"], info["primitives"], info["batches"], info["materials"]) == (40, 3, 14, 2)
    assert info["bytes"] == result.bytes and info["version"] == 1 and info["axes"]["name"] == "blender"
    assert info["triangles"] == 36 and info["drawn_triangles"] == 40 * 12
    assert info["findings"] == {"shear": 2, "zero-scale": 1}
    assert info["tables"]["instance_transforms"] == {"count": 40, "stride": 64, "bytes": 2560}
    assert info["tables"]["vertex_positions"] == {"count": 3 * 24 + 2 * (20 + 16), "stride": 12, "bytes": 144 * 12}
    assert [p["instances"] for p in info["top_primitives"]] == sorted((ids.count(i) for i in range(3)), reverse=True)
    assert {p["name"]: p["lods"] for p in info["top_primitives"]} == {"Box 0": 3, "Box 1": 1, "Box 2": 3}


def test_a_scene_prints_as_its_counts():
    scene = make_scene(20)
    assert f"instance_transforms={len(scene['instance_transforms'])}" in repr(scene) and "instance_data=20," in repr(scene) and len(repr(scene)) < 1000
