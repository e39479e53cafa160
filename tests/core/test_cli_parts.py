"""Parts of the command: the .blend header, the summary, the noise filter, and the process that Blender runs in."""

import gzip
import os
import signal
import subprocess
import sys
import textwrap

import pytest
from gpuscene.cli import quiet, summary, worker
from gpuscene.cli.blender_module import explain_import_error
from gpuscene.cli.tasks import named_blend
from gpuscene.core import blendfile
from gpuscene.core.errors import GpuSceneError, InputError, LimitError, OutputError


@pytest.mark.parametrize(("head", "expected"), [
    (b"BLENDER-v280REND", ((2, 80), False, 8, 0)),
    (b"BLENDER_v249REND", ((2, 49), False, 4, 0)),
    (b"BLENDER-V260REND", ((2, 60), True, 8, 0)),
    (b"BLENDER17-01v0503REND", ((5, 3), False, 8, 1)),
    (b"BLENDER17-01v1012REND", ((10, 12), False, 8, 1)),
])
@pytest.mark.parametrize("compression", ["", "gzip", "zstd"])
def test_blend_header(head, expected, compression, tmp_path):
    data = head + bytes(200)
    if compression == "gzip":
        data = gzip.compress(data)
    elif compression == "zstd":
        data = pytest.importorskip("zstandard", reason="zstandard comes with bpy").compress(data)
    path = tmp_path / "a.blend"
    path.write_bytes(data)
    header = blendfile.read_header(path)
    assert (header.version, header.big_endian, header.pointer_bytes, header.format_version) == expected
    assert header.compression == compression


@pytest.mark.parametrize(("head", "have", "says"), [
    (b"BLENDER17-01v0504REND", (5, 3, 0), "from Blender 5.4, newer than this Blender 5.3"),
    (b"BLENDER17-01v0600REND", (5, 3, 0), "from Blender 6.0"),
    (b"BLENDER-v503REND", (5, 2, 3), "from Blender 5.3, newer than this Blender 5.2"),
    (b"BLENDER17-02v0503REND", (5, 3, 0), "newer file format"),
    (b"BLENDER-V260REND", (5, 3, 0), "big-endian"),
    (b"BLENDER17-xxv0503REND", (5, 3, 0), "damaged"),
    (b"BLENDE", (5, 3, 0), "not a .blend"),
    (b"", (5, 3, 0), "empty"),
    (b"\x1f\x8b\x08\x00 and no more", (5, 3, 0), "damaged"),
    (gzip.compress(b"a text file, compressed" * 9), (5, 3, 0), "not a .blend"),
])
def test_refused_blend_files(head, have, says, tmp_path):
    path = tmp_path / "bad file.blend"
    path.write_bytes(head)
    with pytest.raises(InputError, match=says) as error:
        blendfile.check(path, have)
    assert str(path) in str(error.value) and "\n" not in str(error.value)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_refused_and_not_waited_for(tmp_path):
    pipe = tmp_path / "pipe.blend"
    os.mkfifo(pipe)
    with pytest.raises(InputError, match="not a regular file"):
        blendfile.read_header(pipe)


def test_accepted_blend_files(tmp_path):
    path = tmp_path / "a.blend"
    for head in (b"BLENDER17-01v0503REND", b"BLENDER17-01v0502REND", b"BLENDER-v405REND"):
        path.write_bytes(head)
        assert blendfile.check(path, (5, 3, 0)).version <= (5, 3)


def test_zstd_damage(tmp_path):
    pytest.importorskip("zstandard", reason="zstandard comes with bpy")
    path = tmp_path / "a.blend"
    path.write_bytes(b"\x28\xb5\x2f\xfd" + b"\xff" * 50)
    with pytest.raises(InputError, match="damaged"):
        blendfile.read_header(path)


@pytest.mark.parametrize(("line", "named"), [
    ("blender --command gpuscene export a.blend -o x.glb", None),
    ("blender a.blend --command gpuscene export -o x.glb", "a.blend"),
    ("blender -b dir/A.BLEND -c gpuscene export b.blend", "dir/A.BLEND"),
    ("blender a.blend b.blend --command gpuscene", "b.blend"),
    ("blender -P odd.blend --command gpuscene", None),
    ("blender a.blend -- b.blend", "a.blend"),
])
def test_the_file_on_blenders_own_command_line(line, named):
    assert named_blend(line.split()) == named


