"""Draws overlays. A call costs Python microseconds, whatever the number of instances: one draw, over tables on the GPU."""

from __future__ import annotations

from contextlib import contextmanager

import numpy as np

from ...core import palette
from ...core.culling.gpu_records import CULL_VIEW, INSTANCE_BOX
from ...core.errors import InputError
from ...core.layout import CLUSTER_NODE
from ...glsl.accessors import Binding
from .. import capabilities as device
from ..buffers import Table, Uniform, make_table
from . import meshes
from .records import OVERLAY_CORNERS, OVERLAY_DRAW
from .shaders import POINTS_PER_INSTANCE, DrawKey, DrawShaders
from .state import drawing_state
from .view import frustum_of, view_row

#: more instances than this are drawn as points by choice "auto"; a rasteriser on the CPU takes half a second for as many boxes, so
#: there it is less
BOX_LIMIT, SOFTWARE_BOX_LIMIT = 50_000, 10_000
_LINE = ("flat", "VEC4", "line_color"), ("no_perspective", "VEC2", "line_across")
_POINT = ("flat", "VEC4", "point_color"), ("no_perspective", "VEC3", "point_at")
_ELEMENTS = {"spheres": "vec4", "boxes": INSTANCE_BOX, "status": "uint", "cluster_nodes": CLUSTER_NODE}


