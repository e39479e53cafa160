"""The bench's characters are what it says they are; its table names what it measured."""

import numpy as np
import pytest
from gpuscene.bench.skin import format_table
from gpuscene.bench.skin_scene import character as make
from gpuscene.bench.skin_scene import crowd, pose


def test_characters():
    skin = make(rings=50, sides=6)
    packed, buffer = crowd(3, skin)
    assert skin.vertex_count == 300 and len(skin.triangles) == 49 * 12 and skin.bone_count == 79
    assert skin.influences.counts.tolist() == [4] * 300 and skin.influences.sums() == pytest.approx(np.ones(300))
    area = (
        np.linalg.norm(
            np.cross(*(skin.rest[skin.triangles[:, i]] - skin.rest[skin.triangles[:, 0]] for i in (1, 2))), axis=1
        ).sum()
        / 2
    )
    assert area == pytest.approx(1.8 * 6 * 0.2, rel=1e-3)  # six sides as wide as the radius
    assert [buffer[n].count for n in range(3)] == [packed[0].bone_count] * 3
    assert np.linalg.det(pose(78, 1.0)[:, :, :3]) == pytest.approx(np.ones(79))


def test_the_table():
    gpu = {
        "renderer": "R",
        "backend": "B",
        "transport": "storage",
        "empty_dispatch_seconds": 1e-5,
        "vertices_seconds": 1e-3,
        "times_faster_than_blender": 50.0,
        "character_seconds": 2e-5,
        "many_count": 64,
        "many_particles": 10000,
        "many_uniform_seconds": 9e-4,
        "upload": {"characters": 12, "float32": 46080, "half": 23296, "trs": 38400, "seconds": 1e-4},
        "baked": {"bone": {"frames": 24, "seconds": 1e-5, "bytes_per_frame": 0, "memory": 2_500_000}},
        "draw": {"stored_seconds": 1e-3, "vertex_shader_seconds": 2e-3},
        "many_seconds": 6e-4,
        "one_seconds": 1e-5,
        "particles": 1000,
        "particles_seconds": 1e-3,
        "particles_vertices_seconds": 1e-3,
        "particles_particles_seconds": 3e-3,
        "particles_bytes": 32000,
        "particles_times_copy": 2.5,
        "copy": {"bytes_per_second": 8e10},
    }
    result = {
        "vertices": 150000,
        "bones": 78,
        "blender_seconds": 0.05,
        "numpy_seconds": 0.01,
    }
    assert format_table(result) == "150,000 vertices, 78 bones: Blender's modifier 50.000 ms, numpy 10.000 ms"
    text = format_table(result | {"gpu": gpu})
    assert all(
        part in text
        for part in ("50.0 times faster than Blender", "2.0 empty dispatches", "60.0 times one", "46,080 bytes, half 23,296", "0.9000 ms", "2.5 MB", "(vertices first 1.000 ms, in one dispatch 3.000 ms)", "2.50 times what", "80.0 GB/s")
    )
    assert format_table(result | {"gpu": {"missing": "There is no GPU."}}).endswith("There is no GPU.")
