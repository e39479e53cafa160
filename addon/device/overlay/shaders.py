"""Vertex and fragment shaders over device tables: the graphics counterpart of `device.shader_library`. A shader that was used
must outlive the next bind, so the library keeps all it made.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ... import paths
from ...core import palette
from ...core.layout import Record
from ...core.live import status
from ...glsl import accessors, structs
from ...glsl.accessors import Binding
from ...glsl.assemble import Assembly
from ..capabilities import Capabilities
from ..compile_log import captured_output
from ..shader_library import shader_error

#: points to an instance of a draw: GPUs share their threads out by instance
POINTS_PER_INSTANCE = 64


@dataclass(frozen=True)
class DrawKey:
    """Everything a graphics shader is made of.

    Attributes
    ----------
    vertex, fragment : str
        Files below shaders/.
    varyings : tuple of (str, str, str)
        Interpolation ("flat" or "no_perspective"), GLSL type in capitals, name.
    uniforms : tuple of Record
        Uniform blocks, each named as its record's table.
    tables : tuple of (str, Binding)
        What the shader calls a table (``load_<name>``), and the table.
    defines : tuple of (str, int)
    """

    vertex: str
    fragment: str
    varyings: tuple
    uniforms: tuple
    tables: tuple = ()
    defines: tuple = ()


def palette_source() -> str:
    """The colours of `core.palette` and the bits of `core.live.status`, as GLSL."""
    def color(rgba):
        return f"vec4({', '.join(f'{float(c):.6f}' for c in rgba)})"

    text = []
    for name, value in vars(palette).items():
        if not (name.endswith("_COLOR") or name.endswith("_COLORS") or name.endswith("_FILL")):
            continue
        if np.ndim(value) == 1:
            text.append(f"const vec4 {name} = {color(value)};")
        else:
            text.append(f"const vec4 {name}[{len(value)}] = vec4[{len(value)}]({', '.join(map(color, value))});")
    numbers = {f"STATUS_{name}": getattr(status, name) for name in ("VISIBLE", "FREE", "MAX_AGE")}
    numbers |= {f"STATUS_{name}": value for name, value in vars(status).items() if name.endswith("_SHIFT")}
    numbers |= {f"OVERLAY_{mode.upper()}": k for k, mode in enumerate(palette.MODES)}
    numbers["POINTS_PER_INSTANCE"] = POINTS_PER_INSTANCE
    return "\n".join([*(f"#define {name} {value}u" for name, value in numbers.items()), *text, ""])


class DrawShaders:
    """Builds `DrawKey` for one transport."""

    def __init__(self, capabilities: Capabilities, transport: str):
        self.capabilities, self.transport = capabilities, transport
        self._shaders = {}

    def get(self, key: DrawKey):
        """The ``GPUShader``, compiled at first use. Raises ``ShaderError`` with the author's own line."""
        if key not in self._shaders:
            self._shaders[key] = self._compile(key)
        return self._shaders[key]

    def _compile(self, key: DrawKey):
        import gpu

        vertex = Assembly(paths.shaders_dir())
        vertex.add_text("palette", palette_source())
        vertex.add_text("accessors", self._accessors(key))
        vertex.add_file(key.vertex)
        fragment = Assembly(vertex.folder, vertex.names)  # numbered on, so that a line says which of the two it is in
        fragment.add_file(key.fragment)
        info, keep = self._interface(key)
        info.vertex_source(vertex.text)
        info.fragment_source(fragment.text)
        with captured_output() as log:
            try:
                return gpu.shader.create_from_info(info)
            except Exception:
                pass  # it only says that there was an error; the log, complete once the block ends, says which
        del keep
        raise shader_error(key.vertex, vertex, log())

    def _accessors(self, key: DrawKey) -> str:
        storage = self.transport == "storage"
        make = accessors.storage_accessors if storage else accessors.texture_accessors
        text = accessors.TEXTURE_HELPERS if not storage and key.tables else ""
        for called, binding in key.tables:
            text += make(binding)
            if called != binding.name:
                text += f"#define load_{called} load_{binding.name}\n"
        return text

    def _interface(self, key: DrawKey):
        from gpu.types import GPUShaderCreateInfo, GPUStageInterfaceInfo

        info, interface = GPUShaderCreateInfo(), GPUStageInterfaceInfo(key.vertex.split("/")[-1].split(".")[0])
        for how, kind, name in key.varyings:
            getattr(interface, how)(kind, name)
        info.vertex_out(interface)
        info.fragment_out(0, "VEC4", "color")
        info.push_constant("BOOL", "srgbTarget")  # Blender sets it at each bind
        bindings = [binding for _, binding in key.tables]
        records = [b.element for b in bindings if isinstance(b.element, Record)] + list(key.uniforms)
        info.typedef_source(structs.constants_source() + structs.structs_source(tuple(dict.fromkeys(records))))
        for name, value in key.defines:
            info.define(name, str(value))
        for slot, record in enumerate(key.uniforms):
            info.uniform_buf(slot, record.name, record.table)
        if self.transport == "storage":
            for slot, binding in enumerate(bindings):
                info.storage_buf(slot, binding.glsl_type, f"{binding.name}_table[]", qualifiers={"READ"})
        else:
            info.define("TEXTURE_WIDTH_LOG2", str(self.capabilities.max_texture_size.bit_length() - 1))
            for slot, binding in enumerate(bindings):
                info.sampler(slot, "UINT_2D" if binding.on_device else "FLOAT_2D", f"{binding.name}_texture")
        return info, interface
