"""Write a scene: plan the views, build the nodes, checksum, seal, stream. No table is copied on the way."""

from __future__ import annotations

import hashlib
import json
import os
import re
import struct
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from .. import limits
from ..errors import LimitError, OutputError
from ..scene import SceneData
from . import cameras, document, nodes, seal, tables
from .output import Replacement, check_target, reported
from .semantics import check
from .views import ARRAY_BUFFER, ELEMENT_ARRAY_BUFFER, Views, align

#: tables that glTF meshes draw from -> the view properties glTF asks for
_MESH_VIEWS = {"vertex_positions": {"target": ARRAY_BUFFER, "byteStride": 12}, "vertex_normals": {"target": ARRAY_BUFFER, "byteStride": 12},
               "vertex_uvs": {"target": ARRAY_BUFFER, "byteStride": 8}, "indices": {"target": ELEMENT_ARRAY_BUFFER}}
GLB_MAGIC, JSON_CHUNK, BIN_CHUNK = 0x46546C67, 0x4E4F534A, 0x004E4942


@dataclass(frozen=True)
class WriteResult:
    """What was written: `path` of the .glb or .gltf, `bytes` of all files together, `paths` of all files."""

    path: Path
    bytes: int
    paths: tuple


def write(scene: SceneData, path, *, container: str = "auto", progress=None, max_glb_bytes: int = limits.MAX_GLB_BYTES,
          replace: bool = True) -> WriteResult:
    """Write `scene` as glTF with the ``GPUSCENE_scene`` extension, whole or not at all.

    Parameters
    ----------
    scene : SceneData
    path : path-like
        Ends in ``.glb`` or ``.gltf``. A link is followed: its target is replaced.
    container : {"auto", "glb", "gltf"}
        "auto" follows the suffix, except that a .glb past `max_glb_bytes` becomes ``X.gltf`` with ``X.<tag>.bin``, and a former ``X.glb`` goes.
        The tag comes from the content, so an old .gltf never points to a new .bin.
    progress : callable, optional
        Called with (fraction, text).
    max_glb_bytes : int
        Limit of the glb header's 32-bit length.
    replace : bool
        False: refuse a target that exists, also where `container` or the size changed the suffix.

    Returns
    -------
    WriteResult

    Raises
    ------
    OutputError
        The file cannot be written; what was there before is intact and no temporary file is left.
    LimitError
        "glb" was asked for and the scene is too large for one.
    FormatError
        The tables do not fit together (`check`).
    """
    report = progress or (lambda fraction, text: None)
    path = Path(os.path.realpath(path))
    suffix = path.suffix.lower()
    if container not in ("auto", "glb", "gltf"):
        raise ValueError(f"container {container!r} is not auto, glb or gltf")
    if suffix not in (".glb", ".gltf"):
        raise OutputError(f"{path.name} ends in neither .glb nor .gltf.", "Give it one of these endings.")
    check_target(path)
    check(scene)
    report(0.05, "instances")
    root, views = _document(scene, report)
    text = _dump(root)
    fits = _glb_length(text, views) <= max_glb_bytes
    if container == "glb" and not fits:
        raise LimitError("bytes of a .glb", _glb_length(text, views), max_glb_bytes, "Write a .gltf instead.")
    as_glb = fits and suffix == ".glb" if container == "auto" else container == "glb"
    target = path if suffix == (".glb" if as_glb else ".gltf") else path.with_suffix(".glb" if as_glb else ".gltf")
    check_target(target)
    if not replace and target.exists():
        raise OutputError(f"{target} exists.", "Choose another output, or give --force to replace it.")
    with Replacement() as files:
        result = (_write_glb if as_glb else _write_gltf)(files, target, root, text, views, report)
    if container == "auto" and target != path:
        with reported(path):
            path.unlink(missing_ok=True)
    report(1.0, "done")
    return result


