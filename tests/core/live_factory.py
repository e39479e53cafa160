"""Live rows and tables without Blender: a store of a few primitives, and objects that can be edited one by one."""

import numpy as np

from gpuscene.core import ids, layout, lod
from gpuscene.core.assemble import Extraction, Part
from gpuscene.core.conventions import PRESETS
from gpuscene.core.live.options import LiveOptions
from gpuscene.core.live.rows import LiveRows
from gpuscene.core.live.tables import LiveTables
from gpuscene.core.primitive_tables import PrimitiveTables
from gpuscene.core.primitives import Level
from gpuscene.core.scene import DEFAULT_CHANNELS, Material
from mesh_factory import grid
from scene_factory import rotations

MESHES = (grid(2, 1, slots=2), grid(1, 1), grid(3, 2, uvs=False), grid(1, 2))
MATERIALS = (Material("wood"), Material("moss"), Material("ash"), Material("unused"))


def store(primitives=6, convention=PRESETS["blender"], backwards=False):
    """(Extraction without parts, its PrimitiveTables): two primitives a mesh, of other materials; every third has two LODs.

    `backwards`: the same primitives, numbered the other way round, as are geometry and materials: another history.
    """
    turn = slice(None, None, -1 if backwards else 1)
    extraction = Extraction(materials=list(MATERIALS[turn]))
    geometry_of = {number: extraction.geometries.add(MESHES[number]) for number in range(len(MESHES))[turn]}
    for index in range(primitives)[turn]:
        mesh = index % len(MESHES)
        chain = [mesh, (mesh + 1) % len(MESHES)] if index % 3 == 0 else [mesh]
        levels = tuple(Level(geometry_of[m], tuple(extraction.materials.index(MATERIALS[(index + slot + level) % 3])
                                                   for slot in range(len(MESHES[m].used_slots))), lod.default_screen_size(level))
                       for level, m in enumerate(chain))
        extraction.primitives.add(f"Primitive {index}", levels, 0.05)
    return extraction, PrimitiveTables.of(extraction, convention)


def matrix(seed) -> np.ndarray:
    """(4, 4) float32 column-stored: a random turn and place; of seed 0 to 4 no volume, a NaN, a place at 0, at -0, mirrored."""
    rng = np.random.default_rng(seed)
    out = np.eye(4, dtype=np.float32)
    out[:3, :3] = rotations(rng, 1)[0].T * rng.uniform(0.5, 2)
    out[3, :3] = rng.uniform(-10, 10, 3)
    if seed == 0:
        out[1] = 0
    elif seed == 1:
        out[0, 0] = np.nan
    elif seed in (2, 3):
        out[:3, :3], out[3, :3] = np.eye(3), 0.0 if seed == 2 else -0.0
    elif seed == 4:
        out[0] = -out[0]
    return out


def custom(seed) -> np.ndarray:
    """(8,) float32 channel values, most of them not set."""
    rng = np.random.default_rng(seed)
    return np.where(rng.random(8) < 0.3, rng.uniform(0, 40, 8), np.nan).astype(np.float32)


def key_of(owner: str, child: int) -> int:
    return int(ids.combine(ids.name_key(owner), np.uint64(child))[0])


def rows_of(objects, extraction, primitives, convention=PRESETS["blender"], order=None) -> LiveRows:
    """Rows of `objects`: a dict of owner name -> dict of child number -> (primitive, seed of its matrix)."""
    flat = [(owner, child, *what) for owner, children in objects.items() for child, what in children.items()]
    if order is not None:
        flat = [flat[i] for i in order]
    names = sorted({f"mesh of {owner}" for owner in objects}, reverse=True)
    parts = [Part(primitive, matrix(seed)[None].copy(), np.array([key_of(owner, child)], np.uint64),
                  names.index(f"mesh of {owner}"), custom(seed)[None], layout.INSTANCE_VISIBLE | layout.INSTANCE_MOVABLE * (seed % 2), owners=ids.name_key(owner))
             for owner, child, primitive, seed in flat]
    scene = Extraction(extraction.geometries, extraction.primitives, extraction.materials, names, parts)
    return LiveRows.of(scene, primitives, convention)


def make_objects(count=40, primitives=6, seed=0) -> dict:
    """`count` owners of one to three children each."""
    rng = np.random.default_rng(seed)
    return {f"Object.{i:03}": {c: (int(rng.integers(primitives)), int(rng.integers(5, 1 << 20)))
                               for c in range(rng.integers(1, 4))} for i in range(count)}


def make_tables(count=40, primitives=6, seed=0, axes="blender", options=LiveOptions()):
    """(LiveTables, objects) of `make_objects`."""
    convention = PRESETS[axes]
    extraction, tables = store(primitives, convention)
    objects = make_objects(count, primitives, seed)
    rows = rows_of(objects, extraction, tables, convention)
    return LiveTables.build(rows, tables, convention, DEFAULT_CHANNELS, options), objects
