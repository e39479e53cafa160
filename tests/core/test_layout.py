"""The record table: offsets are pinned by literal numbers, and follow std430 as computed here by its own rules."""

import numpy as np
import pytest
from gpuscene.core import layout
from gpuscene.core.layout import Field, Record
from hypothesis import given
from hypothesis import strategies as st

#: table -> (stride, field offsets). Written down once; a change here is a break of the file format.
PINNED = {
    "instance_transforms": (64, {"x_axis": 0, "bounding_radius": 12, "y_axis": 16, "_pad0": 28, "z_axis": 32, "_pad1": 44,
                                 "position": 48, "flags": 60}),
    "instance_data": (48, {"instance_id": 0, "primitive_id": 4, "lightmap_index": 8, "shadowmap_index": 12, "custom_data": 16}),
    "visibility": (4, {"word": 0}),
    "instance_index": (4, {"row": 0}),
    "instance_sources": (4, {"source": 0}),
    "primitives": (96, {"sphere_center": 0, "sphere_radius": 12, "box_min": 16, "first_lod": 28, "box_max": 32, "lod_count": 44,
                        "lod_screen_sizes": 48, "first_index": 64, "index_count": 68, "base_vertex": 72, "vertex_count": 76,
                        "material_index": 80, "skin_index": 84, "cluster_root": 88, "flags": 92}),
    "lods": (32, {"first_index": 0, "index_count": 4, "screen_size_in": 8, "screen_size_out": 12, "hysteresis": 16,
                  "base_vertex": 20, "first_batch": 24, "batch_count": 28}),
    "batches": (16, {"primitive_id": 0, "lod_index": 4, "material_index": 8, "max_instance_count": 12}),
    "indirect_args": (20, {"index_count": 0, "instance_count": 4, "first_index": 8, "base_vertex": 12, "first_instance": 16}),
    "cluster_nodes": (32, {"box_min": 0, "first": 12, "box_max": 16, "count": 28}),
    "sorted_instances": (4, {"row": 0}),
    "reorder": (4, {"position": 0}),
    "primitive_sorted_instances": (4, {"row": 0}),
    "primitive_reorder": (4, {"position": 0}),
    "bones": (48, {"row0": 0, "row1": 16, "row2": 32}),
    "bone_remap": (4, {"compact": 0}),
    "skin_vertices": (20, {"x": 0, "y": 4, "z": 8, "bone_indices": 12, "bone_weights": 16}),
    "skin_vertices_wide": (24, {"x": 0, "y": 4, "z": 8, "bone_indices_low": 12, "bone_indices_high": 16, "bone_weights": 20}),
    "skins": (64, {"instance": 0, "primitive_id": 4, "first_vertex": 8, "vertex_count": 12, "first_bone": 16, "bone_count": 20,
                   "first_remap": 24, "remap_count": 28, "box_min": 32, "flags": 44, "box_max": 48, "_pad0": 60}),
    "bone_frames": (48, {"row0": 0, "row1": 16, "row2": 32}),
    "skin_boxes": (32, {"box_min": 0, "_pad0": 12, "box_max": 16, "_pad1": 28}),
    "grass_blades": (40, {"x": 0, "y": 4, "z": 8, "facing": 12, "height": 16, "width": 20, "bend": 24, "tint": 28, "seed": 32,
                          "node": 36}),
    "grass_nodes": (16, {"displacement": 0, "velocity": 8}),
    "full_precision_transforms": (128, {"world_from_local": 0}),
    "vertex_positions": (12, {"position": 0}),
    "vertex_normals": (12, {"normal": 0}),
    "vertex_uvs": (8, {"uv": 0}),
    "indices": (4, {"vertex": 0}),
}

#: std430 by the GLSL 4.60 specification, 7.6.2.2: type -> (size, base alignment)
STD430 = {"float": (4, 4), "int": (4, 4), "uint": (4, 4), "vec2": (8, 8), "vec3": (12, 16), "vec4": (16, 16), "double": (8, 8)}


