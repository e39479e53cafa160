"""Generated accessors compile for every record, on both transports, read and written."""

import shutil
import subprocess

import pytest
from gpuscene.core import layout
from gpuscene.glsl import accessors, structs
from gpuscene.glsl.accessors import Binding

pytestmark = pytest.mark.skipif(
    not shutil.which("glslangValidator"), reason="glslangValidator is missing (Debian: glslang-tools)"
)

ELEMENTS = [*layout.RECORDS, *accessors.WORDS]


def name_of(element):
    return element if isinstance(element, str) else element.table


@pytest.mark.parametrize("element", ELEMENTS, ids=name_of)
def test_compiles_on_both_transports(tmp_path, element):
    source, target = Binding("source", element), Binding("target", element, "update", True)
    kind = source.glsl_type
    storage = (
        f"layout(std430, binding = 0) readonly buffer A {{ {kind} source_table[]; }};\n"
        f"layout(std430, binding = 1) buffer B {{ {kind} target_table[]; }};\n"
    )
    texture = "layout(binding = 0) uniform sampler2D source_texture;\nlayout(binding = 1, r32ui) uniform uimage2D target_image;\n#define TEXTURE_WIDTH_LOG2 14\n"
    for resources, make, helpers in (
        (storage, accessors.storage_accessors, ""),
        (texture, accessors.texture_accessors, accessors.TEXTURE_HELPERS),
    ):
        text = (
            f"#version 450\n{structs.header_source()}\n{resources}\nlayout(local_size_x = 1) in;\n{helpers}{make(source)}{make(target)}"
            f"void main() {{ {kind} row = load_source(3u); row = load_target(4u); store_target(5u, row); }}\n"
        )
        shader = tmp_path / "accessors.comp"
        shader.write_text(text)
        done = subprocess.run(["glslangValidator", "-l", shader], capture_output=True, text=True)
        assert done.returncode == 0 and "WARNING" not in done.stdout, done.stdout + text


def test_words_of_a_record_are_where_the_layout_says():
    """IndirectArgs has five words, so a row begins in the middle of a texel; base_vertex is the fourth."""
    text = accessors.texture_accessors(Binding("draws", layout.INDIRECT_ARGS))
    assert "uint first = i * 5u;" in text
    assert "row.base_vertex = int(w3);" in text
    text = accessors.texture_accessors(Binding("rows", layout.INSTANCE_TRANSFORM))
    assert "row.flags = t3.w;" in text and "row.bounding_radius = uintBitsToFloat(t0.w);" in text


def test_access_decides_which_functions_there_are():
    read, write = Binding("x", "uint"), Binding("x", "uint", "write", True)
    for make in (accessors.storage_accessors, accessors.texture_accessors):
        assert "load_x" in make(read) and "store_x" not in make(read)
        assert "store_x" in make(write) and "load_x" not in make(write)
