"""Custom data: channel values from instance attributes and custom properties."""

from __future__ import annotations

import numpy as np

from ...core.limits import CUSTOM_CHANNELS

#: attribute data type -> (foreach_get name, components)
_ATTRIBUTES = {
    "FLOAT": ("value", 1), "INT": ("value", 1), "INT8": ("value", 1), "BOOLEAN": ("value", 1),
    "FLOAT_VECTOR": ("vector", 3), "FLOAT2": ("vector", 2), "FLOAT_COLOR": ("color", 4), "BYTE_COLOR": ("color", 4),
    "INT16_2D": ("value", 2), "INT32_2D": ("value", 2), "QUATERNION": ("value", 4),
}
_INTEGER = {"INT", "INT8", "INT16_2D", "INT32_2D"}
#: attributes every instance has; never reported as unmapped
BUILT_IN = frozenset({"position", "instance_transform", "id"})


def unset(count: int) -> np.ndarray:
    """(count, 8) float32 of NaN: no channel set."""
    return np.full((count, CUSTOM_CHANNELS), np.nan, np.float32)


def inherit(inner: np.ndarray | None, outer: np.ndarray | None) -> np.ndarray | None:
    """Inner values where set, else outer; shapes broadcast to (N, K, 8)."""
    if inner is None or outer is None:
        return outer if inner is None else inner
    return np.where(np.isnan(inner), outer, inner)


def from_attributes(pointcloud, channels) -> np.ndarray | None:
    """(N, 8) values of the mapped instance attributes of an instances point cloud, or None when it has none of them."""
    wanted = [c for c in channels if c.source == "attribute" and c.name and c.name in pointcloud.attributes]
    if not wanted:
        return None
    count = len(pointcloud.points)
    values = unset(count)
    for channel in wanted:
        attribute = pointcloud.attributes[channel.name]
        name, components = _ATTRIBUTES.get(attribute.data_type, (None, 0))
        if name is None or attribute.domain != "POINT" or channel.component >= components:
            continue
        dtype = np.int32 if attribute.data_type in _INTEGER else bool if attribute.data_type == "BOOLEAN" else np.float32
        raw = np.empty(count * components, dtype)
        attribute.data.foreach_get(name, raw)
        values[:, channel.index] = raw.reshape(count, components)[:, channel.component]
    return values


def from_properties(owners, channels) -> np.ndarray | None:
    """(8,) values of mapped custom properties; the first of `owners` (object, data, instancer, ...) that has one wins. None when none has."""
    values = None
    for channel in channels:
        if channel.source == "constant" or not channel.name:
            continue
        for owner in owners:
            if channel.name in owner:
                number = to_float(owner[channel.name], channel.component)
                if number is not None:
                    values = unset(1)[0] if values is None else values
                    with np.errstate(over="ignore"):  # past float32 it is infinite, and the default stands in for it
                        values[channel.index] = number
                    break
    return values


def carriers(obj, data=None, instancer=None) -> list:
    """The data-blocks whose custom properties count for an evaluated object: itself, its data if given, its instancer if given.

    Originals, since setting a property by script marks nothing for evaluation; the evaluated copy where animation or a driver
    may set it.
    """
    owners = [obj if obj.animation_data is not None else obj.original]
    if data is not None:
        # By way of the object: in Blender 5.2 an evaluated mesh does not know its original.
        owners.append(data if data.animation_data is not None else obj.original.data)
    if instancer is not None:
        owners.append(instancer if instancer.animation_data is not None else instancer.original)
    return owners


def to_float(value, component: int) -> float | None:
    """A custom property's value as a float: numbers, booleans, components of arrays; None for text and groups."""
    if isinstance(value, (int, float)):
        return float(value) if component == 0 else None
    try:
        return float(value[component])
    except (TypeError, KeyError, IndexError, ValueError):
        return None