class Overlay:
    """The overlays of any number of views; keeps shaders and small buffers, no table.

    Parameters
    ----------
    transport : {"storage", "texture"}, optional
        That of the tables. None: the best there is.

    Attributes
    ----------
    box_limit : int
        Of this device.

    Raises
    ------
    DeviceError
        There is no GPU.
    ShaderError
        By the first draw of a kind.
    """

    def __init__(self, transport: str | None = None):
        self.capabilities = device.start()
        self.transport = self.capabilities.transport(transport)
        self.box_limit = SOFTWARE_BOX_LIMIT if self.capabilities.is_software else BOX_LIMIT
        self._shaders = DrawShaders(self.capabilities, self.transport)
        self._bound, self._batches, self._uniforms, self._row = {}, {}, {}, None

    @contextmanager
    def view(self, clip_from_scene, size, scale: float = 1.0):
        """Draw within it, to the framebuffer that is bound.

        Parameters
        ----------
        clip_from_scene : (4, 4) float
            OpenGL clip space, for column vectors in the axes and units of the tables.
        size : (width, height)
            Of what is drawn to, pixels.
        scale : float
            Of widths and points: the pixel size of the interface.
        """
        self._row = view_row(clip_from_scene, size, scale)
        try:
            with drawing_state():
                yield self
        finally:
            self._row = None

    def node_table(self, nodes: np.ndarray) -> Table:
        """A table of (M,) CLUSTER_NODE for `draw_clusters`; its `upload` replaces the boxes after a refit."""
        return make_table(self.capabilities, self.transport, "cluster_nodes", CLUSTER_NODE, rows=nodes)

    def draw_instances(self, spheres, boxes, status, count: int | None = None, mode: str = "visibility",
                       reasons: int | None = None, shape: str = "auto") -> None:
        """Boxes or points; `shape` "auto": boxes up to `box_limit` instances."""
        count = status.count if count is None else count
        if shape == "boxes" or (shape == "auto" and count <= self.box_limit):
            self.draw_boxes(boxes, status, count, mode, reasons)
        else:
            self.draw_points(spheres, status, count, mode, reasons)

    def draw_boxes(self, boxes, status, count: int | None = None, mode: str = "visibility", reasons: int | None = None) -> None:
        """The world box of each instance as 12 lines.

        Parameters
        ----------
        boxes : Table of INSTANCE_BOX
        status : Table of uint
            As `core.live.status` has it, in the order of `boxes`.
        count : int, optional
            Rows to draw. None: all.
        mode : str
            One of `palette.MODES`.
        reasons : int, optional
            `palette.reason_bits`: which to show. None: all; free slots never.
        """
        row, count = self._instance_row(status, count, mode, reasons)
        self._draw("live_boxes", "live_line", _LINE, {"boxes": boxes, "status": status}, row, ("quads", 12), count)

    def draw_points(self, spheres, status, count: int | None = None, mode: str = "visibility",
                    reasons: int | None = None) -> None:
        """A round point for each instance, as large as its sphere within limits of a few pixels. `spheres`: Table of vec4; the
        other parameters are those of `draw_boxes`.
        """
        row, count = self._instance_row(status, count, mode, reasons)
        self._draw("live_points", "live_points", _POINT, {"spheres": spheres, "status": status}, row,
                   ("vertices", 3 * POINTS_PER_INSTANCE), -(-count // POINTS_PER_INSTANCE))

    def draw_clusters(self, nodes, level_starts, cull_view=None, levels=(0, 255)) -> None:
        """The boxes of cluster nodes: root red, inner yellow, leaf green, culled grey.

        Parameters
        ----------
        nodes : Table of CLUSTER_NODE
            Of one tree, breadth-first: `node_table`.
        level_starts : (D + 1,) integer
            Level d is rows ``level_starts[d]`` to ``level_starts[d + 1]`` (``ClusterTree.level_starts``).
        cull_view : (1,) CULL_VIEW, optional
            ``gpu_streams.view_constants`` of the camera that culls. None: nothing is culled.
        levels : (int, int)
            First and last level to draw, both included.
        """
        last = len(level_starts) - 2
        first, stop = int(level_starts[min(max(levels[0], 0), last + 1)]), int(level_starts[min(max(levels[1], -1), last) + 1])
        row = self._view_row()
        row["first"], row["count"] = first, max(stop - first, 0)
        if cull_view is None:
            cull_view = CULL_VIEW.empty(1)
            cull_view["outer"] = cull_view["inner"] = (0, 0, 0, 1)
        for row["mode"] in (0, 1):  # the culled ones, then the others above them
            self._draw("live_clusters", "live_line", _LINE, {"cluster_nodes": nodes}, row, ("quads", 12), int(row["count"][0]),
                       (CULL_VIEW, cull_view))

    def draw_frustum(self, clip_from_scene, reach: float) -> None:
        """The frustum of a camera, e.g. a frozen one.

        Parameters
        ----------
        clip_from_scene : (4, 4) float64 or None
            ``Camera.clip_from_world``. None (no frustum): nothing is drawn.
        reach : float
            Scene units: its far end is drawn no farther away than that.
        """
        if clip_from_scene is None:
            return
        row = self._view_row()
        row["line_width"] *= 1.25
        frustum = frustum_of(clip_from_scene, reach)
        block = OVERLAY_CORNERS, frustum.corners
        if not frustum.is_between_sides(row["anchor"][0]):  # who looks out of the camera wants no tinted picture
            self._draw("live_fill", "live_fill", (("flat", "VEC4", "fill_color"),), {}, row, ("quads", 1), 2, block)
        self._draw("live_frustum", "live_line", _LINE, {}, row, ("quads", 12), 1, block)

    def _view_row(self):
        if self._row is None:
            raise RuntimeError("draw within Overlay.view()")
        return self._row.copy()

    def _instance_row(self, status, count, mode, reasons):
        if mode not in palette.MODES:
            raise InputError(f"There is no overlay mode {mode!r}.", f"Choose {', '.join(palette.MODES)}.")
        count = status.count if count is None else min(count, status.count)
        row = self._view_row()
        row["mode"], row["count"] = palette.MODES.index(mode), count
        row["reasons"] = palette.reason_bits() if reasons is None else reasons
        return row, count

    def _draw(self, vertex, fragment, varyings, tables, row, mesh, instances, blocks=None):
        if not instances:
            return
        blocks = ((OVERLAY_DRAW, row), *((blocks,) if blocks else ()))
        # A short key of its own: hashing a `DrawKey` with its records costs as much as all the rest.
        key = vertex, *((table.name, table.on_device) for table in tables.values())
        shader = self._bound.get(key)
        if shader is None:
            bindings = tuple((called, Binding(t.name, _ELEMENTS[called], "sample", t.on_device)) for called, t in tables.items())
            files = f"overlay/{vertex}.vert.glsl", f"overlay/{fragment}.frag.glsl"
            records = tuple(record for record, _ in blocks)
            shader = self._bound[key] = self._shaders.get(DrawKey(*files, varyings, records, bindings))
        shader.bind()
        for table in tables.values():
            table.bind_for_drawing(shader)
        for record, values in blocks:
            self._uniform(vertex, record, values).bind(shader)
        self._batch(*mesh).draw_instanced(shader, instance_count=instances)

    def _uniform(self, owner, record, values):
        """A block of its own for each kind of draw."""
        key = owner, record.name
        if key not in self._uniforms:
            self._uniforms[key] = Uniform(record.table, record, values)
        else:
            self._uniforms[key].update(values)
        return self._uniforms[key]

    def _batch(self, kind, count):
        if (kind, count) not in self._batches:
            self._batches[kind, count] = meshes.quads(count) if kind == "quads" else meshes.batch(count)
        return self._batches[kind, count]
