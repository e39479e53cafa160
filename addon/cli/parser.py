"""The one argument parser. Commands are imported when they run, so ``--help`` and wrong usage answer at once."""

from __future__ import annotations

import argparse
from importlib import import_module
from pathlib import Path

from ..core.conventions import PRESETS
from .culling_parser import add_culling_benches, add_culling_commands, cluster_size
from .skin_parser import add_skin_bench, add_skin_command, add_skin_options


def _command(module: str):
    """A function ``(arguments, hosted) -> int`` that imports ``cli.<module>`` on its first call."""
    return lambda arguments, hosted: import_module(f".{module}", __package__).command(arguments, hosted)


class _Version(argparse.Action):
    """``--version``, looked up only when asked for."""

    def __call__(self, parser, namespace, values, option_string=None):
        from .output import version
        print(f"gpuscene {version()}")
        parser.exit()


def _count(text: str) -> int:
    """A positive whole number, with ``1_000_000`` and ``1,000,000`` understood."""
    value = int(text.replace(",", ""))
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not at least 1")
    return value


_count.__name__ = "number"  # argparse names the type in its message


def build_parser(prog: str, hosted: bool) -> argparse.ArgumentParser:
    """The parser of every command.

    Parameters
    ----------
    prog : str
        How the command is called, for the usage lines.
    hosted : bool
        True inside Blender, where export's FILE may be left out: the loaded file is exported.
    """
    parser = argparse.ArgumentParser(prog, description="From a .blend file to tables for GPU-driven renderers.",
                                     epilog="Exit codes: 0 done, 1 failed with one line on stderr, 2 wrong usage. "
                                            "GPUSCENE_DEBUG=1 shows tracebacks and everything Blender prints.")
    parser.add_argument("--version", action=_Version, nargs=0, default=argparse.SUPPRESS, help="print the version and exit")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    export = commands.add_parser("export", help="write a scene as .glb with GPUScene tables",
                                 description="Write the scene of a .blend file as glTF with GPUScene tables.")
    export.add_argument("file", metavar="FILE", type=Path, nargs="?" if hosted else None,
                        help=".blend file to export" + (" (default: the file that is open)" if hosted else ""))
    export.add_argument("-o", "--output", metavar="OUT", type=Path, required=True, help=".glb or .gltf to write")
    export.add_argument("-f", "--force", action="store_true", help="replace OUT if it exists; it stays as it is until the new one is whole")
    export.add_argument("--axes", choices=list(PRESETS), default="blender", help="axes and units of the tables (default: %(default)s)")
    export.add_argument("--visible", choices=["viewport", "render"], default="viewport",
                        help="whose visibility and modifier settings count (default: %(default)s)")
    export.add_argument("--collection", metavar="NAME", help="export this collection only")
    export.add_argument("--frame", metavar="N", type=int, help="frame to export (default: the file's current one)")
    export.add_argument("--container", choices=["auto", "glb", "gltf"], default="auto",
                        help="one .glb, or .gltf with .bin; auto goes by OUT's suffix and by size, as a .glb ends at 4 GB (default: %(default)s)")
    export.add_argument("--clusters", choices=["auto", "spatial", "sah", "grid", "none"], default="auto",
                        help="builder of the file's cluster trees; auto takes sah for small scenes and spatial for large ones "
                             "(default: %(default)s)")
    export.add_argument("--cluster-size", metavar="N", type=cluster_size, default=64,
                        help="most instances of a cluster, 1 to 1024 (default: %(default)s)")
    add_skin_options(export)
    export.set_defaults(command=_command("export"))

    info = commands.add_parser("info", help="say what is in a GPUScene file", description="Say what is in a GPUScene file. Needs no Blender.")
    info.add_argument("file", metavar="FILE", type=Path, help=".glb or .gltf written by gpuscene")
    info.add_argument("--no-verify", dest="verify", action="store_false", help="skip the checksums")
    info.set_defaults(command=_command("info"))

    culling = [*add_culling_commands(commands, _command, hosted), add_skin_command(commands, _command, hosted)]

    headers = commands.add_parser("headers", help="write the C, HLSL and GLSL headers of the tables",
                                  description="Write gpuscene.h, gpuscene.hlsl and gpuscene.glsl: the tables' structs and constants.")
    goal = headers.add_mutually_exclusive_group(required=True)
    goal.add_argument("-o", "--output", metavar="DIR", type=Path, help="folder to write to; made if missing")
    goal.add_argument("--docs", metavar="FILE", type=Path, nargs="?", const=Path("-"),
                      help="print the tables as markdown, or bring the generated part of FILE up to date")
    headers.set_defaults(command=_command("headers"), json=False)

    demo = commands.add_parser("demo", help="export the sample forest", description="Export the sample forest: 20,000 trees with LODs.")
    demo.add_argument("-o", "--output", metavar="DIR", type=Path, default=Path("build"), help="folder to write to (default: %(default)s)")
    demo.set_defaults(command=_command("demo"))

    bench = commands.add_parser("bench", help="measure", description="Measure, here and now.")
    benches = bench.add_subparsers(title="benchmarks", metavar="WHAT", required=True)
    bench_export = benches.add_parser("export", help="time the export of Geometry Nodes instances",
                                      description="Time the export of Geometry Nodes instances, by stage.")
    bench_export.add_argument("--instances", metavar="N", type=_count, default=1_000_000, help="how many (default: 1000000)")
    bench_export.add_argument("--peers", action="store_true", help="time Blender's own USD and glTF exporters on the same scene too")
    bench_export.set_defaults(command=_command("bench"), bench="export")
    measured = [bench_export, *add_culling_benches(benches, _command, _count), add_skin_bench(benches, _command)]

    for command in (export, info, *culling, demo, *measured):
        command.add_argument("--json", action="store_true", help="print one JSON document on stdout and nothing else")
    return parser
