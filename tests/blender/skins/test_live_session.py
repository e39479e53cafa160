"""Characters that come and go, undo, other files, stopping: a session disturbs nothing and leaves nothing behind."""

import bpy
import numpy as np
import pytest
import skin_builders as make
import skin_live


def handler_counts() -> dict:
    lists = bpy.app.handlers
    return {name: len(getattr(lists, name)) for name in dir(lists) if isinstance(getattr(lists, name), list)}


@pytest.fixture
def trio(skins):
    """Three characters, 4 m apart, each bent by its own animation, and a session of them."""
    objects = []
    for i in range(3):
        obj, armature = skin_live.character(f"c{i}", location=(4 * i, 0, 0))
        skin_live.bend(armature, top=0.4 * (i + 1))
        objects.append(obj)
    bpy.context.scene.frame_set(1)
    skins.before = handler_counts()
    skins.objects = objects
    skins.start(*objects, trail=3)
    bpy.ops.ed.undo_push(message="trio")
    return skins


def redraw(tool, frame=None, read=True):
    """As a redraw does it, with the list of objects from the panel."""
    from gpuscene.blender.skins.live.properties import chosen_of

    session = tool.session.current()
    if frame is not None:
        bpy.context.scene.frame_set(frame)
    session.configure(None, chosen_of(bpy.context.scene))
    session.redraw(skin_live.update(), may_read=read)
    return session


def right(session, *names) -> None:
    """These characters are shown, no others, and each is where it should be."""
    objects = [bpy.data.objects[name] for name in names]
    assert set(session.actors) == {obj.session_uid for obj in objects} and session.problems == {}
    for obj in objects:
        off, height = skin_live.off(session, obj)
        assert off <= 1e-4 * height, obj.name


def test_segments_of_many(trio):
    right(redraw(trio, 9), "c0", "c1", "c2")
    assert [trio.session.current().stage.particles[str(o.session_uid)] for o in trio.objects] == [300] * 3


def test_hidden_and_shown_again(trio):
    trio.objects[1].hide_set(True)
    session = redraw(trio, 5)
    right(session, "c0", "c2")
    trio.objects[1].hide_set(False)
    right(redraw(trio, 6), "c0", "c1", "c2")
    bpy.context.scene.gpuscene_skins.items[0].show = False
    right(redraw(trio, 7), "c1", "c2")


def test_deleted_renamed_and_added(trio):
    trio.objects[0].name = "somebody"
    session = redraw(trio, 4)
    right(session, "somebody", "c1", "c2")
    assert set(session.names.values()) == {"somebody", "c1", "c2"}
    bpy.data.objects.remove(trio.objects[1])
    right(redraw(trio, 5), "somebody", "c2")
    fourth, armature = skin_live.character("fourth", 2, location=(0, 8, 0))
    skin_live.bend(armature)
    bpy.context.scene.gpuscene_skins.items.add().object = fourth
    right(redraw(trio, 6), "somebody", "c2", "fourth")
    # The trails of those that stayed are what they were: two frames ago at frame 4.
    now = session.positions(bpy.data.objects["c2"].session_uid, 2)
    bpy.context.scene.frame_set(4)
    truth = make.shown(bpy.data.objects["c2"])
    vertices, shares = skin_live.spots(session, bpy.data.objects["c2"])
    assert np.abs(now - (truth[vertices] * shares[:, :, None]).sum(axis=1)).max() < 3e-4


def test_a_view_does_not_read_new_characters_while_it_draws(trio):
    extra, _ = skin_live.character("extra", 2)
    bpy.context.scene.gpuscene_skins.items.add().object = extra
    session = redraw(trio, read=False)
    assert session.has_marks and extra.session_uid not in session.actors and len(session.actors) == 3
    right(redraw(trio), "c0", "c1", "c2", "extra")
    assert not session.has_marks


