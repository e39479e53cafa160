"""Compute shaders, built from shaders/ and the record table, cached and kept alive.

A shader that was used must outlive the next bind (freeing a bound one can crash Blender), so the library keeps all it made; it
lives as long as its tables.
"""

from __future__ import annotations

from dataclasses import dataclass

from .. import paths
from ..core.layout import Record
from ..glsl import accessors, structs
from ..glsl.accessors import Binding
from ..glsl.assemble import Assembly
from .capabilities import Capabilities
from .compile_log import captured_output
from .errors import ShaderError


@dataclass(frozen=True)
class ShaderKey:
    """Everything a shader is made of.

    Attributes
    ----------
    file : str
        Below shaders/, with ``main``.
    bindings : tuple of Binding
        Tables, in slot order.
    uniforms : tuple of (str, Record)
        Uniform blocks by name.
    group_size : int
        Threads to a work group, as ``GROUP_SIZE``.
    defines : tuple of (str, str or int)
    shared : str
        Declarations of shared memory.
    structs : tuple of Record
        Further structs that the text names.
    user : tuple of (str, str)
        Parts by the user, (name, text), before `file`.
    """

    file: str
    bindings: tuple
    uniforms: tuple = ()
    group_size: int = 64
    defines: tuple = ()
    shared: str = ""
    structs: tuple = ()
    user: tuple = ()


class ShaderLibrary:
    """Builds `ShaderKey` for one transport.

    Attributes
    ----------
    capabilities : Capabilities
    transport : {"storage", "texture"}
    """

    def __init__(self, capabilities: Capabilities, transport: str):
        self.capabilities, self.transport = capabilities, transport
        self._shaders = {}

    def get(self, key: ShaderKey):
        """The ``GPUShader``, compiled at first use. Raises ``ShaderError`` with the author's own line."""
        if key not in self._shaders:
            self._shaders[key] = self._compile(key)
        return self._shaders[key]

    def source(self, key: ShaderKey) -> Assembly:
        """The text of `key`, without what Blender adds."""
        assembly = Assembly(paths.shaders_dir())
        make = accessors.storage_accessors if self.transport == "storage" else accessors.texture_accessors
        helpers = "" if self.transport == "storage" else accessors.TEXTURE_HELPERS
        assembly.add_text("accessors", helpers + "".join(make(binding) for binding in key.bindings))
        for name, text in key.user:
            assembly.add_text(name, text)
        assembly.add_file(key.file)
        return assembly

    def _compile(self, key: ShaderKey):
        import gpu

        assembly = self.source(key)
        info = self._interface(key)
        info.compute_source(assembly.text)
        with captured_output() as log:
            try:
                return gpu.shader.create_from_info(info)
            except Exception:
                pass  # it only says that there was an error; the log, complete once the block ends, says which
        raise shader_error(key.file, assembly, log())

    def _interface(self, key: ShaderKey):
        from gpu.types import GPUShaderCreateInfo

        info = GPUShaderCreateInfo()
        info.local_group_size(key.group_size, 1, 1)
        info.define("GROUP_SIZE", f"{key.group_size}u")
        for name, value in key.defines:
            info.define(name, str(value))
        records = (
            [b.element for b in key.bindings if isinstance(b.element, Record)] + [r for _, r in key.uniforms] + list(key.structs)
        )
        info.typedef_source(structs.constants_source() + structs.structs_source(tuple(dict.fromkeys(records))) + key.shared)
        for slot, (name, record) in enumerate(key.uniforms):
            info.uniform_buf(slot, record.name, name)
        if self.transport == "storage":
            for slot, binding in enumerate(key.bindings):
                info.storage_buf(slot, binding.glsl_type, f"{binding.name}_table[]", qualifiers=_qualifiers(binding))
            return info
        info.define("TEXTURE_WIDTH_LOG2", str(self.capabilities.max_texture_size.bit_length() - 1))
        images, samplers = (
            [b for b in key.bindings if b.on_device or b.writes],
            [b for b in key.bindings if not (b.on_device or b.writes)],
        )
        for slot, binding in enumerate(samplers):
            info.sampler(slot, "FLOAT_2D", f"{binding.name}_texture")
        for slot, binding in enumerate(images):
            if binding.on_device:  # reading and writing both: a write-only or read-only R32UI image is not had on every back end
                info.image(slot, "R32UI", "UINT_2D", f"{binding.name}_image", qualifiers={"READ", "WRITE"})
            else:
                info.image(slot, "RGBA32F", "FLOAT_2D", f"{binding.name}_image", qualifiers={"WRITE"})
        return info


def _qualifiers(binding: Binding) -> set:
    return {name for name, on in (("READ", binding.reads), ("WRITE", binding.writes)) if on}


def shader_error(file: str, assembly: Assembly, log: str) -> ShaderError:
    """The error a compiler's log comes to: the first message, with the part and line it is in."""
    found = assembly.messages(log)
    if not found:
        return ShaderError(
            f"Shader {file} does not compile.", "The driver said: " + (" ".join(log.split()) or "nothing."), [], log
        )
    name, line, message = next((place for place in found if place[0]), found[0])
    more = f" ({len(found) - 1} more)" if len(found) > 1 else ""
    return ShaderError(f"{name or file}, line {line}: {message}{more}", "", found, log)
