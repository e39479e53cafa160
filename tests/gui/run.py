"""Runs the application tier: builds the extension's zip, installs it in the real Blender, and runs pytest inside it.

usage: python tests/gui/run.py [pytest arguments]

The application is ``$BLENDER``, or the one that ../shared/blender-app built, or ``blender`` on PATH. With none the tier is skipped
with a reason, and fails where ``GPUSCENE_REQUIRE_APP`` is set. Blender's user files go to a scratch folder, so an own
Blender keeps its settings. Needs pytest-blender, which takes over every pytest run of its environment: hence ``.venv-app``.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def find_blender() -> str | None:
    """Executable to test in."""
    if own := os.environ.get("BLENDER"):
        return own
    wrapper = ROOT.parent / "shared" / "blender-app" / "blender"
    built = Path(os.environ.get("BLENDER_DIR", "/var/cache/blender-app"))
    if wrapper.exists() and (built / "usr" / "bin" / "blender").exists():
        return str(wrapper)
    return shutil.which("blender")


def environment(scratch: Path) -> dict[str, str]:
    """Environment of every Blender here. The ``BLENDER_*`` names that Blender does not know are for the wrapper."""
    home = scratch / "home"
    home.mkdir()
    return os.environ | {
        "BLENDER_USER_RESOURCES": str(scratch / "user"),
        "BLENDER_BIND": ":".join(map(str, [ROOT, scratch])),
        "BLENDER_HOME": str(home),
        "GPUSCENE_SCRATCH": str(scratch),
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def main(arguments: list[str]) -> int:
    blender = find_blender()
    if blender is None:
        print("SKIPPED the application tier: no Blender found. Name one: make test-app BLENDER=/path/to/blender")
        return 1 if os.environ.get("GPUSCENE_REQUIRE_APP") else 0
    (ROOT / "build" / "tests").mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="gpuscene-app-") as folder:
        scratch = Path(folder)
        env = environment(scratch)
        package = scratch / "gpuscene.zip"
        for command in (
            ["build", "--source-dir", str(ROOT), "--output-filepath", str(package)],
            ["validate", str(ROOT)],
            ["validate", str(package)],
            ["install-file", "-r", "user_default", "-e", str(package)],
        ):
            done = subprocess.run([blender, "--command", "extension", *command], cwd=ROOT, env=env, stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, timeout=300)
            if done.returncode:
                print(f"error: blender --command extension {' '.join(command)} exits {done.returncode}\n{done.stdout}{done.stderr}")
                return 1
        return subprocess.run([
            sys.executable, "-W", "ignore:config.inicfg", "-m", "pytest", "-c", "tests/gui/pytest.ini", "--blender-executable", blender, *arguments, "tests/gui",
        ], cwd=ROOT, env=env, stdin=subprocess.DEVNULL, timeout=1200).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
