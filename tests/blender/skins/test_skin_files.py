"""The crowd, and every skinned file of the corpus: float64 within 1e-4 of the height, four quantised influences off by what is
reported.
"""

from pathlib import Path

import bpy
import numpy as np
import pytest
from gpuscene.blender.skins.character import measure, read_character
from gpuscene.blender.skins.deformers import deformers_of, skinned_objects
from gpuscene.blender.skins.placing import placements
from gpuscene.blender.skins.weights import read_weights
from gpuscene.core.errors import InputError
from gpuscene.core.skinning import pack
from gpuscene.core.skinning.blend import blend_packed, linear_blend
from gpuscene.core.skinning.bounds import BoneBoxes
from gpuscene.core.skinning.error import SkinError
from gpuscene.core.skinning.surface import on_surface
from skin_builders import depsgraph, shown
from skin_oracle import compare

ROOT = Path(__file__).resolve().parents[3]
CORPUS = ROOT.parent / "shared" / "corpus"
#: file -> skinned objects
SKINNED = {
    "KhronosGroup+glTF-Blender-IO/tests/scenes/25_drivers.blend": {"Cube"},
    "KhronosGroup+glTF-Blender-IO/tests/scenes/25_mesh_instances.blend": {"skined_1", "skined_2"},
    "godotengine+godot-blender-exporter/tests/test_scenes/misc/invisible_objects.blend": {"Mesh"},
    "godotengine+tps-demo/enemies/red_robot/model/red_robot.blend": {
        "EvilRoboBody",
        "EvilRoboBody.001",
        "EvilRoboShield-L",
        "EvilRoboShield-R",
    },
}


def check_all(frames):
    """Every skinned object of the open file, at each frame; returns {name: Character} of the last."""
    scene, out = bpy.context.scene, {}
    for frame in frames:
        scene.frame_set(frame)
        for evaluated in skinned_objects(depsgraph()):
            if not deformers_of(evaluated, depsgraph()):
                continue
            character = out[evaluated.name] = compare(evaluated.original)
            graph = depsgraph()
            evaluated = graph.objects[evaluated.name]
            packed, truth = pack(character.skin), shown(evaluated.original)
            matrices = packed.matrices(character.matrices(evaluated, graph))
            moved = blend_packed(packed, matrices)
            low, high = BoneBoxes.of(packed).posed(matrices)
            assert (moved >= low).all() and (moved <= high).all()
            distances = np.linalg.norm(moved - truth, axis=1)
            error = SkinError.of(moved, character.truth(evaluated, graph), 1.0)
            assert error.largest == pytest.approx(distances.max(), rel=1e-3, abs=1e-7)
            assert measure(character, evaluated, graph).share < 1e-4
    return out


