"""Why an instance is drawn or not: every test with its numbers, the one reason, and the setting that would change it.

Sentences are for artists: lengths in metres whatever the scene's unit, planes by name, settings by panel and name. Numbers are
float64 of what the float32 tests compared; where the two disagree within rounding, the test is right and the text says
"at the border".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..culling.camera import CullView
from . import measure, status
from .explain_tests import Case
from .metrics import length_text


@dataclass(frozen=True)
class Explanation:
    """
    Attributes
    ----------
    subject : str
        The object, and its slot.
    drawn : bool
        The culler's own answer.
    reason : str
        One sentence.
    remedy : str
        One sentence naming the setting that would change it; empty where nothing needs to.
    tests : tuple of Test
    code : int
        ``status.VISIBLE`` to ``status.LATE``: what `classify` says.
    """

    subject: str
    drawn: bool
    reason: str
    remedy: str
    tests: tuple
    code: int


def explain(tables, clusters, view: CullView, slot: int, *, visible: bool | None = None, lod: int | None = None, age: int = 0,
            rule_keeps: bool | None = None, rule_name: str = "", rule_runs: bool = True, camera: str = "view") -> Explanation:
    """Explain one slot in one view.

    Parameters
    ----------
    tables : LiveTables
    clusters : LiveClusters or None
        None: nothing is said of clusters.
    visible : bool, optional
        The culler's own answer. None: this frame's tests and `rule_keeps`.
    lod : int, optional
        What it is drawn with. None: chosen anew.
    age : int
        Frames since that answer; negative: it was never tested.
    rule_keeps : bool, optional
        What the custom rule says. None: unknown, and told from `visible` where every other test passes.
    rule_name : str
        Of the custom rule, for the text.
    rule_runs : bool
        False where the options' rule is left out: on the CPU, and where it does not compile.
    camera : {"view", "scene", "frozen"}
        Whose view it is: decides which setting is named.

    Raises
    ------
    IndexError
        There is no such slot.
    """
    if not 0 <= slot < tables.capacity:
        raise IndexError(f"slot {slot} of {tables.capacity}")
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        case = Case(tables, clusters, view, slot, visible, lod, age, rule_keeps, rule_name, rule_runs, camera)
        return Explanation(case.words.subject, case.drawn, *_reason(case), case.tests(), case.code)


def _reason(case) -> tuple:
    """The one reason, and the remedy."""
    words, code = case.words, case.code
    if code == status.VISIBLE:
        return _visible(case)
    if code == status.FREE:
        return ("Not drawn: the slot is free.",
                "It holds the next instance that is added; Compact in GPUScene > Live removes free slots.")
    if code == status.HIDDEN:
        return words.hidden()
    if code == status.DISTANCE:
        test, (away, _) = case.distance(), measure.distance(case.view, case.one)
        return f"Not drawn, by distance: {_inline(test.text)}", words.raise_radius(away)
    if code == status.FRUSTUM:
        return _outside(case)
    if code == status.RULE:
        return f"Not drawn: {_inline(words.rule)} drops it.", "Change the rule, or set Rule in GPUScene > Culling to None."
    return (f"Not drawn yet: this frame's tests keep it, but the answer {words.of_age(case.age)}.", words.fewer_slices)


def _visible(case) -> tuple:
    if case.passes and case.keeps is not False:
        return "Drawn: it passes every test.", ""
    return (f"Drawn, though this frame's tests drop it: the answer {case.words.of_age(case.age)}.", case.words.fewer_slices)


def _outside(case) -> tuple:
    spheres, boxes = case.spheres, case.boxes
    reach = measure.worst(spheres + boxes)
    behind = {one.plane for one in spheres + boxes if one.outside} - {reach.plane}
    others = [sphere.plane for sphere in spheres if sphere.plane in behind]
    more = f", and behind the {' and '.join(others)} plane{'s' if len(others) > 1 else ''} too" if others else ""
    what = "bounding sphere" if any(reach is sphere for sphere in spheres) else "bounding box"
    if reach.agrees:
        by = length_text(-case.metres(reach.slack))
        reason = f"Not drawn: its {what} lies {by} behind the {reach.plane} plane of the frustum{more}."
    else:
        reason = f"Not drawn: its {what} is at the border of the {reach.plane} plane, where 32-bit rounding drops it{more}."
    return reason, case.words.widen(reach, measure.needed_scale(spheres + boxes))


def _inline(sentence: str) -> str:
    """To go on after a colon."""
    return sentence[:1].lower() + sentence[1:]
