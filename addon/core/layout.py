"""The record table: one declaration a record, from which the numpy dtype, GLSL, C and HLSL are made.

Declared order is memory order; padding is explicit; offsets follow std430 and are pinned by tests. Never reorder
or resize a field: the file format depends on it. A new table is a new `Record`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

#: type name -> (numpy base, component count, std430 alignment in bytes)
TYPES = {
    "float": ("<f4", 1, 4), "int": ("<i4", 1, 4), "uint": ("<u4", 1, 4),
    "vec2": ("<f4", 2, 8), "vec3": ("<f4", 3, 16), "vec4": ("<f4", 4, 16),
    "double": ("<f8", 1, 8),
}


@dataclass(frozen=True)
class Field:
    """A member of a record: `name`, GLSL type, array length (0 for none), documentation. ``_pad*`` names are padding."""

    name: str
    type: str
    doc: str = ""
    array: int = 0

    @property
    def components(self) -> int:
        return TYPES[self.type][1] * max(self.array, 1)

    @property
    def size(self) -> int:
        """Bytes."""
        return np.dtype(TYPES[self.type][0]).itemsize * self.components

    @property
    def alignment(self) -> int:
        """std430 alignment in bytes."""
        return TYPES[self.type][2]

    @property
    def is_padding(self) -> bool:
        return self.name.startswith("_pad")

    @property
    def shape(self) -> tuple:
        """Numpy sub-array shape: ``()``, ``(components,)`` or ``(array, components)``."""
        components = TYPES[self.type][1]
        shape = (self.array,) if self.array else ()
        return shape + ((components,) if components > 1 else ())


@dataclass(frozen=True)
class Record:
    """One table's record: struct `name`, `table` name, `stride` in bytes, ordered `fields`, documentation."""

    name: str
    table: str
    stride: int
    fields: tuple
    doc: str

    @cached_property
    def offsets(self) -> dict:
        """Field name -> byte offset. Raises ``ValueError`` if a field is not std430-aligned or the stride is wrong."""
        offsets, at = {}, 0
        for field in self.fields:
            if at % field.alignment:
                raise ValueError(f"{self.name}.{field.name} at {at} is not {field.alignment}-byte aligned")
            if field.array and TYPES[field.type][1] == 3:
                raise ValueError(f"{self.name}.{field.name}: arrays of vec3 have hidden padding")
            offsets[field.name] = at
            at += field.size
        alignment = max(f.alignment for f in self.fields)
        if at != self.stride or self.stride % alignment:
            raise ValueError(f"{self.name} ends at {at}, declared stride {self.stride}, alignment {alignment}")
        return offsets

    @property
    def is_plain(self) -> bool:
        """True for a table of bare values (one field): its numpy array has no field names."""
        return len(self.fields) == 1

    @cached_property
    def dtype(self) -> np.dtype:
        """Structured little-endian dtype, ``itemsize == stride``; a plain record's is its field's own (sub-array) type."""
        if self.is_plain:
            return np.dtype((TYPES[self.fields[0].type][0], self.fields[0].shape))
        return np.dtype({"names": [f.name for f in self.fields],
                         "formats": [(TYPES[f.type][0], f.shape) for f in self.fields],
                         "offsets": [self.offsets[f.name] for f in self.fields], "itemsize": self.stride})

    def empty(self, count: int) -> np.ndarray:
        """A zeroed array of `count` records."""
        return np.zeros(count, self.dtype)


F = Field

INSTANCE_TRANSFORM = Record("InstanceTransform", "instance_transforms", 64, (
    F("x_axis", "vec3", "first column of world_from_local, scale included"),
    F("bounding_radius", "float", "world-space radius of the instance's bounding sphere"),
    F("y_axis", "vec3", "second column"),
    F("_pad0", "float"),
    F("z_axis", "vec3", "third column"),
    F("_pad1", "float"),
    F("position", "vec3", "fourth column: the instance's origin in world space"),
    F("flags", "uint", "INSTANCE_* bits"),
), "Where an instance is. Column vectors: world = x_axis*x + y_axis*y + z_axis*z + position.")

