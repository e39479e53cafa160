"""Tables described in JSON (stride, fields, types) and numpy dtypes: each from the other."""

from __future__ import annotations

import numpy as np

from .. import layout
from .schema import Cursor

_SCALARS = {"f4": "float", "i4": "int", "u4": "uint", "f8": "double"}
_VECTORS = {2: "vec2", 3: "vec3", 4: "vec4"}
MAX_STRIDE = 1 << 16


def describe(name: str, array: np.ndarray) -> dict:
    """``{"stride", "count", "fields"}`` of a table. `fields` is empty for a dtype that the format has no names for."""
    record = layout.TABLES.get(name)
    if record is not None:
        fields = {f.name: {"offset": record.offsets[f.name], "type": f.type} | ({"array": f.array} if f.array else {})
                  for f in record.fields if not f.is_padding}
        return {"stride": record.stride, "count": len(array), "fields": fields}
    stride = array.dtype.itemsize * int(np.prod(array.shape[1:], dtype=np.int64))
    if array.dtype.names and array.ndim == 1:
        fields = {n: _describe(*array.dtype.fields[n][:2]) for n in array.dtype.names}
    elif not array.dtype.names:
        fields = {"value": _describe(np.dtype((array.dtype, array.shape[1:])), 0)}
    else:
        fields = {"": None}
    return {"stride": stride, "count": len(array), "fields": fields if all(fields.values()) else {}}


def _describe(dtype, offset):
    """A field's JSON, or None where the format has no type for it."""
    scalar = _SCALARS.get(dtype.base.str[1:]) if dtype.base.str[0] == "<" else None
    shape = dtype.shape
    if scalar is None or len(shape) > 2:
        return None
    if len(shape) == 2:
        if scalar != "float" or shape[1] not in _VECTORS:
            return None
        return {"offset": offset, "type": _VECTORS[shape[1]], "array": shape[0]}
    return {"offset": offset, "type": scalar} | ({"array": shape[0]} if shape else {})


def dtype_of(name: str, table: Cursor) -> np.dtype:
    """The dtype of one row (with sub-array shape for plain tables). Raises `FormatError` if the description is impossible, or differs from
    the record of that name. A table without fields is rows of raw bytes."""
    stride = table["stride"].integer(1, MAX_STRIDE)
    fields = {key: _field(value, stride) for key, value in table["fields"].members()}
    record = layout.TABLES.get(name)
    if record is not None:
        declared = {f.name: (record.offsets[f.name], f.type, f.array) for f in record.fields if not f.is_padding}
        if stride != record.stride:
            raise table["stride"].fail(str(record.stride))
        if fields != declared:
            raise table["fields"].fail(f"those of a {record.name}")
        return record.dtype
    if not fields:
        return np.dtype((np.uint8, (stride,)))
    types = {key: (layout.TYPES[t], array) for key, (_, t, array) in fields.items()}
    formats = [(base, ((array,) if array else ()) + ((components,) if components > 1 else ()))
               for (base, components, _), array in types.values()]
    if len(fields) == 1 and np.dtype(formats[0]).itemsize == stride:
        return np.dtype(formats[0])
    try:
        return np.dtype({"names": list(fields), "formats": formats, "offsets": [f[0] for f in fields.values()], "itemsize": stride})
    except (ValueError, TypeError):
        raise table["fields"].fail(f"fields of a {stride}-byte row") from None


def _field(cursor, stride):
    """(offset, type, array length) of a field that lies inside its row."""
    kind = cursor["type"].text()
    if kind not in layout.TYPES:
        raise cursor["type"].fail(f"one of {', '.join(layout.TYPES)}")
    array = cursor.get("array", 0).integer(0, stride)
    field = layout.Field("field", kind, array=array)
    if field.size > stride:
        raise cursor.fail(f"a field of a {stride}-byte row")
    return cursor["offset"].integer(0, stride - field.size), kind, array
