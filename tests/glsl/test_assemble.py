"""Includes once each, and every line of the assembled text traced back to its file, checked against glslang's own line
numbers.
"""

import re
import shutil
import subprocess

import pytest
from gpuscene.core.errors import InputError
from gpuscene.glsl.assemble import PART, Assembly


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "a.glsl").write_text('#include "include/b.glsl"\nfloat a() { return b(); }\n')
    (tmp_path / "include" / "b.glsl").write_text("\nfloat b() { return 1.0; }\n")
    (tmp_path / "main.glsl").write_text(
        '// one\n#include "include/b.glsl"\n#include "include/a.glsl"\nvoid main()\n{\n  oops(a());\n}\n'
    )
    return tmp_path


def test_each_file_once_in_the_order_of_need(folder):
    assembly = Assembly(folder)
    assembly.add_file("main.glsl")
    text = "\n".join(line for line in assembly.text.splitlines() if not line.startswith("#line"))
    assert text == "// one\n\nfloat b() { return 1.0; }\nfloat a() { return b(); }\nvoid main()\n{\n  oops(a());\n}"


def test_every_line_is_traced_back(folder):
    """By walking the text as a compiler does: #line sets the number of the next line."""
    assembly = Assembly(folder)
    assembly.add_text("rule", "float rule = 1.0;\n\nfloat more = 2.0;")
    assembly.add_file("main.glsl")
    number, seen = 0, 0
    for line in assembly.text.splitlines():
        if line.startswith("#line"):
            number = int(line.split()[1])
            continue
        name, at = assembly.locate(number)
        source = "float rule = 1.0;\n\nfloat more = 2.0;" if name == "rule" else (folder / name).read_text()
        assert source.splitlines()[at - 1] == line
        number, seen = number + 1, seen + 1
    assert seen == 3 + 2 + 1 + 5


def test_lines_of_others_are_not_ours(folder):
    assembly = Assembly(folder)
    assembly.add_file("main.glsl")
    assert assembly.locate(17) == ("", 17)
    assert assembly.locate(50 * PART) == ("", 50 * PART)


LOG = """00:03.516  gpu.shader       | ERROR pyGPU_Shader compute:
                            |   397 | }
                            |       | python_shader.glsl:100003:2: Error: syntax error, unexpected '}'
                            |       | python_shader.glsl:100003:2: Error: syntax error, unexpected '}'
                            |       | python_shader.glsl:12: Error: 'x' : undeclared identifier
                            |       | python_shader.glsl:100001: Warning: something else
"""


def test_messages_of_a_log(folder):
    assembly = Assembly(folder)
    assembly.add_text("my rule", "a\nb\nc")
    assert assembly.messages(LOG) == [("my rule", 3, "syntax error, unexpected '}'"), ("", 12, "'x' : undeclared identifier")]


@pytest.mark.skipif(not shutil.which("glslangValidator"), reason="glslangValidator is missing (Debian: glslang-tools)")
def test_a_real_compiler_reports_our_lines(folder):
    assembly = Assembly(folder)
    assembly.add_file("main.glsl")
    shader = folder / "whole.comp"
    shader.write_text("#version 450\nlayout(local_size_x = 1) in;\n" + assembly.text)
    out = subprocess.run(["glslangValidator", "-l", shader], capture_output=True, text=True).stdout
    line = int(re.search(r"ERROR: [^\n]*?:(\d+): 'oops'", out)[1])
    assert assembly.locate(line) == ("main.glsl", 6)


def test_a_missing_file_is_named(folder):
    (folder / "main.glsl").write_text('#include "include/none.glsl"\n')
    with pytest.raises(InputError, match="Shader file include/none.glsl is missing"):
        Assembly(folder).add_file("main.glsl")
