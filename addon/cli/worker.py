"""Blender in a process of its own, for the console script.

Three things come of it: stdout carries nothing but the command's own output, a crash of Blender on a damaged file is one clear line,
and ``gpuscene info`` starts without Blender. The parent sends one JSON request on the child's stdin; the child answers with JSON
lines on what was its stdout: ``{"progress": [fraction, text]}``, then ``{"result": ...}`` or ``{"error": ...}``.
Cost: one Python start, about 30 ms.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from ..core import errors
from .output import debugging
from .quiet import worth_showing

#: seconds that an interrupted child gets to remove its temporary file
GRACE = 10


def call(task: str, arguments: dict, progress=None):
    """Run ``tasks.TASKS[task](arguments, progress)`` in a child.

    Returns
    -------
    tuple
        Its result, and the lines of Blender's stderr that are not noise.

    Raises
    ------
    GpuSceneError
        What the child raised, of the same type where it is one of `core.errors`; or that the child crashed.
    """
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p), "PYTHONIOENCODING": "utf-8"}
    with tempfile.TemporaryFile() as stderr:
        child = subprocess.Popen([sys.executable, "-P", "-m", f"{__package__}.worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 stderr=None if debugging() else stderr, env=environment)
        try:
            with _terminated_as_interrupt():
                answer = _talk(child, {"task": task, "arguments": arguments, "progress": progress is not None}, progress)
                child.wait()
        except BaseException:
            _stop(child)
            raise
        finally:
            child.stdout.close()
            _remove_leftovers(arguments, child.pid)
        stderr.seek(0)
        said = worth_showing(stderr.read().decode("utf-8", "replace"))
    if "result" in answer:
        return answer["result"], said
    raise _error(answer, child.returncode, said)


def _talk(child, request: dict, progress) -> dict:
    """Send the request, pass progress on, return the last answer ({} if the child died without one)."""
    with contextlib.suppress(BrokenPipeError), child.stdin:
        child.stdin.write(json.dumps(request).encode())
    for line in child.stdout:
        message = json.loads(line)
        if "progress" not in message:
            return message
        if progress is not None:
            progress(*message["progress"])
    return {}


def _error(answer: dict, code: int, said: list) -> Exception:
    """The exception for a child that gave no result."""
    if "error" in answer:
        kind = getattr(errors, answer["error"]["type"], errors.GpuSceneError)
        error = errors.GpuSceneError.__new__(kind)
        errors.GpuSceneError.__init__(error, answer["error"]["message"])
        return error
    last = f" Its last words: {said[-1]}" if said else ""
    if code < 0:
        name = signal.Signals(-code).name if -code in signal.valid_signals() else f"signal {-code}"
        cause = "it was killed, perhaps for want of memory" if name == "SIGKILL" else f"it crashed ({name})"
        return errors.GpuSceneError(f"Blender did not finish: {cause}. The file may be damaged.{last}", "GPUSCENE_DEBUG=1 shows more.")
    return errors.GpuSceneError(f"Blender ended without an answer (exit code {code}).{last}", "GPUSCENE_DEBUG=1 shows more.")


@contextlib.contextmanager
def _terminated_as_interrupt():
    """SIGTERM unwinds like Ctrl-C within, so that the child is told and cleans up."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _stop(child):
    """Interrupt the child, wait for it to clean up, then end it."""
    if child.poll() is None:
        with contextlib.suppress(OSError):
            child.terminate() if sys.platform == "win32" else child.send_signal(signal.SIGINT)
        try:
            child.wait(GRACE)
        except (subprocess.TimeoutExpired, KeyboardInterrupt):
            child.kill()
            child.wait()


def _remove_leftovers(arguments: dict, pid: int):
    """Remove the temporary files of a child that could not do it itself; `core.gltf.output` puts the process id in their names."""
    if "output" in arguments:
        for path in Path(arguments["output"]).resolve().parent.glob(f".*.tmp-{pid}-*"):
            with contextlib.suppress(OSError):
                path.unlink()


def _child():
    """The other side: answer one request on stdin."""
    channel = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2 if debugging() else os.open(os.devnull, os.O_WRONLY), 1)  # before Blender is loaded
    request = json.loads(sys.stdin.buffer.read())

    def send(message: dict):
        channel.write(json.dumps(message, default=lambda scalar: scalar.item()) + "\n")
        channel.flush()

    def progress(fraction: float, text: str):
        send({"progress": [float(fraction), text]})

    from .blender_module import explain_import_error
    from .tasks import TASKS
    try:
        send({"result": TASKS[request["task"]](request["arguments"], progress if request["progress"] else None)})
    except KeyboardInterrupt:
        sys.exit(130)
    except errors.GpuSceneError as error:
        _debug_traceback()
        send({"error": {"type": type(error).__name__, "message": str(error)}})
    except ImportError as error:
        _debug_traceback()
        send({"error": {"type": "GpuSceneError", "message": explain_import_error(error)}})
    except Exception as error:
        _debug_traceback()
        send({"error": {"type": "GpuSceneError", "message": f"internal error: {type(error).__name__}: {error}. "
                                                            "Please report it; GPUSCENE_DEBUG=1 shows where."}})


def _debug_traceback():
    if debugging():
        import traceback
        traceback.print_exc()


if __name__ == "__main__":
    _child()
