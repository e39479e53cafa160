"""What an export is asked to do."""

from __future__ import annotations

from dataclasses import dataclass

VISIBILITIES = ("viewport", "render")
SCOPES = ("scene", "collection", "selection")
CONTAINERS = ("auto", "glb", "gltf")


@dataclass(frozen=True)
class ExportSettings:
    """Settings of one export.

    Attributes
    ----------
    axes : str
        A name in ``core.conventions.PRESETS``.
    visible : {"viewport", "render"}
        Whose visibility and modifier settings count.
    scope : {"scene", "collection", "selection"}
    collection : str
        For scope "collection".
    frame : int or None
        Frame to go to first; None stays.
    container : {"auto", "glb", "gltf"}
    clusters : {"auto", "spatial", "sah", "grid", "none"}
        Which cluster trees the file gets (``core.cluster_tree.with_trees``).
    cluster_size : int
        Most instances of a leaf, 1 to 1024.
    skins : bool
        Deformed instances get their skins, for a renderer that poses them itself. Viewport visibility only.
    skin_frames : (first, last, step) or None
        Frames whose poses the file holds.
    replace : bool
        False: an output that exists, also one that appeared meanwhile, is an error.
    """

    axes: str = "blender"
    visible: str = "viewport"
    scope: str = "scene"
    collection: str = ""
    frame: int | None = None
    container: str = "auto"
    clusters: str = "auto"
    cluster_size: int = 64
    replace: bool = True
    skins: bool = False
    skin_frames: tuple | None = None
