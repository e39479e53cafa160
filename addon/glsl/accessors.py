"""``load_<table>(i)`` and ``store_<table>(i, value)`` for both transports: shaders never name a buffer or a texture.

Storage buffers hold the records as they are. Textures hold their 32-bit words: what the CPU uploads lies four words to an
RGBA32F texel
(read with ``floatBitsToUint`` where it is no float), what the GPU writes one word to an R32UI texel. Word w of a table is texel
w (or w / 4),
row after row of ``1 << TEXTURE_WIDTH_LOG2`` texels.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..core import layout
from .structs import GLSL_TYPES

#: bare element types and their 32-bit words
WORDS = {"uint": 1, "float": 1, "vec2": 2, "vec4": 4}
_COMPONENTS = "xyzw"

TEXTURE_HELPERS = """\
ivec2 texel_of(uint at) { return ivec2(int(at & ((1u << TEXTURE_WIDTH_LOG2) - 1u)), int(at >> TEXTURE_WIDTH_LOG2)); }
"""


@dataclass(frozen=True)
class Binding:
    """A table as one shader sees it.

    Attributes
    ----------
    name : str
        Of the table: the shader calls ``load_<name>`` and ``store_<name>``.
    element : layout.Record or str
        What a row is: a record, or one of `WORDS`.
    access : {"read", "write", "update", "sample"}
        "sample": read where there are no images, in vertex shaders; with the texture transport through a sampler in any case.
    on_device : bool
        Written by some pass, so an R32UI image with the texture transport; else uploaded from the CPU.
    """

    name: str
    element: object
    access: str = "read"
    on_device: bool = False

    @property
    def glsl_type(self) -> str:
        return self.element if isinstance(self.element, str) else self.element.name

    @property
    def words(self) -> int:
        """32-bit words to a row."""
        return WORDS[self.element] if isinstance(self.element, str) else self.element.stride // 4

    @property
    def reads(self) -> bool:
        return self.access != "write"

    @property
    def writes(self) -> bool:
        return self.access in ("write", "update")


def _members(element) -> list:
    """(expression suffix, GLSL type, first word) of every member, arrays unrolled."""
    if isinstance(element, str):
        return [("", element, 0)]
    members = []
    for field in element.fields:
        size = field.size // max(field.array, 1) // 4
        for k in range(max(field.array, 1)):
            suffix = f".{field.name}" + (f"[{k}]" if field.array else "")
            members.append((suffix, GLSL_TYPES[field.type], element.offsets[field.name] // 4 + k * size))
    return members


def _from_words(kind: str, words: list) -> str:
    """An expression of GLSL type `kind` from uint expressions."""
    if kind == "uint":
        return words[0]
    if kind == "int":
        return f"int({words[0]})"
    if kind == "uvec2":
        return f"uvec2({', '.join(words)})"
    floats = [f"uintBitsToFloat({word})" for word in words]
    return floats[0] if kind == "float" else f"{kind}({', '.join(floats)})"


def _to_words(kind: str, value: str) -> list:
    """uint expressions of a value's words."""
    count = {"uint": 1, "int": 1, "float": 1, "vec2": 2, "uvec2": 2, "vec3": 3, "vec4": 4}[kind]
    parts = [value] if count == 1 else [f"{value}.{c}" for c in _COMPONENTS[:count]]
    return parts if kind in ("uint", "uvec2") else [f"uint({p})" if kind == "int" else f"floatBitsToUint({p})" for p in parts]


def storage_accessors(binding: Binding) -> str:
    """Functions over the storage buffer ``<name>_table[]``."""
    kind, table = binding.glsl_type, f"{binding.name}_table"
    text = f"{kind} load_{binding.name}(uint i) {{ return {table}[i]; }}\n" if binding.reads else ""
    if binding.writes:
        text += f"void store_{binding.name}(uint i, {kind} value) {{ {table}[i] = value; }}\n"
    return text


