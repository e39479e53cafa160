"""Custom rules: the shipped one against its twin, bodies and functions, records and camera in reach, errors with the user's own
line.
"""

import dataclasses
import re

import numpy as np
import pytest
import worlds
from gpuscene.core.cluster_tree import build
from gpuscene.core.conventions import PRESETS
from gpuscene.core.culling import decide, rules
from gpuscene.core.culling.gpu_tree import GpuTree
from gpuscene.core.errors import GpuSceneError, InputError
from gpuscene.device.custom_rule import CustomRule
from gpuscene.device.frame import GpuCuller


@pytest.mark.parametrize("axes", ["blender", "unity", "unreal"])
def test_below_camera(device, transport, axes):
    """Drops what is 10 m below the camera: along the scene's up axis, in its unit."""
    scene, bounds = worlds.scene_of(2000)
    scene = dataclasses.replace(scene, convention=PRESETS[axes])
    if axes == "unreal":  # centimetres: 10 m are 1000 units
        data = scene["instance_data"].copy()
        data["custom_data"][:, 1, 1] *= 100
        scene = dataclasses.replace(scene, tables={**scene.tables, "instance_data": data})
    culler = GpuCuller(bounds, scene, rule=CustomRule.load("below_camera"), transport=transport)
    dropped = 0
    for seed in range(4):
        view = worlds.view(bounds, seed, reach=8.0, half_angle=1.2)
        visible, keeps = decide.instance_visible(view, bounds), rules.below_camera(scene, view)
        height = scene["instance_data"]["custom_data"][:, 1, 1].astype("f8")
        camera = view.position[{"blender": 2, "unity": 1, "unreal": 2}[axes]]
        assert np.array_equal(keeps, height >= camera - 10 * {"blender": 1, "unity": 1, "unreal": 100}[axes])
        assert np.array_equal(culler.cull(view).visible, visible & keeps)
        dropped += int((visible & ~keeps).sum())
    assert dropped > 10


@pytest.mark.parametrize("descent", ["leaves", "levels"])
def test_a_body_alone_and_through_a_tree(device, transport, descent):
    """Odd ids only, by a body without its function; asked within nodes inside the frustum as well."""
    scene, bounds = worlds.scene_of(1500)
    culler = GpuCuller(
        bounds,
        scene,
        tree=GpuTree.of(build(bounds)),
        descent=descent,
        rule=CustomRule("return (data.instance_id & 1u) != 0u;"),
        transport=transport,
    )
    view = worlds.view(bounds, 1, reach=8.0, half_angle=1.2)
    odd = scene["instance_data"]["instance_id"] % 2 == 1
    assert np.array_equal(culler.cull(view).visible, decide.instance_visible(view, bounds) & odd)


def test_records_of_the_row_and_included_functions(device, transport):
    """The rule sees its own row's transform, also in cluster order, and may call include/instances.glsl."""
    scene, bounds = worlds.scene_of(1500)
    rule = CustomRule("// custom_rule( in a comment is no function\nreturn world_from_local_point(transform, vec3(0.0)).x > 0.0;")
    view = worlds.view(bounds, 1, reach=8.0, half_angle=1.2)
    want = decide.instance_visible(view, bounds) & (scene["instance_transforms"]["position"][:, 0] > 0)
    for tree in (None, GpuTree.of(build(bounds))):
        assert np.array_equal(GpuCuller(bounds, scene, tree=tree, rule=rule, transport=transport).cull(view).visible, want)


def test_loops_with_a_bound_run(device):
    """Counted upwards, downwards and in steps; a body may end in a directive."""
    scene, bounds = worlds.scene_of(100)
    rule = CustomRule("int sum = 0;\nfor (int i = 0; i < 4; ++i) { for (int k = 3; k >= 1; k--) { sum += k; } }\n"
                      "for (uint j = 1u; j <= 9u; j += 4u) { sum += int(j); }\nreturn sum == 24 + 15;\n#define END", "rule")
    view = worlds.view(bounds, 1, reach=8.0, half_angle=1.2)
    assert np.array_equal(GpuCuller(bounds, scene, rule=rule).cull(view).visible, decide.instance_visible(view, bounds))


