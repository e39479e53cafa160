"""What is in a file, as JSON values: for ``gpuscene info``."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np

from .. import limits
from . import document, reader

TOP_PRIMITIVES = 10


def read_info(path, verify: bool = True) -> dict:
    """Summarise a file.

    Parameters
    ----------
    path : path-like
    verify : bool
        As for `read`.

    Returns
    -------
    dict
        JSON values: ``path``, ``version``, ``generator``, ``axes``, ``bytes`` (of all files), ``verified``, ``instances``, ``primitives``,
        ``batches``, ``materials``, ``sources``, ``vertices``, ``triangles`` (LOD 0, stored once), ``drawn_triangles`` (LOD 0 over all instances),
        ``tables`` (name -> count, stride, bytes), ``top_primitives`` (most instances first: name, instances, triangles, lods),
        ``findings`` (code -> count), ``metadata``, ``cameras`` (names).

    Raises
    ------
    InputError, FormatError
        As for `read`.
    """
    scene, frame = reader.load(path, verify)
    extension = frame.root["extensions"][document.EXTENSION]
    users = scene.instances_per_primitive()
    triangles = scene["primitives"]["index_count"].astype(np.int64) // 3
    top = np.argsort(-users, kind="stable")[:TOP_PRIMITIVES].tolist()
    return {
        "path": str(Path(path)),
        "version": limits.FORMAT_VERSION,
        "generator": extension["generator"].text(),
        "axes": document.axes_to_json(scene.convention),
        "bytes": frame.size,
        "verified": verify,
        "instances": scene.instance_count,
        "primitives": scene.primitive_count,
        "batches": scene.batch_count,
        "materials": len(scene.materials),
        "sources": len(scene.sources),
        "vertices": len(scene["vertex_positions"]),
        "triangles": int(triangles.sum()),
        "drawn_triangles": scene.triangle_count(),
        "tables": {name: {"count": len(array), "stride": extension["tables"][name]["stride"].value, "bytes": array.nbytes}
                   for name, array in scene.tables.items()},
        "top_primitives": [{"name": scene.primitive_names[row], "instances": int(users[row]), "triangles": int(triangles[row]),
                            "lods": int(scene["primitives"]["lod_count"][row])} for row in top],
        "findings": dict(Counter(finding.code for finding in scene.findings).most_common()),
        "metadata": dict(scene.metadata),
        "cameras": [camera.name for camera in scene.cameras],
    }
