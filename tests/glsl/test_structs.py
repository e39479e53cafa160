"""The GLSL structs, compiled by glslang for OpenGL 4.3 and Vulkan, and its reflected offsets compared with the layout."""

import re
import shutil
import subprocess

import numpy as np
import pytest
from gpuscene.core import headers, layout
from gpuscene.glsl import structs

pytestmark = pytest.mark.skipif(not shutil.which("glslangValidator"), reason="glslangValidator is missing (Debian: glslang-tools)")


def shader_of_everything(version: int) -> str:
    """A compute shader with every struct in a storage buffer of its own, each read and written."""
    buffers = "".join(f"layout(std430, binding = {i}) buffer Block{i} {{ {r.name} table{i}[]; }};\n" for i, r in enumerate(layout.RECORDS))
    uses = "".join(f"  table{i}[0] = table{i}[1];\n" for i in range(len(layout.RECORDS)))
    return (f"#version {version}\n{structs.header_source()}\nlayout(local_size_x = 1) in;\n{buffers}\n"
            "const int limits_hold[MAX_LODS == 8u && NO_INDEX == 0xFFFFFFFFu ? 1 : -1] = int[](0);\n"
            f"void main() {{\n{uses}}}\n")


@pytest.mark.parametrize("target", [["-l"], ["-V", "--target-env", "vulkan1.0"], ["-V", "--target-env", "vulkan1.2"],
                                    ["-G", "--target-env", "opengl"]], ids=lambda t: " ".join(t))
def test_compiles(tmp_path, target):
    shader = tmp_path / "all.comp"
    shader.write_text(shader_of_everything(430 if target == ["-l"] else 450))
    result = subprocess.run(["glslangValidator", *target, shader], capture_output=True, text=True, cwd=tmp_path)
    assert result.returncode == 0, result.stdout
    assert "WARNING" not in result.stdout


def test_reflected_offsets_equal_the_layout(tmp_path):
    shader = tmp_path / "all.comp"
    shader.write_text(shader_of_everything(430))
    output = subprocess.run(["glslangValidator", "-q", "-l", shader], capture_output=True, text=True, check=True).stdout
    found, strides = {}, {}
    for table, field, offset, stride in re.findall(r"^table(\d+)(?:\[0\])?\.(\w+)(?:\[0\])?: offset (\d+),.* topLevelArrayStride (\d+)",
                                                   output, re.MULTILINE):
        record = layout.RECORDS[int(table)]
        found.setdefault(record.table, {})[field] = int(offset)
        strides[record.table] = int(stride)
    # glslang lists a variable once it is used, so every field shows up: each buffer is assigned as a whole.
    expected = {r.table: ({n: int(e[1]) for n, e in r.dtype.fields.items()} if not r.is_plain else {r.fields[0].name: 0})
                for r in layout.RECORDS}
    assert found == expected
    assert strides == {r.table: np.zeros(1, r.dtype).nbytes for r in layout.RECORDS}


def test_constants_are_the_headers_constants():
    text = structs.constants_source()
    defined = {name: int(value) for name, value in re.findall(r"^#define (\w+) (\d+)u$", text, re.MULTILINE)}
    limits = {name: value for name, (value, _) in headers.LIMITS.items()}
    assert defined == {**limits, **layout.INSTANCE_FLAGS, **layout.PRIMITIVE_FLAGS, **layout.SKIN_FLAGS, "CLUSTER_LEAF": 1 << 31}
    assert defined["INSTANCE_MIRRORED"] == 8 and defined["TABLE_ALIGNMENT"] == 256


def test_a_double_is_its_bit_pattern():
    """64-bit floats are optional in GLSL; the shader sees low word, high word."""
    assert "uvec2 world_from_local[16];" in structs.struct_source(layout.FULL_PRECISION_TRANSFORM)
    low, high = np.frombuffer(np.array([1.0], "<f8").tobytes(), "<u4")
    assert (low, high) == (0, 0x3FF00000)


def test_text_needs_no_wide_lines_or_tabs_and_is_ascii():
    source = structs.header_source()
    assert source.isascii() and "\t" not in source