@pytest.mark.parametrize(("count", "text"), [
    (0, "0 bytes"), (999, "999 bytes"), (1000, "1.0 kB"), (999_949, "999.9 kB"), (999_950, "1.0 MB"), (123_456_789, "123.5 MB"),
    (5_000_000_000, "5.0 GB"), (2_000_000_000_000, "2000.0 GB")])
def test_size(count, text):
    assert summary.size(count) == text


def test_summary_by_hand():
    finding = {"code": "zero-scale", "severity": "warning", "message": "scale (0, 1, 1)", "hint": "Apply the scale."}
    result = {"instances": 20000, "primitives": 1, "batches": 2, "triangles": 1234567, "bytes": 3_400_000, "path": "forest.glb",
              "findings": [{**finding, "subject": "A"}, {"code": "no-tangents", "severity": "error", "subject": "M", "message": "none"},
                           {**finding, "subject": "B"}, {**finding, "subject": "C"}],
              "seconds": {"open": 0.25, "write": 0.5, "total": 0.756}}
    assert summary.export_summary(result) == textwrap.dedent("""\
        forest.glb
          20,000 instances, 1 primitive, 2 batches, 1,234,567 triangles
          3.4 MB in 0.76 s (open 0.25, write 0.50)
          error: no-tangents: M: none
          warning: zero-scale: A (and 2 more): scale (0, 1, 1) Apply the scale.""")


def test_summary_stops_after_ten_codes():
    findings = [{"code": f"code-{i:02}", "severity": "info", "subject": "S", "message": "m"} for i in range(13) for _ in range(i + 1)]
    lines = summary.findings_lines(findings)
    assert len(lines) == 11 and lines[0] == "info: code-00: S: m"
    assert lines[-1] == f"... and {11 + 12 + 13} more; use --json"


def test_noise_is_dropped_and_the_rest_kept():
    stderr = ("EGL Error (0x3009): EGL_BAD_MATCH: Arguments are inconsistent\nWARNING: lavapipe is not a conformant vulkan implementation\n"
              "\nWarning: linked library '//trees.blend' is missing\n")
    assert quiet.worth_showing(stderr) == ["Warning: linked library '//trees.blend' is missing"]


def test_stdout_of_c_code_is_dropped():
    """C's buffered and unbuffered writes within, and what C had buffered before, reach no reader; Python's own output after does."""
    code = textwrap.dedent("""
        import ctypes, os
        from gpuscene.cli.quiet import blender_stdout_dropped
        libc = ctypes.CDLL(None)
        libc.printf(b"buffered before\\n")
        with blender_stdout_dropped():
            libc.printf(b"buffered within\\n")
            os.write(1, b"written within\\n")
            print("python within")
        print("{}")
        """)
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"}  # with it C buffers nothing
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert (result.stdout, result.stderr) == ("{}\n", "")


@pytest.mark.parametrize(("error", "python", "says"), [
    (ModuleNotFoundError("No module named 'bpy'", name="bpy"), (3, 13), "pip install 'gpuscene[blender]'"),
    (ModuleNotFoundError("No module named 'bpy'", name="bpy"), (3, 12), "needs Python 3.13, and this is 3.12"),
    (ImportError("libXi.so.6: cannot open shared object file: No such file or directory"), (3, 13), "apt-get install libxi6"),
    (ImportError("libSM.so.6: cannot open shared object file: No such file or directory"), (3, 13), "apt-get install libsm6"),
    (ImportError("libfoo-2.so.1: cannot open shared object file"), (3, 13), "libfoo-2.so.1"),
    (ModuleNotFoundError("No module named 'numpy'", name="numpy"), (3, 13), "numpy is missing"),
    (ImportError("undefined symbol: _Py_Foo"), (3, 13), "undefined symbol"),
])
def test_missing_module_is_explained(error, python, says):
    text = explain_import_error(error, python)
    assert says in text and "\n" not in text


