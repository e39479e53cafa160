"""The C, HLSL and documentation emitters, checked by a C compiler, a C++ compiler, glslang's HLSL front end and the committed file."""

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from gpuscene.core import headers, layout, limits

ROOT = Path(__file__).resolve().parents[2]
needs_gcc = pytest.mark.skipif(not shutil.which("gcc"), reason="gcc is missing (Debian: gcc)")
needs_glslang = pytest.mark.skipif(not shutil.which("glslangValidator"), reason="glslangValidator is missing (Debian: glslang-tools)")


def offsets_of(record):
    """Field name -> offset as numpy has it."""
    if record.is_plain:
        return {record.fields[0].name: 0}
    return {name: int(entry[1]) for name, entry in record.dtype.fields.items()}


def stride_of(record):
    return np.zeros(1, record.dtype).nbytes


@pytest.fixture
def c_header(tmp_path):
    path = tmp_path / "gpuscene.h"
    path.write_text(headers.c_header(), encoding="utf-8")
    return path


@needs_gcc
def test_c_sizes_and_offsets_equal_numpy(c_header, tmp_path):
    prints = [f'printf("{r.table} %zu\\n", sizeof(GpuScene{r.name}));' for r in layout.RECORDS]
    prints += [f'printf("{r.table}.{f.name} %zu %zu\\n", offsetof(GpuScene{r.name}, {f.name}), sizeof(((GpuScene{r.name} *)0)->{f.name}));'
               for r in layout.RECORDS for f in r.fields]
    prints.append('printf("NO_INDEX %u\\nLEAF %u\\nMIRRORED %u\\n", GPUSCENE_NO_INDEX, GPUSCENE_CLUSTER_LEAF, GPUSCENE_INSTANCE_MIRRORED);')
    prints.append('printf("TABLE_LODS %s\\n", GPUSCENE_TABLE_LODS);')
    source = tmp_path / "print.c"
    source.write_text('#include <stdio.h>\n#include "gpuscene.h"\nint main(void) {\n' + "\n".join(prints) + "\nreturn 0;\n}\n")
    subprocess.run(["gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic", source, "-o", tmp_path / "print"], check=True)
    lines = subprocess.run([tmp_path / "print"], check=True, capture_output=True, text=True).stdout.splitlines()
    expected = [f"{r.table} {stride_of(r)}" for r in layout.RECORDS]
    for record in layout.RECORDS:
        sizes = {f.name: record.dtype[f.name].itemsize for f in record.fields} if not record.is_plain else None
        expected += [f"{record.table}.{name} {offset} {sizes[name] if sizes else stride_of(record)}"
                     for name, offset in offsets_of(record).items()]
    assert lines == [*expected, "NO_INDEX 4294967295", "LEAF 2147483648", "MIRRORED 8", "TABLE_LODS lods"]


@needs_gcc
def test_a_wrong_offset_fails_to_compile(c_header):
    text = c_header.read_text()
    c_header.write_text(text.replace("float bounding_radius;", "double bounding_radius;", 1))
    result = subprocess.run(["gcc", "-std=c11", "-fsyntax-only", c_header], capture_output=True, text=True)
    assert result.returncode != 0 and "GpuSceneInstanceTransform.bounding_radius" in result.stderr


@pytest.mark.skipif(not shutil.which("g++"), reason="g++ is missing (Debian: g++)")
def test_the_header_is_cpp_too(c_header):
    subprocess.run(["g++", "-std=c++11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only", "-x", "c++", c_header], check=True)


@needs_glslang
def test_hlsl_offsets_equal_layout(tmp_path):
    """Every struct in a StructuredBuffer: the offsets and strides that glslang writes into SPIR-V."""
    buffers = "".join(f"RWStructuredBuffer<{r.name}> buffer{i} : register(u{i});\n" for i, r in enumerate(layout.RECORDS))
    uses = "".join(f"  buffer{i}[0] = buffer{i}[1];\n" for i in range(len(layout.RECORDS)))
    shader = tmp_path / "all.comp"
    shader.write_text(f"{headers.hlsl_header()}\n{buffers}\n[numthreads(1, 1, 1)]\nvoid main(uint3 id : SV_DispatchThreadID) {{\n{uses}}}\n")
    result = subprocess.run(["glslangValidator", "-D", "-V", "-H", "-e", "main", "-S", "comp", "-o", tmp_path / "all.spv", shader],
                            capture_output=True, text=True)
    assert result.returncode == 0, result.stdout
    names = {}  # (struct, member number) -> name
    for struct, number, name in re.findall(r'MemberName \d+\((\w+)\) (\d+) +"(\w+)"', result.stdout):
        names[struct, int(number)] = name
    found = {}
    for struct, number, offset in re.findall(r"MemberDecorate \d+\((\w+)\) (\d+) Offset (\d+)", result.stdout):
        found.setdefault(struct, {})[names.get((struct, int(number)))] = int(offset)
    assert {r.name: found.get(r.name) for r in layout.RECORDS} == {r.name: offsets_of(r) for r in layout.RECORDS}
    # The stride of each runtime array stands right before its buffer block: "Decorate N ArrayStride S", "MemberDecorate M(bufferI) 0 Offset 0".
    strides = dict((block, int(stride)) for stride, block in re.findall(
        r"Decorate \d+ ArrayStride (\d+)\n\s+MemberDecorate \d+\((buffer\d+)\) 0 Offset 0", result.stdout))
    assert strides == {f"buffer{i}": stride_of(r) for i, r in enumerate(layout.RECORDS)}


def test_every_limit_has_a_reason():
    assert {name: value for name, (value, _) in headers.LIMITS.items()} == {
        name: value for name, value in vars(limits).items() if name.isupper()}
    assert all(len(reason) > 5 for _, reason in headers.LIMITS.values())


def test_the_committed_table_is_the_generated_one():
    """After a change to the layout: ``gpuscene headers --docs docs/format.md``."""
    document = (ROOT / "docs" / "format.md").read_text(encoding="utf-8")
    assert headers.with_tables(document) == document
    assert "| 60 | 4 | `uint` | `flags` | INSTANCE_* bits |" in document


def test_a_document_without_markers_is_refused():
    with pytest.raises(ValueError, match="markers"):
        headers.with_tables("# Nothing here\n")
