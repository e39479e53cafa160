"""Every bit of a record arrives, on either transport: denormals, NaN payloads and negative zero included, in uint and float
fields alike.
"""

import numpy as np
import pytest
from gpuscene.core import layout
from gpuscene.device.buffers import make_table
from gpuscene.device.passes.base import Pass
from gpuscene.device.shader_library import ShaderKey, ShaderLibrary
from gpuscene.glsl.accessors import Binding

#: 1, the smallest and the largest denormal, their negatives, quiet and signalling NaN with payloads, infinities, -0, all ones
AWKWARD = np.array(
    [
        1,
        2,
        0x007FFFFF,
        0x80000001,
        0x807FFFFF,
        0x7FC00001,
        0x7F800001,
        0xFFA5A5A5,
        0x7F800000,
        0xFF800000,
        0x80000000,
        0xFFFFFFFF,
        0x00400000,
    ],
    np.uint32,
)
COPY = "void main() { uint i = thread_index(); if (i < uint(COUNT)) { store_target(i, load_source(i)); } }"


def copied(device, transport, element, rows, count):
    """`rows` uploaded, loaded and stored by a shader, read back."""
    library = ShaderLibrary(device, transport)
    source = make_table(device, transport, "source", element, rows=rows, count=count)
    target = make_table(device, transport, "target", element, count, on_device=True)
    key = ShaderKey(
        "include/groups.glsl",
        (Binding("source", element), Binding("target", element, "write", True)),
        defines=(("COUNT", count),),
        user=(("copy", f'#include "include/groups.glsl"\n{COPY}'),),
    )
    Pass(library, key, (source, target), count).run()
    Pass.finish()
    return target


@pytest.mark.parametrize(
    "record",
    [
        layout.INSTANCE_DATA,
        layout.INSTANCE_TRANSFORM,
        layout.INDIRECT_ARGS,
        layout.CLUSTER_NODE,
        layout.SKIN_VERTEX,
        layout.GRASS_BLADE,
        layout.BONE,
    ],
    ids=lambda record: record.table,
)
def test_records(device, transport, record, rng):
    count = 200
    words = rng.integers(0, 1 << 32, count * record.stride // 4, dtype=np.uint64).astype(np.uint32)
    words[rng.random(len(words)) < 0.5] = rng.choice(AWKWARD)
    words[: len(AWKWARD)] = AWKWARD
    # Padding is no field: a texture does not carry it, so it is left out.
    rows = words.view(record.dtype).copy()
    for field in record.fields:
        if field.is_padding:
            rows[field.name] = 0
    got = copied(device, transport, record, rows, count).read()
    assert got.dtype == record.dtype
    padding = [field.name for field in record.fields if field.is_padding]
    for name in record.dtype.names:
        if name not in padding:
            assert got[name].tobytes() == rows[name].tobytes(), name


@pytest.mark.parametrize("element", ["uint", "float", "vec2", "vec4"])
@pytest.mark.parametrize("count", [1, 3, 4, 5, 1000])
def test_bare_values(device, transport, element, count, rng):
    width = {"uint": 1, "float": 1, "vec2": 2, "vec4": 4}[element]
    words = rng.choice(AWKWARD, count * width)
    rows = words if element == "uint" else words.view(np.float32).reshape(count, width)
    assert copied(device, transport, element, rows, count).read_words().tolist() == words.tolist()


def test_more_than_one_row_of_texels(device, transport):
    """Past the width of a texture, the second row of texels begins."""
    count = device.max_texture_size * 2 + 5
    words = np.arange(count, dtype=np.uint32) * np.uint32(2654435761)
    assert np.array_equal(copied(device, transport, "uint", words, count).read_words(), words)


def test_an_empty_table_reads_empty(device, transport):
    table = make_table(device, transport, "nothing", layout.INSTANCE_DATA, 0)
    assert table.read().shape == (0,)


def test_upload_replaces_all_rows(device, transport):
    table = make_table(device, transport, "rows", "vec4", rows=np.zeros((3, 4), np.float32))
    table.upload(np.arange(12, dtype=np.float32).reshape(3, 4))
    assert table.read().tolist() == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
    with pytest.raises(ValueError, match="rows: 8 words for 3 rows of 4"):
        table.upload(np.zeros((2, 4), np.float32))
