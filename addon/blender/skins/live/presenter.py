"""Turns a skin session's numbers into the `model.PanelView` that the panel shows."""

from __future__ import annotations

from ....core.live.metrics import bytes_text
from ...live.model import lines
from ..findings import TOLERANCE
from . import model


def panel_view(session) -> model.PanelView:
    """Of a running `SkinSession`."""
    characters = {uid: _character(session, uid) for uid in session.names}
    count = sum(session.stage.particles.values())
    each = sum(_bytes(session, actor) for actor in session.actors.values())
    rows = (("Characters", f"{len(session.actors):,} of {len(session.chosen):,}"), ("Particles", f"{count:,}"),
            ("Bytes a Frame", bytes_text(each)), ("Sent Last", bytes_text(session.stage.bytes_sent)),
            ("Device", session.stage.kind.upper()))
    return model.PanelView(lines(session.stage.note), rows, _steps(session), characters)


def _character(session, uid) -> model.CharacterView:
    problem = session.problems.get(uid)
    if problem:
        return model.CharacterView("cannot be shown", (), (lines(problem),), True)
    actor = session.actors.get(uid)
    if actor is None:
        return model.CharacterView("not in the view layer, or hidden")
    settings = session.settings
    detail = settings.steps()[actor.level][1]
    packed = actor.packed(detail)
    rows = [("Bones", f"{packed.bone_count} of {actor.character.skin.bone_count - 1} used"),
            ("Particles", f"{session.stage.particles.get(actor.name, 0):,}"),
            ("Bytes a Frame", f"{_bytes(session, actor):,}"), ("Influences", str(packed.influence_count))]
    if settings.lod is not None:
        rows.append(("Level", str(actor.level)))
    short, alert = "", bool(actor.character.findings)
    measured = session.measured.get(uid)
    if measured is not None:
        short = error_text(measured.shown)
        rows += [("Error", short), ("Unlimited", error_text(measured.unlimited)), ("Measured At", f"frame {measured.frame:g}")]
        alert |= measured.unlimited.share > TOLERANCE
    findings = tuple(lines(f"{f.message} {f.hint}".rstrip()) for f in actor.character.findings)
    return model.CharacterView(short, tuple(rows), findings, alert)


def _bytes(session, actor) -> int:
    settings = session.settings
    return session.stage.bytes_of(actor, actor.packed(settings.steps()[actor.level][1]), settings)


def _steps(session) -> tuple:
    """The worst character at each step of the level of detail."""
    worst: dict = {}
    for measured in session.measured.values():
        for label, error in measured.steps.items():
            if label not in worst or error.share > worst[label].share:
                worst[label] = error
    return tuple((label, error_text(error)) for label, error in worst.items())


def error_text(error) -> str:
    """A `SkinError`'s largest distance, in millimetres and in parts of the height."""
    return f"{1000 * error.largest:.3g} mm, {error.share:.3%}"
