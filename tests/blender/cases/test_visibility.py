"""I10: every combination of the visibility switches, on an object and on its collection; and instancers that hide themselves."""

import itertools

import bpy
import pytest

import oracle
from builders import Nodes, add, collection, fan, hair, instance, layer_collection, plane, points, scatter
from gpuscene.blender.export import ExportSettings, extract_scene

VISIBLE = pytest.mark.parametrize("visible", ["viewport", "render"])
SWITCHES = ("hide_viewport", "hide_render", "eye", "exclude", "holdout")
TABLE = list(itertools.product([False, True], repeat=len(SWITCHES)))


def switch_collection(made, hide_viewport, hide_render, eye, exclude, holdout):
    made.hide_viewport, made.hide_render = hide_viewport, hide_render
    layer = layer_collection(made.name)
    layer.exclude = exclude  # first: it resets the eye
    layer.hide_viewport, layer.holdout = eye, holdout


def switch_object(obj, hide_viewport, hide_render, eye, exclude, holdout):
    """An object has no exclusion of its own: its collection's stands for it."""
    obj.hide_set(eye)
    obj.hide_viewport, obj.hide_render, obj.is_holdout = hide_viewport, hide_render, holdout
    layer_collection(obj.users_collection[0].name).exclude = exclude


def shown(visible, hide_viewport, hide_render, eye, exclude, holdout):
    """By Blender's manual: a holdout is still drawn, and cuts its shape out of the picture; eye and monitor do not touch renders."""
    if exclude:
        return False
    return not hide_render if visible == "render" else not (hide_viewport or eye)


def of(expected, name):
    return oracle.counts_by_object(expected)[name]


@VISIBLE
@pytest.mark.parametrize("row", TABLE, ids=lambda row: "+".join(itertools.compress(SWITCHES, row)) or "none")
def test_i10_the_table(check, visible, row):
    """One scene a row: the switches on an object, on a collection, and on what other things instance."""
    add("always", fan("always", 3))
    holder = collection("holder")
    add("by object", fan("by object", 4), holder, location=(1, 0, 0))
    whole = collection("whole")
    add("by collection", fan("by collection", 5), whole, location=(2, 0, 0))
    deep = collection("deep", whole)
    add("deeper", fan("deeper", 6), deep, location=(3, 0, 0))
    # The same things instanced: by a collection instance each, Geometry Nodes, and hair.
    instance("copy of holder", holder, location=(0, 10, 0))
    instance("copy of whole", whole, location=(0, 20, 0), scale=(-1, 1, 1))
    scatter(add("scatter", points("scatter", [(0, 30, 0), (0, 31, 0)])), bpy.data.objects["by object"])
    scatter(add("scatter whole", points("scatter", [(0, 40, 0), (0, 41, 0), (0, 42, 0)])), whole)
    switch_object(bpy.data.objects["by object"], *row)
    switch_collection(whole, *row)
    data, expected = check(visible)
    own = [one for one in expected if not one.parent]
    assert of(own, "always") == 1
    assert of(own, "by object") == shown(visible, *row)
    assert of(own, "by collection") == of(own, "deeper") == shown(visible, *row)
    # Instances look at the switches of the data, not at those of the view layer (eye, exclude).
    hidden = row[1] if visible == "render" else row[0]
    assert of(expected, "by object") == of(own, "by object") + (not hidden) + 2
    for name in ("by collection", "deeper"):
        assert of(expected, name) == of(own, name) + (0 if hidden else 1 + 3)


