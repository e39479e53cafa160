"""The container: a `SceneData` in one glTF 2.0 file that every viewer shows and an engine maps into memory.

>>> from gpuscene.core import gltf
>>> gltf.write(scene, "forest.glb").bytes
>>> gltf.read("forest.glb")["instance_transforms"]

`write` and `read` are inverses. `read_info` summarises a file; `check` tests that the tables of a scene fit together.
"""

from .info import read_info
from .reader import read
from .semantics import check
from .writer import WriteResult, write

__all__ = ["WriteResult", "check", "read", "read_info", "write"]
