"""Characters on the device: who is there, at which level, with which poses; made anew only where the settings ask for it."""

from __future__ import annotations

from ....core.errors import LimitError
from ....core.skinning.matrices import FORMATS
from ....device.errors import DeviceError, ShaderError
from .cpu_device import CpuSkins

#: names of the settings' colours in `device.skinning`
MODES = {"bone": "bone", "error": "weight_error", "age": "age", "speed": "speed", "plain": "flat"}
#: weight error of the last colour: four bytes stay below a hundredth, so that only dropped influences turn red
ERROR_RANGE = 0.1


class Stage:
    """
    Attributes
    ----------
    device : device.skinning.SkinDevice or CpuSkins
        None before the first `show`.
    note : str
        Why the processor moves the particles; empty while the GPU does.
    bytes_sent : int
        That the last pose took, with tables that were made anew for it.
    particles : dict
        Name -> number drawn.
    """

    def __init__(self):
        self.device, self.note, self.bytes_sent, self.particles = None, "", 0, {}
        self._made_for, self._painter, self._added, self._rest = None, None, {}, {}

    @property
    def kind(self) -> str:
        return "cpu" if isinstance(self.device, CpuSkins) else "gpu"

    def show(self, actors, settings, step: float | None, seconds: float) -> None:
        """These and no others, each at its level and newest pose.

        Parameters
        ----------
        actors : list of Actor
        step : float or None
            Frames from the pose before to the newest: at 0 it replaces that; None after a jump, which leaves no way behind.
        seconds : float
            Between the two newest poses.
        """
        made_for = settings.device, settings.poses, settings.matrix_format
        if self.device is None or made_for != self._made_for:
            self.clear()
            self.device, self.note = _make(settings)
            self._made_for = made_for
        try:
            self._fill(actors, settings, step, seconds)
        except (LimitError, DeviceError, ShaderError) as error:
            if self.kind == "cpu":
                raise
            self.clear()
            self._made_for, self.note = made_for, f"The CPU moves the particles: {error}"
            self.device = CpuSkins(settings.poses, settings.matrix_format, self.note)
            self._fill(actors, settings, step, seconds)

    def _fill(self, actors, settings, step, seconds):
        device, wanted = self.device, {actor.name: actor for actor in actors}
        for name in set(self._added) - set(wanted):
            self.forget(name)
        replay = step == 0 and settings.poses > 1
        for actor in actors:
            spawn = settings.spawn, settings.particles, settings.seed, settings.steps()
            there = self._added.get(actor.name)
            if there is None or there[0] is not actor or there[1] != spawn:
                self.forget(actor.name)
                device.add(actor.name, _levels(actor, settings))
                there, replay = (actor, spawn, 0), settings.poses > 1
            if there[2] != actor.level:
                device.set_level(actor.name, actor.level)
                replay |= len(actor.poses) > 1
            self._added[actor.name] = actor, spawn, actor.level
            if actor.character.moving_rest and self._rest.get(actor.name) is not actor.rest:
                device.set_rest(actor.name, actor.rest)
                self._rest[actor.name] = actor.rest
            self.particles[actor.name] = len(actor.points(settings, settings.steps()[actor.level][1]))
        if not actors:
            self.bytes_sent = 0
            return
        if replay or step is None:
            device.clear_trails()
        oldest = max(len(actor.poses) for actor in actors) - 1 if replay else 0
        device.set_color_mode(MODES[settings.color], seconds)
        for age in range(oldest, -1, -1):
            for actor in actors:
                device.pose(actor.name, actor.pose(age))
            self.bytes_sent = device.upload()
            device.run()

    @staticmethod
    def bytes_of(actor, packed, settings) -> int:
        """What of a frame is one character's: its matrices, and rest positions where they move."""
        moving = 12 * packed.skin.vertex_count if actor.character.moving_rest else 0
        return FORMATS[settings.matrix_format] * packed.bone_count + moving

    def forget(self, name: str) -> None:
        """Take a character off the device; nothing happens where it is not there."""
        if name in self._added:
            del self._added[name]
            self._rest.pop(name, None)
            self.particles.pop(name, None)
            self.device.remove(name)

    def clear(self) -> None:
        """Free everything."""
        self.device = self._painter = self._made_for = None
        self._added, self._rest, self.particles, self.bytes_sent = {}, {}, {}, 0

    def draw(self, clip_from_world, size, scale: float, settings) -> None:
        """Draw the particles, and their trails, to the framebuffer that is bound."""
        if not self._added:
            return
        if self._painter is None:
            if self.kind == "cpu":
                from .cpu_painter import CpuPainter as Painter
            else:
                from ....device.skinning import SkinPainter as Painter
            self._painter = Painter(self.device)
        ranges = {"error": (0.0, ERROR_RANGE), "speed": (0.0, settings.top_speed)}
        self._painter.draw(clip_from_world, size, scale, mode=MODES[settings.color], pixels=settings.size, color=settings.plain,
                           offset=settings.offset, trails=settings.trail > 0, value_range=ranges.get(settings.color))


def _levels(actor, settings) -> list:
    from ....device.skinning import Level

    return [Level(actor.packed(detail), actor.points(settings, detail)) for _, detail in settings.steps()]


def _make(settings) -> tuple:
    """(device, note)."""
    if settings.device == "cpu":
        note = "The CPU moves the particles, as set."
    else:
        from ....device.skinning import SkinDevice

        try:
            return SkinDevice(transport=None, trail_length=settings.poses, matrices=settings.matrix_format), ""
        except (DeviceError, ShaderError, LimitError) as error:
            note = f"The CPU moves the particles: {error}"
    return CpuSkins(settings.poses, settings.matrix_format, note), note
