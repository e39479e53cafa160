"""Arguments of ``cull``, ``tree`` and ``snapshot``."""

from __future__ import annotations

import argparse
import math
from pathlib import Path

from .skin_picture_parser import add_skin_picture

OVERLAYS = ("visibility", "lod", "clusters", "age", "skin", "none")
#: Blender goes no farther either way, and stays there without a word
MAX_FRAME = 1_048_574


def frame_range(text: str) -> tuple:
    """``5``, ``1:100`` or ``1:100:10`` -> (first, last, step); the last is included, as in Blender."""
    parts = text.split(":")
    if len(parts) > 3:
        raise argparse.ArgumentTypeError(f"{text} is not A:B:STEP")
    numbers = [int(part) for part in parts]
    first, last, step = numbers[0], numbers[1] if len(numbers) > 1 else numbers[0], numbers[2] if len(numbers) > 2 else 1
    if step < 1 or last < first:
        raise argparse.ArgumentTypeError(f"{text} holds no frame")
    if max(abs(first), abs(last)) > MAX_FRAME:
        raise argparse.ArgumentTypeError(f"{text} goes past {MAX_FRAME}, Blender's last frame")
    return first, last, step


def cluster_size(text: str) -> int:
    """1 to 1024."""
    value = int(text)
    if not 1 <= value <= 1024:
        raise argparse.ArgumentTypeError(f"{text} is not from 1 to 1024")
    return value


def finite(text: str) -> float:
    """Any number but inf and nan."""
    value = float(text)
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"{text} is not a finite number")
    return value


def sweep_range(text: str) -> tuple:
    """``16:512`` -> (16, 32, 64, 128, 256, 512)."""
    parts = text.split(":")
    if len(parts) != 2:
        raise argparse.ArgumentTypeError(f"{text} is not FROM:TO")
    low, high = (cluster_size(part) for part in parts)
    sizes = tuple(size for size in (1 << bit for bit in range(11)) if low <= size <= high)
    if not sizes:
        raise argparse.ArgumentTypeError(f"{text} holds no power of two")
    return sizes


def picture_size(text: str) -> tuple:
    """``1280x720`` -> (1280, 720)."""
    width, height = (int(part) for part in text.lower().split("x"))
    if not (1 <= width <= 16384 and 1 <= height <= 16384):
        raise argparse.ArgumentTypeError(f"{text} is not from 1x1 to 16384x16384")
    return width, height


# argparse names the type in its message
frame_range.__name__, cluster_size.__name__, sweep_range.__name__, picture_size.__name__, finite.__name__ = (
    "frame range", "cluster size", "range", "size", "number")