def texture_accessors(binding: Binding) -> str:
    """Functions over the sampler ``<name>_texture`` or the image ``<name>_image``."""
    if binding.on_device:
        return _word_sampler_accessor(binding) if binding.access == "sample" else _image_accessors(binding)
    return _texel_store(binding) if binding.writes else _sampler_accessor(binding)


def _texel_store(binding: Binding) -> str:
    """A store into an uploaded table, whole texels at a time: rows of whole texels only, so that no two threads share one."""
    if binding.words % 4 or binding.reads:
        raise ValueError(
            f"{binding.name}: an uploaded table of {binding.words} words to a row cannot be {binding.access} in a texture"
        )
    words = ["0u"] * binding.words
    for suffix, member, at in _members(binding.element):
        for k, word in enumerate(_to_words(member, f"value{suffix}")):
            words[at + k] = word
    stores = [
        f"  imageStore({binding.name}_image, texel_of(i * {binding.words // 4}u + {k}u), uintBitsToFloat(uvec4({', '.join(words[4 * k : 4 * k + 4])})));"
        for k in range(binding.words // 4)
    ]
    return f"void store_{binding.name}(uint i, {binding.glsl_type} value)\n{{\n" + "\n".join(stores) + "\n}\n"


def _sampler_accessor(binding: Binding) -> str:
    name, kind, words = f"{binding.name}_texture", binding.glsl_type, binding.words
    body = []
    if words % 4:
        body.append(f"  uint first = i * {words}u;")
        for k in range(words):
            body.append(
                f"  uint w{k} = floatBitsToUint(texelFetch({name}, texel_of((first + {k}u) >> 2), 0)[(first + {k}u) & 3u]);"
            )
        word = [f"w{k}" for k in range(words)]
    else:
        for k in range(words // 4):
            body.append(f"  uvec4 t{k} = floatBitsToUint(texelFetch({name}, texel_of(i * {words // 4}u + {k}u), 0));")
        word = [f"t{k // 4}.{_COMPONENTS[k % 4]}" for k in range(words)]
    return _loader(binding, kind, body, word)


def _word_sampler_accessor(binding: Binding) -> str:
    """Of what passes write: a word to a texel, read through a sampler."""
    name, words = f"{binding.name}_texture", binding.words
    body = [f"  uint w{k} = texelFetch({name}, texel_of(i * {words}u + {k}u), 0).x;" for k in range(words)]
    return _loader(binding, binding.glsl_type, body, [f"w{k}" for k in range(words)])


def _image_accessors(binding: Binding) -> str:
    name, kind, words = f"{binding.name}_image", binding.glsl_type, binding.words
    text = ""
    if binding.reads:
        body = [f"  uint w{k} = imageLoad({name}, texel_of(i * {words}u + {k}u)).x;" for k in range(words)]
        text += _loader(binding, kind, body, [f"w{k}" for k in range(words)])
    if binding.writes:
        stores = [
            f"  imageStore({name}, texel_of(i * {words}u + {at + k}u), uvec4({word}));"
            for suffix, member, at in _members(binding.element)
            for k, word in enumerate(_to_words(member, f"value{suffix}"))
        ]
        text += f"void store_{binding.name}(uint i, {kind} value)\n{{\n" + "\n".join(stores) + "\n}\n"
    return text


def _loader(binding: Binding, kind: str, body: list, word: list) -> str:
    sizes = {"uint": 1, "int": 1, "float": 1, "vec2": 2, "uvec2": 2, "vec3": 3, "vec4": 4}
    values = [(suffix, _from_words(member, word[at : at + sizes[member]])) for suffix, member, at in _members(binding.element)]
    if isinstance(binding.element, str):
        tail = [f"  return {values[0][1]};"]
    else:
        tail = [f"  {kind} row;", *(f"  row{suffix} = {value};" for suffix, value in values), "  return row;"]
    return "\n".join([f"{kind} load_{binding.name}(uint i)", "{", *body, *tail, "}\n"])
