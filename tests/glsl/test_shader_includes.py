"""The shader files beside the structs: each compiles after them, on its own, with every function used."""

import re
import shutil
import subprocess

import pytest
from gpuscene import paths
from gpuscene.glsl import structs

pytestmark = pytest.mark.skipif(not shutil.which("glslangValidator"), reason="glslangValidator is missing (Debian: glslang-tools)")


@pytest.mark.parametrize("target", [["-l"], ["-V", "--target-env", "vulkan1.0"]], ids=["opengl", "vulkan"])
def test_instances_compiles_with_every_function_called(tmp_path, target):
    source = (paths.shaders_dir() / "include" / "instances.glsl").read_text()
    calls = []
    for kind, name, parameters in re.findall(r"^(\w+) (\w+)\(([^)]*)\)\n\{", source, re.MULTILINE):
        arguments = ", ".join({"InstanceTransform": "rows[0]", "vec3": "vec3(1.0)"}[word.split()[0]] for word in parameters.split(","))
        calls.append(f"if ({name}({arguments}) != {kind}(0)) result += 1.0;")
    assert len(calls) == source.count("\n{\n") == 5
    shader = tmp_path / "instances.comp"
    shader.write_text(f"#version 450\n{structs.header_source()}\n{source}\nlayout(local_size_x = 1) in;\n"
                      "layout(std430, binding = 0) buffer Rows { InstanceTransform rows[]; };\n"
                      "layout(std430, binding = 1) buffer Result { float result; };\n"
                      f"void main() {{ {' '.join(calls)} }}\n")
    done = subprocess.run(["glslangValidator", *target, shader], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    assert "WARNING" not in done.stdout
