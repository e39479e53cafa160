"""Errors a user can act on. Each is one line that names the thing and the remedy."""


class GpuSceneError(Exception):
    """Base of every error that is reported to the user as one line, with no traceback.

    Parameters
    ----------
    message : str
        What is wrong, naming the thing.
    hint : str
        What to do about it. May be empty.
    """

    def __init__(self, message: str, hint: str = ""):
        self.message = message
        self.hint = hint
        super().__init__(f"{message} {hint}".rstrip())


class InputError(GpuSceneError):
    """The input file or argument cannot be used (missing, damaged, newer, empty)."""


class OutputError(GpuSceneError):
    """The output cannot be written (read-only, full disk, missing folder). The old output is intact."""


class FormatError(InputError):
    """A GPUScene file breaks its own format: cut short, altered, hostile or of another version."""


class LimitError(GpuSceneError):
    """The scene is past a limit of the format (``core.limits``)."""

    def __init__(self, what: str, count: int, limit: int, hint: str = ""):
        self.what, self.count, self.limit = what, count, limit
        super().__init__(f"{what}: {count:,} is past the limit of {limit:,}.", hint)
