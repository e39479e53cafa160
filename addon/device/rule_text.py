"""What is looked at in a user's GLSL before a compiler sees it.

A comment or an #if without an end makes Blender's own preprocessor crash, and an open bracket is noticed only in text that
follows and is not the user's.
"""

from __future__ import annotations

import re
from pathlib import Path

from ..core.errors import InputError
from .rule_loops import check_loops

SIGNATURE = "bool custom_rule(InstanceTransform transform, InstanceData data, CullView view)"
_COMMENT = re.compile(r"//[^\n]*|/\*.*?(\*/|\Z)", re.DOTALL)
_DEFINED = re.compile(r"(\bbool\s+)?\bcustom_rule\s*\(([^)]*)")
_DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|else|endif|line)\b[ \t]*(.*)$", re.MULTILINE)
_INCLUDE = re.compile(r'^[ \t]*#include\s+"([^"]+)"[ \t]*$', re.MULTILINE)
#: Blender's own preprocessor crashes at the end that NUL makes
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
_TYPES = ("InstanceTransform", "InstanceData", "CullView")
_CLOSES = {")": "(", "]": "[", "}": "{"}


def without_comments(text: str) -> str:
    """Comments as spaces: lines and columns stay."""
    return _COMMENT.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def is_function(text: str) -> bool:
    """True for text (without comments) that has a function ``custom_rule``; else it is that function's body."""
    return _DEFINED.search(text) is not None


def check(text: str, name: str, folder: Path) -> None:
    """Raise ``InputError`` with the user's own line for what a compiler would not survive, or would report elsewhere.

    Parameters
    ----------
    text : str
    name : str
        What the user calls it.
    folder : Path
        ``shaders/``, for includes.
    """
    def refuse(at: int, what: str, hint: str):
        raise InputError(f"{name}, line {text.count(chr(10), 0, at) + 1}: {what}.", hint)

    if found := _CONTROL.search(text):
        refuse(found.start(), "there is a control character, which is no text", "Remove it.")
    for found in _COMMENT.finditer(text):
        if found[1] == "":
            refuse(found.start(), "the comment that begins here has no end", "Close it with */.")
    code = without_comments(text)
    if not code.strip():
        raise InputError(f"{name} is empty.", "Give a body that returns true for what is kept.")
    open_ifs = []
    for found in _DIRECTIVE.finditer(code):
        kind = found[1]
        if kind == "line":
            refuse(found.start(), "#line would hide which line is meant", "Remove it.")
        if kind in ("elif", "else", "endif") and not open_ifs:
            refuse(found.start(), f"#{kind} has no #if", "Remove it.")
        if kind not in ("else", "endif") and not found[2].strip():
            refuse(found.start(), f"#{kind} has no condition", "Give one.")
        if kind == "endif":
            open_ifs.pop()
        elif kind.startswith("if"):
            open_ifs.append(found)
    if open_ifs:
        refuse(open_ifs[-1].start(), f"#{open_ifs[-1][1]} has no #endif", "Add it.")
    for found in _INCLUDE.finditer(code):
        if not (folder / found[1]).is_file():
            refuse(found.start(1), f"there is no {found[1]}", "include/instances.glsl is there without being asked for.")
    if not _DIRECTIVE.search(code):  # each branch may have brackets of its own
        _check_brackets(code, refuse)
    check_loops(code, refuse)
    if found := _DEFINED.search(code):
        parameters = found[2].split(",")
        if not found[1] or len(parameters) != 3 or not all(kind in given.split() for kind, given in zip(_TYPES, parameters)):
            refuse(found.start(), "the function is not the one that is called", f"Declare it as {SIGNATURE}.")


def _check_brackets(code, refuse):
    stack = []
    for at, sign in enumerate(code):
        if sign in "([{":
            stack.append((at, sign))
        elif sign in _CLOSES:
            if not stack or stack[-1][1] != _CLOSES[sign]:
                refuse(at, f"{sign} closes nothing", "Remove it, or add what it should close.")
            stack.pop()
    if stack:
        refuse(stack[-1][0], f"{stack[-1][1]} is not closed", "Close it.")
