"""Every test and fact of one instance in one view, in sentences with their numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .. import layout
from ..culling.lod_select import LodInputs, select
from . import measure, status
from .classify import PRECISION_STEPS, precision_levels, reasons
from .explain_text import DROPPED_AT, Words
from .metrics import length_text


@dataclass(frozen=True)
class Test:
    """One test, or one fact.

    Attributes
    ----------
    name : str
    passed : bool
        Facts that drop nothing pass.
    text : str
        A sentence.
    value, limit : float
        What was compared, lengths in metres. NaN where nothing is.
    """

    name: str
    passed: bool
    text: str
    value: float = math.nan
    limit: float = math.nan


class Case:
    """The measurements of one explanation, shared by its tests. Parameters are those of `explain.explain`.

    Attributes
    ----------
    passes : bool
        This frame's tests keep it, the rule aside.
    keeps : bool or None
        What the rule says; None: there is none, or it is not asked.
    drawn : bool
    code : int
        ``status.VISIBLE`` to ``status.LATE``.
    words : Words
    """

    def __init__(self, tables, clusters, view, slot, visible, lod, age, rule_keeps, rule_name, rule_runs, camera):
        self.tables, self.clusters, self.view, self.slot = tables, clusters, view, slot
        self.lod, self.age = lod, age
        self.one = measure.one_row(tables.bounds, slot)
        self.units = tables.convention.units_per_metre
        self.words = Words(tables, slot, self.units, camera, rule_name, view.is_perspective)
        self.alive = bool(tables.alive[slot])
        fresh = int(reasons(view, self.one, [False], alive=[self.alive])[0])
        self.passes = fresh == status.LATE
        self.rule_runs = rule_runs
        self.has_rule = bool(tables.options.rule.strip()) and rule_runs or rule_keeps is not None and not rule_keeps
        self.keeps = None if rule_keeps is None or not self.has_rule else bool(rule_keeps)
        if self.has_rule and rule_keeps is None and self.passes:
            self.keeps = visible is None or bool(visible)
        self.drawn = self.alive and (self.passes and self.keeps is not False if visible is None else bool(visible))
        keeps = None if self.keeps is None else [self.keeps]
        self.code = int(reasons(view, self.one, [self.drawn], keeps, [self.alive])[0])

    def tests(self) -> tuple:
        """`Test` after `Test`, in the order they are made; then the facts."""
        slot = Test("Slot", self.alive, self.words.slot_text, self.slot, self.tables.capacity)
        if not self.alive:
            return (slot,)
        return (self._visibility(), self.distance(), self._reach("Sphere", "bounding sphere", self.spheres),
                self._reach("Box", "bounding box", self.boxes), self._rule(), self._lod(), self._precision(), self._flags(),
                self._age(), slot, *self._clusters())

    @property
    def spheres(self):
        return measure.sphere_reaches(self.view, self.one)

    @property
    def boxes(self):
        return measure.box_reaches(self.view, self.one)

    def metres(self, value: float) -> float:
        return value / self.units

    # The tests, in the order they are made.

    def _visibility(self) -> Test:
        return Test("Visibility", bool(self.one.drawable[0]), self.words.visibility(bool(self.one.drawable[0])))

    def distance(self) -> Test:
        away, beyond = measure.distance(self.view, self.one)
        limit = float(self.one.cull_radius[0])
        value, bound = self.metres(away), self.metres(limit)
        if not limit > 0:
            return Test("Distance", True, f"It is {length_text(value)} from the camera and has no cull radius.", value, math.inf)
        by, past = self.words.radius_name, value - bound
        if (past > 0) != beyond:
            text = (f"Its nearest point is at the border of the cull radius of {length_text(bound)} ({by}): 32-bit rounding "
                    f"{DROPPED_AT[beyond]} it.")
        else:
            side = "past" if beyond else "within"
            text = (f"Its nearest point is {length_text(value)} from the camera, {length_text(abs(past))} {side} the cull radius "
                    f"of {length_text(bound)} ({by}).")
        return Test("Distance", not beyond, text, value, bound)

    def _reach(self, name, what, reaches) -> Test:
        reach = measure.worst(reaches)
        if reach is None:
            return Test(name, True, "The camera is panoramic: there is no frustum to be outside of.")
        value = self.metres(reach.slack)
        if not reach.agrees:
            text = f"Its {what} is at the border of the {reach.plane} plane: 32-bit rounding {DROPPED_AT[reach.outside]} it."
        elif reach.outside:
            text = f"Its {what} lies {length_text(-value)} behind the {reach.plane} plane."
        else:
            text = (f"Its {what} reaches {length_text(value)} inside the {reach.plane} plane, the nearest of {len(reaches)} to "
                    "drop it.")
        return Test(name, not reach.outside, text, value, 0.0)

    def _rule(self) -> Test:
        if not self.rule_runs and self.tables.options.rule.strip():
            return Test("Rule", True, f"{self.words.rule} is left out: it needs a GPU, and a text that compiles.")
        if not self.has_rule:
            return Test("Rule", True, "There is no custom rule (Rule in GPUScene > Culling).")
        if self.keeps is None:
            return Test("Rule", True, f"{self.words.rule} is not asked, because another test drops it before.")
        return Test("Rule", bool(self.keeps), f"{self.words.rule} {'keeps' if self.keeps else 'drops'} it.")

    def _lod(self) -> Test:
        tables, scene = self.tables, self.tables.capacity_scene()
        data = tables.data[self.slot:self.slot + 1].copy()
        primitive, data["primitive_id"] = int(data["primitive_id"][0]), 0
        one_scene = {"primitives": scene["primitives"][primitive:primitive + 1], "lods": scene["lods"], "instance_data": data}
        lods = LodInputs.of(one_scene, tables.options.lod_bias, tables.options.forced_lod)
        fresh = int(select(self.view, self.one, lods, np.zeros(1, np.int64))[0])
        size = measure.screen_size(self.view, self.one)
        text = self.words.lod(lods, fresh, fresh if self.lod is None else int(self.lod), size, self.drawn)
        return Test("Level of Detail", True, text, size)

    # Facts.

    def _precision(self) -> Test:
        center = self.one.center
        full = [bool(self._bits & layout.INSTANCE_FULL_PRECISION)]
        level = int(precision_levels(center, self.units, full)[0])
        step = self.metres(float(np.spacing(np.abs(center).max())))
        away = self.metres(float(np.abs(center).max()))
        text = (f"Positions in 32-bit numbers are {length_text(step)} apart here, {length_text(away)} from the origin along an "
                "axis")
        text += {status.FINE: ": fine.", status.ADEQUATE: ": adequate, but close-ups may jitter.",
                 status.COARSE: ": coarse. Tick Full Precision in GPUScene > Active Object, or move the scene to the origin.",
                 status.FULL: ", but the engine gets its matrix in 64 bits."}[level]
        return Test("Precision", True, text, step, PRECISION_STEPS[-1])

    @property
    def _bits(self) -> int:
        return int(self.tables.transforms["flags"][self.slot])

    def _flags(self) -> Test:
        set_flags = [name.removeprefix("INSTANCE_") for name, bit in layout.INSTANCE_FLAGS.items() if self._bits & bit]
        names = ", ".join(set_flags).replace("_", " ").capitalize() or "None"
        return Test("Flags", True, f"{names} (0x{self._bits:02x}).", self._bits)

    def _age(self) -> Test:
        if self.age < 0:
            text = "It has not been tested yet."
        elif self.age == 0:
            text = "The answer is of this frame."
        else:
            text = f"The answer is {self.words.frames(self.age)} old; Slices in GPUScene > Live is {self.tables.options.slices}."
        return Test("Age", True, text, self.age, 2 * self.tables.options.slices - 1)

    def _clusters(self) -> tuple:
        if self.clusters is None:
            return ()
        path = [int(node) for node in self.clusters.path_of(self.slot)]
        if not path:
            return (Test("Clusters", True, "It is in no cluster: it came after the tree was built, and is always tested.", 0),)
        nodes = self.clusters.tree.nodes[path]
        steps = " > ".join(f"{node} {state}" for node, state in zip(path, measure.box_states(self.view, nodes)))
        held = int(nodes["count"][-1] & np.uint32(layout.CLUSTER_LEAF - 1))
        held = f"{held:,} instance{'' if held == 1 else 's'}"
        return (Test("Clusters", True, f"From root to leaf: {steps}; the leaf holds {held}.", len(path)),)
