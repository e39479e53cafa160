"""The parts of a scene that are not tables (axes, names, channels, findings, materials) as JSON, and back."""

from __future__ import annotations

from ..conventions import PRESETS, Convention
from ..errors import FormatError
from ..findings import Finding
from ..limits import CUSTOM_CHANNELS
from ..scene import Channel, Material, SceneData
from . import clusters
from .cameras import camera_from_json, camera_to_json
from .schema import Cursor

EXTENSION = "GPUSCENE_scene"
GENERATOR = "GPUScene for Blender"


def axes_to_json(axes: Convention) -> dict:
    """Axes, units and matrix order. Target axis i is Blender's axis ``permutation[i]`` times ``signs[i]``."""
    return {"name": axes.name, "up": axes.up, "forward": axes.forward, "handedness": axes.handedness,
            "units_per_metre": float(axes.units_per_metre), "matrices": "column-major",
            "permutation": list(axes.permutation), "signs": list(axes.signs)}


def axes_from_json(axes: Cursor) -> Convention:
    """The inverse; a preset comes back as that preset."""
    permutation = tuple(p.integer(0, 2) for p in axes["permutation"].items())
    signs = tuple(s.integer(-1, 1) for s in axes["signs"].items())
    if sorted(permutation) != [0, 1, 2] or len(signs) != 3 or 0 in signs:
        raise axes.fail("a signed permutation of three axes")
    units = axes["units_per_metre"].number()
    if not 1e-9 < units < 1e9:
        raise axes["units_per_metre"].fail("a positive factor")
    if axes["matrices"].text() != "column-major":
        raise axes["matrices"].fail("'column-major'")
    convention = Convention(axes["name"].text(), permutation, signs, units, axes["up"].text(), axes["forward"].text())
    if axes["handedness"].text() != convention.handedness:
        raise axes["handedness"].fail(repr(convention.handedness))
    return PRESETS[convention.name] if PRESETS.get(convention.name) == convention else convention


def scene_to_json(scene: SceneData) -> dict:
    """Everything of the extension that holds no file offsets."""
    return {
        "axes": axes_to_json(scene.convention),
        "primitive_names": list(scene.primitive_names),
        "sources": list(scene.sources),
        "channels": [{"index": c.index, "label": c.label, "source": c.source, "name": c.name, "component": c.component,
                      "default": float(c.default)} for c in scene.channels],
        "findings": [finding.to_json() for finding in scene.findings],
        "metadata": dict(scene.metadata),
        "cameras": [camera_to_json(camera) for camera in scene.cameras],
    } | ({} if scene.clusters is None else {"clusters": clusters.to_json(scene.clusters)})


def scene_from_json(extension: Cursor) -> dict:
    """The inverse: keyword arguments of `SceneData`, without tables and materials."""
    metadata = extension["metadata"]
    metadata.members()
    return {
        "convention": axes_from_json(extension["axes"]),
        "primitive_names": extension["primitive_names"].texts(),
        "sources": extension["sources"].texts(),
        "channels": tuple(Channel(c["index"].integer(0, CUSTOM_CHANNELS - 1), c["label"].text(), c["source"].text(), c["name"].text(),
                                  c["component"].integer(0, 3), c["default"].number()) for c in extension["channels"].items()),
        "findings": tuple(map(_finding, extension["findings"].items())),
        "metadata": metadata.value,
        "cameras": tuple(map(camera_from_json, extension.get("cameras", []).items())),
        "clusters": clusters.from_json(extension["clusters"]) if "clusters" in extension else None,
    }


def _finding(cursor):
    try:
        return Finding.from_json(cursor.value)
    except (KeyError, ValueError, TypeError, AttributeError):
        raise cursor.fail("a finding") from None


def material_to_json(material: Material) -> dict:
    """A glTF material. Colours are clipped to 0..1 as glTF demands."""
    color = [min(max(float(c), 0.0), 1.0) for c in material.base_color]
    out = {"name": material.name, "doubleSided": bool(material.double_sided), "pbrMetallicRoughness": {
        "baseColorFactor": color, "metallicFactor": min(max(float(material.metallic), 0.0), 1.0),
        "roughnessFactor": min(max(float(material.roughness), 0.0), 1.0)}}
    return out | ({"alphaMode": "BLEND"} if color[3] < 1 else {})


def material_from_json(cursor: Cursor) -> Material:
    """The inverse."""
    surface = cursor["pbrMetallicRoughness"]
    color = tuple(c.number() for c in surface["baseColorFactor"].items())
    if len(color) != 4:
        raise surface["baseColorFactor"].fail("four numbers")
    return Material(cursor["name"].text(), color, surface["metallicFactor"].number(), surface["roughnessFactor"].number(),
                    cursor["doubleSided"].boolean())


def version(extension: Cursor, newest: int) -> int:
    """The format version; `FormatError` for one that this code cannot read."""
    found = extension["version"].integer(1, 1 << 31)
    if found > newest:
        raise newer(extension.where.split(":")[0], found, newest)
    return found


def newer(name: str, found: int, newest: int) -> FormatError:
    """The error for a file of a later format version."""
    return FormatError(f"{name} has format version {found}; this GPUScene reads up to {newest}.", "Update GPUScene, or export again.")