INSTANCE_DATA = Record("InstanceData", "instance_data", 48, (
    F("instance_id", "uint", "stable across exports of an unchanged scene and after adding or removing others"),
    F("primitive_id", "uint", "row of `primitives`"),
    F("lightmap_index", "uint", "row of the engine's lightmap table; 0xFFFFFFFF for none"),
    F("shadowmap_index", "uint", "row of the engine's shadow-map table; 0xFFFFFFFF for none"),
    F("custom_data", "vec4", "eight channels: [0].x effective cull radius (0: no limit), [0].y LOD bias, "
                             "the others by the channel registry", 2),
), "What an instance is.")

VISIBILITY = Record("VisibilityWord", "visibility", 4, (F("word", "uint", "bit i%32 of word i/32 is instance row i"),),
                    "One bit an instance.")
INSTANCE_INDEX = Record("InstanceIndex", "instance_index", 4, (F("row", "uint", "row, or 0xFFFFFFFF for a free slot"),),
                        "Slot to row of instance_transforms and instance_data. A fresh export is compact: the identity.")
INSTANCE_SOURCE = Record("InstanceSource", "instance_sources", 4, (F("source", "uint", "index into the file's `sources` names"),),
                         "Row to the name of the Blender object it came from.")

PRIMITIVE = Record("Primitive", "primitives", 96, (
    F("sphere_center", "vec3", "local bounding sphere"),
    F("sphere_radius", "float", "local bounding sphere, covers every LOD"),
    F("box_min", "vec3", "local bounding box, covers every LOD"),
    F("first_lod", "uint", "row of `lods`"),
    F("box_max", "vec3", "local bounding box"),
    F("lod_count", "uint", "at least 1"),
    F("lod_screen_sizes", "vec4", "screen_size_in of LOD 0 to 3; 0 past the last"),
    F("first_index", "uint", "of LOD 0 in `indices`"),
    F("index_count", "uint", "of LOD 0"),
    F("base_vertex", "uint", "of LOD 0 in the vertex tables; added to each index"),
    F("vertex_count", "uint", "of LOD 0"),
    F("material_index", "uint", "of the first batch; `batches` has one row for each material"),
    F("skin_index", "uint", "0xFFFFFFFF for none"),
    F("cluster_root", "uint", "row of `cluster_nodes`; 0xFFFFFFFF for none"),
    F("flags", "uint", "PRIMITIVE_* bits"),
), "A mesh with its materials, shared by every instance that looks the same.")

LOD = Record("Lod", "lods", 32, (
    F("first_index", "uint", "in `indices`"),
    F("index_count", "uint", "of the whole LOD"),
    F("screen_size_in", "float", "the LOD is entered when the screen size falls below this (LOD 0: the largest float)"),
    F("screen_size_out", "float", "it is left for the next LOD below this; equals the next LOD's screen_size_in"),
    F("hysteresis", "float", "half-width of the band around each threshold, as a fraction of it"),
    F("base_vertex", "uint", "added to each index"),
    F("first_batch", "uint", "row of `batches`"),
    F("batch_count", "uint", "one for each material"),
), "A level of detail of a primitive. Triangles: index_count / 3.")

BATCH = Record("Batch", "batches", 16, (
    F("primitive_id", "uint", "row of `primitives`"),
    F("lod_index", "uint", "0 is the finest, counted within the primitive"),
    F("material_index", "uint", "into the file's materials; 0xFFFFFFFF for none"),
    F("max_instance_count", "uint", "instances of the primitive: the room its draws need"),
), "What one indirect draw draws. Row i goes with row i of `indirect_args`.")

INDIRECT_ARGS = Record("IndirectArgs", "indirect_args", 20, (
    F("index_count", "uint", "of the batch"),
    F("instance_count", "uint", "LOD 0 starts with all, other LODs with none; culling rewrites it"),
    F("first_index", "uint", "in `indices`"),
    F("base_vertex", "int", "in the vertex tables"),
    F("first_instance", "uint", "row of the primitive's first instance"),
), "VkDrawIndexedIndirectCommand, D3D12_DRAW_INDEXED_ARGUMENTS.")

