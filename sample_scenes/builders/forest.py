"""forest.blend: 20,000 trees of three species, scattered by Geometry Nodes over hills around a lake."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np

from . import stage
from .nodes import Tree
from .shapes import grid, to_mesh
from .species import SPECIES
from .terrain import hills, step

SEED = 7
TREES = 20_000
SIZE, CELLS = 420.0, 76
LAKE_LEVEL = 2.0
#: By hand: the trees and the ground.
KNOWN = {mode: {"instances": TREES + 1, "negative_det": 0, "zero_scale": 0} for mode in ("viewport", "render")}
LEAF_COLORS = {"Birch": "cfa032", "Broadleaf": "6f9a35", "Pine": "1f5a3c"}
BARK_COLORS = {"Birch": "e6e0d4", "Broadleaf": "6b4a32", "Pine": "54382a"}


def height(x, y):
    """Hills that rise to the north, with a lake's basin in the middle; metres."""
    basin = np.exp(-(((x + 15) / 75) ** 2 + ((y + 20) / 48) ** 2))
    return 26 * hills(x + 900, y + 900, SEED, 130) ** 1.4 + 16 * step(y, 30, 210) - 17 * basin


def build(folder: Path) -> list[Path]:
    """Writes forest.blend."""
    scene = stage.begin()
    trees = _species(np.random.default_rng(SEED))
    ground = _ground()
    modifier = ground.modifiers.new("Forest", "NODES")
    modifier.node_group = _scatter(trees)
    stage.add_sun(elevation=27, azimuth=-62, strength=5.0, color=(1.0, 0.86, 0.66), sky=(0.42, 0.6, 0.85))
    stage.add_camera((58, -178, 46), (-14, -10, 4), lens=32)
    scene.frame_end = 120
    return [stage.save(folder / "forest.blend")]


def _species(rng):
    """Nine tree objects; the collection of the level-0 ones is returned. None is drawn by itself: all are excluded."""
    library = stage.collection("Trees", visible=False)
    levels = [stage.collection(f"Trees LOD{level}", library) for level in range(3)]
    for offset, (name, shape) in enumerate(SPECIES.items()):
        materials = [
            stage.material(f"{name} Bark", stage.srgb(BARK_COLORS[name]), 0.9),
            stage.material(f"{name} Leaves", stage.srgb(LEAF_COLORS[name]), 0.75),
        ]
        for level, into in enumerate(levels):
            mesh = to_mesh(f"{name}_LOD{level}", shape(rng, level), materials)
            stage.add(f"{name}_LOD{level}", mesh, into, location=(8 * offset, 8 * level, 0))
    return levels[0]


def _ground():
    """Hilly ground; below the lake's level it is the water. `density` (0 to 1, a point) is where trees may stand."""
    shape = grid(SIZE, CELLS, height)
    x, y, z = shape.vertices.T
    shore = step(z, LAKE_LEVEL + 0.8, LAKE_LEVEL + 4)
    glades = step(hills(x + 300, y + 300, SEED + 50, 45, 2), 0.30, 0.52)
    density = shore * (0.08 + 0.92 * glades)
    shape.vertices[:, 2] = np.maximum(z, LAKE_LEVEL)
    faces = np.array(shape.faces)
    wet = (z[faces] < LAKE_LEVEL + 0.05).all(1)
    slots = np.where(wet, 2, np.where(density[faces].mean(1) > 0.45, 0, 1))
    materials = [
        stage.material("Forest Floor", stage.srgb("5d6a38")),
        stage.material("Glade", stage.srgb("93a552")),
        stage.material("Water", stage.srgb("2f6f8f"), roughness=0.12),
    ]
    mesh = to_mesh("Ground", shape, materials, smooth=True)
    mesh.polygons.foreach_set("material_index", slots.astype(np.int32))
    attribute = mesh.attributes.new("density", "FLOAT", "POINT")
    attribute.data.foreach_set("value", density.astype(np.float32))
    return stage.add("Ground", mesh)


