"""The command without Blender: usage, info, headers, exit codes, and what it says when Blender cannot be had."""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from gpuscene.cli import main, run
from gpuscene.cli.parser import build_parser
from gpuscene.core import gltf, layout
from gpuscene.core.findings import Finding

sys.path.insert(0, str(Path(__file__).parent))
from scene_factory import make_scene  # noqa: E402


@pytest.fixture
def glb(tmp_path):
    """A file of 40 instances of 3 primitives with two kinds of finding."""
    findings = (Finding("zero-scale", "warning", "A", "scale (0, 1, 1)"), Finding("zero-scale", "warning", "B", "scale (0, 0, 0)"),
                Finding("empty-mesh", "info", "C", "0 vertices"))
    path = tmp_path / "scene.glb"
    gltf.write(make_scene(40, 3, axes="unreal", findings=findings), path)
    return path


def command(*arguments, **environment):
    """Run the command in a new process; no bpy may be imported by it unless it needs to."""
    return subprocess.run([sys.executable, "-m", "gpuscene.cli", *map(str, arguments)], capture_output=True, text=True,
                          env={**os.environ, **environment}, stdin=subprocess.DEVNULL)


def one_error(result, code=1):
    """The one line of a failed command, without its prefix."""
    assert result.returncode == code and result.stdout == ""
    assert result.stderr.startswith("gpuscene: error: ") and result.stderr.count("\n") == 1, result.stderr
    return result.stderr.removeprefix("gpuscene: error: ").strip()


def test_export_arguments_and_their_defaults():
    arguments = build_parser("gpuscene", hosted=False).parse_args(["export", "a b.blend", "-o", "x.glb"])
    got = {k: v for k, v in vars(arguments).items() if k != "command"}
    assert got == {"file": Path("a b.blend"), "output": Path("x.glb"), "axes": "blender", "visible": "viewport", "collection": None,
                   "frame": None, "container": "auto", "clusters": "auto", "cluster_size": 64, "json": False, "force": False, "skins": False,
                   "skin_frames": None}
    arguments = build_parser("gpuscene", hosted=False).parse_args(
        "export a.blend -o x.gltf --axes unreal --visible render --collection Trees --frame -3 --container gltf --json".split())
    assert (arguments.axes, arguments.visible, arguments.collection, arguments.frame, arguments.container, arguments.json) == (
        "unreal", "render", "Trees", -3, "gltf", True)


def test_file_may_be_left_out_inside_blender_only(capsys):
    assert build_parser("blender --command gpuscene", hosted=True).parse_args(["export", "-o", "x.glb"]).file is None
    assert main(["export", "-o", "x.glb"]) == 2
    assert "FILE" in capsys.readouterr().err


@pytest.mark.parametrize("line", [
    "", "frobnicate", "export", "export a.blend", "export a.blend -o x.glb --axes maya", "export a.blend -o x.glb --frame soon",
    "export a.blend -o x.glb --visible always", "info", "headers", "headers -o d --docs", "bench", "bench export --instances 0",
    "bench export --instances many", "export a.blend b.blend -o x.glb"])
def test_wrong_usage_is_2(line, capsys):
    for hosted in (False, True):
        assert run(line.split(), hosted) == 2
        captured = capsys.readouterr()
        assert captured.out == "" and "usage:" in captured.err


@pytest.mark.parametrize("line", ["--help", "export --help", "info --help", "headers --help", "demo --help", "bench export --help"])
def test_help_is_0_on_stdout(line, capsys):
    assert main(line.split()) == 0
    captured = capsys.readouterr()
    assert captured.out.startswith("usage: gpuscene") and captured.err == ""


def all_parsers(parser):
    """A parser and, at any depth, those of its subcommands."""
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for child in {id(p): p for p in action.choices.values()}.values():
                yield from all_parsers(child)


@pytest.mark.parametrize("hosted", [False, True])
def test_every_help_text_can_be_formatted(hosted):
    """A bare % in one breaks ``--help`` of its parent, and in newer Pythons the command itself."""
    parsers = list(all_parsers(build_parser("gpuscene", hosted)))
    assert len(parsers) > 10
    for parser in parsers:
        assert parser.prog.split()[-1] in parser.format_help()


def test_version_is_the_manifests(root, capsys):
    import tomllib
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"gpuscene {tomllib.loads((root / 'blender_manifest.toml').read_text())['version']}\n"


def test_bench_takes_grouped_digits():
    parser = build_parser("gpuscene", hosted=False)
    assert parser.parse_args(["bench", "export", "--instances", "1,000_000"]).instances == 1_000_000


@pytest.mark.parametrize("line", ["--help", "--version", "info scene.glb", "headers -o out", "headers --docs"])
def test_no_blender_is_imported(line, glb, tmp_path):
    code = "import sys; from gpuscene.cli import main; code = main(sys.argv[1:]); print(code, 'bpy' in sys.modules, file=sys.stderr)"
    result = subprocess.run([sys.executable, "-c", code, *line.split()], capture_output=True, text=True, cwd=tmp_path)
    assert result.stderr == "0 False\n"


