"""What a viewer gets, decoded here from the glTF specification and not by our reader: meshes, nodes, instances, alignment."""

import json
import struct

import numpy as np
import pytest
from gpuscene.core import gltf, layout
from gpuscene.core.conventions import PRESETS
from scene_factory import make_scene

TYPES = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}
COMPONENTS = {5125: "<u4", 5126: "<f4"}
DRAWN = layout.INSTANCE_VISIBLE | layout.INSTANCE_VALID


def load(path):
    """(JSON, file offset of the buffer, accessor reader) of a .glb."""
    content = path.read_bytes()
    _, _, length, json_length, _ = struct.unpack_from("<IIIII", content)
    assert length == len(content)
    root, start = json.loads(content[20:20 + json_length]), 28 + json_length

    def accessor(index):
        a = root["accessors"][index]
        view = root["bufferViews"][a["bufferView"]]
        width, dtype = TYPES[a["type"]], np.dtype(COMPONENTS[a["componentType"]])
        assert view.get("byteStride", width * 4) == width * 4
        assert a["byteOffset"] + a["count"] * width * 4 <= view["byteLength"]
        at = start + view["byteOffset"] + a["byteOffset"]
        return np.frombuffer(content, dtype, a["count"] * width, at).reshape(-1, *[width] * (width > 1))

    return root, start, accessor


def node_matrix(node):
    if "matrix" in node:
        return np.array(node["matrix"]).reshape(4, 4).T
    return trs(*(np.array([node.get(k, d)]) for k, d in (("translation", [0, 0, 0]), ("rotation", [0, 0, 0, 1]), ("scale", [1, 1, 1]))))[0]


def trs(t, q, s):
    """(N, 4, 4): the glTF specification's T * R * S."""
    u, w = q[:, None, :3].astype(float), q[:, None, 3:].astype(float)
    basis = np.broadcast_to(np.eye(3), (len(q), 3, 3))
    turned = basis + 2 * w * np.cross(u, basis) + 2 * np.cross(u, np.cross(u, basis))  # row i: axis i, rotated
    out = np.zeros((len(q), 4, 4))
    out[:, :3, :3] = (turned * s[:, :, None]).transpose(0, 2, 1)
    out[:, :3, 3], out[:, 3, 3] = t, 1
    return out


def shown(root, accessor):
    """primitive id -> (N, 4, 4) world matrices as a viewer computes them, walking the scene."""
    found = {}

    def walk(index, parent):
        node = root["nodes"][index]
        world = parent @ node_matrix(node)
        if "mesh" in node:
            extras = root["meshes"][node["mesh"]]["extras"]
            assert extras["lod_index"] == 0
            attributes = node.get("extensions", {}).get("EXT_mesh_gpu_instancing", {}).get("attributes")
            local = np.eye(4)[None] if attributes is None else trs(*(accessor(attributes[k]) for k in ("TRANSLATION", "ROTATION", "SCALE")))
            # the front of a triangle is decided by the node: it must be right for each of its instances
            assert ((np.linalg.det(world @ local) < 0) == (np.linalg.det(world) < 0)).all()
            found.setdefault(extras["primitive_id"], []).append(world @ local)
        for child in node.get("children", ()):
            walk(child, world)

    for index in root["scenes"][root["scene"]]["nodes"]:
        walk(index, np.eye(4))
    return {primitive: np.concatenate(parts) for primitive, parts in found.items()}


@pytest.mark.parametrize("axes", sorted(PRESETS))
@pytest.mark.parametrize(("instances", "primitives", "hidden"), [(60, 3, True), (60, 3, False), (3, 3, False), (1, 1, False), (0, 2, True)])
def test_viewers_show_every_drawn_instance_where_it_is(tmp_path, axes, instances, primitives, hidden):
    scene = make_scene(instances, primitives, seed=instances, axes=axes, hidden=hidden)
    gltf.write(scene, tmp_path / "a.glb")
    root, _, accessor = load(tmp_path / "a.glb")
    matrices = PRESETS["gltf"].target_from_blender() @ np.linalg.inv(PRESETS[axes].target_from_blender()) @ scene.world_from_local()
    drawn = (scene["instance_transforms"]["flags"] & DRAWN) == DRAWN
    assert hidden == (not drawn.all()) or instances == 0
    ids = scene["instance_data"]["primitive_id"]
    mirrored = np.linalg.det(scene.world_from_local()) < 0
    assert mirrored.any() or instances < 60
    expected = {int(i): matrices[np.concatenate([np.flatnonzero((ids == i) & drawn & (mirrored == m)) for m in (False, True)])]
                for i in np.unique(ids[drawn])}
    found = shown(root, accessor)
    assert sorted(found) == sorted(expected)
    for primitive, wanted in expected.items():
        assert found[primitive].shape == wanted.shape
        assert found[primitive] == pytest.approx(wanted, rel=1e-5, abs=1e-5 / PRESETS[axes].units_per_metre)


