"""The tables that every instance test reads, in culling order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core import layout
from ...core.culling import gpu_streams
from ...core.culling.bounds import InstanceBounds
from ...core.culling.gpu_records import INSTANCE_BOX
from ...core.scene import SceneData
from ...glsl.accessors import Binding
from ..buffers import Table, make_table
from ..custom_rule import CustomRule


@dataclass(frozen=True)
class Streams:
    """
    Attributes
    ----------
    tables : tuple of Table
        spheres, boxes, and as needed cull_radii, rows (culling order to row), instance_transforms and instance_data (for a rule).
    count : int
        Instances.
    has_hidden : bool
        Some instance is not drawable.
    rule : CustomRule or None
    """

    tables: tuple
    count: int
    has_hidden: bool
    rule: CustomRule | None = None

    @classmethod
    def upload(
        cls,
        capabilities,
        transport: str,
        bounds: InstanceBounds,
        order: np.ndarray | None = None,
        *,
        rule: CustomRule | None = None,
        scene: SceneData | None = None,
        movable: bool = False,
    ) -> "Streams":
        """`order` (N,) uint32: row at each culling position; None: row order. A rule needs the whole `scene`. `movable`:
        instances may be hidden later.
        """

        def table(name, element, rows):
            return make_table(capabilities, transport, name, element, rows=rows)

        spheres = gpu_streams.spheres(bounds, order)
        tables = [table("spheres", "vec4", spheres), table("boxes", INSTANCE_BOX, gpu_streams.boxes(bounds, order))]
        radii = gpu_streams.cull_radii(bounds, order)
        if radii is not None:
            tables.append(table("cull_radii", "float", radii))
        if order is not None:
            tables.append(table("rows", "uint", np.asarray(order, np.uint32)))
        if rule is not None:
            tables += [
                table(record.table, record, scene[record.table]) for record in (layout.INSTANCE_TRANSFORM, layout.INSTANCE_DATA)
            ]
        return cls(tuple(tables), len(spheres), movable or bool((spheres[:, 3] < 0).any()), rule)

    @property
    def word_count(self) -> int:
        """Visibility words."""
        return gpu_streams.word_count(self.count)

    @property
    def names(self) -> set:
        return {table.name for table in self.tables}

    @property
    def bindings(self) -> tuple:
        return tuple(self.binding(table) for table in self.tables)

    @property
    def defines(self) -> tuple:
        has_radius, has_rule = "cull_radii" in self.names, self.rule is not None
        return (
            ("HAS_CULL_RADIUS", int(has_radius)),
            ("HAS_HIDDEN", int(self.has_hidden)),
            ("HAS_RULE", int(has_rule)),
            ("HAS_ORDER", int("rows" in self.names)),
            ("ASKS_INSIDE", int(has_radius or has_rule or self.has_hidden)),
        )

    @property
    def user(self) -> tuple:
        return self.rule.parts if self.rule is not None else ()

    @staticmethod
    def binding(table: Table, access: str = "read") -> Binding:
        return Binding(table.name, table.element, access, table.on_device)