def _document(scene, report):
    """The glTF JSON as a dict (without the buffer's uri), and the views."""
    views, view_of, described = Views(), {}, {}
    for name, array in scene.tables.items():
        view_of[name] = views.add(name, array, **_MESH_VIEWS.get(name, {}))
        described[name] = tables.describe(name, array) | ({} if view_of[name] is None else {"bufferView": view_of[name]})
    meshes = nodes.Meshes(scene, dict(view_of))
    node_list = nodes.add_nodes(scene, meshes, views)
    definitions, camera_nodes = cameras.viewer_cameras(scene.cameras, scene.convention)
    top = [0, *range(len(node_list), len(node_list) + len(camera_nodes))]
    report(0.35, "checksums")
    sums = seal.checksums(views.arrays[1:])
    for table in described.values():
        table["crc32"] = sums[table["bufferView"] - 1] if "bufferView" in table else 0
    of_tables = {table.get("bufferView") for table in described.values()}
    generator = str(scene.metadata.get("generator") or document.GENERATOR)
    instancing = any("extensions" in node for node in node_list)
    root = {
        "asset": {"version": "2.0", "generator": generator},
        "extensionsUsed": ([nodes.INSTANCING] if instancing else []) + [document.EXTENSION],
        "scene": 0,
        "scenes": [{"nodes": top}],
        "nodes": node_list + camera_nodes,
        "cameras": definitions,
        "meshes": meshes.meshes,
        "materials": [document.material_to_json(m) for m in scene.materials],
        "accessors": meshes.accessors,
        "bufferViews": views.views,
        "buffers": [{"byteLength": views.byte_length}],
        "extensions": {document.EXTENSION: {
            "version": limits.FORMAT_VERSION, "generator": generator, "tables": described,
            "views": [{"bufferView": i, "crc32": crc} for i, crc in enumerate(sums, 1) if i not in of_tables],
        } | document.scene_to_json(scene)},
    }
    return {key: value for key, value in root.items() if value != []}, views


def _dump(root) -> bytes:
    """JSON text. Lone surrogates (names that were no UTF-8) are escaped, which UTF-8 itself cannot do."""
    try:
        try:
            return json.dumps(root, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode("utf-8")
        except UnicodeEncodeError:
            return json.dumps(root, separators=(",", ":"), allow_nan=False).encode("ascii")
    except (TypeError, ValueError, RecursionError) as error:
        raise OutputError(f"The scene's metadata or names cannot be written as JSON: {error}.", "Change that value.") from error


def _glb_length(text, views):
    return align(20 + len(text) + 8) + views.byte_length


def _buffer(views, text):
    """The binary buffer in pieces: seal, tables, zero padding."""
    yield seal.make(limits.FORMAT_VERSION, text, views.byte_length)
    at = seal.SEAL_BYTES
    for array, view in zip(views.arrays[1:], views.views[1:], strict=True):
        yield bytes(view["byteOffset"] - at)
        yield array
        at = view["byteOffset"] + view["byteLength"]
    yield bytes(views.byte_length - at)


def _write_glb(files, target, root, text, views, report):
    length = _glb_length(text, views)
    text = text.ljust(length - views.byte_length - 28)  # spaces: the tables are 256-byte aligned in the file too
    header = struct.pack("<IIIII", GLB_MAGIC, 2, length, len(text), JSON_CHUNK)
    pieces = (header, text, struct.pack("<II", views.byte_length, BIN_CHUNK), *_buffer(views, text))
    files.write(target, pieces, lambda done: report(0.5 + 0.5 * done / length, "writing"))
    files.commit()
    return WriteResult(target, length, (target,))


def _write_gltf(files, target, root, text, views, report):
    tag = hashlib.blake2b(text, digest_size=6).hexdigest()  # the text has every checksum, but no uri yet
    binary = target.with_name(f"{target.stem}.{tag}.bin")
    check_target(binary)
    root["buffers"][0] = {"uri": _uri(binary.name)} | root["buffers"][0]
    text = _dump(root)
    superseded = _bin_of(target)
    length = views.byte_length + len(text)
    is_new = not binary.exists()
    files.write(binary, _buffer(views, text), lambda done: report(0.5 + 0.5 * done / length, "writing"))
    files.write(target, (text,))
    try:
        files.commit()
    except BaseException:
        if is_new:
            binary.unlink(missing_ok=True)
        raise
    if superseded and superseded != binary:
        superseded.unlink(missing_ok=True)
    return WriteResult(target, length, (target, binary))


def _uri(name: str) -> str:
    """A file name as a relative URI: its bytes, whatever the locale calls them and whether or not they are UTF-8."""
    return quote(os.fsencode(name))


def _bin_of(target):
    """The .bin that an existing .gltf of ours points to, found without trusting the file; None if it is not surely ours."""
    try:
        with open(target, encoding="utf-8") as file:
            uri = json.load(file)["buffers"][0]["uri"]
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return None
    pattern = re.escape(_uri(target.stem)) + r"\.[0-9a-f]{12}\.bin"
    if not isinstance(uri, str) or not re.fullmatch(pattern, uri):
        return None
    return target.with_name(target.stem + uri[-17:])
