"""Tables in GPU memory, over storage buffers (Blender 5.3) or textures (5.2 LTS), behind one interface.

Only this module and the generated accessors know which transport it is. Upload goes through float32 buffers, whose bits nobody
looks at.
"""

from __future__ import annotations

import numpy as np

from ..core.errors import LimitError
from ..core.layout import Record
from ..glsl.accessors import WORDS
from .capabilities import Capabilities


def _float_buffer(words: np.ndarray):
    """uint32 words as a Blender buffer of float32: the array's memory is copied, never its values (a list would quieten NaNs)."""
    from gpu.types import Buffer

    return Buffer("FLOAT", len(words), words.view(np.float32))


class Table:
    """A table of `count` rows. Make it with `make_table`.

    Attributes
    ----------
    name : str
    element : Record or str
        What a row is.
    count : int
    on_device : bool
        Passes write it.
    """

    def __init__(self, name: str, element, count: int, on_device: bool):
        self.name, self.element, self.count, self.on_device = name, element, count, on_device
        self.row_words = element.stride // 4 if isinstance(element, Record) else WORDS[element]
        self.word_count = count * self.row_words

    def bind(self, shader) -> None:
        """Give the table to a bound shader that was built with a binding of this name."""
        raise NotImplementedError

    def bind_for_writing(self, shader) -> None:
        """`bind` to a shader that writes the table, though it was made for uploads."""
        self.bind(shader)

    def bind_for_drawing(self, shader) -> None:
        """Give the table, to be read only, to a bound shader with vertices: its binding has the access "sample"."""
        self.bind(shader)

    def read_words(self) -> np.ndarray:
        """(count * words to a row,) uint32. Waits for the GPU."""
        raise NotImplementedError

    def upload(self, rows: np.ndarray) -> None:
        """Replace all rows."""
        raise NotImplementedError

    def read(self) -> np.ndarray:
        """All rows, in the element's dtype. Waits for the GPU."""
        words = self.read_words()
        if isinstance(self.element, Record):
            return words.view(self.element.dtype.base).reshape((self.count, *self.element.dtype.shape))
        return words if self.element == "uint" else words.view(np.float32).reshape(self.count, -1).squeeze()

    def _words_of(self, rows: np.ndarray, padded: int) -> np.ndarray:
        """Rows as `padded` uint32 words, zero past the end; no copy where none is needed."""
        words = np.ascontiguousarray(rows).view(np.uint8).reshape(-1).view(np.uint32)
        if len(words) != self.word_count:
            raise ValueError(f"{self.name}: {len(words)} words for {self.count} rows of {self.row_words}")
        return words if padded == len(words) else np.concatenate([words, np.zeros(padded - len(words), np.uint32)])


class StorageTable(Table):
    """A storage buffer; at least 16 bytes, since an empty one cannot be made."""

    def __init__(self, name, element, count, on_device, rows=None):
        super().__init__(name, element, count, on_device)
        from gpu.types import GPUStorageBuf

        self._padded = max(-(-self.word_count // 4) * 4, 4)
        words = np.zeros(self._padded, np.uint32) if rows is None else self._words_of(rows, self._padded)
        self._buffer = GPUStorageBuf(_float_buffer(words))

    def bind(self, shader):
        shader.storage_block(f"{self.name}_table", self._buffer)

    def upload(self, rows):
        self._buffer.update(_float_buffer(self._words_of(rows, self._padded)))

    def clear(self):
        """All bits 0."""
        self._buffer.clear_to_zero()

    def read_words(self):
        return np.frombuffer(self._buffer.read(), np.uint32)[: self.word_count].copy()


class TextureTable(Table):
    """A two-dimensional texture: R32UI of words if passes write it, else RGBA32F of four words a texel. Rows of texels are
    `width` long.

    A table that is uploaded and written too starts from zero on the GPU: `upload` is for those that only the CPU writes.
    """

    def __init__(self, name, element, count, on_device, rows=None, *, max_size=16384):
        super().__init__(name, element, count, on_device)
        from gpu.types import GPUTexture

        if on_device and rows is not None:
            raise ValueError(f"{name}: a uint texture cannot be uploaded; upload a table of its own and copy it in a pass")
        texels = max(self.word_count if on_device else -(-self.word_count // 4), 1)
        self._size = min(texels, max_size), -(-texels // max_size)
        if self._size[1] > max_size:
            raise LimitError(
                f"Rows of {name} in a texture",
                count,
                max_size * max_size * (1 if on_device else 4) // self.row_words,
                "Use Blender 5.3, which has storage buffers, or cull on the CPU.",
            )
        if on_device:
            self._texture = GPUTexture(self._size, format="R32UI")
            self.clear()
        else:
            self._texture = self._filled(np.zeros(self.word_count, np.uint32) if rows is None else rows)

    def _filled(self, rows):
        from gpu.types import GPUTexture

        words = self._words_of(rows, self._size[0] * self._size[1] * 4)
        return GPUTexture(self._size, format="RGBA32F", data=_float_buffer(words))

    def bind(self, shader):
        if self.on_device:
            shader.image(f"{self.name}_image", self._texture)
        else:
            shader.uniform_sampler(f"{self.name}_texture", self._texture)

    def bind_for_writing(self, shader):
        shader.image(f"{self.name}_image", self._texture)

    def bind_for_drawing(self, shader):
        shader.uniform_sampler(f"{self.name}_texture", self._texture)

    def upload(self, rows):
        if self.on_device:
            raise ValueError(f"{self.name} is written by passes and cannot be uploaded to")
        self._texture = self._filled(rows)

    def clear(self):
        """All bits 0."""
        self._texture.clear(format="UINT", value=(0,))

    def read_words(self):
        return np.frombuffer(self._texture.read(), np.uint32)[: self.word_count].copy()


def make_table(
    capabilities: Capabilities,
    transport: str,
    name: str,
    element,
    count: int | None = None,
    rows: np.ndarray | None = None,
    *,
    on_device: bool = False,
) -> Table:
    """A table of `rows`, or of `count` zeroed ones.

    Parameters
    ----------
    transport : {"storage", "texture"}
    element : Record or {"uint", "float", "vec2", "vec4"}
    rows : ndarray, optional
        (count, ...) of the element's dtype; any array of as many bytes.
    on_device : bool
        Passes write it.

    Raises
    ------
    LimitError
        More rows than a texture of this GPU can hold.
    """
    count = len(rows) if count is None else count
    if transport == "storage":
        return StorageTable(name, element, count, on_device, rows)
    return TextureTable(name, element, count, on_device, rows, max_size=1 << capabilities.max_texture_size.bit_length() - 1)


class Uniform:
    """A uniform block of one record. `update` replaces it; the block itself stays, so it can be bound once more for nothing."""

    def __init__(self, name: str, record: Record, row: np.ndarray):
        from gpu.types import GPUUniformBuf

        self.name, self.record = name, record
        self._buffer = GPUUniformBuf(self._bytes(row))

    def _bytes(self, row):
        if row.nbytes != self.record.stride or row.nbytes % 16:
            raise ValueError(f"{self.name}: {row.nbytes} bytes for a block of {self.record.stride}")
        return _float_buffer(row.reshape(-1).view(np.uint32))

    def update(self, row: np.ndarray) -> None:
        self._buffer.update(self._bytes(row))

    def bind(self, shader):
        shader.uniform_block(self.name, self._buffer)