CLUSTER_NODE = Record("ClusterNode", "cluster_nodes", 32, (
    F("box_min", "vec3", "world space"),
    F("first", "uint", "row of the first child; in a leaf its first entry of sorted_instances"),
    F("box_max", "vec3", "world space"),
    F("count", "uint", "children or instances; bit 31 marks a leaf"),
), "Cluster trees one after the other, each breadth-first: the scene's (leaves point into sorted_instances), then each "
   "primitive's (primitive_sorted_instances). With a single primitive in use there is one tree, and both roots are the same.")
SORTED_INSTANCES = Record("SortedInstance", "sorted_instances", 4, (F("row", "uint", "instance row"),),
                          "Cluster order to instance row.")
REORDER = Record("Reorder", "reorder", 4, (F("position", "uint", "position in sorted_instances"),),
                 "Instance row to cluster order; the inverse of sorted_instances.")
PRIMITIVE_SORTED_INSTANCES = Record("PrimitiveSortedInstance", "primitive_sorted_instances", 4,
                                    (F("row", "uint", "instance row"),),
                                    "Cluster order of the primitives' own trees to instance row; each primitive keeps its own run of rows.")
PRIMITIVE_REORDER = Record("PrimitiveReorder", "primitive_reorder", 4,
                           (F("position", "uint", "position in primitive_sorted_instances"),),
                           "Instance row to cluster order of its primitive's tree; the inverse of primitive_sorted_instances.")

BONE = Record("Bone", "bones", 48, (
    F("row0", "vec4", "first row of the 3x4 world matrix, bind inverse included"),
    F("row1", "vec4", "second row"), F("row2", "vec4", "third row"),
), "A used bone's matrix.")
BONE_REMAP = Record("BoneRemap", "bone_remap", 4, (F("compact", "uint", "row of `bones`; 0xFFFFFFFF when unused"),),
                    "Original bone to used bone.")
SKIN_VERTEX = Record("SkinVertex", "skin_vertices", 20, (
    F("x", "float", "bind position"), F("y", "float"), F("z", "float"),
    F("bone_indices", "uint", "4 x uint8, lowest byte first"),
    F("bone_weights", "uint", "4 x uint8, sum 255"),
), "A skinned vertex: world = the sum of weight / 255 times the bone's matrix times the bind position.")
SKIN_VERTEX_WIDE = Record("SkinVertexWide", "skin_vertices_wide", 24, (
    F("x", "float", "bind position"), F("y", "float"), F("z", "float"),
    F("bone_indices_low", "uint", "2 x uint16, low half first: influences 0 and 1"),
    F("bone_indices_high", "uint", "influences 2 and 3"),
    F("bone_weights", "uint", "4 x uint8, sum 255"),
), "A skinned vertex of a skin with more than 256 used bones.")
SKIN = Record("Skin", "skins", 64, (
    F("instance", "uint", "row of the instance that it deforms; rows of `skins` ascend by it"),
    F("primitive_id", "uint", "of that instance; vertex i of the skin is vertex i of the primitive's LOD 0"),
    F("first_vertex", "uint", "row of `skin_vertices`, or of `skin_vertices_wide` with SKIN_WIDE"),
    F("vertex_count", "uint"),
    F("first_bone", "uint", "row of `bones`; indices of vertices count from here"),
    F("bone_count", "uint", "bones with a weight above zero"),
    F("first_remap", "uint", "row of `bone_remap`"),
    F("remap_count", "uint", "bones of its armatures, and the object itself as the last"),
    F("box_min", "vec3", "world box of the pose in `bones`"),
    F("flags", "uint", "SKIN_* bits"),
    F("box_max", "vec3", "world box"),
    F("_pad0", "uint"),
), "A deformed instance. Its vertices reach world space by its bones alone: its row of instance_transforms is not applied.")
BONE_FRAME = Record("BoneFrame", "bone_frames", 48, (
    F("row0", "vec4", "as in `bones`"), F("row1", "vec4"), F("row2", "vec4"),
), "All of `bones`, once for each frame of `metadata.skin_frames`, frame after frame.")
SKIN_BOX = Record("SkinBox", "skin_boxes", 32, (
    F("box_min", "vec3", "world box of one skin at one frame"), F("_pad0", "uint"),
    F("box_max", "vec3"), F("_pad1", "uint"),
), "All of `skins`, once for each frame of `metadata.skin_frames`, frame after frame.")