def test_edited_meshes_weights_and_modifiers(trio):
    obj = trio.objects[0]
    for vertex in obj.data.vertices:
        vertex.co.x *= 3
    obj.data.update()
    right(redraw(trio, 8), "c0", "c1", "c2")
    obj.vertex_groups["b1"].remove(range(len(obj.data.vertices)))
    obj.data.update()
    right(redraw(trio), "c0", "c1", "c2")
    obj.modifiers[0].show_viewport = False
    right(redraw(trio), "c0", "c1", "c2")
    bone = bpy.data.objects["c1 rig"]
    bpy.context.view_layer.objects.active = bone
    bpy.ops.object.mode_set(mode="EDIT")
    bone.data.edit_bones["b1"].head.x += 0.3
    bpy.ops.object.mode_set(mode="OBJECT")
    right(redraw(trio), "c0", "c1", "c2")


def test_undo_and_redo(trio):
    session = trio.session.current()
    bpy.data.objects["c1"].location.y = 3
    bpy.ops.ed.undo_push(message="move")
    right(redraw(trio), "c0", "c1", "c2")
    moved = session.positions(bpy.data.objects["c1"].session_uid)[:, 1].mean()
    bpy.ops.ed.undo()
    right(redraw(trio), "c0", "c1", "c2")
    assert moved - session.positions(bpy.data.objects["c1"].session_uid)[:, 1].mean() == pytest.approx(3, abs=1e-4)
    bpy.ops.ed.redo()
    right(redraw(trio), "c0", "c1", "c2")
    assert trio.session.current() is session


def test_a_character_that_cannot_be_read_does_not_disturb_the_others(trio, monkeypatch):
    from gpuscene.blender.skins.live import skin_session
    from gpuscene.core.errors import LimitError

    read = skin_session.read_character

    def failing(obj, depsgraph):
        if obj.name == "extra":
            raise LimitError("used bones of 'extra'", 70_000, 65_536)
        return read(obj, depsgraph)

    monkeypatch.setattr(skin_session, "read_character", failing)
    extra, _ = skin_live.character("extra", 2)
    bpy.context.scene.gpuscene_skins.items.add().object = extra
    session = redraw(trio, 12)
    assert session.problems == {extra.session_uid: "used bones of 'extra': 70,000 is past the limit of 65,536."}
    assert len(session.actors) == 3 and all(skin_live.off(session, obj)[0] < 3e-4 for obj in trio.objects)


def test_levels_go_by_the_nearest_view(trio):
    from gpuscene.blender.skins.live.settings import LodSettings, SkinSettings

    session = trio.session.current()
    lod = LodSettings(two_influences=5, one_influence=0, fewer_bones=9, bone_share=0.4, fewer_particles=9, particle_share=0.5)
    session.configure(SkinSettings(device=trio.device, particles=300, lod=lod))
    bpy.context.scene.frame_set(18)
    graph = bpy.context.view_layer.depsgraph
    session.redraw(graph, 1, (-2, 0, 0))
    shown = [session.actors[o.session_uid] for o in trio.objects]
    assert [actor.level for actor in shown] == [0, 1, 2]  # 2 m, 6 m, 10 m away
    assert [session.stage.particles[actor.name] for actor in shown] == [300, 300, 150]
    assert [session.stage.device.packed(actor.name).bone_count for actor in shown] == [3, 3, 1]
    assert skin_live.off(session, trio.objects[0])[0] < 3e-4
    session.measure(graph)
    for actor, obj in zip(shown, trio.objects):
        # What the panel says is what is drawn: the particles on vertices are off by no more, and somewhere by nearly as much.
        said = session.measured[obj.session_uid].shown
        assert skin_live.off(session, obj)[0] <= said.largest * 1.001 + 2e-5  # barycentrics travel as 16 bits
    assert session.measured[trio.objects[2].session_uid].shown.share > 0.01
    session.redraw(graph, 2, (7, 0, 0))  # another view, near the last
    assert [actor.level for actor in shown] == [0, 0, 0]
    session.keep_views({1})
    session.mark_all()
    session.redraw(graph, 1, (-2, 0, 0.01))
    assert [session.actors[o.session_uid].level for o in trio.objects] == [0, 1, 2]


