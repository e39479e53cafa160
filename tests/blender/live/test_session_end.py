"""What a session outlives and what ends it: undo, other scenes, other files, errors, Stop. Afterwards nothing of it runs."""

import bpy


def test_undo_and_redo(grid):
    session = grid.running
    tables = session.tables
    bpy.data.objects.remove(bpy.data.objects["object 05"])
    bpy.ops.ed.undo_push(message="delete")
    grid.update()
    assert session.tables is tables and tables.count == 39
    bpy.ops.ed.undo()
    grid.update()
    assert session.tables.count == 40 and session.slot_of("object 05") is not None
    grid.redraw()
    bpy.ops.ed.redo()
    grid.update()
    assert session.tables.count == 39 and session.slot_of("object 05") is None
    grid.redraw()
    assert grid.differences() == [] and grid.session.current() is session


def test_undoing_a_move_uploads_one_record(grid):
    """Undo exchanges every data-block of Blender's; the tables find that one record differs."""
    session = grid.running
    bpy.data.objects["object 05"].location.y = 2
    bpy.ops.ed.undo_push(message="move")
    bpy.context.view_layer.update()
    grid.redraw()
    layout = session.tables.layout_version
    bpy.ops.ed.undo()
    grid.update()
    assert session.tables.take_dirty().tolist() == [session.slot_of("object 05")] and session.tables.layout_version == layout
    assert grid.differences() == []


def test_nothing_is_left_after_stop(grid):
    from gpuscene.blender.live import handlers

    session = grid.running
    grid.redraw()
    assert len(handlers.installed()) >= 7
    grid.session.stop()
    assert handlers.installed() == () and grid.handler_counts() == grid.before and grid.session.current() is None
    marked = bool(session.has_marks)
    bpy.data.objects["object 05"].location.x = 1
    bpy.context.view_layer.update()
    assert session.has_marks == marked and session.device is None and not session.views
    grid.session.stop()  # again


def test_start_again_and_again(grid):
    for _ in range(3):
        grid.start()
    counts = grid.handler_counts()
    assert {name: counts[name] - grid.before[name] for name in counts if counts[name] != grid.before[name]} == dict.fromkeys(
        [name for name in ("depsgraph_update_post", "frame_change_post", "undo_post", "redo_post", "load_pre", "exit_pre")
         if name in counts], 1)


def test_unregistering_stops_it(grid):
    from gpuscene.blender import registration

    ours = ("depsgraph_update_post", "frame_change_post", "undo_post", "redo_post", "load_pre")
    registration.unregister()
    try:
        counts = grid.handler_counts()
        assert grid.session.current() is None and [counts[n] for n in ours] == [grid.before[n] for n in ours]
    finally:
        registration.register()


def test_loading_a_file_stops_it(grid, tmp_path):
    path = str(tmp_path / "scene.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path, copy=True)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert grid.session.current() is None and grid.session.last_error() == ""
    assert grid.handler_counts() == grid.before
    grid.start()
    assert grid.running.tables.count == 40


def test_an_error_ends_it_with_one_line(grid, monkeypatch):
    """Whatever goes wrong inside a handler: the session is gone, and so are its handlers; nothing is printed at each redraw."""
    session = grid.running

    def broken(*_):
        raise KeyError("nobody\nexpected")

    monkeypatch.setattr(session, "mark", broken)
    bpy.data.objects["object 05"].location.x = 1
    bpy.context.view_layer.update()
    assert grid.session.current() is None and session.has_ended
    assert session.error == grid.session.last_error() and "\n" not in session.error
    assert "KeyError at test_session_end.py:" in session.error and "nobody" in session.error
    assert grid.handler_counts() == grid.before
    grid.start()
    assert grid.session.last_error() == ""


def test_another_scene(grid):
    session = grid.running
    other = bpy.data.scenes.new("other")
    other.collection.objects.link(bpy.data.objects["object 00"])
    other.view_layers[0].update()
    assert session.shows(bpy.context.scene, bpy.context.view_layer) and not session.shows(other, other.view_layers[0])
    bpy.data.objects["object 00"].location.y = 3  # both graphs name it; one is ours
    bpy.context.view_layer.update()
    grid.redraw()
    assert session.tables.count == 40
    session.follow(other, other.view_layers[0])
    bpy.context.window.scene = other
    bpy.context.view_layer.update()
    grid.redraw()
    assert (session.scene_name, session.tables.count) == ("other", 1)
    bpy.data.scenes.remove(other)


def test_a_scene_that_is_renamed_is_still_followed(grid):
    bpy.context.scene.name = "renamed"
    bpy.data.objects["object 01"].location.x = 7
    grid.update()
    assert grid.running.tables.transforms["position"][grid.running.slot_of("object 01")][0] == 7
