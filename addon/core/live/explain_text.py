"""Wording of explanations: names of settings, of what they belong to, and the numbers to set them to."""

from __future__ import annotations

import math

import numpy as np

from .. import layout

#: by whether it is dropped
DROPPED_AT = {False: "keeps", True: "drops"}
#: past this, growing the bounds is no advice
_MAX_BOUNDS_SCALE = 4.0
_NOT_FINITE = "Its transform or bounds hold numbers that are not finite."
#: camera -> how to look elsewhere, and where its clipping and lens are set
_TURN = {"view": "Turn the view", "scene": "Turn the scene camera",
         "frozen": "Unfreeze and Freeze again, in GPUScene > Live, where it is in view"}
_LENS = {"view": "in the sidebar's View tab", "scene": "in the camera's Lens panel", "frozen": "and Freeze again"}

#: the same without perspective
_ZOOM = {"view": "zoom out", "scene": "raise Orthographic Scale in the camera's Lens panel",
         "frozen": "zoom out and Freeze again"}


def percent(share: float) -> str:
    """Of the view's height, with three digits that count."""
    value = 100 * share
    if value > 1000:
        return "over 1,000 %"
    return f"{value:,.0f} %" if value >= 100 else f"{value:.3g} %" if value >= 0.001 or value == 0 else "under 0.001 %"


def rounded_up(value: float) -> str:
    """At least `value`, with three digits."""
    if not 0 < value < math.inf:
        return f"{value:g}"
    unit = 10.0 ** (math.floor(math.log10(value)) - 2)
    rounded = math.ceil(value * (1 + 1e-5) / unit)
    return f"{rounded * unit:.10g}"