GRASS_BLADE = Record("GrassBlade", "grass_blades", 40, (
    F("x", "float", "root position"), F("y", "float"), F("z", "float"),
    F("facing", "float", "radians about up"),
    F("height", "float"), F("width", "float"), F("bend", "float", "radians at the tip"),
    F("tint", "uint", "rgba8"), F("seed", "uint"), F("node", "uint", "row of `grass_nodes`"),
), "A packed blade of grass.")
GRASS_NODE = Record("GrassNode", "grass_nodes", 16, (
    F("displacement", "vec2", "of the tip"), F("velocity", "vec2"),
), "A spring node.")

FULL_PRECISION_TRANSFORM = Record("FullPrecisionTransform", "full_precision_transforms", 128, (
    F("world_from_local", "double", "4x4, column after column, composed in float64 along the parent chain", 16),
), "For rows with INSTANCE_FULL_PRECISION, in row order.")

VERTEX_POSITION = Record("VertexPosition", "vertex_positions", 12, (F("position", "float", "local", 3),), "Vertex stream.")
VERTEX_NORMAL = Record("VertexNormal", "vertex_normals", 12, (F("normal", "float", "unit length", 3),), "Vertex stream.")
VERTEX_UV = Record("VertexUv", "vertex_uvs", 8, (F("uv", "float", "origin top left, as in glTF", 2),), "Vertex stream.")
INDEX = Record("Index", "indices", 4, (F("vertex", "uint", "relative to base_vertex"),), "Triangle list.")

RECORDS = (INSTANCE_TRANSFORM, INSTANCE_DATA, VISIBILITY, INSTANCE_INDEX, INSTANCE_SOURCE, PRIMITIVE, LOD, BATCH, INDIRECT_ARGS,
           CLUSTER_NODE, SORTED_INSTANCES, REORDER, PRIMITIVE_SORTED_INSTANCES, PRIMITIVE_REORDER, BONE, BONE_REMAP,
           SKIN_VERTEX, SKIN_VERTEX_WIDE, SKIN, BONE_FRAME, SKIN_BOX, GRASS_BLADE, GRASS_NODE, FULL_PRECISION_TRANSFORM,
           VERTEX_POSITION, VERTEX_NORMAL, VERTEX_UV, INDEX)
#: table name -> Record
TABLES = {record.table: record for record in RECORDS}
#: tables that every GPUScene file has; the others are optional
REQUIRED_TABLES = tuple(r.table for r in (INSTANCE_TRANSFORM, INSTANCE_DATA, VISIBILITY, INSTANCE_INDEX, INSTANCE_SOURCE, PRIMITIVE,
                                          LOD, BATCH, INDIRECT_ARGS, VERTEX_POSITION, VERTEX_NORMAL, VERTEX_UV, INDEX))

#: bits of InstanceTransform.flags
INSTANCE_FLAGS = {
    "INSTANCE_VISIBLE": 1 << 0, "INSTANCE_VALID": 1 << 1, "INSTANCE_MOVABLE": 1 << 2,
    "INSTANCE_MIRRORED": 1 << 3, "INSTANCE_SKINNED": 1 << 4, "INSTANCE_FULL_PRECISION": 1 << 5,
}
#: bits of Primitive.flags
PRIMITIVE_FLAGS = {"PRIMITIVE_SKINNED": 1 << 0, "PRIMITIVE_HAS_UV": 1 << 1}
INSTANCE_VISIBLE, INSTANCE_VALID, INSTANCE_MOVABLE, INSTANCE_MIRRORED, INSTANCE_SKINNED, INSTANCE_FULL_PRECISION = \
    INSTANCE_FLAGS.values()
PRIMITIVE_SKINNED, PRIMITIVE_HAS_UV = PRIMITIVE_FLAGS.values()
#: bits of Skin.flags
SKIN_FLAGS = {"SKIN_WIDE": 1 << 0}
SKIN_WIDE = SKIN_FLAGS["SKIN_WIDE"]
#: bit of ClusterNode.count
CLUSTER_LEAF = 1 << 31