def _scatter(trees):
    """The node group: scatter by density, keep `Count` at random, pick a species by height and chance, store the attributes."""
    tree = Tree(
        "Forest Scatter", Trees=("NodeSocketCollection", trees), Count=("NodeSocketInt", TREES), Seed=("NodeSocketInt", SEED)
    )
    ground = tree.input["Geometry"]
    density = tree.value("GeometryNodeInputNamedAttribute", {"data_type": "FLOAT"}, Name="density")
    points = tree.value(
        "GeometryNodeDistributePointsOnFaces",
        {"distribute_method": "POISSON"},
        Mesh=ground,
        Distance_Min=1.55,
        Density_Max=1.0,
        Density_Factor=density,
        Seed=tree.input["Seed"],
    )
    # In random order first, so that the surplus goes evenly and not from one end of the ground.
    points = tree.value("GeometryNodeSortElements", {"domain": "POINT"}, Geometry=points, Sort_Weight=tree.random(0.0, 1.0, 1))
    surplus = tree.value(
        "FunctionNodeCompare",
        {"data_type": "INT", "operation": "GREATER_EQUAL"},
        A=tree.value("GeometryNodeInputIndex"),
        B=tree.input["Count"],
    )
    points = tree.value("GeometryNodeDeleteGeometry", {"domain": "POINT"}, Geometry=points, Selection=surplus)
    captured = tree.node("GeometryNodeCaptureAttribute", {"domain": "POINT"})
    captured.capture_items.new("INT", "Species")
    tree.group.links.new(points, captured.inputs["Geometry"])
    tree.group.links.new(_species_index(tree), captured.inputs["Species"])
    turn = tree.value(
        "ShaderNodeCombineXYZ", X=tree.random(-0.05, 0.05, 3), Y=tree.random(-0.05, 0.05, 4), Z=tree.random(0.0, 6.2832, 5)
    )
    rotation = tree.value("FunctionNodeEulerToRotation", Euler=turn)
    instances = tree.value(
        "GeometryNodeInstanceOnPoints",
        Points=captured.outputs["Geometry"],
        Pick_Instance=True,
        Instance=tree.value(
            "GeometryNodeCollectionInfo", Collection=tree.input["Trees"], Separate_Children=True, Reset_Children=True
        ),
        Instance_Index=captured.outputs["Species"],
        Rotation=rotation,
        Scale=tree.value("ShaderNodeCombineXYZ", **_scale(tree)),
    )
    instances = _store(tree, instances, "gpuscene_height", _tree_height(tree, captured.outputs["Species"]))
    instances = _store(tree, instances, "gpuscene_animation_phase", tree.random(0.0, 6.2832, 8))
    joined = tree.node("GeometryNodeJoinGeometry")
    for geometry in (instances, ground):
        tree.group.links.new(geometry, joined.inputs[0])
    return tree.finish(joined.outputs[0])


def _species_index(tree):
    """0 birch, 1 broadleaf, 2 pine: pines high up, birches low by the water, patches by noise, mixed by chance."""
    place = tree.node("GeometryNodeInputPosition").outputs[0]
    altitude = tree.math("MULTIPLY", tree.node("ShaderNodeSeparateXYZ", Vector=place).outputs["Z"], 0.055)
    patches = tree.value("ShaderNodeTexNoise", Vector=place, Scale=0.03, Detail=1.0)
    mixed = tree.math("ADD", tree.math("ADD", altitude, tree.math("MULTIPLY", patches, 2.2)), tree.random(-0.6, 0.6, 2))
    level = tree.math("SUBTRACT", mixed, 0.95)
    return tree.value(
        "FunctionNodeFloatToInt",
        {"rounding_mode": "FLOOR"},
        Float=tree.math("MINIMUM", tree.math("MAXIMUM", tree.math("MULTIPLY", level, 2.0), 0.0), 2.9),
    )


def _scale(tree):
    """Width and height factors, a little apart so that no two trees are alike."""
    size = tree.math("ADD", 0.45, tree.math("MULTIPLY", tree.math("POWER", tree.random(0.0, 1.0, 6), 1.6), 0.6))
    tall = tree.math("MULTIPLY", size, tree.random(0.95, 1.25, 7))
    return {"X": size, "Y": size, "Z": tall}


def _tree_height(tree, species):
    """Metres from root to tip: the instance's own scale times its species' height."""
    heights = tree.node("GeometryNodeIndexSwitch", {"data_type": "FLOAT"}, Index=species)
    heights.index_switch_items.new()
    for socket, name in zip(heights.inputs[1:], SPECIES):
        socket.default_value = max(v.co.z for v in bpy.data.meshes[f"{name}_LOD0"].vertices)
    scale = tree.node("ShaderNodeSeparateXYZ", Vector=tree.node("GeometryNodeInputInstanceScale").outputs[0])
    return tree.math("MULTIPLY", heights.outputs[0], scale.outputs["Z"])


def _store(tree, instances, name, value):
    return tree.value(
        "GeometryNodeStoreNamedAttribute",
        {"domain": "INSTANCE", "data_type": "FLOAT"},
        Geometry=instances,
        Name=name,
        Value=value,
    )
