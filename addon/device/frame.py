"""GPU culling of a scene, frame after frame: makes tables and passes once, then runs them for each view."""

from __future__ import annotations

import numpy as np

from ..core import layout, limits
from ..core.culling import draws, gpu_records, gpu_streams
from ..core.culling.bounds import InstanceBounds
from ..core.culling.camera import CullView
from ..core.culling.gpu_tree import GpuTree
from ..core.culling.lod_select import LodInputs
from ..core.scene import SceneData
from . import capabilities as device
from .buffers import Uniform, make_table
from .custom_rule import CustomRule
from .frame_result import GpuCullResult
from .passes.base import Pass
from .passes.compact import MAX_DRAWS_WITH_SCATTER, MAX_UNSCANNED_BLOCKS, Arguments, Count, Masks, Scan, Scatter
from .passes.cull_flat import CullFlat
from .passes.cull_tree import CullNodes, CullTree, TreeTables, Unsort
from .passes.lod import FadeLod, Reset, SelectLod
from .passes.mapping import Mapping
from .passes.single import SingleTables, SingleTree, is_possible
from .passes.streams import Streams
from .passes.update import BoundsUpdates
from .shader_library import ShaderLibrary
from .subgroups import has_ballot


class GpuCuller:
    """Culls one scene for any number of views.

    Parameters
    ----------
    bounds : InstanceBounds
        In row order.
    scene : SceneData, optional
        Needed for rules; gives `primitive` and the scene's axes.
    tree : GpuTree, optional
        None: flat. A tree over the whole scene or a forest of one for each primitive; the second keeps primitives together, so
        its draws need no unsorting.
    descent : {"leaves", "levels"}
    lods : LodInputs, optional
    lod_tables : (Table, Table), optional
        `lod_inputs` in drawing order and `lod_switches` that somebody else made and keeps in step; None: made from `lods`.
    lod_fade : bool
        Also write cross-fade weights (`GpuCullResult.lod_fade`).
    draw_slots : (D,) DRAW_SLOT, optional
        ``draws.draw_slots``: also list the visible rows and write indirect arguments.
    max_instances_per_draw : int
        As in `draw_slots`.
    primitive : (N,) uint32, optional
        Primitive of each row, by which rows are grouped; default: the scene's.
    reuse : GpuCuller, optional
        One of the same bounds, tree, descent, rule and transport (for another camera, or other draws): its uploads are shared.
    movable : bool
        `update` will be called.
    rule : CustomRule, optional
    conservative_distance : float, optional
        Of a tree: leaves whose box is farther than this are kept without testing their instances' spheres and boxes, as in
        `core.culling.traverse.cull_tree`. None: exact.
    transport : {"storage", "texture"}, optional
        None: the best there is.
    group_size : {64, 128, 256}, optional
    mapping : Mapping, optional
        None: what suits the device.

    Raises
    ------
    DeviceError, LimitError, ShaderError, InputError
    """

    def __init__(
        self,
        bounds: InstanceBounds,
        scene: SceneData | None = None,
        *,
        tree: GpuTree | None = None,
        descent: str = "leaves",
        lods: LodInputs | None = None,
        lod_tables: tuple | None = None,
        lod_fade: bool = False,
        draw_slots: np.ndarray | None = None,
        max_instances_per_draw: int = draws.UNLIMITED,
        primitive: np.ndarray | None = None,
        reuse: GpuCuller | None = None,
        movable: bool = False,
        rule: CustomRule | None = None,
        conservative_distance: float | None = None,
        transport: str | None = None,
        group_size: int | None = None,
        mapping: Mapping | None = None,
    ):
        self.capabilities = device.start()
        self.transport = self.capabilities.transport(transport)
        self.library = ShaderLibrary(self.capabilities, self.transport) if reuse is None else reuse.library
        self.mapping = mapping or self._best_mapping(reuse, group_size)
        self.scene, self.bounds, self.tree, self.rule = scene, bounds, tree, rule
        self.passes, self.reset_pass = [], None
        self.conservative_distance = conservative_distance
        self._node_defines = () if conservative_distance is None else (("CONSERVATIVE", 1),)
        self._small = self._table("small", "uint", 4)
        self.lod_state = self.lod_masks = self.draw_instances = self.word_offsets = None
        self.indirect_args = self.row_visibility = None
        self.tree_tables = None if reuse is None else reuse.tree_tables
        order = None if tree is None else tree.order
        self.streams = (
            reuse.streams
            if reuse is not None
            else Streams.upload(self.capabilities, self.transport, bounds, order, rule=rule, scene=scene, movable=movable)
        )
        self.updates = BoundsUpdates(self.library, self.mapping.group_size) if movable else None
        self._count(bounds, tree)
        self.view = Uniform("cull_view", gpu_records.CULL_VIEW, gpu_records.CULL_VIEW.empty(1))
        self.counts = Uniform("cull_counts", gpu_records.CULL_COUNTS, self.numbers)
        if primitive is None and scene is not None:
            primitive = scene["instance_data"]["primitive_id"]
        #: instances lie in drawing order already: rows, or rows permuted within their primitive
        self.is_grouped = tree is None or (
            primitive is not None and len(order) == len(primitive) and np.array_equal(primitive[order], primitive)
        )
        self._add_culling(descent)
        if tree is not None and not self.is_grouped:
            self._add_unsorting()
        if lods is not None:
            self._add_lods(lods, lod_tables, lod_fade)
        if draw_slots is not None:
            self._add_draws(draw_slots, max_instances_per_draw)
        self.numbers["draw_word_count"], self.numbers["mask_words"] = self.draw_words, self.masks.words
        self.counts.update(self.numbers)
        if lods is not None or draw_slots is not None:
            self._add_reset()
            self.reset()

    def _best_mapping(self, reuse, group_size):
        if reuse is not None and group_size in (None, reuse.mapping.group_size):
            return reuse.mapping
        return Mapping.best(self.capabilities, has_ballot(self.library), group_size)

    def _table(self, name, element, count):
        return make_table(self.capabilities, self.transport, name, element, count, on_device=True)

    def _upload(self, name, element, rows):
        return make_table(self.capabilities, self.transport, name, element, rows=rows)

    def _count(self, bounds, tree):
        self.numbers = gpu_records.CULL_COUNTS.empty(1)
        n = self.numbers
        n["row_count"], n["row_word_count"] = len(bounds), gpu_streams.word_count(len(bounds))
        n["instance_count"], n["word_count"] = self.streams.count, self.streams.word_count
        n["level_count"] = 1
        n["built_count"], n["leaf_count"] = (0, 0) if tree is None else (tree.built_count, len(tree.leaf_nodes))

    def _add_culling(self, descent):
        mapping = self.mapping
        self.visibility = self._table("visibility", "uint", self.streams.word_count)
        block_count = -(-self.streams.word_count // mapping.block_words)
        self.numbers["block_count"] = block_count
        self.block_counts = self._table("block_counts", "uint", block_count)
        # What drawing starts from: this order's words, unless unsorting replaces them.
        self.masks = Masks(self.visibility, self.streams.word_count, 0, mapping.block_words)
        self.draw_words = self.streams.word_count
        arguments = (self.view, self.counts, self.visibility, self.block_counts, mapping)
        if self.tree is None:
            self.passes.append(CullFlat(self.library, self.streams, *arguments))
            return
        self.tree_tables = self.tree_tables or TreeTables(self.capabilities, self.transport, self.tree, descent)
        if descent == "levels":
            self.passes += [
                CullNodes(self.library, self.tree_tables, level, self.view, mapping.group_size, self._node_defines)
                for level in range(len(self.tree.level_starts) - 1)
            ]
        self.passes.append(CullTree(self.library, self.streams, self.tree_tables, *arguments, self._node_defines))

    def _add_unsorting(self):
        self.positions = self._upload("positions", "uint", self.tree.positions)
        self.draw_words = int(self.numbers["row_word_count"][0])
        self.row_visibility = self._table("row_visibility", "uint", self.draw_words)
        self.passes.append(
            Unsort(self.library, self.positions, self.visibility, self.row_visibility, self.counts, self.mapping.group_size)
        )
        self.masks = Masks(self.row_visibility, self.draw_words, 0, self.mapping.group_size)

    def _lod_tables(self, lods):
        order = None if self.tree is None or not self.is_grouped else self.tree.order
        switches, inputs = gpu_streams.lod_streams(lods, order)
        lod_inputs = self._upload("lod_inputs", gpu_records.LOD_INPUT, inputs)
        return lod_inputs, self._upload("lod_switches", gpu_records.LOD_SWITCHES, switches)

    def _add_lods(self, lods, tables, with_fade):
        self.forced_lod = lods.forced
        levels = int(lods.table.count.max(initial=1))
        size = self.mapping.group_size
        stride = -(-(self.draw_words + 1) // size) * size
        self.lod_state = self._table("lod_state", "uint", self.draw_words * 8)
        self.lod_masks = self._table("lod_masks", "uint", levels * stride)
        read = [self.masks.table, self.streams.tables[0], *(tables or self._lod_tables(lods))]
        if self.row_visibility is not None:
            read.append(self.positions)
        self.numbers["level_count"], self.numbers["word_stride"] = levels, stride
        self.passes.append(
            SelectLod(self.library, read, self.lod_state, self.lod_masks, self.view, self.counts, self.mapping, self.draw_words)
        )
        if with_fade:
            self.lod_fade = self._table("lod_fade", "vec2", self.draw_words * 32)
            self.passes.append(FadeLod(self.library, read, self.lod_state, self.lod_fade, self.view, self.counts, size))
        self.masks = Masks(self.lod_masks, levels * stride, stride, size)

    def _add_draws(self, slots, max_instances):
        n, size = self.numbers, self.mapping.group_size
        n["draw_count"], n["max_instances_per_draw"] = len(slots), max_instances
        if self.lod_masks is None:
            n["word_stride"] = self.masks.words + 1
        self.draw_slots = self._upload("draw_slots", gpu_records.DRAW_SLOT, slots)
        self.indirect_args = self._table("indirect_args", layout.INDIRECT_ARGS, len(slots))
        self.draw_instances = self._table("draw_instances", "uint", len(self.bounds))
        self.word_offsets = self._table("word_offsets", "uint", self.masks.words + 1)
        if is_possible(self.mapping, self.transport, self.streams, self.masks.table is self.visibility, self.tree_tables):
            tables = SingleTables(self, slots)
            shared = self.view, self.counts, self.mapping, self._node_defines
            self.passes = [SingleTree(self.library, self.streams, self.tree_tables, tables, *shared)]
            return
        if self.masks.table is not self.visibility:
            n["block_count"] = self.masks.block_count
            self.block_counts = self._table("block_counts", "uint", self.masks.block_count)
            self.passes.append(Count(self.library, self.masks, self.block_counts, self.counts, size))
        blocks = self.block_counts
        if self.masks.block_count > MAX_UNSCANNED_BLOCKS:
            blocks = self._table("block_offsets", "uint", self.masks.block_count + 1)
            self.passes.append(Scan(self.library, self.block_counts, blocks, self.counts, size))
        rows = next((t for t in self.streams.tables if t.name == "rows"), None) if self.row_visibility is None else None
        few = (self.draw_slots, self.indirect_args) if len(slots) <= MAX_DRAWS_WITH_SCATTER else ()
        self.passes.append(
            Scatter(
                self.library, self.masks, blocks, rows, self.draw_instances, self.word_offsets, self.counts, self.mapping, few
            )
        )
        if not few:
            self.passes.append(
                Arguments(self.library, self.masks, self.draw_slots, self.word_offsets, self.indirect_args, self.counts, size)
            )

    def _add_reset(self):
        slots = self.draw_slots if self.indirect_args is not None else None
        self.reset_pass = Reset(self.library, self.lod_state, slots, self.indirect_args, self.counts, self.mapping.group_size)

    def reset(self) -> None:
        """Forget every instance's LOD: the next frame chooses afresh."""
        if self.reset_pass is not None:
            self.reset_pass.run()
            Pass.finish()

    def update(self, bounds: InstanceBounds, rows, tree: GpuTree | None = None) -> int:
        """Upload changed instances only; nothing of the rest travels.

        Parameters
        ----------
        bounds : InstanceBounds
            Of the whole scene, after the change. Records that a rule reads are not uploaded again.
        rows : (K,) integer
            Rows whose sphere, box or visibility changed. Cull radii, primitives and LODs stay as they were.
        tree : GpuTree, optional
            The tree after `refit`: its boxes are uploaded. Its order must be that of the culler's.

        Returns
        -------
        int
            Bytes uploaded.
        """
        rows = np.asarray(rows, np.int64)
        positions = rows if self.tree is None else self.tree.positions[rows]
        self.bounds = bounds
        uploaded = self.updates.upload(self.streams, bounds, rows, positions)
        if tree is not None:
            self.tree = tree
            uploaded += self.tree_tables.refit(tree)
        return uploaded

    def set_view(self, view: CullView) -> None:
        """The camera of the next `run`."""
        options = {} if self.scene is None else {"convention": self.scene.convention}
        forced, whole_from = getattr(self, "forced_lod", None), self.conservative_distance or 0.0
        self.view.update(gpu_streams.view_constants(view, forced_lod=forced, conservative_distance=whole_from, **options))

    def run(self) -> None:
        """Queue all passes; does not wait."""
        for one in self.passes:
            one.run()
        Pass.finish()

    def wait(self) -> None:
        """Return when everything queued is done."""
        self._small.read_words()

    def cull(self, view: CullView) -> GpuCullResult:
        """Cull for `view`. The result is read from the GPU when asked for, until the next `run`."""
        self.set_view(view)
        self.run()
        return GpuCullResult(self)
