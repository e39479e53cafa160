"""Real files that nobody here made: every number beside them holds, in viewport and in render visibility."""

import json
from pathlib import Path

import bpy
import numpy as np
import pytest
from gpuscene.blender.export import ExportSettings, export_file
from gpuscene.core import gltf, layout

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "corpus"
TRUTH = json.loads((CORPUS / "truth.json").read_text(encoding="utf-8")) if (CORPUS / "truth.json").is_file() else {"absent": {}}


def geometries(data):
    """Distinct vertex ranges among the finest levels: primitives that differ by material alone share one."""
    return len({(int(p["first_index"]), int(p["base_vertex"])) for p in data["primitives"]})


def world_box(data):
    """(2, 3) box of every vertex of every instance."""
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    matrices, ids = data.world_from_local().astype(np.float64), data["instance_data"]["primitive_id"]
    for index, row in enumerate(data["primitives"]):
        points = data["vertex_positions"][row["base_vertex"] : row["base_vertex"] + row["vertex_count"]].astype(np.float64)
        for matrix in matrices[ids == index]:
            world = points @ matrix[:3, :3].T + matrix[:3, 3]
            low, high = np.minimum(low, world.min(axis=0)), np.maximum(high, world.max(axis=0))
    return np.array([low, high])


@pytest.mark.parametrize("visible", ["viewport", "render"])
@pytest.mark.parametrize("name", TRUTH)
def test_counts_equal(name, visible, shared_dir, tmp_path):
    truth = TRUTH[name][visible]
    out = tmp_path / "out.glb"
    result = export_file(shared_dir / "corpus" / name, out, ExportSettings(visible=visible))
    data = gltf.read(out)
    assert bpy.data.filepath.endswith(Path(name).name)
    assert result["instances"] == data.instance_count == truth["mesh_instances"]
    assert result["triangles"] == data.triangle_count() == truth["instanced_tris"]
    assert geometries(data) == truth["distinct_content"]
    flags = data["instance_transforms"]["flags"]
    assert np.count_nonzero(flags & layout.INSTANCE_MIRRORED) == truth["negative_det"]
    assert np.count_nonzero(~flags & layout.INSTANCE_VALID) == truth["zero_scale"]
    assert bool([f for f in data.findings if f.code == "shear"]) == bool(truth["sheared"])
    total = data["instance_transforms"]["position"].astype(np.float64).sum(axis=0)
    assert total == pytest.approx(
        np.array(truth["sum_translation"] if truth["mesh_instances"] else [0, 0, 0]), abs=1e-4, rel=1e-6
    )
    if truth["mesh_instances"]:
        box = np.array(truth["aabb"])
        size = (box[1] - box[0]).max()
        assert world_box(data) == pytest.approx(box, abs=1e-5 * size)
    assert len(np.unique(data["instance_data"]["instance_id"])) == data.instance_count