def test_info_json_is_what_was_written(glb):
    result = command("info", glb, "--json")
    assert result.returncode == 0 and result.stderr == ""
    info = json.loads(result.stdout)
    assert (info["instances"], info["primitives"], info["axes"]["name"]) == (40, 3, "unreal")
    assert info["bytes"] == glb.stat().st_size
    assert info["tables"]["instance_transforms"] == {"count": 40, "stride": 64, "bytes": 2560}
    assert info["findings"] == {"zero-scale": 2, "empty-mesh": 1}
    assert list(info["tables"]) and set(layout.REQUIRED_TABLES) <= set(info["tables"])


def test_info_text(glb):
    result = command("info", glb)
    assert result.returncode == 0 and result.stderr == ""
    lines = result.stdout.splitlines()
    assert lines[0] == str(glb)
    assert "checksums right" in lines[1] and "axes unreal: +Z up, left-handed, 100 units a metre" in lines[2]
    assert "40 instances, 3 primitives" in lines[3]
    rows = [line.split() for line in lines]
    assert ["instance_transforms", "40", "64", "2.6", "kB"] in rows
    assert ["zero-scale", "2"] in rows and ["empty-mesh", "1"] in rows


def test_info_notices_a_changed_byte_unless_told_not_to(glb):
    data = bytearray(glb.read_bytes())
    data[-5] ^= 1
    glb.write_bytes(data)
    assert glb.name in one_error(command("info", glb))
    assert "damaged" in one_error(command("info", glb, "--json"))
    assert command("info", glb, "--no-verify").returncode == 0


@pytest.mark.parametrize("what", ["missing", "empty", "folder", "text"])
def test_info_of_no_such_file(what, tmp_path):
    path = tmp_path / "x.glb"
    if what == "folder":
        path.mkdir()
    elif what != "missing":
        path.write_bytes(b"" if what == "empty" else b"hello, this is no glTF\n" * 10)
    assert "x.glb" in one_error(command("info", path))


def test_headers(tmp_path):
    folder = tmp_path / "new folder" / "include"
    result = command("headers", "-o", folder)
    assert result.returncode == 0 and result.stderr == ""
    assert result.stdout.splitlines() == [str(folder / name) for name in ("gpuscene.h", "gpuscene.hlsl", "gpuscene.glsl")]
    assert sorted(p.name for p in folder.iterdir()) == ["gpuscene.glsl", "gpuscene.h", "gpuscene.hlsl"]
    assert "GpuSceneInstanceTransform" in (folder / "gpuscene.h").read_text()
    assert command("headers", "-o", folder).returncode == 0  # again, over the old ones


def test_headers_where_no_folder_can_be(tmp_path):
    (tmp_path / "file").write_text("in the way")
    assert str(tmp_path / "file") in one_error(command("headers", "-o", tmp_path / "file"))
    assert (tmp_path / "file").read_text() == "in the way"


def test_docs_updates_the_generated_part_only(tmp_path):
    path = tmp_path / "format.md"
    path.write_text("before\n<!-- generated by `gpuscene headers --docs`: do not edit -->\nold\n<!-- end of the generated part -->\nafter\n")
    assert command("headers", "--docs", path).returncode == 0
    text = path.read_text()
    assert text.startswith("before\n") and text.endswith("after\n") and "\nold\n" not in text
    assert "### `instance_transforms`" in text
    path.write_text("no markers")
    assert "markers" in one_error(command("headers", "--docs", path))
    assert path.read_text() == "no markers"


@pytest.mark.parametrize(("output", "says"), [
    ("nowhere/x.glb", "does not exist"), ("x.obj", "neither .glb nor .gltf"), ("x", "neither"), ("folder.glb", "is a folder"),
    ("file.txt/x.glb", "does not exist")])
def test_export_names_a_bad_output_before_any_work(output, says, tmp_path):
    (tmp_path / "folder.glb").mkdir()
    (tmp_path / "file.txt").touch()
    error = one_error(command("export", tmp_path / "missing.blend", "-o", tmp_path / output))
    assert says in error and str(tmp_path) in error


def test_without_bpy_export_says_how_to_get_it(tmp_path):
    """An environment with no bpy: the real one with it shadowed by a module that is missing, as pip leaves it."""
    shadow = tmp_path / "shadow"
    shadow.mkdir()
    (shadow / "bpy.py").write_text("raise ModuleNotFoundError(\"No module named 'bpy'\", name='bpy')\n")
    source = tmp_path / "a.blend"
    source.write_bytes(b"BLENDER-v280REND" + bytes(100))
    error = one_error(command("export", source, "-o", tmp_path / "x.glb", PYTHONPATH=os.pathsep.join([str(shadow), *filter(None, sys.path)])))
    assert "pip install 'gpuscene[blender]'" in error
    assert not (tmp_path / "x.glb").exists()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_full_stdout_is_one_line(glb, options):
    with open("/dev/full", "w") as full:
        result = subprocess.run([sys.executable, "-m", "gpuscene.cli", "info", glb, *options], stdout=full, stderr=subprocess.PIPE, text=True)
    assert result.returncode == 1 and result.stderr == "gpuscene: error: The result cannot be printed: No space left on device. What was exported stays.\n"


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
def test_closed_streams_do_no_harm(glb):
    """As from a cron job: nothing to read, nothing to print to; the exit code still tells."""
    for path, code in ((glb, 0), (glb.with_name("none.glb"), 1)):
        shell = 'exec "$0" -m gpuscene.cli info "$1" <&- >&- 2>&-'
        assert subprocess.run(["sh", "-c", shell, sys.executable, path]).returncode == code
