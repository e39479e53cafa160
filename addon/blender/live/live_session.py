"""Live state of one scene.

It holds names, numbers and tables, never an ID of Blender's. Handlers (`handlers`) only mark what changed; a redraw brings the
tables in step (`sync`), uploads what changed and culls for its own view (`frames`).
"""

from __future__ import annotations

import bpy

from ...core import ids
from ...core.errors import InputError
from ...core.live.explain import explain
from ...core.live.metrics import FrameStats, History
from ...core.live.options import LiveOptions
from ...core.live.status import LATE, RULE, VISIBLE
from ...core.scene import DEFAULT_CHANNELS
from ..converters import channels_from_scene
from . import model
from .frames import Frames
from .marks import Marks
from .sync import SceneSync
from .views import BLENDER, ViewSettings, ViewState, settings_of


class LiveSession:
    """Live state of one scene.

    Parameters
    ----------
    scene, view_layer : bpy.types.Scene, bpy.types.ViewLayer

    Attributes
    ----------
    scene_uid : int, ``Scene.session_uid`` of the scene that the tables follow; it outlives renaming and undo
    scene_name, view_layer_name : str
    convention : core.conventions.Convention
        Of the tables: Blender's own axes and metres.
    options : core.live.options.LiveOptions
    settings : views.ViewSettings
    frozen : core.culling.camera.Camera or None, what `freeze` kept
    history : core.live.metrics.History, of the frames whose figures were read
    is_watched : bool
        A panel or a recording looks at the figures. Where no overlay does either they are not read: that waits for the GPU.
    error : str
        One clear line when the session could not go on. It has ended then; `session.last_error()` gives the same text.
    has_ended : bool
    """

    def __init__(self, scene, view_layer):
        self.convention = BLENDER
        self.options, self.settings = settings_of(scene)
        self.history = History()
        self.frozen = self._overlay = None
        self.error, self.has_ended, self.is_watched = "", False, False
        self._follow(scene, view_layer)

    def _follow(self, scene, view_layer):
        self.scene_uid, self.scene_name, self.view_layer_name = scene.session_uid, scene.name_full, view_layer.name
        self._channel_error = ""
        self._sync = SceneSync(self.convention, DEFAULT_CHANNELS, self.options)
        self._frames = Frames(self._sync, self.options, self.history)

    @property
    def tables(self):
        """`core.live.tables.LiveTables`; another object after `reset` and scene changes."""
        return self._sync.tables

    @property
    def clusters(self):
        """`core.live.clusters.LiveClusters`, made by the first frame; None before."""
        return self._frames.clusters

    @property
    def device(self):
        """`LiveDevice` or `CpuDevice`, made by the first frame: headless use needs no GPU. None before."""
        return self._frames.device

    @property
    def views(self) -> dict:
        """``RegionView3D.as_pointer()`` -> `ViewState`, of regions that were drawn and still exist."""
        return self._frames.views

    @property
    def frame(self) -> int:
        """Redraws so far; several views drawn in turn count as one."""
        return self._frames.frame

    @property
    def upload(self):
        """`device.live.upload.Upload` of the last frame that sent something; None before."""
        return self._frames.upload

    @property
    def jitter_metres(self) -> float:
        """Largest distance between a drawn and a true position, from uploads put off."""
        return self._frames.jitter_metres

    @property
    def rule_error(self) -> str:
        """What is wrong with the custom rule."""
        return self._frames.rule_error

    @property
    def notes(self) -> tuple:
        """Lines that the panel shows: why the CPU culls, what is wrong with the custom rule."""
        return (self._channel_error, *self._frames.notes) if self._channel_error else self._frames.notes

    @property
    def has_marks(self) -> bool:
        """Something changed since the last `sync`."""
        return bool(self._sync.marks)

    @property
    def is_waiting(self) -> bool:
        """Changes wait for the upload of a later redraw."""
        return self._frames.is_waiting

    @property
    def dispatches(self) -> int:
        """Compute dispatches ever made, by uploads and by all views, those that are gone too."""
        return self._frames.dispatches

    def slot_of(self, object_name: str) -> int | None:
        """The first slot of what a top-level object shows, hidden ones too; else of its mesh wherever it is instanced. None for
        none.
        """
        slots = self.tables.slots_of(ids.name_key(object_name))
        if not len(slots) and object_name in self.tables.names:
            slots = (self.tables.alive & (self.tables.sources == self.tables.names.index(object_name))).nonzero()[0]
        return int(slots[0]) if len(slots) else None

    def stats(self, view_key: int | None = None) -> FrameStats | None:
        """Numbers of the last culled frame of a view (None: the one drawn last). Waits for the GPU if nobody has asked."""
        return getattr(self._view(view_key), "stats", None)

    def explain(self, slot: int, view_key: int | None = None):
        """`core.live.explain.Explanation` of one slot in a view (None: the one drawn last).

        Raises
        ------
        InputError
            No view was culled yet.
        """
        state = self._view(view_key)
        if state is None or state.cull_view is None:
            raise InputError("No 3D View has drawn the live scene yet.", "Show one, and ask again.")
        self._frames.catch_up(state)
        lod = int(state.live.lod_rows()[slot])
        # This frame's tests do not tell what the rule says, or whether it was asked: the status word does.
        keeps = {RULE: False, VISIBLE: True, LATE: True}.get(int(state.live.status_rows()[slot]) & 7)
        return explain(self.tables, self.clusters, state.cull_view, slot, visible=bool(state.live.visible_rows()[slot]),
                       lod=lod if lod != 255 else None, age=self._frames.age_of(state, slot), rule_keeps=keeps,
                       rule_runs=getattr(self.device, "rule", None) is not None, camera=state.source)

    def _view(self, key) -> ViewState | None:
        return self.views.get(self._frames.last_key if key is None else key)

    def overlay(self):
        """`device.overlay.Overlay` for the device's tables; made when first asked for."""
        if self._overlay is None:
            from ...device.overlay import Overlay

            self._overlay = Overlay(self.device.transport or None)
        return self._overlay

    def reach_from(self, position) -> float:
        """Scene units from `position` to the farthest corner of the scene's box."""
        return self._frames.reach_from(position)

    def keep_only(self, keys) -> None:
        """Forget the views that are not among `keys`."""
        self._frames.keep_only(keys)

    def mark(self, depsgraph, frame_changed: bool = False) -> None:
        """Note what ``depsgraph.updates`` names, of this scene's graph alone. Called by handlers."""
        if depsgraph.mode == "VIEWPORT" and depsgraph.scene.session_uid == self.scene_uid and (
                depsgraph.view_layer.name == self.view_layer_name):
            self._sync.mark(depsgraph, frame_changed)

    def mark_all(self, why: str = "asked for", anew: bool = False) -> None:
        """Read the whole scene at the next `sync`: undo, settings of the export, anything unclear. What is the same keeps its
        slot, unless `anew`.
        """
        self._sync.marks = Marks(why, anew or self._sync.marks.anew)

    def read_settings(self, scene) -> None:
        """Take over what the user set. Called by every redraw; costs microseconds."""
        options, settings = settings_of(scene)
        if options != self.options:
            self.configure(options)
        if settings != self.settings:
            self.settings = settings
            self.frozen = self.frozen if settings.camera == "frozen" else None

    def settings_changed(self) -> None:
        """Draw again: a redraw reads the settings. For `update=` callbacks."""
        model.redraw_views()

    def configure(self, options: LiveOptions | None = None, settings: ViewSettings | None = None) -> None:
        """Set options without properties, for scripts and tests that draw no window."""
        if options is not None and options != self.options:
            self.options = options
            self._frames.set_options(options)
        self.settings = settings or self.settings

    def follow(self, scene, view_layer) -> None:
        """Another scene or view layer is shown now: everything is made anew at the next `sync`."""
        self._frames.clear()
        self.frozen = None
        self._follow(scene, view_layer)

    def shows(self, scene, view_layer) -> bool:
        """Whether these are what the tables follow."""
        return scene.session_uid == self.scene_uid and view_layer.name == self.view_layer_name

    def sync(self, depsgraph) -> bool:
        """Bring `tables` up to date with `depsgraph` (evaluated); True when anything changed. Costs nothing without a mark."""
        if self._sync.marks.whole:
            self._read_channels(depsgraph.scene)
        return self._sync.update(depsgraph, bpy.data)

    def _read_channels(self, scene):
        """The registry may be in the middle of an edit: then the last one that made sense stays, and a note says what is
        wrong.
        """
        self._channel_error = ""
        if hasattr(scene, "gpuscene"):
            try:
                channels = channels_from_scene(scene)
                self._sync.marks.anew |= channels != self._sync.channels
                self._sync.channels = channels
            except InputError as error:
                self._channel_error = str(error)

    def redraw_view(self, key: int, camera, depsgraph=None, scene_camera=None) -> ViewState:
        """What a redraw of one view does: sync, upload when due, cull when something changed.

        Parameters
        ----------
        key : int
            The same for the same view.
        camera : core.culling.camera.Camera
            Of the view itself; `settings.camera` decides whether it is the one that culls.
        depsgraph : bpy.types.Depsgraph or None
            None: do not sync.
        scene_camera : Camera or None
            What the scene's camera sees, where `settings.camera` is "scene".
        """
        if depsgraph is not None:
            self.sync(depsgraph)
        camera, source = self._culling_camera(camera, scene_camera)
        return self._frames.redraw(key, camera, source, self.settings, self.is_watched)

    def _culling_camera(self, camera, scene_camera) -> tuple:
        if self.settings.camera == "scene" and scene_camera is not None:
            return scene_camera, "scene"
        if self.settings.camera == "frozen":
            self.frozen = self.frozen or camera
            return self.frozen, "frozen"
        return camera, "view"

    def freeze(self, camera) -> None:
        """Keep `camera`: it culls for every view while ``settings.camera`` is "frozen"."""
        self.frozen = camera

    def unfreeze(self) -> None:
        """Forget the frozen camera."""
        self.frozen = None

    def compact(self) -> None:
        """Close all holes now; everything is uploaded again, and every LOD chosen afresh."""
        self.tables.compact()

    def reset(self) -> None:
        """Forget history, frozen camera and LOD states; extract and upload everything anew."""
        self.history.clear()
        self.frozen = None
        self._frames.clear()
        self.mark_all("reset", anew=True)

    def fail(self, error: str) -> None:
        """End because of `error`. Handlers stay silent from now on and are removed when none of them runs any more."""
        self.error, self.has_ended = error, True
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
        self.has_ended, self._overlay = True, None
        self._frames.clear()