class Words:
    """Of one slot of `tables` in one view; lengths come in scene units."""

    def __init__(self, tables, slot, units, camera, rule_name, is_perspective):
        self.tables, self.slot, self.units, self.camera, self.is_perspective = tables, slot, units, camera, is_perspective
        self.rule = f"The custom rule {rule_name}" if rule_name else "The custom rule"
        self.channel = next((channel for channel in tables.channels if channel.index == 0), None)

    @property
    def subject(self) -> str:
        if not self.tables.alive[self.slot]:
            return f"Free slot {self.slot:,}"
        return f"{self.tables.names[self.tables.sources[self.slot]]} (slot {self.slot:,})"

    @property
    def slot_text(self) -> str:
        tables, slot = self.tables, self.slot
        if not tables.alive[slot]:
            return f"Slot {slot:,} of {tables.capacity:,} is free."
        data = tables.data[slot]
        return (f"Slot {slot:,} of {tables.capacity:,}, primitive {data['primitive_id']:,}, instance id "
                f"0x{data['instance_id']:08x}, key 0x{int(tables.keys[slot]):016x}.")

    @staticmethod
    def frames(count: int) -> str:
        return f"{count:,} frame{'' if count == 1 else 's'}"

    def of_age(self, age: int) -> str:
        return "is still to come" if age < 0 else "is of this frame" if age == 0 else f"is {self.frames(age)} old"

    @property
    def fewer_slices(self) -> str:
        return "Set Slices in GPUScene > Live to 1 to have every answer in the same frame."

    # Visibility

    def visibility(self, drawable: bool) -> str:
        if drawable:
            return "It is shown and its transform is valid."
        return "It is hidden in Blender." if self._is_hidden else _NOT_FINITE

    def hidden(self) -> tuple:
        if self._is_hidden:
            return ("Not drawn: it is hidden in Blender.",
                    "Show the object and its collections in the Outliner: the eye, and the monitor of Disable in Viewports.")
        return (f"Not drawn: {_NOT_FINITE[0].lower()}{_NOT_FINITE[1:]}",
                "Give the object, and what instances it, a finite location, rotation and scale in the sidebar's Item tab.")

    @property
    def _is_hidden(self) -> bool:
        """Valid, but not visible."""
        flags = int(self.tables.transforms["flags"][self.slot])
        return flags & (layout.INSTANCE_VALID | layout.INSTANCE_VISIBLE) == layout.INSTANCE_VALID

    # Distance

    @property
    def has_own_radius(self) -> bool:
        return bool(self.tables.data["custom_data"][self.slot, 0, 0] > 0)

    @property
    def radius_name(self) -> str:
        return f"its own {self._property}" if self.has_own_radius else "Cull Distance in GPUScene > Culling"

    @property
    def _property(self) -> str:
        """What gives the cull radius, by the channel registry."""
        return self.channel.name or self.channel.label if self.channel else "cull_radius"

    def raise_radius(self, away: float) -> str:
        own = rounded_up(away)
        if not self.has_own_radius:
            metres = rounded_up(away / self.units)
            return (f"Raise Cull Distance in GPUScene > Culling to {metres} m or more, or give this object a {self._property} of "
                    f"{own}.")
        if self.channel is not None and self.channel.source == "constant":
            return f"Raise the constant {self._property} in GPUScene > Custom Data to {own} or more."
        return f"Raise this object's {self._property} to {own} or more; 0 leaves it to Cull Distance in GPUScene > Culling."

    # Frustum

    def widen(self, reach, scale: float) -> str:
        """What brings something behind `reach`'s plane into view; `scale`: growth of the bounds that would."""
        behind = f"{rounded_up(max(-reach.slack, 0) / self.units)} m"
        lens = _LENS[self.camera]
        if reach.plane == "near":
            advice = f"Lower Clip Start by {behind} or more {lens}, or move back"
        elif reach.plane == "far":
            advice = f"Raise Clip End by {behind} or more {lens}, or move closer"
        else:
            lens = f"lower Focal Length {lens}" if self.is_perspective else _ZOOM[self.camera]
            advice = f"{_TURN[self.camera]}, or {lens}"
        total = scale * self.tables.options.bounds_scale
        if scale <= _MAX_BOUNDS_SCALE:
            advice += (f"; if the mesh itself is in view, raise Bounds Scale in GPUScene > Culling to "
                       f"{math.ceil(total * 1.005 * 100) / 100:.2f} or more")
        return advice + "."

    # Level of detail

    def lod(self, lods, fresh: int, lod: int, size: float, drawn: bool) -> str:
        """`lods`: `LodInputs` of this row alone; `fresh`: LOD by its size now; `lod`: the one it has."""
        bias = -0.5 * math.log2(float(lods.scale[0]))
        counted = size * 2.0 ** -bias
        count = int(lods.table.count[0])
        seen = f"It covers {percent(size)} of the view's height"
        if abs(bias) > 1e-6:
            seen += f", counted as {percent(counted)} by an LOD bias of {bias:+.3g}"
        verb = "is" if drawn else "would be"
        if lods.forced is not None:
            return f"{seen}; LOD {lod} of {count} {verb} used because Forced LOD in GPUScene > Culling is {lods.forced}."
        if count == 1:
            return f"{seen}; its mesh has no other level than LOD 0."
        text = f"{seen}; LOD {lod} of {count} {verb} used {self._band(lods.table, lod, count)}"
        table = lods.table
        enter, finer, coarser = (np.sqrt(a[0].astype(np.float64)) for a in (table.enter, table.finer, table.coarser))
        if lod == fresh:
            within = (lod == count - 1 or counted >= enter[lod]) and (lod == 0 or counted < enter[lod - 1])
            return text + ("." if within else "; the size is at the border.")
        held = (lod >= count - 1 or counted >= coarser[lod]) and (lod == 0 or counted <= finer[lod - 1])
        why = "held there by the switch's band" if held else "chosen when it was last tested"
        return f"{text}, {why} (a fresh choice is LOD {fresh})."

    @staticmethod
    def _band(table, lod, count) -> str:
        """The sizes at which a LOD is used."""
        enter, finer = (np.sqrt(a[0].astype(np.float64)) for a in (table.enter, table.finer))
        parts = [f"from {percent(enter[lod])} up"] if lod < count - 1 else []
        if lod > 0:
            parts.append(f"below {percent(enter[lod - 1])}")
        switch = lod if lod < count - 1 else lod - 1
        width = finer[switch] / enter[switch] - 1 if enter[switch] > 0 else 0
        return " and ".join(parts) + (f", give or take {percent(width)} of that" if width > 5e-4 else "")