@VISIBLE
@pytest.mark.parametrize("row", TABLE, ids=lambda row: "+".join(itertools.compress(SWITCHES, row)) or "none")
def test_i10_the_table_for_instancers(check, visible, row):
    """The switches on instancers: a collection instance, a scatter, an emitter, and a vertex instancer, in a collection of their own."""
    group = collection("group", linked=False)
    leaf = add("leaf", fan("leaf", 4), group, location=(1, 2, 3))
    holder = collection("holder")
    copy = instance("copy", group, holder, location=(10, 0, 0))
    owner = add("owner", plane("owner"), holder, location=(20, 0, 0))
    scatter(owner, leaf, keep=True)
    emitter = add("emitter", plane("emitter", 3, 3), holder)
    hair(emitter, "hair", 5, leaf)
    vertices = add("vertices", plane("vertices", 1, 2), holder, location=(30, 0, 0))
    vertices.instance_type = "VERTS"
    add("child", fan("child", 6), holder, parent=vertices)
    add("always", fan("always", 3))
    for obj in (copy, owner, emitter, vertices):
        obj.hide_set(row[2])
    for obj in (copy, owner, emitter, vertices):
        obj.hide_viewport, obj.hide_render, obj.is_holdout = row[0], row[1], row[4]
    layer_collection("holder").exclude = row[3]
    data, expected = check(visible)
    on = shown(visible, *row)
    counts = oracle.counts_by_object(expected)
    assert counts["leaf"] == (1 + 4 + 5) * on
    assert [counts[name] for name in ("owner", "emitter", "vertices")] == [on] * 3
    assert counts["child"] >= 6 * on


@VISIBLE
@pytest.mark.parametrize("self_shown", [True, False])
@pytest.mark.parametrize("kind", ["plain", "modifier", "nodes without instances", "nodes", "nodes with geometry",
                                  "nodes with points", "nodes with curves", "hair", "hair drawn as lines", "vertices", "text", "text with nodes"])
def test_show_instancer_off(check, visible, kind, self_shown):
    """Only what instances something can hide itself so; as a whole, and where it is instanced by others."""
    group = collection("group")
    leaf = add("leaf", fan("leaf", 4), collection("hidden", linked=False))
    if kind.startswith("text"):
        text = bpy.data.curves.new("text", "FONT")
        text.body = "l"
        obj = add("owner", text, group)
    else:
        obj = add("owner", plane("owner", 3, 3), group)
    if kind == "modifier":
        obj.modifiers.new("array", "ARRAY")
    elif kind == "nodes without instances":
        nodes = Nodes()
        nodes.on(obj, nodes.add("Transform", Geometry=nodes.input, Translation=(0, 0, 1)).outputs[0])
    elif kind in ("nodes", "text with nodes"):
        scatter(obj, leaf, keep=True)
    elif kind.startswith("nodes with"):
        nodes = Nodes()
        part = {"geometry": "MeshGrid", "points": "Points", "curves": "CurvePrimitiveCircle"}[kind.split()[-1]]
        made = nodes.add(part).outputs[0]
        if kind == "nodes with geometry":
            made = nodes.add("InstanceOnPoints", Points=nodes.input, Instance=made).outputs[0]
        nodes.on(obj, nodes.add("JoinGeometry", Geometry=[nodes.input, made]).outputs[0])
    elif kind == "hair":
        hair(obj, "hair", 5, leaf)
    elif kind == "hair drawn as lines":
        hair(obj, "hair", 5, leaf).settings.render_type = "PATH"
    elif kind == "vertices":
        obj.instance_type = "VERTS"
        add("child", fan("child", 6), group, parent=obj)
    obj.show_instancer_for_viewport = obj.show_instancer_for_render = self_shown
    instance("copy", group, location=(0, 50, 0))
    scatter(add("scatter", points("scatter", [(0, 60, 0)])), obj)
    data, expected = check(visible)
    if self_shown or kind in ("plain", "modifier", "nodes without instances"):
        assert of(expected, "owner") >= 3
    if kind == "nodes":
        assert of(expected, "leaf") == 3 * 16


@VISIBLE
def test_show_instancer_differs_by_mode(check, visible):
    leaf = add("leaf", fan("leaf", 4), collection("hidden", linked=False))
    one, two = add("one", plane("one", 1, 2)), add("two", plane("two", 1, 3))
    for obj in (one, two):
        scatter(obj, leaf, keep=True)
    one.show_instancer_for_viewport = two.show_instancer_for_render = False
    data, expected = check(visible)
    assert (of(expected, "one"), of(expected, "two")) == ((1, 0) if visible == "render" else (0, 1))


@VISIBLE
def test_modifiers_differ_by_mode(check, visible):
    obj = add("obj", plane("obj"))
    subdivision = obj.modifiers.new("subdivision", "SUBSURF")
    subdivision.levels, subdivision.render_levels = 1, 2
    only = obj.modifiers.new("only", "ARRAY")
    only.show_viewport, only.count = False, 3
    data, _ = check(visible)
    assert data.triangle_count() == (2 * 16 * 3 if visible == "render" else 2 * 4)