BROKEN = {
    "body": ("float height = data.custom_data[1].y;\n\nreturn height > nowhere;", 3),
    "function": (
        "// one\nbool custom_rule(InstanceTransform transform, InstanceData data, CullView view)\n{\n  int x = 1\n  return true;\n}",
        5,
    ),
    "type": (
        "bool custom_rule(InstanceTransform transform, InstanceData data, CullView view)\n{\n  return transform.position;\n}",
        3,
    ),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_an_error_names_the_users_own_line(device, transport, kind):
    text, line = BROKEN[kind]
    scene, bounds = worlds.scene_of(10)
    with pytest.raises(GpuSceneError, match=rf"^my rule\.glsl, line {line}: ") as error:
        GpuCuller(bounds, scene, rule=CustomRule(text, "my rule.glsl"), transport=transport)
    assert "\n" not in str(error.value)


UNFINISHED = {
    "comment": ("return true;\n/* and\nso on", 2, "the comment that begins here has no end"),
    "if": ("#if 1\n#ifdef A\n#endif\nreturn true;", 1, "#if has no #endif"),
    "ifdef": ("\n#ifdef\nreturn true;\n#endif", 2, "#ifdef has no condition"),
    "endif": ("// #if\nreturn true;\n#endif", 3, "#endif has no #if"),
    "else": ("return true;\n#else", 2, "#else has no #if"),
    "elif": ("#if 1\n#endif\n#elif 2\nreturn true;", 3, "#elif has no #if"),
    "line": ("#line 900\nreturn nowhere;", 1, "#line would hide which line is meant"),
    "open": ("if (data.instance_id > 3u) {\n  return true;\n", 1, "{ is not closed"),
    "closed": ("return true;\n}", 2, "} closes nothing"),
    "crossed": ("return (data.instance_id[0) > 1u];", 1, ") closes nothing"),
    "nul": ("return true;\n\0", 2, "there is a control character"),
    "while": ("int i = 0;\nwhile (true) {}\nreturn true;", 2, "nobody can say whether this while ever ends"),
    "do": ("do {} while (true); return true;", 1, "nobody can say whether this do ever ends"),
    "endless": ("\nfor (;;) {}\nreturn true;", 2, "nobody can say whether this for ever ends"),
    "macro": ("#define L for (;;) {}\nL return true;", 1, "nobody can say whether this for ever ends"),
    "away": ("for (int i = 0; i < 4; --i) {} return true;", 1, "the for counts away from its end"),
    "unsigned": ("for (uint i = 4; i >= 0u; --i) {} return true;", 1, "the for counts away from its end"),
    "still": ("for (int i = 0; i < 4; i += 0) {} return true;", 1, "the for counts away from its end"),
    "long": ("for (int i = 0; i < 100; ++i) {\nfor (int j = 0; j < 100; j++) {} }\nreturn true;", 2,
             "the loops make 10000 turns for each instance, more than 4096"),
    "changed": ("for (int i = 0; i < 4; ++i) {\n  i = 0; }\nreturn true;", 2, "i counts a loop and is changed here"),
    "barrier": ("if (data.instance_id > 3u)\n  barrier();\nreturn true;", 2, "barrier waits for instances"),
    "include": ('\n#include "include/nothing.glsl"\nreturn true;', 2, "there is no include/nothing.glsl"),
    "signature": ("\n\nbool custom_rule(InstanceTransform t)\n{ return true; }", 3, "the function is not the one that is called"),
    "type": ("int custom_rule(InstanceTransform t, InstanceData d, CullView v)\n{ return 1; }", 1, "not the one that is called"),
}


@pytest.mark.parametrize("kind", UNFINISHED)
def test_what_a_compiler_would_not_survive_is_refused_before(kind):
    """Without a GPU too: some of these abort Blender, the others are reported in text that is not the user's."""
    text, line, what = UNFINISHED[kind]
    with pytest.raises(InputError, match=rf"^rule, line {line}: .*{re.escape(what)}.*\. "):
        CustomRule(text, "rule")


def test_no_rule_at_all():
    with pytest.raises(InputError, match="^rule is empty"):
        CustomRule("// only this\n/* and that */\n", "rule")


@pytest.mark.parametrize(
    ("text", "line"), [("float a = 1.0;\n\nreturn a > 0.0 // no semicolon\n\n", 3), ("float a = 1.0;\n", 1), ("return 1 +;", 1)]
)
def test_an_error_at_the_end_of_a_body_is_on_its_last_line(device, transport, text, line):
    scene, bounds = worlds.scene_of(10)
    with pytest.raises(GpuSceneError, match=rf"^rule, line {line}: "):
        GpuCuller(bounds, scene, rule=CustomRule(text, "rule"), transport=transport)


def test_comments_branches_and_qualifiers_are_no_trouble(device):
    text = (
        "/* } ( */ // {\n#ifdef NOT_THERE\nbool odd(uint id) { return false;\n#else\n"
        "bool odd(uint id) { return (id & 1u) != 0u;\n#endif\n}\n"
        "bool custom_rule(const InstanceTransform t, in InstanceData d, CullView v) { return odd(d.instance_id); }"
    )
    scene, bounds = worlds.scene_of(500)
    view = worlds.view(bounds, 1, reach=8.0, half_angle=1.2)
    odd = scene["instance_data"]["instance_id"] % 2 == 1
    assert np.array_equal(
        GpuCuller(bounds, scene, rule=CustomRule(text)).cull(view).visible, decide.instance_visible(view, bounds) & odd
    )


def test_an_error_leaves_the_next_culler_unharmed(device):
    scene, bounds = worlds.scene_of(100)
    with pytest.raises(GpuSceneError):
        GpuCuller(bounds, scene, rule=CustomRule("return nonsense;"))
    view = worlds.view(bounds, 1, reach=8.0)
    assert np.array_equal(GpuCuller(bounds, scene).cull(view).visible, decide.instance_visible(view, bounds))


def test_a_rule_that_cannot_be_read(tmp_path):
    with pytest.raises(InputError, match="none.glsl cannot be read: No such file or directory. "):
        CustomRule.load(tmp_path / "none.glsl")
    (tmp_path / "marked.glsl").write_bytes(b"\xef\xbb\xbfreturn true;\r\n")
    assert CustomRule.load(tmp_path / "marked.glsl").text == "return true;\n"
    (tmp_path / "latin.glsl").write_bytes(b"// \xe9")
    with pytest.raises(InputError, match="latin.glsl cannot be read: it is not UTF-8 text. "):
        CustomRule.load(tmp_path / "latin.glsl")
