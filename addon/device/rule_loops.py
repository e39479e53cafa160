"""What in a user's GLSL may never end: a loop without a bound on the GPU takes the whole desktop with it, and no Esc reaches it."""

from __future__ import annotations

import re

#: turns that all loops of a rule may make together, for each instance
MOST_TURNS = 4096
_WORD = re.compile(r"\b(while|do|for|\w*[bB]arrier\w*)\b")
_FOR = re.compile(
    r"for\s*\(\s*(?:const\s+)?u?int\s+(?P<name>\w+)\s*=\s*(?P<first>\d+)u?\s*;\s*(?P=name)\s*(?P<test><=?|>=?)\s*(?P<last>\d+)u?\s*;"
    r"\s*(?:(?P<up>\+\+\s*(?P=name)|(?P=name)\s*\+\+)|(?P<down>--\s*(?P=name)|(?P=name)\s*--)"
    r"|(?P=name)\s*(?P<sign>[+-])=\s*(?P<step>\d+)u?)\s*\)")
_HINT = "Write for (int i = 0; i < 16; ++i), with numbers."


def check_loops(code: str, refuse) -> None:
    """Let only loops pass that end by what is written in their head.

    Parameters
    ----------
    code : str
        GLSL without comments.
    refuse : callable
        ``refuse(at, what, hint)`` raises.
    """
    turns, heads = 1, []
    for found in _WORD.finditer(code):
        at, word = found.start(), found[1]
        if "arrier" in word:
            refuse(at, f"{word} waits for instances that other tests dropped, maybe forever", "Remove it.")
        head = _FOR.match(code, at) if word == "for" else None
        if head is None:
            refuse(at, f"nobody can say whether this {word} ever ends", _HINT)
        count = _turns(head)
        if count is None:
            refuse(at, f"the {word} counts away from its end", _HINT)
        turns *= max(count, 1)
        if turns > MOST_TURNS:
            refuse(at, f"the loops make {turns} turns for each instance, more than {MOST_TURNS}", "Make fewer.")
        heads.append(head)
    rest = code
    for head in heads:
        rest = rest[:head.start()] + " " * len(head[0]) + rest[head.end():]
    for name in {head["name"] for head in heads}:
        changed = re.search(rf"\b{name}\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)|(?:\+\+|--)\s*{name}\b|\b{name}\s*(?:\+\+|--)", rest)
        if changed:
            refuse(changed.start(), f"{name} counts a loop and is changed here", "Use a variable of another name.")


def _turns(head) -> int | None:
    """How many; None where the count never meets the test's end."""
    step = int(head["step"] or 1)
    upwards = bool(head["up"]) or head["sign"] == "+"
    if step == 0 or upwards != head["test"].startswith("<"):
        return None
    if not upwards and head[0].split("(", 1)[1].lstrip().startswith(("uint", "const uint")):
        return None  # below 0 comes the largest number
    span = (int(head["last"]) - int(head["first"])) * (1 if upwards else -1) + head["test"].endswith("=")
    return max(-(-span // step), 0)