@pytest.mark.parametrize("name", SKINNED)
def test_corpus(name, shared_dir):
    bpy.ops.wm.open_mainfile(filepath=str(shared_dir / "corpus" / name))
    scene = bpy.context.scene
    found = check_all({scene.frame_start, (scene.frame_start + scene.frame_end) // 2, scene.frame_end})
    assert set(found) == SKINNED[name]
    assert not [f for c in found.values() for f in c.findings if f.code == "skin-not-linear"]
    if "red_robot" in name:
        body = found["EvilRoboBody"]
        (lone,) = [f for f in body.findings if f.code == "skin-non-deform"]
        assert "and 4 more" in lone.message and body.skin.bone_count == 65
        lonely = np.flatnonzero(body.skin.influences.used(65))
        assert body.skin.object_bone in lonely


def test_no_other_corpus_file_is_skinned(shared_dir):
    for path in sorted((shared_dir / "corpus").rglob("*.blend")):
        name = str(path.relative_to(shared_dir / "corpus"))
        if name in SKINNED:
            continue
        bpy.ops.wm.open_mainfile(filepath=str(path))
        for obj in skinned_objects(depsgraph()):
            assert not deformers_of(obj, depsgraph()), f"{name}: {obj.name}"
            compare(obj.original)


@pytest.fixture
def crowd():
    bpy.ops.wm.open_mainfile(filepath=str(ROOT / "sample_scenes" / "crowd.blend"))


def test_crowd(crowd):
    found = check_all([1, 9, 20])
    assert sorted(found) == ["Ada", "Bruno", "Chidi"]
    for character in found.values():
        packed = pack(character.skin)
        assert (character.skin.bone_count, character.skin.influences.counts.max()) == (79, 4) and not character.findings
        assert packed.bone_count <= 78 and packed.bone_count * 48 * 12 < 50_000  # twelve of them stream under 50 kB a frame


def test_particles_stay_on_the_skin(crowd):
    """By Blender's own triangles: a particle is where the evaluated mesh's corners put it."""
    graph = depsgraph()
    character = read_character(graph.objects["Ada"], graph)
    points = on_surface(character.skin.rest, character.skin.triangles, 500, seed=1)
    packed = pack(character.skin)
    bpy.context.scene.frame_set(13)
    graph = depsgraph()
    ours = points.at(blend_packed(packed, packed.matrices(character.matrices(graph.objects["Ada"], graph))))
    corners = shown(bpy.data.objects["Ada"])[points.vertices]
    truth = (corners * points.barycentrics[:, :, None]).sum(axis=1)
    assert np.linalg.norm(ours - truth, axis=1).max() < 2e-4 * 1.8  # the bytes' own error


def test_the_matrices_are_the_pose(crowd):
    """Against pose_bone.matrix x bone.matrix_local^-1 between the armature's and the object's worlds, one bone at a time."""
    graph = depsgraph()
    character = read_character(graph.objects["Bruno"], graph)
    matrices = character.matrices(graph.objects["Bruno"], graph)
    armature, world = graph.objects["Bruno Rig"], np.array(graph.objects["Bruno"].matrix_world)
    to = np.array(armature.matrix_world)
    for name, found in zip(character.skin.bones[:-1], matrices, strict=False):
        bone = armature.pose.bones[name]
        expected = to @ np.array(bone.matrix) @ np.linalg.inv(np.array(bone.bone.matrix_local)) @ np.linalg.inv(to) @ world
        assert found == pytest.approx(expected[:3], abs=2e-6)
    assert matrices[-1] == pytest.approx(world[:3])
    parents = [character.skin.bones[p] if p >= 0 else None for p in character.skin.parents[:-1]]
    assert parents == [
        armature.pose.bones[n].parent.name if armature.pose.bones[n].parent else None for n in character.skin.bones[:-1]
    ]


def test_weights_in_bulk_are_those_of_a_loop(crowd):
    mesh = bpy.data.objects["Chidi"].data
    expected = [(v.index, g.group, g.weight) for v in mesh.vertices for g in v.groups]
    assert list(zip(*(column.tolist() for column in read_weights(mesh)), strict=True)) == expected
    assert [len(column) for column in read_weights(bpy.data.meshes.new("empty"))] == [0, 0, 0]


def test_linked_characters(tmp_path):
    """A collection of the crowd, linked and instanced: the instance is found, placed, and posed."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True, load_ui=False)
    with bpy.data.libraries.load(str(ROOT / "sample_scenes" / "crowd.blend"), link=True) as (source, target):
        target.collections = ["People"]
    empty = bpy.data.objects.new("troupe", None)
    bpy.context.scene.collection.objects.link(empty)
    empty.instance_type, empty.instance_collection, empty.location, empty.scale = (
        "COLLECTION",
        bpy.data.collections["People"],
        (10, 0, 0),
        (2, 2, 2),
    )
    graph = depsgraph()
    placed = placements(graph)
    assert sorted(p.key[0] for p in placed) == ["Ada", "Bruno", "Chidi"] and all(p.key[1].endswith("crowd.blend") for p in placed)
    for placement in placed:
        obj = bpy.data.objects[placement.key].evaluated_get(graph)
        character = read_character(obj, graph)
        (truth,) = [
            np.array([(np.array(i.matrix_world, float) @ [*v.co, 1])[:3] for v in i.object.data.vertices])
            for i in graph.object_instances
            if i.is_instance and i.object.original == obj.original
        ]
        ours = linear_blend(
            character.skin.rest, character.skin.influences, character.matrices(character.object(graph), graph, placement.world)
        )
        assert np.linalg.norm(ours - truth, axis=1).max() < 1e-4 * np.ptp(truth, axis=0).max() and truth[:, 0].mean() > 7


def test_what_changed_since_is_an_error(crowd):
    graph = depsgraph()
    character = read_character(graph.objects["Ada"], graph)
    bpy.data.objects["Ada"].modifiers[0].object = bpy.data.objects["Bruno Rig"]
    graph = depsgraph()
    with pytest.raises(InputError, match="armatures of 'Ada' have changed"):
        character.matrices(character.object(graph), graph)
    bpy.data.objects.remove(bpy.data.objects["Ada"])
    with pytest.raises(InputError, match="'Ada' is no longer in the scene"):
        character.object(depsgraph())


def test_reading_leaves_the_file_as_it_was(crowd):
    """No switch, no data-block, no change that an update names."""
    changed = []

    def seen(scene, graph):
        changed.extend(
            u.id.name for u in graph.updates if u.is_updated_geometry or u.is_updated_transform or u.is_updated_shading
        )

    graph = depsgraph()
    before = {name: len(getattr(bpy.data, name)) for name in ("objects", "meshes", "armatures", "collections")}
    bpy.app.handlers.depsgraph_update_post.append(seen)
    try:
        for obj in skinned_objects(graph):
            read_character(obj, graph)
        bpy.context.view_layer.update()
    finally:
        bpy.app.handlers.depsgraph_update_post.remove(seen)
    assert not changed and not bpy.data.is_dirty
    assert before == {name: len(getattr(bpy.data, name)) for name in before}
    assert all(m.show_viewport for o in bpy.data.objects for m in o.modifiers)
    assert all(m.show_viewport for o in depsgraph().objects for m in o.modifiers)