@pytest.fixture
def task(tmp_path, monkeypatch):
    """``task(body)`` makes the child run `body` as the task ``probe(arguments, progress)``, in the real child process."""
    def make(body):
        (tmp_path / "sitecustomize.py").write_text(
            "import gpuscene.cli.tasks as tasks\ndef probe(arguments, progress):\n" + textwrap.indent(textwrap.dedent(body), "    ")
            + "\ntasks.TASKS['probe'] = probe\n")
        monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    return make


def test_worker_passes_values_progress_and_no_stdout(task, capfd):
    task("""
        import os, numpy
        os.write(1, b"noise of Blender")
        os.write(2, b"EGL Error (0x3009)\\nworth a look\\n")
        print("more noise")
        progress(0.25, "reading")
        progress(numpy.float32(0.5), "writing")
        return {"got": arguments["value"], "pi": numpy.float64(3.25), "n": numpy.int64(7)}
        """)
    seen = []
    assert worker.call("probe", {"value": "\u6728 \U0001f332"}, lambda *p: seen.append(p)) == (
        {"got": "\u6728 \U0001f332", "pi": 3.25, "n": 7}, ["worth a look"])
    assert seen == [(0.25, "reading"), (0.5, "writing")]
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(("body", "kind", "says"), [
    ("from gpuscene.core.errors import OutputError; raise OutputError('no room', 'Make some.')", OutputError, "no room Make some."),
    ("from gpuscene.core.errors import LimitError; raise LimitError('instances', 5000, 10)", LimitError, "5,000 is past the limit of 10"),
    ("raise ZeroDivisionError('by zero')", GpuSceneError, "internal error: ZeroDivisionError: by zero"),
    ("import bpy_of_no_kind", GpuSceneError, "bpy_of_no_kind is missing"),
    ("import os; os.write(2, b'AAA\\nMESA: x\\n'); os._exit(11)", GpuSceneError, "exit code 11). Its last words: AAA"),
    ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", GpuSceneError, "it crashed (SIGSEGV)"),
    ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", GpuSceneError, "want of memory"),
])
def test_worker_failures_come_back_as_errors(task, body, kind, says):
    task(body)
    with pytest.raises(kind) as error:
        worker.call("probe", {})
    assert type(error.value) is kind and says in str(error.value)


def test_a_crash_leaves_no_temporary_file(task, tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "scene.glb").write_text("old")
    (folder / ".other.glb.tmp-1").write_text("somebody else's")
    task("""
        import os
        from pathlib import Path
        from gpuscene.core.gltf.output import Replacement
        replacement = Replacement()
        replacement.write(Path(arguments["output"]), [b"half a file"])
        assert len(os.listdir(Path(arguments["output"]).parent)) == 3
        os.abort()
        """)
    with pytest.raises(GpuSceneError, match="SIGABRT"):
        worker.call("probe", {"output": str(folder / "scene.glb")})
    assert sorted(os.listdir(folder)) == [".other.glb.tmp-1", "scene.glb"]
    assert (folder / "scene.glb").read_text() == "old"


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_is_130_and_the_child_cleans_up(task, tmp_path, number):
    """Only the parent is told; the child must hear of it, unwind, and be gone when the parent ends."""
    task("""
        import time
        from pathlib import Path
        from gpuscene.core.gltf.output import Replacement
        with Replacement() as replacement:
            replacement.write(Path(arguments["output"]), [b"half"])
            progress(0.5, "half")
            time.sleep(60)
        """)
    folder = tmp_path / "out"
    folder.mkdir()
    code = textwrap.dedent("""
        import sys
        from gpuscene.cli import worker, export, run
        def stand_in(name, arguments, hosted):
            return worker.call("probe", arguments, lambda *p: print("half", flush=True))[0]
        export.run_task = stand_in
        sys.exit(run(["export", sys.argv[1], "-o", sys.argv[2]], False))
        """)
    source = tmp_path / "a.blend"
    source.write_bytes(b"BLENDER-v280REND")
    process = subprocess.Popen([sys.executable, "-c", code, source, folder / "x.glb"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))  # a background job inherits it as ignored
    assert process.stdout.readline() == "half\n"
    assert len(os.listdir(folder)) == 1
    process.send_signal(number)
    _, stderr = process.communicate(timeout=30)
    assert process.returncode == 130
    assert stderr == "gpuscene: error: interrupted.\n"
    assert os.listdir(folder) == []
