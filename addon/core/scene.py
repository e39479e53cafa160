"""SceneData: the frozen contract between extraction, the file, culling and drawing."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Mapping

import numpy as np

from . import layout
from .conventions import PRESETS, Convention


@dataclass(frozen=True)
class Material:
    """What a viewer needs of a material; engines look it up by name. Colours are linear, 0 to 1."""

    name: str
    base_color: tuple = (0.8, 0.8, 0.8, 1.0)
    metallic: float = 0.0
    roughness: float = 0.5
    double_sided: bool = True


@dataclass(frozen=True)
class Channel:
    """One of the eight custom-data channels: where its value comes from.

    Attributes
    ----------
    index : int
        0 to 7; channel i is ``custom_data[i // 4][i % 4]``.
    label : str
        What the engine calls it.
    source : {"property", "attribute", "constant"}
        ``property``: a custom property of the object, else of its data, else of what instances it. ``attribute``: an instance attribute, innermost instancer first,
        then a custom property of that name (as Blender's Attribute node does for instancers). ``constant``: `default`.
    name : str
        Of the custom property or instance attribute; empty for a constant.
    component : int
        Which component of a vector or colour value, 0 to 3.
    default : float
        The constant, or the value where the property or attribute is missing.
    """

    index: int
    label: str
    source: str = "constant"
    name: str = ""
    component: int = 0
    default: float = 0.0


#: [0].x and [0].y are fixed by the format; the rest are a starting point, edited in the panel.
DEFAULT_CHANNELS = (
    Channel(0, "cull_radius", "attribute", "gpuscene_cull_radius"),
    Channel(1, "lod_bias", "attribute", "gpuscene_lod_bias"),
    Channel(4, "animation_phase", "attribute", "gpuscene_animation_phase"),
    Channel(5, "height", "attribute", "gpuscene_height"),
)


@dataclass(frozen=True)
class Clusters:
    """How the cluster trees in a scene's tables were built, and where they begin; each primitive's is at its own `cluster_root`.

    Attributes
    ----------
    scene_cluster_root : int
        Row of `cluster_nodes`: root of the tree over all instances.
    cluster_size : int
        Most instances of a leaf.
    builder : str
    bounds_scale : float
        Instance boxes were grown by this about their centres.
    """

    scene_cluster_root: int
    cluster_size: int
    builder: str
    bounds_scale: float = 1.0


@dataclass(frozen=True)
class SceneData:
    """A scene as tables. Every array is read-only.

    Attributes
    ----------
    tables : mapping of str to ndarray
        Table name -> array of ``layout.TABLES[name].dtype``, (count,) structured, or (count[, n]) for plain records.
        Rows of `instance_transforms`, `instance_data` and `instance_sources` go together and are grouped by primitive.
    convention : Convention
        Axes and units of every position in the tables.
    primitive_names, sources : tuple of str
        One name a row of `primitives`; the Blender objects that `instance_sources` points to.
    materials : tuple of Material
    channels : tuple of Channel
    findings : tuple of Finding
    metadata : mapping
        JSON values: ``generator``, ``source_file``, ``scene``, ``frame``, ``visible``, ...
    cameras : tuple of core.culling.camera.Camera
        In the same axes and units; the scene's own first.
    clusters : Clusters or None
        Of the cluster trees in the tables; None when there are none.
    """

    tables: Mapping[str, np.ndarray]
    convention: Convention = PRESETS["blender"]
    primitive_names: tuple = ()
    sources: tuple = ()
    materials: tuple = ()
    channels: tuple = DEFAULT_CHANNELS
    findings: tuple = ()
    metadata: Mapping = field(default_factory=dict)
    cameras: tuple = ()
    clusters: Clusters | None = None

    def __post_init__(self):
        tables = {}
        for name, array in self.tables.items():
            record = layout.TABLES.get(name)
            if record is not None and array.dtype != record.dtype.base:
                raise ValueError(f"table {name} has dtype {array.dtype}, not {record.dtype}")
            view = array.view()
            view.flags.writeable = False
            tables[name] = view
        missing = [n for n in layout.REQUIRED_TABLES if n not in tables]
        if missing:
            raise ValueError(f"tables missing: {', '.join(missing)}")
        object.__setattr__(self, "tables", MappingProxyType(tables))

    def __repr__(self):
        """The counts; the tables themselves would fill screens."""
        counts = ", ".join(f"{name}={len(array)}" for name, array in self.tables.items())
        return f"SceneData({self.convention.name}: {counts})"

    def __getitem__(self, table: str) -> np.ndarray:
        """The table's array; `KeyError` if this scene has none."""
        return self.tables[table]

    @property
    def instance_count(self) -> int:
        return len(self.tables["instance_transforms"])

    @property
    def primitive_count(self) -> int:
        return len(self.tables["primitives"])

    @property
    def batch_count(self) -> int:
        return len(self.tables["batches"])

    def world_from_local(self) -> np.ndarray:
        """(N, 4, 4) float32 matrices for column vectors (``M @ v``), in the scene's axes and units. A copy."""
        transforms = self.tables["instance_transforms"]
        out = np.zeros((len(transforms), 4, 4), np.float32)
        for column, name in enumerate(("x_axis", "y_axis", "z_axis", "position")):
            out[:, :3, column] = transforms[name]
        out[:, 3, 3] = 1
        return out

    def instances_per_primitive(self) -> np.ndarray:
        """(primitive_count,) int64."""
        return np.bincount(self.tables["instance_data"]["primitive_id"], minlength=self.primitive_count)

    def triangle_count(self) -> int:
        """Triangles of LOD 0 over all instances."""
        per_primitive = self.tables["primitives"]["index_count"].astype(np.int64) // 3
        return int((self.instances_per_primitive() * per_primitive).sum())
