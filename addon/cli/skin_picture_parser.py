"""Arguments of ``snapshot --overlay skin``."""

from __future__ import annotations

import argparse
import math


def offset(text: str) -> tuple:
    """``X,Y,Z`` in metres."""
    values = tuple(float(part) for part in text.split(","))
    if len(values) != 3 or not all(map(math.isfinite, values)):
        raise argparse.ArgumentTypeError(f"{text} is not X,Y,Z")
    return values


def _number(low, high, kind=int):
    def parse(text: str):
        value = kind(text.replace(",", ""))
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"{text} is not from {low} to {high:,}")
        return value

    parse.__name__ = "number"  # argparse names the type in its message
    return parse


def add_skin_picture(snapshot) -> None:
    """Add to ``snapshot`` what concerns particles on skins."""
    group = snapshot.add_argument_group("overlay skin")
    group.add_argument("--particles", metavar="N", type=_number(1, 5_000_000), default=20_000,
                       help="on each character (default: %(default)s)")
    group.add_argument("--trails", metavar="N", type=_number(1, 64), default=0,
                       help="draw the last N frames' poses (default: this frame's alone)")
    group.add_argument("--offset", metavar="X,Y,Z", type=offset, default=(0.0, 0.0, 0.0),
                       help="move all particles by so many metres, to see that they are attached; write --offset=-1,0,0")
    group.add_argument("--color-by", choices=("bone", "error", "age", "speed", "plain"), default="bone",
                       help="what a particle's colour says (default: %(default)s)")
    group.add_argument("--particle-size", metavar="PIXELS", type=_number(0.5, 64, float), default=3.0,
                       help="diameter (default: %(default)s)")
    group.add_argument("--seed", metavar="N", type=_number(0, 2**31 - 1), default=0,
                       help="of the particles (default: %(default)s)")