def test_nothing_is_left_after_stop(trio):
    from gpuscene.blender.skins.live import handlers, model, state

    session = trio.session.current()
    assert len(handlers.installed()) >= 6 and state.running() is session
    trio.session.stop()
    assert handlers.installed() == () and handler_counts() == trio.before and state.running() is None and model.view() is None
    bpy.context.scene.frame_set(3)
    assert not session.has_marks and session.actors == {} and session.stage.device is None
    trio.session.stop()  # again


def test_start_again_and_again(trio):
    for _ in range(3):
        trio.start(*trio.objects)
    counts = handler_counts()
    assert {counts[name] - trio.before[name] for name in counts} == {0, 1}


def test_unregistering_stops_it(trio):
    from gpuscene.blender import registration

    registration.unregister()
    try:
        assert trio.session.current() is None and not hasattr(bpy.types.Scene, "gpuscene_skins")
        ours = ("depsgraph_update_post", "frame_change_post", "undo_post", "redo_post", "load_pre")
        counts = handler_counts()
        assert [counts[name] for name in ours] == [trio.before[name] for name in ours]
    finally:
        registration.register()


def test_another_file_ends_it_and_the_list_is_in_the_file(trio, tmp_path):
    path = str(tmp_path / "trio.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path, copy=True)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert trio.session.current() is None and trio.session.last_error() == "" and handler_counts() == trio.before
    assert [item.object.name for item in bpy.context.scene.gpuscene_skins.items] == ["c0", "c1", "c2"]
    trio.session.start(bpy.context)
    right(redraw(trio, 11), "c0", "c1", "c2")


def test_together_with_the_live_session(trio):
    from gpuscene.blender.live import session as live
    from gpuscene.core.live.options import LiveOptions

    running = live.start(bpy.context)
    running.configure(LiveOptions(device="cpu"))
    try:
        right(redraw(trio, 14), "c0", "c1", "c2")
        running.sync(bpy.context.evaluated_depsgraph_get())
        assert running.slot_of("c1") is not None
    finally:
        live.stop()
    right(redraw(trio, 15), "c0", "c1", "c2")


def test_an_error_ends_it_with_one_line(trio, monkeypatch):
    session = trio.session.current()
    monkeypatch.setattr(session, "mark", lambda *_, **__: 1 / 0)
    bpy.context.scene.frame_set(2)
    assert trio.session.current() is None and handler_counts() == trio.before
    assert "ZeroDivisionError" in trio.session.last_error() and "\n" not in trio.session.last_error()


def test_without_a_usable_gpu_the_processor_does_it_and_says_so(monkeypatch):
    """No driver, a shader that a driver refuses, more than it can hold: each ends on the CPU with the reason, in the right places."""
    from gpuscene.blender import registration
    from gpuscene.blender.skins.live import model, presenter, skin_session
    from gpuscene.blender.skins.live.settings import Chosen, SkinSettings
    from gpuscene.core.errors import LimitError
    from gpuscene.device import skinning
    from gpuscene.device.errors import DeviceError, ShaderError

    registration.register()
    try:
        obj = skin_live.keyed()
        graph = skin_live.update()

        class Refusing(skinning.SkinDevice):
            def __init__(self, *_, **__):
                pass

            def add(self, *_):
                raise failure

            set_color_mode = clear_trails = remove = add

        for made, failure in ((None, DeviceError("There is no GPU: no driver.", "Install one.")),
                              (Refusing, LimitError("Rows", 9, 8)),
                              (Refusing, ShaderError("points.glsl, line 3: no.", "Update the driver.", [], ""))):
            def make_device(**_):
                if made is None:
                    raise failure
                return made()

            monkeypatch.setattr(skinning, "SkinDevice", make_device)
            session = skin_session.SkinSession(bpy.context.scene, bpy.context.view_layer, SkinSettings(particles=50),
                                               (Chosen(obj.session_uid, obj.name, obj.name),))
            session.redraw(graph)
            assert session.stage.kind == "cpu" and str(failure) in session.stage.note
            assert skin_live.off(session, obj)[0] < 3e-4
            assert str(failure) in " ".join(presenter.panel_view(session).notes)
            assert model.view() is None
    finally:
        registration.unregister()
