"""The real application in a window on a virtual display, with the extension's zip installed."""

import importlib.util
import json
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def _application_tier():
    """``tests/gui/run.py``, which knows where Blender is."""
    spec = importlib.util.spec_from_file_location("gpuscene_gui_run", ROOT / "tests" / "gui" / "run.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Application:
    """A Blender with the extension installed in a scratch folder."""

    def __init__(self, blender: str, scratch: Path, environment: dict):
        self.blender, self.scratch, self.environment = blender, scratch, environment

    def command(self, *arguments):
        """Run it without a window; fails the test with all output when the exit code is not 0."""
        done = subprocess.run([self.blender, *map(str, arguments)], cwd=ROOT, env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, f"{arguments}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def drive(self, blend: Path, size: tuple, *actions: str, script: str = "drive_panel.py"):
        """Open `blend` in a window of `size` and run the actions of `script`.

        Returns
        -------
        (dict, Path, str)
            The answers, the folder of the pictures, and everything Blender printed.
        """
        folder = Path(self.scratch, f"drive-{time.monotonic_ns()}")
        folder.mkdir()
        with Display(folder, size) as display:
            done = subprocess.run(
                [self.blender, blend, "--gpu-backend", "opengl", "--enable-event-simulate", "-p", "0", "0", *map(str, size),
                 "--python", HERE / script, "--", display.screen, folder, *actions],
                cwd=ROOT, env=self.environment | {"DISPLAY": display.name}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, text=True, timeout=300)
        answers = folder / "answers.json"
        assert answers.exists(), f"Blender ended (exit code {done.returncode}) without answers\n{done.stdout}"
        return json.loads(answers.read_text()), folder, done.stdout


class Display:
    """An X server that draws into a file."""

    def __init__(self, folder: Path, size: tuple):
        self.folder, self.size, self.screen = folder, size, folder / "Xvfb_screen0"

    def __enter__(self):
        read, write = os.pipe()
        self.server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write), "-screen", "0", f"{self.size[0]}x{self.size[1]}x24", "-nolisten", "tcp",
             "-nocursor", "-fbdir", str(self.folder)], pass_fds=[write], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read) as pipe:
            self.name = ":" + pipe.readline().strip()
        return self

    def __exit__(self, *_):
        self.server.terminate()
        self.server.wait()


def pytest_addoption(parser):
    parser.addoption("--regenerate", action="store_true", help="store the window tests' pictures as the right ones")


@pytest.fixture(scope="session")
def application(tmp_path_factory, lacking):
    tier = _application_tier()
    blender = tier.find_blender()
    if blender is None:
        lacking("APP", "no Blender application found; name one with BLENDER=/path/to/blender")
    if shutil.which("Xvfb") is None:
        lacking("APP", "Xvfb is not installed")
    scratch = tmp_path_factory.mktemp("window")
    application = Application(blender, scratch, tier.environment(scratch))
    package = scratch / "gpuscene.zip"
    application.command("--command", "extension", "build", "--source-dir", ROOT, "--output-filepath", package)
    application.command("--command", "extension", "install-file", "-r", "user_default", "-e", package)
    return application