def test_one_instance_is_a_plain_node_named_after_its_object(tmp_path):
    scene = make_scene(1, 1, hidden=False, sources=["Chair"])
    gltf.write(scene, tmp_path / "a.glb")
    root, _, _ = load(tmp_path / "a.glb")
    assert root["extensionsUsed"] == ["GPUSCENE_scene"] and "extensionsRequired" not in root
    assert root["nodes"][1]["name"] == "Chair" and {"translation", "rotation", "scale"} <= set(root["nodes"][1])
    gltf.write(make_scene(2, 1, hidden=False), tmp_path / "a.glb")
    assert load(tmp_path / "a.glb")[0]["extensionsUsed"] == ["EXT_mesh_gpu_instancing", "GPUSCENE_scene"]


def test_meshes_are_the_tables_bytes_a_mesh_for_each_lod_a_primitive_for_each_batch(tmp_path):
    scene = make_scene(primitives=3, lods=3, names=["tree", "rock", "bush"])
    gltf.write(scene, tmp_path / "a.glb")
    root, _, accessor = load(tmp_path / "a.glb")
    assert [m["name"] for m in root["meshes"]] == ["tree", "tree_LOD1", "tree_LOD2", "rock", "bush", "bush_LOD1", "bush_LOD2"]
    positions, normals, uvs, indices = (scene[t] for t in ("vertex_positions", "vertex_normals", "vertex_uvs", "indices"))
    seen = []
    for mesh in root["meshes"]:
        row, level = mesh["extras"]["primitive_id"], mesh["extras"]["lod_index"]
        lod = scene["lods"][scene["primitives"]["first_lod"][row] + level]
        count, base = 24 - 4 * level, int(lod["base_vertex"])
        assert len(mesh["primitives"]) == 2
        for primitive, batch in zip(mesh["primitives"], range(lod["first_batch"], lod["first_batch"] + 2)):
            seen.append(batch)
            args = scene["indirect_args"][batch]
            assert np.array_equal(accessor(primitive["indices"]), indices[args["first_index"]:args["first_index"] + args["index_count"]])
            assert primitive["material"] == scene["batches"]["material_index"][batch]
            attributes = primitive["attributes"]
            assert np.array_equal(accessor(attributes["POSITION"]), positions[base:base + count])
            assert np.array_equal(accessor(attributes["NORMAL"]), normals[base:base + count])
            assert ("TEXCOORD_0" in attributes) == bool(scene["primitives"]["flags"][row] & layout.PRIMITIVE_HAS_UV)
            if "TEXCOORD_0" in attributes:
                assert np.array_equal(accessor(attributes["TEXCOORD_0"]), uvs[base:base + count])
            bounds = root["accessors"][attributes["POSITION"]]
            assert bounds["min"] == positions[base:base + count].min(axis=0).tolist()
            assert bounds["max"] == positions[base:base + count].max(axis=0).tolist()
    assert seen == list(range(14))


def test_an_engine_uploads_tables_from_offsets_alone(tmp_path):
    """What the README tells an engine programmer to do, with struct and json only."""
    scene = make_scene(full_precision=2)
    gltf.write(scene, tmp_path / "a.glb")
    content = (tmp_path / "a.glb").read_bytes()
    root, start, _ = load(tmp_path / "a.glb")
    extension = root["extensions"]["GPUSCENE_scene"]
    assert start % 256 == 0
    for name, table in extension["tables"].items():
        view = root["bufferViews"][table["bufferView"]]
        at = start + view["byteOffset"]
        assert at % 256 == 0 and view["name"] == name
        assert view["byteLength"] == table["count"] * table["stride"]
        assert content[at:at + view["byteLength"]] == scene[name].tobytes()
    table = extension["tables"]["instance_data"]
    field = table["fields"]["custom_data"]
    assert field == {"offset": 16, "type": "vec4", "array": 2}
    at = start + root["bufferViews"][table["bufferView"]]["byteOffset"] + 7 * table["stride"] + field["offset"]
    assert struct.unpack_from("<8f", content, at) == tuple(scene["instance_data"]["custom_data"][7].reshape(-1).tolist())
    assert extension["axes"]["matrices"] == "column-major" and extension["axes"]["handedness"] == "right"


def test_a_sheared_instance_is_shown_by_its_nearest_trs(tmp_path):
    scene = make_scene(3, 1, hidden=False, mirrored=False)
    tables = dict(scene.tables)
    transforms = tables["instance_transforms"].copy()
    half = np.sqrt(0.5)
    transforms[1]["x_axis"], transforms[1]["y_axis"], transforms[1]["z_axis"] = (half, 3 * half, 0), (-half, 3 * half, 0), (0, 0, 1)
    tables["instance_transforms"] = transforms
    sheared = type(scene)(tables, scene.convention, scene.primitive_names, scene.sources, scene.materials)
    gltf.write(sheared, tmp_path / "a.glb")
    root, _, accessor = load(tmp_path / "a.glb")
    assert gltf.read(tmp_path / "a.glb")["instance_transforms"].tobytes() == transforms.tobytes()
    node = root["nodes"][1]["extensions"]["EXT_mesh_gpu_instancing"]["attributes"]
    # by symmetry: no rotation of the mean frame, each axis shortened to its projection on the perpendicular frame, turned 45 degrees
    assert accessor(node["SCALE"])[1] == pytest.approx((2, 2, 1), abs=1e-4)
    assert np.abs(accessor(node["ROTATION"])[1]) == pytest.approx((0, 0, np.sin(np.pi / 8), np.cos(np.pi / 8)), abs=1e-4)