def add_culling_commands(commands, command, hosted: bool) -> list:
    """Add the three commands to the subparsers `commands`; ``command(module)`` makes their functions. Returns their parsers."""
    def add(name, text, description, kinds=".blend, or .glb or .gltf written by gpuscene"):
        parser = commands.add_parser(name, help=text, description=description)
        parser.add_argument("file", metavar="FILE", type=Path, nargs="?" if hosted else None,
                            help=kinds + (" (default: the file that is open)" if hosted else ""))
        parser.set_defaults(command=command(name))
        return parser

    cull = add("cull", "cull a scene's cameras on CPU and GPU, and check both",
               "Cull what a camera does not see, and compare every path with the test of every instance in float64.")
    cull.add_argument("--frames", metavar="A:B:STEP", type=frame_range, help="frames of a .blend, the last included (default: the current one)")
    cull.add_argument("--device", choices=["cpu", "gpu", "both"], default="cpu", help="where to cull (default: %(default)s)")
    cull.add_argument("--cluster-size", metavar="N", type=cluster_size, default=64,
                      help="most instances of a cluster, 1 to 1024 (default: %(default)s)")
    cull.add_argument("--slices", metavar="N", type=int, choices=range(1, 65), default=1,
                      help="spread the refresh over N frames, 1 to 64; what is then seen late counts as a false negative (default: %(default)s)")
    cull.add_argument("--lod-bias", metavar="X", type=finite, default=0.0,
                      help="added to each instance's LOD bias: 1 halves the screen size it counts with (default: 0)")
    cull.add_argument("--lod", metavar="N", type=int, choices=range(8), help="force this LOD, 0 to 7, or the coarsest below it")
    cull.add_argument("--rule", metavar="GLSL", help="a file with your own GLSL function custom_rule, or below_camera; needs the GPU")
    cull.add_argument("--group-size", metavar="N", type=int, choices=(64, 128, 256),
                      help="work-group size on the GPU: 64, 128 or 256 (default: what suits it)")
    cull.add_argument("--csv", metavar="OUT", type=Path, help="write a row for each frame")
    cull.add_argument("-f", "--force", action="store_true", help="replace OUT if it exists")

    tree = add("tree", "how good a scene's cluster tree is, and which cluster size suits it",
               "Build cluster trees over a scene and say how good they are. Needs no Blender for a .glb.")
    tree.add_argument("--sweep", metavar="FROM:TO", type=sweep_range, help="compare cluster sizes, powers of two, and recommend one")
    tree.add_argument("--cluster-size", metavar="N", type=cluster_size, default=64, help="without --sweep (default: %(default)s)")
    tree.add_argument("--builder", choices=["spatial", "sah", "grid"], default="sah", help="with --sweep (default: %(default)s)")

    snapshot = add("snapshot", "draw a scene offscreen, coloured by what culling did",
                   "Draw a scene offscreen as a PNG, coloured by visibility, LOD, clusters or age, or with particles on its skins.")
    snapshot.add_argument("-o", "--output", metavar="PNG", type=Path, required=True, help="picture to write")
    snapshot.add_argument("-f", "--force", action="store_true", help="replace PNG if it exists")
    snapshot.add_argument("--overlay", choices=OVERLAYS, default="none", help="what the colours say (default: %(default)s)")
    snapshot.add_argument("--size", metavar="WxH", type=picture_size, default=(1280, 720), help="in pixels (default: 1280x720)")
    snapshot.add_argument("--view", metavar="NAME",
                          help="look through this camera, or 'overview' for the whole scene; what --camera sees is still what is culled")
    snapshot.add_argument("--frame", metavar="N", type=int, help="frame of a .blend (default: the current one)")
    snapshot.add_argument("--cluster-size", metavar="N", type=cluster_size, default=64,
                          help="for the overlays clusters and age (default: %(default)s)")
    snapshot.add_argument("--slices", metavar="N", type=int, choices=range(1, 65), default=3,
                          help="for the overlay age, 1 to 64 (default: %(default)s)")
    add_skin_picture(snapshot)
    for parser in (cull, snapshot):
        parser.add_argument("--camera", metavar="NAME", help="whose view is culled (default: the scene's camera)")
    return [cull, tree, snapshot]


def add_culling_benches(benches, command, count) -> list:
    """Add ``bench cull``, ``bench tree``, ``bench update`` and ``bench viewport``; `count` is the type of a number of instances. Returns their parsers."""
    out = []
    for name, text, has_device in (
            ("cull", "time culling: the tree against the test of every instance, frame slices, and on the GPU bandwidth", True),
            ("tree", "time building cluster trees, against SciPy's cKDTree and a full-sweep tree", False),
            ("update", "time following a change of a hundredth of the instances", True),
            ("viewport", "time a live session: redraws, idle redraws, and moving one of many objects", False)):
        parser = benches.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
        parser.add_argument("--instances", metavar="N", type=count, default=1_000_000, help="how many (default: 1000000)")
        if has_device:
            parser.add_argument("--device", choices=["cpu", "gpu", "both"], default="both", help="where to measure (default: %(default)s)")
        parser.set_defaults(command=command("bench"), bench=name)
        out.append(parser)
    return out