@VISIBLE
@pytest.mark.parametrize("parent_hidden", ["hide_viewport", "hide_render", "hide_set"])
def test_a_hidden_parent_does_not_hide_its_child(check, visible, parent_hidden):
    parent = add("parent", fan("parent", 3), location=(5, 0, 0), rotation=(0, 0, 90))
    add("child", fan("child", 4), parent=parent, location=(1, 0, 0))
    parent.hide_set(parent_hidden == "hide_set")
    parent.hide_viewport, parent.hide_render = parent_hidden == "hide_viewport", parent_hidden == "hide_render"
    data, expected = check(visible)
    assert of(expected, "child") == 1
    assert of(expected, "parent") == ((parent_hidden != "hide_render") if visible == "render" else parent_hidden == "hide_render")


@VISIBLE
def test_objects_in_several_collections_are_shown_once_if_any_shows_them(check, visible):
    first, second = collection("first"), collection("second")
    obj = add("obj", fan("obj", 3), first)
    second.objects.link(obj)
    first.hide_viewport = first.hide_render = True
    assert check(visible)[0].instance_count == 1
    layer_collection("second").exclude = True
    add("other", fan("other", 4))
    assert check(visible)[0].instance_count == 1


@VISIBLE
def test_indirect_only_and_camera_visibility_do_not_matter(check, visible):
    """Cycles' ray switches and indirect-only collections still put the thing into the scene."""
    group = collection("group")
    obj = add("obj", fan("obj", 3), group)
    layer_collection("group").indirect_only = True
    obj.visible_camera = False
    obj.display_type = "BOUNDS"
    data, expected = check(visible)
    assert data.instance_count == len(expected) == 1


@VISIBLE
@pytest.mark.parametrize("kind", ["mesh", "text", "scatter", "collection instance"])
@pytest.mark.parametrize("by", ["object", "pick", "hair", "vertices"])
def test_hidden_objects_that_are_instanced_directly(check, visible, kind, by):
    """Named directly, a hidden object still shows its own mesh, but nothing that it instances itself."""
    hidden = collection("hidden", linked=by == "vertices")
    leaf = add("leaf", fan("leaf", 4), hidden)
    group = collection("group", linked=False)
    if kind == "mesh":
        source = add("source", fan("source", 5), group)
    elif kind == "text":
        text = bpy.data.curves.new("text", "FONT")
        text.body = "l"
        source = add("source", text, group)
    elif kind == "scatter":
        source = add("source", fan("source", 5), group)
        scatter(source, leaf, keep=True)
    else:
        source = instance("source", hidden, group)
    source.hide_viewport = source.hide_render = True
    owner = add("owner", plane("owner", 2, 2))
    if by == "object":
        scatter(owner, source)
    elif by == "pick":
        scatter(owner, group, pick=True)
    elif by == "hair":
        hair(owner, "hair", 5, source)
    else:
        bpy.context.scene.collection.objects.link(source)
        source.parent, owner.instance_type = owner, "VERTS"
    add("always", fan("always", 6))
    check(visible)


def test_the_last_render_stays(tmp_path):
    """A render-visibility export renders too, but not over the user's picture."""
    scene = bpy.context.scene
    bpy.ops.mesh.primitive_cube_add()
    bpy.ops.object.camera_add(location=(0, 0, 5))
    scene.camera = bpy.context.object
    scene.render.engine, scene.render.resolution_x, scene.render.resolution_y = "BLENDER_WORKBENCH", 64, 48
    bpy.ops.render.render()
    for _ in range(2):
        extract_scene(bpy.context, ExportSettings(visible="render"))
    result = next(i for i in bpy.data.images if i.type == "RENDER_RESULT")
    result.save_render(str(tmp_path / "kept.png"))
    header = (tmp_path / "kept.png").read_bytes()[16:24]
    assert (int.from_bytes(header[:4], "big"), int.from_bytes(header[4:], "big")) == (64, 48)
    assert [slot.name for slot in result.render_slots].count("GPUScene extraction") == 1
