"""``gpuscene headers``: the tables' structs and constants for C, C++, HLSL and GLSL, and their documentation."""

from __future__ import annotations

from pathlib import Path

from ..core import headers
from ..core.errors import InputError
from ..glsl import structs
from .output import make_folder, print_text, write_text


def command(arguments, hosted: bool) -> int:
    """Write the three headers, or print or update the documentation."""
    if arguments.docs == Path("-"):
        print_text(headers.markdown_tables())
    elif arguments.docs is not None:
        _update(arguments.docs)
    else:
        make_folder(arguments.output)
        for name, text in (("gpuscene.h", headers.c_header()), ("gpuscene.hlsl", headers.hlsl_header()),
                           ("gpuscene.glsl", structs.header_source())):
            write_text(arguments.output / name, text)
            print_text(str(arguments.output / name))
    return 0


def _update(path: Path):
    """Bring the generated part of a markdown file up to date."""
    try:
        write_text(path, headers.with_tables(path.read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:  # UnicodeDecodeError is a ValueError
        raise InputError(f"{path} cannot be brought up to date: {error}") from None