def std430(fields):
    """Offsets, end of the last member and array stride of a struct by the rules, with whatever hidden padding they need."""
    offsets, at, struct_alignment = [], 0, 1
    for type_name, array in fields:
        size, alignment = STD430[type_name]
        at = -(-at // alignment) * alignment
        offsets.append(at)
        element = -(-size // alignment) * alignment  # array elements are rounded up to their alignment
        at += element * array if array else size
        struct_alignment = max(struct_alignment, alignment)
    return offsets, at, -(-at // struct_alignment) * struct_alignment


def test_offsets_are_pinned():
    assert {r.table: (r.stride, r.offsets) for r in layout.RECORDS} == PINNED


@pytest.mark.parametrize("record", [r for r in layout.RECORDS if not r.is_plain], ids=lambda r: r.table)
def test_numpy_agrees_with_the_pinned_offsets(record):
    stride, offsets = PINNED[record.table]
    assert record.dtype.itemsize == stride
    assert {name: offset for name, (_, offset, *_) in record.dtype.fields.items()} == offsets


@pytest.mark.parametrize(("table", "base", "shape"), [
    ("visibility", "<u4", ()), ("indices", "<u4", ()), ("vertex_positions", "<f4", (3,)), ("vertex_uvs", "<f4", (2,)),
    ("full_precision_transforms", "<f8", (16,)),
])
def test_plain_tables_are_bare_arrays(table, base, shape):
    record = layout.TABLES[table]
    array = record.empty(5)
    assert array.dtype == np.dtype(base) and array.shape == (5, *shape)
    assert array.nbytes == 5 * PINNED[table][0]


def test_one_row_has_the_declared_bytes():
    row = layout.INSTANCE_TRANSFORM.empty(1)
    row["x_axis"], row["bounding_radius"], row["position"], row["flags"] = (1, 0, 0), 2.5, (0, 0, -3), 0b1001
    words = np.frombuffer(row.tobytes(), "<u4")
    assert [hex(w) for w in words[[0, 3, 14, 15]]] == ["0x3f800000", "0x40200000", "0xc0400000", "0x9"]
    assert not words[[1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]].any()


def test_flags_are_single_bits_in_declared_order():
    assert (layout.INSTANCE_VISIBLE, layout.INSTANCE_VALID, layout.INSTANCE_MOVABLE) == (1, 2, 4)
    assert (layout.INSTANCE_MIRRORED, layout.INSTANCE_SKINNED, layout.INSTANCE_FULL_PRECISION) == (8, 16, 32)
    assert (layout.PRIMITIVE_SKINNED, layout.PRIMITIVE_HAS_UV, layout.CLUSTER_LEAF) == (1, 2, 2147483648)


fields_strategy = st.lists(st.tuples(st.sampled_from(sorted(STD430)), st.sampled_from((0, 0, 0, 1, 2, 5))), min_size=1, max_size=7)


@given(fields_strategy, st.sampled_from((0, 0, 0, 0, 4, -4)))
def test_a_record_is_std430_or_refused(fields, stride_error):
    """Without hidden padding the offsets are the rules'; with any, or with a wrong stride, the record raises."""
    expected, end, stride = std430(fields)
    tight = sum(STD430[t][0] * max(n, 1) for t, n in fields)
    record = Record("R", "r", stride + stride_error, tuple(Field(f"f{i}", t, "", n) for i, (t, n) in enumerate(fields)), "")
    if tight != stride or end != stride or stride_error or any(t == "vec3" and n for t, n in fields):
        with pytest.raises(ValueError, match="aligned|stride|padding"):
            record.offsets  # noqa: B018
    else:
        assert list(record.offsets.values()) == expected
        assert record.dtype.itemsize == stride or record.is_plain


@given(fields_strategy)
def test_explicit_padding_makes_any_record_std430(fields):
    """The same fields with their padding written out as floats keep the offsets of the rules, in numpy too."""
    fields = [(t, 0 if t == "vec3" else n) for t, n in fields]
    expected, end, stride = std430(fields)
    members, at, pads = [], 0, 0
    for i, ((type_name, array), offset) in enumerate(zip([*fields, ("float", 0)], [*expected, stride])):
        while at < offset:
            members.append(Field(f"_pad{pads}", "float"))
            pads, at = pads + 1, at + 4
        if i < len(fields):
            members.append(Field(f"f{i}", type_name, "", array))
            at += STD430[type_name][0] * max(array, 1)
    record = Record("R", "r", stride, tuple(members), "")
    assert [record.offsets[f"f{i}"] for i in range(len(fields))] == expected
    if not record.is_plain:
        assert [record.dtype.fields[f"f{i}"][1] for i in range(len(fields))] == expected
        assert record.dtype.itemsize == stride
