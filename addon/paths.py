"""Where the files beside the code are, in a checkout, in the installed extension and in a wheel alike.

A checkout and the extension keep ``shaders/`` and ``sample_scenes/`` beside ``addon/``; a wheel has one folder,
``gpuscene/``, and carries them inside it. The extension ships no sample scenes.
"""

from pathlib import Path

from .core.errors import InputError

_PACKAGE = Path(__file__).resolve().parent


def _find(name: str) -> Path:
    """First of the two places that holds ``name``; the place beside the code when neither does."""
    beside, inside = _PACKAGE.parent / name, _PACKAGE / name
    return inside if inside.exists() and not beside.exists() else beside


def shaders_dir() -> Path:
    """Folder of the GLSL files (``include/``, ``culling/``, ...).

    Raises
    ------
    InputError
        The folder is missing, so the installation is damaged.
    """
    return _existing(_find("shaders"), "Install GPUScene again.")


def sample_scene(name: str = "forest") -> Path:
    """Path of the sample scene ``name`` (without ``.blend``).

    Raises
    ------
    InputError
        This installation does not carry that scene.
    """
    return _existing(_find("sample_scenes") / f"{name}.blend", "Use a checkout: sample scenes are not in the extension.")


def _existing(path: Path, hint: str) -> Path:
    if not path.exists():
        raise InputError(f"{path} is missing.", hint)
    return path
