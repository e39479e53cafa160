"""The live session: one owner of everything that is live about one scene.

It holds names, numbers and tables, never an ID of Blender's. Handlers (`handlers`) only mark what changed; a redraw brings the tables in
step (`sync`), uploads what changed and culls for its own view. Nothing runs while there is no session.
"""

from __future__ import annotations

from ...core.errors import GpuSceneError

_current = None
_last_error = ""


def current():
    """The running `LiveSession`, or None."""
    return _current


def last_error() -> str:
    """Why the last session ended by itself, in one line; empty after a plain `stop` and after a new `start`."""
    return _last_error


def start(context):
    """Start a session of `context`'s scene and view layer, replacing one that runs. Handlers are installed.

    Returns
    -------
    LiveSession

    Raises
    ------
    GpuSceneError
        One line; nothing is left installed.
    """
    raise GpuSceneError("not made yet")


def stop(error: str = "") -> None:
    """End the session and remove every handler. Nothing happens when none runs. `error`: kept for `last_error`."""


class LiveSession:
    """Live state of one scene.

    Attributes
    ----------
    scene_name, view_layer_name : str
        Full names; of the scene and view layer that the tables follow.
    tables : core.live.tables.LiveTables
    clusters : core.live.clusters.LiveClusters
    device : device.live.scene.LiveDevice or device.live.cpu_view.CpuDevice
        None until the first view is culled: headless use needs no GPU. `device.kind`, `device.note` say what culls, and why.
    options : core.live.options.LiveOptions
    settings : views.ViewSettings
        `camera` ("view", "scene", "frozen"), `update_every` (frames between uploads), `overlay` (plain data of the UI, or None).
    views : dict of int to views.ViewState
        By ``RegionView3D.as_pointer()``; of the regions that were drawn and still exist.
    frozen : core.culling.camera.Camera or None
        What `freeze` kept.
    frame : int
        Redraw count of the session: + 1 a redraw of the first view.
    error : str
        One clear line when the session could not go on; it is stopped then and `session.last_error()` has the same text.
    jitter_metres : float
        Largest distance between a drawn and a true position, from uploads put off.
    upload : device.live.scene.Upload or None
        The last upload: bytes, seconds, whole.
    history : core.live.metrics.History
    """

    def mark(self, depsgraph) -> None:
        """Note what `depsgraph.updates` names. Called by handlers; costs a few microseconds an update, copies moved matrices."""

    def mark_all(self, why: str = "") -> None:
        """Extract the whole scene anew at the next `sync` (undo, settings of the export, anything unclear)."""

    def settings_changed(self) -> None:
        """Properties of ``Scene.gpuscene_live`` changed: they are read again at the next redraw. For `update=` callbacks."""

    def sync(self, depsgraph) -> bool:
        """Bring `tables` and `clusters` up to date with `depsgraph` (evaluated); True when anything changed.

        Called once a redraw before its first view, and by tests. Costs nothing when nothing is marked.
        """

    def redraw_view(self, key: int, camera, depsgraph=None):
        """What a redraw of one view does: sync, upload when due, cull when something changed. Returns the `ViewState`.

        Parameters
        ----------
        key : int
        camera : core.culling.camera.Camera
            Of the view itself; `settings.camera` decides whether it is the one that culls.
        depsgraph : bpy.types.Depsgraph or None
            None: do not sync.
        """

    def freeze(self, camera) -> None:
        """Cull with `camera` from now on, in every view, whatever they look at (``settings.camera`` becomes "frozen")."""

    def unfreeze(self) -> None:
        """Each view culls with its own camera again."""

    def explain(self, slot: int, view_key: int | None = None):
        """`core.live.explain.Explanation` of one slot in the view last drawn (or of `view_key`). Raises `InputError` when there is none."""

    def slot_of(self, object_name: str) -> int | None:
        """The first slot of an object's instances, hidden ones too; None when it has none. `object_name`: full name."""

    def stats(self, view_key: int | None = None) -> dict:
        """Numbers for `core.live.metrics.dashboard`, of the view last drawn (or of `view_key`)."""

    def reset(self) -> None:
        """Forget history, frozen camera and LOD states; extract and upload everything anew."""

    def stop(self) -> None:
        """Free GPU tables. Use the module's `stop`, which also removes the handlers."""
