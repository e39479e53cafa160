"""Edits inside what is instanced: every copy follows, also where Blender names nobody but the object that changed."""

import bpy
import numpy as np
from builders import add, collection, fan, hair, instance, layer_collection, plane, scatter, trs


def _shown(session):
    """(source name, position) of each row that is shown, sorted."""
    tables = session.tables
    slots = np.flatnonzero(tables.alive & ((tables.transforms["flags"] & 1) != 0))
    return sorted((tables.names[tables.sources[s]], tuple(np.round(tables.transforms["position"][s], 4).tolist())) for s in slots)


def _settle(live):
    """Take what is dirty; (layout version, slots)."""
    live.update()
    return live.running.tables.layout_version, live.running.tables.take_dirty()


def _key(name):
    from gpuscene.core import ids

    return ids.name_key(name)


def fresh(live):
    return live.fresh_scene().instance_count


def test_content_of_a_nested_collection_moves_in_every_instance(live):
    inner = collection("inner", linked=False)
    part = add("part", fan("fan"), inner, location=(1, 0, 0))
    outer = collection("outer", linked=False, offset=(0, 0, 2))
    instance("inside", inner, outer, location=(0, 10, 0))
    for i in range(3):
        instance(f"top {i}", outer, location=(100 * i, 0, 0))
    session = live.start()
    assert _shown(session) == [("part", (100.0 * i + 1, 10, -2)) for i in range(3)]
    part.location.x = 4
    layout, dirty = _settle(live)
    assert len(dirty) == 3
    assert _shown(session) == [("part", (100.0 * i + 4, 10, -2)) for i in range(3)]
    add("more", fan("more", 5), inner, location=(0, 1, 0))
    live.update()
    assert _shown(session) == sorted([("part", (100.0 * i + 4, 10, -2)) for i in range(3)]
                                     + [("more", (100.0 * i, 11, -2)) for i in range(3)])
    part.hide_viewport = True
    live.update()
    assert _shown(session) == [("more", (100.0 * i, 11, -2)) for i in range(3)]
    inner.instance_offset = (0, 1, 0)
    live.update()
    assert _shown(session) == [("more", (100.0 * i, 10, -2)) for i in range(3)]


def test_what_blender_does_not_name_follows(live):
    """The child of a vertex instancer, and what hair instances: Blender marks the moved object alone."""
    parent = add("vertices", plane("plane"), location=(0, 0, 5))
    parent.instance_type, parent.show_instancer_for_viewport = "VERTS", False
    child = add("child", fan("fan"), parent=parent)
    emitter = add("emitter", plane("emitter"), location=(50, 0, 0))
    emitter.show_instancer_for_viewport = False
    hair(emitter, "hair", 3, add("strand", fan("strand", 5)))
    session = live.start()
    assert session.tables.count == 4 + 3 + 2  # four vertices, three hairs, and the two that are instanced
    child.scale = (2, 2, 2)
    live.update()
    assert live.differences() == []
    x_axes = session.tables.transforms["x_axis"][session.tables.slots_of([_key("vertices")])]
    assert np.allclose(np.linalg.norm(x_axes, axis=1), 2)
    bpy.data.objects["strand"].rotation_euler = (1, 2, 3)
    live.update()
    assert live.differences() == []


def test_an_animated_switch_inside_an_instanced_collection(live):
    inside = collection("inside", linked=False)
    blinker = add("blinker", fan("fan"), inside)
    for i in range(2):
        instance(f"copy {i}", inside, location=(i, 0, 0))
    for frame in (1, 2):
        blinker.hide_viewport = frame == 2
        blinker.keyframe_insert("hide_viewport", frame=frame)
    bpy.context.scene.frame_set(1)
    session = live.start()
    for frame, count in ((2, 0), (1, 2), (2, 0)):
        bpy.context.scene.frame_set(frame)
        live.update()
        assert session.tables.count == count == fresh(live)


def test_a_scatter_follows_its_source_and_its_points(live):
    source = add("source", fan("fan"), location=(0, 0, 50))
    ground = add("ground", plane("ground", 2, 2))
    nodes = scatter(ground, source)
    session = live.start()
    assert session.tables.count == 9 + 1
    source.data.vertices[0].co.z = 3
    source.data.update()
    live.update()
    assert session.tables.scene()["primitives"]["box_max"][0, 2] == 3 and live.differences() == []
    ground.matrix_world = trs((1, 2, 3), (0, 0, 90), (2, 2, 2))
    live.update()
    assert live.differences() == []
    ground.modifiers[0].show_viewport = False
    live.update()
    assert session.tables.count == 2 and nodes is not None and live.differences() == []


def test_excluded_and_closed_collections(live):
    inside = collection("inside")
    add("object", fan("fan"), inside)
    add("always", fan("always", 5))
    session = live.start()
    layer = layer_collection("inside")
    for name in ("exclude", "hide_viewport"):
        setattr(layer, name, True)
        live.update()
        assert (session.tables.count, session.tables.hidden_count) == (1, 1), name
        setattr(layer, name, False)
        live.update()
        assert (session.tables.count, session.tables.hidden_count) == (2, 0), name
        layer = layer_collection("inside")
