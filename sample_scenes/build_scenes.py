"""Makes every sample scene from its seed, and the numbers that go with it.

Usage: ``python sample_scenes/build_scenes.py [NAME...]`` with a Python that has the `bpy` module. To keep the files
readable by both supported versions, build with the older one (Blender 5.2 LTS). ``-o DIR`` writes elsewhere.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import oracle  # noqa: E402  (beside this file)

SCENES = ("forest", "city", "crowd", "meadow", "pathological")


def build(name: str, folder: Path) -> list[Path]:
    """Writes the scene's .blend files and expected/NAME.json under `folder`; returns the .blend paths."""
    folder = folder.resolve()
    (folder / "expected").mkdir(parents=True, exist_ok=True)
    builder = importlib.import_module(f"builders.{name}")
    paths = builder.build(folder)
    numbers = {"scene": name, **oracle.measure_file(folder / f"{name}.blend")}
    check(numbers, builder.KNOWN)
    (folder / "expected" / f"{name}.json").write_text(json.dumps(numbers, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return paths


def check(numbers: dict, known: dict) -> None:
    """Raises `SystemExit` naming the first number that is not what the builder's author counted by hand."""
    for mode, values in known.items():
        for key, value in values.items():
            if numbers[mode][key] != value:
                raise SystemExit(f"{numbers['scene']}: {mode} {key} is {numbers[mode][key]}, counted by hand {value}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(SCENES)}; default all")
    parser.add_argument("-o", "--output", type=Path, default=HERE, help="folder to write into (default: beside this script)")
    arguments = parser.parse_args()
    unknown = sorted(set(arguments.names) - set(SCENES))
    if unknown:
        parser.error(f"no such scene: {', '.join(unknown)}; there are {', '.join(SCENES)}")
    for name in arguments.names or SCENES:
        for path in build(name, arguments.output):
            print(f"{path}  {path.stat().st_size / 1000:.0f} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
