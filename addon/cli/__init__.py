"""The command ``gpuscene``: one parser and one set of commands for the console script and for ``blender --command gpuscene``.

Exit codes: 0 done, 1 failed with one line on stderr, 2 wrong usage, 130 interrupted. Nothing here imports ``bpy`` until a command needs it.
"""

import os
import sys


def main(argv=None) -> int:
    """The console script. Blender runs in a process of its own (`worker`), so even its crash is one clear line."""
    return run(sys.argv[1:] if argv is None else argv, hosted=False)


def run(argv, hosted: bool) -> int:
    """Run one command line; `hosted` means inside Blender, on the file it has loaded. Returns the exit code, never raises for bad input."""
    from .output import debugging, print_error
    from .parser import build_parser

    try:
        arguments = build_parser("blender --command gpuscene" if hosted else "gpuscene", hosted).parse_args(argv)
    except SystemExit as stop:  # argparse has already printed help, the version or what is wrong
        return stop.code or 0
    from ..core.errors import GpuSceneError

    try:
        return arguments.command(arguments, hosted)
    except GpuSceneError as error:
        if debugging():
            raise
        return print_error(str(error))
    except KeyboardInterrupt:
        print_error("interrupted.")
        return 130
    except BrokenPipeError:  # `gpuscene info FILE | head`: the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as error:
        if debugging():
            raise
        return print_error(f"internal error: {type(error).__name__}: {error}. Please report it; GPUSCENE_DEBUG=1 shows where.")
