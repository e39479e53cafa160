"""The GPU tables of a live scene, shared by all views: made once, then followed by small uploads.

Every table can be written by the scatter pass. With the texture transport those of less than a texel to a row are words that
passes write (`cull_radii`, `lod_inputs`); the others are uploaded textures that the pass stores whole texels into.
"""

from __future__ import annotations

import numpy as np

from ...core import layout
from ...core.culling import gpu_records, gpu_streams
from ...core.culling.gpu_records import INSTANCE_BOX, LOD_INPUT
from ...core.culling.lod_select import LodInputs
from ...core.limits import MAX_LODS
from ..buffers import make_table
from ..passes.streams import Streams
from ..shader_library import ShaderLibrary
from .fill import Filler

#: radius of free slots in `spheres` (other undrawable ones: -1), by which the status pass knows them
FREE_RADIUS = np.float32(-2)


def live_spheres(tables, slots) -> np.ndarray:
    """(K, 4) float32 of `slots`, free ones marked."""
    out = gpu_streams.spheres(tables.bounds, slots)
    out[~tables.alive[slots], 3] = FREE_RADIUS
    return out


def live_radii(bounds, slots) -> np.ndarray:
    """(K,) float32: `gpu_streams.cull_radii`, with zeros where nothing has one."""
    radii = gpu_streams.cull_radii(bounds, slots)
    return np.zeros(len(slots), np.float32) if radii is None else radii


class LiveStreams:
    """
    Parameters
    ----------
    library : ShaderLibrary
    tables : LiveTables
    clusters : LiveClusters
    lods : LodInputs
        Of ``tables.capacity_scene()``.
    rule : CustomRule or None

    Attributes
    ----------
    grouped : bool
        Culling order keeps primitives together, so drawing is in culling order too; else in the order of slots.
    spheres, boxes, cull_radii, rows : Table
        In culling order; `rows` has the slots.
    lod_inputs : Table
        In drawing order.
    instance_transforms, instance_data : Table
        In the order of slots.
    lod_switches, lod_batches : Table
        By primitive; `lod_batches` has MAX_LODS rows each, the first batch of every LOD.
    culling : Streams
        What `GpuCuller` takes.
    """

    def __init__(self, library: ShaderLibrary, tables, clusters, lods: LodInputs, rule=None):
        self.library, self._filler = library, Filler(library)
        self.order = np.asarray(clusters.order, np.int64)
        primitive = tables.data["primitive_id"]
        self.grouped = len(self.order) == len(primitive) and np.array_equal(primitive[self.order], primitive)
        count = len(self.order)
        transport = library.transport

        def table(name, element, rows, words_alone=False):
            can = library.capabilities
            if words_alone and transport == "texture":
                return make_table(can, transport, name, element, count, on_device=True)
            return make_table(can, transport, name, element, rows=rows)

        rows = self._rows(tables, lods)
        self.spheres = table("spheres", "vec4", rows["spheres"])
        self.boxes = table("boxes", INSTANCE_BOX, rows["boxes"])
        self.cull_radii = table("cull_radii", "float", rows["cull_radii"], True)
        self.lod_inputs = table("lod_inputs", LOD_INPUT, rows["lod_inputs"], True)
        self.instance_transforms = table("instance_transforms", layout.INSTANCE_TRANSFORM, rows["instance_transforms"])
        self.instance_data = table("instance_data", layout.INSTANCE_DATA, rows["instance_data"])
        for one in (self.cull_radii, self.lod_inputs):
            if one.on_device:
                self._filler.fill(one, rows[one.name])
        self.rows = table("rows", "uint", self.order.astype(np.uint32))
        self.lod_switches = table("lod_switches", gpu_records.LOD_SWITCHES, gpu_streams.lod_streams(lods, self.order[:0])[0])
        self.lod_batches = table("lod_batches", "uint", lod_batches(tables.capacity_scene()))
        for_rule = (self.instance_transforms, self.instance_data) if rule is not None else ()
        self.culling = Streams((self.spheres, self.boxes, self.cull_radii, self.rows, *for_rule), count, True, rule)

    @property
    def dispatches(self) -> int:
        """Made so far."""
        return self._filler.dispatches

    @property
    def written(self) -> tuple:
        """The tables that follow changes."""
        return self.spheres, self.boxes, self.cull_radii, self.lod_inputs, self.instance_transforms, self.instance_data

    def _rows(self, tables, lods) -> dict:
        order = self.order
        return {
            "spheres": live_spheres(tables, order),
            "boxes": gpu_streams.boxes(tables.bounds, order),
            "cull_radii": live_radii(tables.bounds, order),
            "lod_inputs": gpu_streams.lod_streams(lods, order if self.grouped else None)[1],
            "instance_transforms": tables.transforms,
            "instance_data": tables.data,
        }

    def upload(self, tables, lods: LodInputs) -> int:
        """All rows of `written` anew; bytes."""
        sent = 0
        for name, rows in self._rows(tables, lods).items():
            table = getattr(self, name)
            if table.on_device:
                sent += self._filler.fill(table, rows)
            else:
                table.upload(rows)
                sent += rows.nbytes
        return sent


def lod_batches(scene) -> np.ndarray:
    """(P * MAX_LODS,) uint32: the first batch of each LOD of each primitive; past the last LOD, the last one's."""
    primitives = scene["primitives"]
    level = np.minimum(np.arange(MAX_LODS), np.maximum(primitives["lod_count"].astype(np.int64), 1)[:, None] - 1)
    return scene["lods"]["first_batch"][primitives["first_lod"].astype(np.int64)[:, None] + level].astype(np.uint32).reshape(-1)
