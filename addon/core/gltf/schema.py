"""JSON that nobody vouches for: parse it, then take values out of it by type and range, or raise `FormatError`."""

from __future__ import annotations

import json
import reprlib

from ..errors import FormatError


def parse(text: bytes, where: str) -> Cursor:
    """Parse UTF-8 JSON; ``NaN``, deep nesting and everything else that is not plain JSON is a `FormatError`."""
    def refuse(constant):
        raise ValueError(f"{constant} is not JSON")

    try:
        return Cursor(json.loads(bytes(text).decode("utf-8"), parse_constant=refuse), where)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{where}: its JSON cannot be read ({reprlib.repr(str(error))}).", "Export the scene again.") from None


class Cursor:
    """A JSON value and the path to it, for messages.

    Parameters
    ----------
    value : object
        What ``json.loads`` gave.
    where : str
        Such as ``scene.glb: GPUSCENE_scene.tables.primitives.count``.
    """

    __slots__ = ("value", "where")

    def __init__(self, value, where: str):
        self.value, self.where = value, where

    def fail(self, expected: str) -> FormatError:
        """The error to raise: this value is not `expected`."""
        return FormatError(f"{self.where} is {reprlib.repr(self.value)}, not {expected}.", "Export the scene again.")

    def __contains__(self, key: str) -> bool:
        return isinstance(self.value, dict) and key in self.value

    def __getitem__(self, key: str) -> Cursor:
        """A member of an object."""
        if not isinstance(self.value, dict):
            raise self.fail("an object")
        if key not in self.value:
            raise FormatError(f"{self.where}.{key} is missing.", "Export the scene again.")
        return Cursor(self.value[key], f"{self.where}.{key}")

    def get(self, key: str, default=None) -> Cursor:
        """A member of an object, or `default` where it is absent."""
        return self[key] if key in self else Cursor(default, f"{self.where}.{key}")

    def members(self) -> list:
        """(key, Cursor) pairs of an object."""
        if not isinstance(self.value, dict):
            raise self.fail("an object")
        return [(key, self[key]) for key in self.value]

    def items(self) -> list:
        """Cursors of an array."""
        if not isinstance(self.value, list):
            raise self.fail("an array")
        return [Cursor(value, f"{self.where}[{i}]") for i, value in enumerate(self.value)]

    def integer(self, low: int, high: int) -> int:
        """An integer in [low, high]; ``1.0`` and ``true`` are none."""
        if type(self.value) is not int or not low <= self.value <= high:
            raise self.fail(f"an integer from {low} to {high}")
        return self.value

    def number(self) -> float:
        """A finite number."""
        if type(self.value) not in (int, float) or not abs(self.value) <= 1e300:  # also an integer too large for a float
            raise self.fail("a number")
        return float(self.value)

    def boolean(self) -> bool:
        if type(self.value) is not bool:
            raise self.fail("true or false")
        return self.value

    def text(self) -> str:
        if type(self.value) is not str:
            raise self.fail("a string")
        return self.value

    def texts(self) -> tuple:
        """An array of strings; no Cursor is made for each, since there can be a million."""
        if not isinstance(self.value, list):
            raise self.fail("an array")
        if not all(type(value) is str for value in self.value):
            raise FormatError(f"{self.where} holds something else than strings.", "Export the scene again.")
        return tuple(self.value)
