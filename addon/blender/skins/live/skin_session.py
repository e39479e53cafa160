"""Particles on the skins of one scene.

It holds names, numbers and arrays, never an ID of Blender's. Handlers only mark what changed; each redraw reads the bone matrices
from the dependency graph that is being drawn, so particles show that very frame. Costs a look at each chosen object where
something changed, nothing otherwise.
"""

from __future__ import annotations

import time
from dataclasses import replace

import bpy
import numpy as np

from ....core.errors import GpuSceneError
from ...live.handlers import one_line
from ..character import read_character
from . import measuring
from .actor import Actor, rig_settings_of, signature_of
from .properties import chosen_of, settings_of
from .stage import Stage

#: frames from one drawn pose to the next past which it is a jump: what lies between is not the way here
JUMP = 10


class SkinSession:
    """
    Parameters
    ----------
    scene : bpy.types.Scene
    view_layer : bpy.types.ViewLayer
    settings : SkinSettings, optional
        None: the scene's properties, read again by `read_settings`.
    chosen : tuple of Chosen, optional

    Attributes
    ----------
    scene_uid : int
        ``Scene.session_uid``.
    view_layer_name : str
    actors : dict
        ``Object.session_uid`` -> `Actor`, of the chosen objects that are shown.
    problems : dict
        ``Object.session_uid`` -> one line, of those that cannot be.
    measured : dict
        ``Object.session_uid`` -> `measuring.Measured`.
    stage : Stage
        What moves the particles.
    frame : float or None
        That was read last.
    error : str
        One clear line when the session could not go on. It has ended then.
    """

    def __init__(self, scene, view_layer, settings=None, chosen=None):
        self.scene_uid, self.view_layer_name = scene.session_uid, view_layer.name
        self.settings = settings_of(scene) if settings is None else settings
        self.chosen = chosen_of(scene) if chosen is None else chosen
        self.actors, self.problems, self.measured = {}, {}, {}
        self.stage = Stage()
        self.frame, self.seconds_per_pose = None, 0.0
        self.error, self.has_ended = "", False
        self.read_milliseconds = 0.0
        self._marked, self._stale = True, set()
        self._rigs_edited = False  # or posed by hand: Blender reports both alike
        self._eyes: dict = {}

    @property
    def names(self) -> dict:
        """``Object.session_uid`` -> name, of all chosen ones."""
        return {chosen.uid: chosen.name for chosen in self.chosen}

    @property
    def has_marks(self) -> bool:
        """Something changed since the last redraw."""
        return self._marked

    def shows(self, scene, view_layer) -> bool:
        """Whether these are what the session is of."""
        return scene.session_uid == self.scene_uid and view_layer.name == self.view_layer_name

    def mark(self, depsgraph, frame_changed: bool = False) -> None:
        """Note what ``depsgraph.updates`` names, and read rest meshes that move, which a redraw must not. Called by handlers."""
        if depsgraph.mode != "VIEWPORT" or not self.shows(depsgraph.scene, depsgraph.view_layer):
            return
        moved, edited = set(), set()
        for update in depsgraph.updates:
            self._rigs_edited |= isinstance(update.id, bpy.types.Armature)
            if not (update.is_updated_geometry or update.is_updated_transform):
                if not isinstance(update.id, (bpy.types.Object, bpy.types.Mesh)):
                    self._marked = True  # visibility of collections, the view layer, actions
                continue
            self._marked = True
            (moved if isinstance(update.id, bpy.types.Object) else edited).add(update.id.original.session_uid)
        self._marked |= frame_changed
        if not self._marked:
            return
        for actor in self.actors.values():
            mesh, *_ = actor.signature
            if mesh in edited:
                self._stale.add(actor.uid)  # edited, or its weights painted
            elif actor.character.moving_rest and (frame_changed or actor.uid in moved or edited):
                self._read_rest(actor, depsgraph)

    def mark_all(self, *_why) -> None:
        """Read every character anew at the next redraw: after undo, or when asked for."""
        self._marked = True
        self._stale.update(self.actors)

    def read_settings(self, scene) -> None:
        """Take over what the user set. Called by every redraw; costs microseconds."""
        self.configure(settings_of(scene), chosen_of(scene))

    def configure(self, settings=None, chosen=None) -> None:
        """Settings without properties, for scripts and pictures that draw no window."""
        if chosen is not None and chosen != self.chosen:
            self.chosen, self._marked = chosen, True
        if settings is not None and settings != self.settings:
            before = self.settings
            if replace(settings, offset=before.offset, size=before.size, plain=before.plain) != before:
                self._marked = True  # else only the picture is another
            self.settings = settings

    def redraw(self, depsgraph, view_key: int = 0, eye=None, may_read: bool = True) -> bool:
        """Bring the particles to the state of `depsgraph` (evaluated).

        Parameters
        ----------
        view_key : int
            The same for the same view.
        eye : (3,) or None
            Where it looks from: levels of detail go by the nearest eye.
        may_read : bool
            Read characters that are new or edited. Within a draw handler it must not, since their meshes are evaluated once more.

        Returns
        -------
        bool
            Some character waits to be read; ask again with `may_read`.
        """
        started = time.perf_counter()
        if eye is not None and not np.array_equal(self._eyes.get(view_key), eye):
            self._eyes[view_key] = np.array(eye, float)
            self._marked |= self.settings.lod is not None
        if not self._marked:
            return False
        waits = self._sync(depsgraph, may_read)
        self._marked = waits
        self.read_milliseconds = 1000 * (time.perf_counter() - started)
        return waits

    def keep_views(self, keys) -> None:
        """Forget the eyes of views that are not among `keys`."""
        self._eyes = {key: eye for key, eye in self._eyes.items() if key in keys}

    def _sync(self, depsgraph, may_read: bool) -> bool:
        frame = depsgraph.scene.frame_current_final
        step = None if self.frame is None or abs(frame - self.frame) > JUMP else frame - self.frame
        if step is None:
            for actor in self.actors.values():
                actor.poses.clear()
        if step:
            self.seconds_per_pose = abs(step) * seconds_per_frame(depsgraph.scene)
        waits, shown, settings = False, {}, self.settings
        self.problems = {}
        for chosen in self.chosen:
            obj = self._object(chosen, depsgraph)
            if obj is None:
                continue
            try:
                actor = self.actors.get(chosen.uid)
                signature = signature_of(obj)
                if self._rigs_edited and actor is not None and actor.rig_settings != rig_settings_of(obj):
                    actor = None
                    self._stale.add(chosen.uid)
                if actor is None or chosen.uid in self._stale or actor.signature != signature:
                    if not may_read:
                        waits = True
                        if actor is None or actor.signature != signature:
                            continue
                    else:
                        actor = self._read(chosen, obj, signature, depsgraph)
                if actor.character.key != chosen.key:
                    actor.character = replace(actor.character, key=chosen.key)  # renamed
                actor.push(actor.character.matrices(obj, depsgraph), settings.poses, same_frame=step == 0)
                actor.level = settings.step_at(self._distance(actor, obj))
                shown[chosen.uid] = actor
            except GpuSceneError as error:
                self.problems[chosen.uid] = str(error)
        self.actors, self._rigs_edited = shown, False
        self.measured = {uid: value for uid, value in self.measured.items() if uid in shown}
        self.frame = frame
        self.stage.show(list(shown.values()), settings, step, self.seconds_per_pose or seconds_per_frame(depsgraph.scene))
        return waits

    def _object(self, chosen, depsgraph):
        """The evaluated object, or None while it is deleted, hidden, or in another scene."""
        original = bpy.data.objects.get(chosen.key)
        if original is None or original.session_uid != chosen.uid or original.type != "MESH":
            return None
        evaluated = original.evaluated_get(depsgraph)
        if not evaluated.is_evaluated or not original.visible_get(view_layer=depsgraph.view_layer):
            return None
        return evaluated

    def _read(self, chosen, obj, signature, depsgraph) -> Actor:
        actor = Actor(chosen.uid, read_character(obj, depsgraph), signature, rig_settings_of(obj))
        before = self.actors.get(chosen.uid)
        if before is not None and before.character.skin.bones == actor.character.skin.bones:
            actor.poses = before.poses.copy()
        self._stale.discard(chosen.uid)
        self.measured.pop(chosen.uid, None)
        self.stage.forget(actor.name)
        return actor

    def _read_rest(self, actor, depsgraph) -> None:
        chosen = next((c for c in self.chosen if c.uid == actor.uid), None)
        obj = self._object(chosen, depsgraph) if chosen is not None else None
        if obj is None:
            return
        try:
            actor.rest = actor.character.rest(obj, depsgraph)
        except GpuSceneError:
            self._stale.add(actor.uid)  # other vertices than it had

    def _distance(self, actor, obj) -> float:
        if self.settings.lod is None or not self._eyes:
            return 0.0
        where = np.array(obj.matrix_world, float)[:3, 3]
        return min(float(np.linalg.norm(eye - where)) for eye in self._eyes.values())

    def measure(self, depsgraph) -> None:
        """Hold every character against Blender's evaluated mesh at this frame; `measured` has the result."""
        for chosen in self.chosen:
            actor, obj = self.actors.get(chosen.uid), self._object(chosen, depsgraph)
            if actor is None or obj is None:
                continue
            try:
                self.measured[chosen.uid] = measuring.measure(actor, obj, depsgraph, self.settings)
            except GpuSceneError as error:
                self.problems[chosen.uid] = str(error)

    def positions(self, uid: int, age: int = 0) -> np.ndarray:
        """(N, 3) float32 world positions of an object's particles as they are drawn, without the debug offset."""
        return self.stage.device.positions(self.actors[uid].name, age)

    def fail(self, error: BaseException) -> None:
        """End because of `error`. Handlers stay silent from now on and are removed when none of them runs any more."""
        self.error, self.has_ended = one_line(error), True
        if bpy.app.background:
            self.end()
        else:
            bpy.app.timers.register(self.end, first_interval=0.0)

    def end(self) -> None:
        """Stop, if this is still the session that runs."""
        from . import session

        if session.current() is self:
            session.stop(self.error)

    def stop(self) -> None:
        """Free GPU tables. Use the module's `stop`, which also removes the handlers."""
        self.has_ended = True
        self.stage.clear()
        self.actors.clear()


def seconds_per_frame(scene) -> float:
    """By the scene's frame rate."""
    return scene.render.fps_base / scene.render.fps
