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
    """

    axes: str = "blender"
    visible: str = "viewport"
    scope: str = "scene"
    collection: str = ""
    frame: int | None = None
    container: str = "auto"
