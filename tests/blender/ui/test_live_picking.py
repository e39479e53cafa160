"""Picking: by Blender's ray cast against instances made by Blender, and by boxes against points walked along the ray."""

from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Vector

from gpuscene.blender.live import picking
from gpuscene.core import layout
from gpuscene.core.conventions import PRESETS


def tables_of(instances, names, convention="blender", alive=None):
    """What `picking` reads of live tables, one slot for each (index into names, world matrix, half side of the box)."""
    target = PRESETS[convention].target_from_blender()
    rows = np.zeros(len(instances), layout.INSTANCE_TRANSFORM.dtype)
    center = np.zeros((len(instances), 3))
    half = np.zeros((len(instances), 1))
    for slot, (_, world, side) in enumerate(instances):
        matrix = target @ np.array(world, np.float64) @ np.linalg.inv(target)
        for axis, name in enumerate(("x_axis", "y_axis", "z_axis", "position")):
            rows[name][slot][:3] = matrix[:3, axis]
        center[slot], half[slot] = matrix[:3, 3], side
    bounds = SimpleNamespace(box_min=(center - half).astype("f4"), box_max=(center + half).astype("f4"),
                             drawable=np.ones(len(instances), bool))
    return SimpleNamespace(transforms=rows, sources=np.array([s for s, _, _ in instances]), names=names, bounds=bounds,
                           convention=PRESETS[convention], alive=np.ones(len(instances), bool) if alive is None else alive)


def test_the_box_that_a_walk_along_the_ray_meets_first():
    dice = np.random.default_rng(8)
    met = 0
    for trial in range(60):
        where = dice.uniform(-5, 5, (40, 3))
        tables = tables_of([(0, Matrix.Translation(p), dice.uniform(0.1, 1.5)) for p in where], ["A"])
        tables.bounds.drawable[::7] = False
        tables.alive[::11] = False
        aim = where[trial % 40] + dice.normal(scale=0.3, size=3)
        direction = dice.normal(size=3)
        if trial % 4 == 0:  # along an axis, where two pairs of sides are never crossed
            direction = np.eye(3)[trial % 3] * dice.choice((-1, 1))
        direction /= np.linalg.norm(direction)
        origin = aim - dice.uniform(0, 12) * direction
        points = origin + np.arange(0, 40, 2e-3)[:, None] * direction
        inside = ((points[:, None] >= tables.bounds.box_min) & (points[:, None] <= tables.bounds.box_max)).all(axis=2)
        inside &= tables.bounds.drawable & tables.alive
        first = np.where(inside.any(axis=0), inside.argmax(axis=0), 10**9)
        holds = inside[0]
        # A box around the eye comes last.
        order = sorted(range(40), key=lambda slot: (first[slot] == 10**9, holds[slot], first[slot]))
        found = picking.slot_of_ray(tables, origin, direction)
        if first[order[0]] == 10**9:
            # a corner that is crossed between two steps of the walk may still be found
            assert found is None or first[found] == 10**9
            continue
        met += 1
        if holds[order[0]]:
            assert holds[found]
        else:
            assert first[found] <= first[order[0]] + 1 or first[found] == 10**9
    assert met > 30


@pytest.mark.parametrize("convention", ["blender", "unreal", "unity", "gltf"])
def test_instances_are_told_apart_by_their_matrix(ui, convention):
    """A collection instanced three times, turned, mirrored and scaled; each copy is shot from above."""
    cube = bpy.data.objects["Cube"]
    collection = bpy.data.collections.new("Group")
    collection.objects.link(cube)
    cube.matrix_world = Matrix.Translation((0.5, 0, 0)) @ Matrix.Rotation(0.3, 4, "X")
    bpy.context.scene.collection.children[0].objects.unlink(cube)
    placed = []
    for number, scale in enumerate(((1, 1, 1), (-1, 1, 1), (0.5, 2, 1))):
        empty = bpy.data.objects.new(f"Copy {number}", None)
        empty.instance_type, empty.instance_collection = "COLLECTION", collection
        turned = Matrix.Translation((10 * number, 3, 0)) @ Matrix.Rotation(number, 4, "Z")
        empty.matrix_world = turned @ Matrix.Diagonal((*scale, 1))
        bpy.context.scene.collection.objects.link(empty)
        placed.append(empty)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    worlds = [i.matrix_world.copy() for i in depsgraph.object_instances if i.is_instance]
    assert len(worlds) == 3
    tables = tables_of([(1, world, 0.01) for world in worlds], ["Other", "Cube"], convention)
    for slot, world in enumerate(worlds):
        above = world.translation + Vector((0, 0, 50))
        assert picking.pick(tables, bpy.context.scene, depsgraph, above, Vector((0, 0, -1))) == slot
    assert picking.pick(tables, bpy.context.scene, depsgraph, Vector((0, 500, 50)), Vector((0, 0, -1))) is None


def test_without_a_surface_the_box_is_picked_in_the_tables_axes(ui):
    places = [(0, Matrix.Translation((x, -7, 2)), 100.0) for x in (40, 60)]
    tables = tables_of(places, ["Gone"], "unreal")
    depsgraph = bpy.context.evaluated_depsgraph_get()
    for start, slot in (((30, -7, 2), 0), ((70, -7, 2), 1)):
        toward = Vector((50 - start[0], 0, 0)).normalized()
        assert picking.pick(tables, bpy.context.scene, depsgraph, Vector(start), toward) == slot


def test_a_source_that_the_tables_lack_or_another_place_is_no_match():
    tables = tables_of([(0, Matrix.Identity(4), 1)], ["A"])
    assert picking.slot_of_matrix(tables, "A", np.eye(4)) == 0
    assert picking.slot_of_matrix(tables, "B", np.eye(4)) is None
    assert picking.slot_of_matrix(tables, "A", np.array(Matrix.Translation((0.01, 0, 0)))) is None
    tables.alive[:] = False
    assert picking.slot_of_matrix(tables, "A", np.eye(4)) is None
