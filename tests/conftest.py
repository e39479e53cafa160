"""What every tier shares: where things are, and whether a missing thing is a skip or a failure.

Continuous integration sets ``GPUSCENE_REQUIRE_APP``, ``GPUSCENE_REQUIRE_CLIENTS`` and ``GPUSCENE_REQUIRE_CORPUS``, and then a test
that lacks what it needs fails. Imports neither Blender nor the package: the tier without Blender reads this file too.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

#: These run inside the application only: ``make test-app``.
collect_ignore = ["gui"]


def _lacking(requirement: str, reason: str):
    """Skip with ``reason``, or fail where ``GPUSCENE_REQUIRE_<requirement>`` says that it must be there."""
    if os.environ.get(f"GPUSCENE_REQUIRE_{requirement}"):
        pytest.fail(f"{reason} (GPUSCENE_REQUIRE_{requirement} is set)", pytrace=False)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def lacking():
    """``lacking("CLIENTS", "chromium is not installed")``: skips, or fails where that kind of test is required."""
    return _lacking


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """Folder ``shared`` beside the checkout, with the corpus of real .blend files."""
    folder = ROOT.parent / "shared"
    if not (folder / "corpus").is_dir():
        _lacking("CORPUS", "there is no folder ../shared/corpus beside the checkout")
    return folder


@pytest.fixture
def run_python(tmp_path):
    """Run code in a new interpreter of this environment, with no display and Blender's user files in a scratch folder.

    Returns
    -------
    callable
        ``run_python(code, *arguments, **environment)`` -> stdout (str). Fails the test with all output when the exit code is not 0.
    """

    def run(code, *arguments, **environment):
        base = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
        base.update(BLENDER_USER_RESOURCES=str(tmp_path / "blender_user"), PYTHONDONTWRITEBYTECODE="1", **environment)
        done = subprocess.run([sys.executable, "-c", code, *map(str, arguments)], env=base, cwd=tmp_path, capture_output=True,
                              text=True, timeout=300, stdin=subprocess.DEVNULL)
        assert done.returncode == 0, f"exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    return run
