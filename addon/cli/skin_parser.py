"""Arguments of ``skin``."""

from __future__ import annotations

import argparse
from pathlib import Path

from .culling_parser import frame_range

MAX_PARTICLES = 10_000_000


def _particles(text: str) -> int:
    """0 to 10 million, with ``1_000_000`` and ``1,000,000`` understood."""
    value = int(text.replace(",", ""))
    if not 0 <= value <= MAX_PARTICLES:
        raise argparse.ArgumentTypeError(f"{text} is not from 0 to {MAX_PARTICLES:,}")
    return value


def _some_particles(text: str) -> int:
    """As `_particles`, but not 0: there is nothing to time."""
    value = _particles(text)
    if not value:
        raise argparse.ArgumentTypeError(f"{text} is not from 1 to {MAX_PARTICLES:,}")
    return value


def _seed(text: str) -> int:
    """Not negative."""
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"{text} is negative")
    return value


_particles.__name__, _some_particles.__name__, _seed.__name__ = "number", "number", "seed"  # what argparse says


def add_skin_command(commands, command, hosted: bool):
    """Add ``skin`` to the subparsers `commands`; ``command(module)`` makes its function. Returns its parser."""
    parser = commands.add_parser(
        "skin",
        help="skinned characters as bone matrices, checked against Blender",
        description="Read the skinned characters of a .blend, pose them from their bone matrices as a GPU does, and say how far "
        "that is from Blender's own evaluated mesh.",
    )
    parser.add_argument(
        "file",
        metavar="FILE",
        type=Path,
        nargs="?" if hosted else None,
        help=".blend" + (" (default: the file that is open)" if hosted else ""),
    )
    parser.add_argument(
        "--frames", metavar="A:B:STEP", type=frame_range, help="frames, the last included (default: the current one)"
    )
    parser.add_argument(
        "--influences",
        metavar="N",
        type=int,
        choices=(1, 2, 4, 8),
        default=4,
        help="most bones a vertex, the strongest kept: 1, 2, 4 or 8 (default: %(default)s)",
    )
    parser.add_argument(
        "--device",
        choices=("cpu", "gpu", "both"),
        default="cpu",
        help="gpu or both: by each transport of the GPU too, held against the CPU (default: %(default)s)",
    )
    parser.add_argument(
        "--particles",
        metavar="N",
        type=_particles,
        default=0,
        help="spread N particles over each character's surface and check them too (default: 0)",
    )
    parser.add_argument("--seed", metavar="N", type=_seed, default=0, help="of the particles (default: 0)")
    parser.add_argument("--compare", action="store_true", help="compare ways to stream and to simplify the same characters")
    parser.add_argument(
        "--bake", metavar="EXR", type=Path, help="write the frames as a texture, and beside it its description as .json"
    )
    parser.add_argument(
        "--bake-kind",
        choices=("vertex", "bone"),
        default="vertex",
        help="what the texture holds: positions as Blender deforms them, or bone matrices (default: %(default)s)",
    )
    parser.add_argument("-f", "--force", action="store_true", help="replace EXR and its .json if they exist")
    parser.set_defaults(command=command("skin"))
    return parser


def add_skin_options(export) -> None:
    """Add to ``export`` what concerns skins."""
    export.add_argument(
        "--skins",
        action="store_true",
        help="write rest positions, weights and bone matrices of characters, for a renderer that poses them itself",
    )
    export.add_argument(
        "--skin-frames", metavar="A:B:STEP", type=frame_range, help="write their poses at these frames too, the last included"
    )


def add_skin_bench(benches, command):
    """Add ``bench skin`` to the subparsers `benches`. Returns its parser."""
    text = "time skinning: Blender's modifier, numpy, and on the GPU vertices, particles and many characters"
    parser = benches.add_parser("skin", help=text, description=text[0].upper() + text[1:] + ".")
    parser.add_argument("--particles", metavar="N", type=_some_particles, default=10_000_000, help="on the GPU (default: %(default)s)")
    parser.add_argument(
        "--device",
        choices=["cpu", "gpu", "both"],
        default="both",
        help="where to measure; Blender and numpy always (default: %(default)s)",
    )
    parser.set_defaults(command=command("bench"), bench="skin")
    return parser
